"""`--set reply-format` in every command that asks, and the first answers among the progress."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from tests.cli.test_options import COMMANDS, options
from tests.each_case import each_case
from vivavoce.candidates import open_candidate
from vivavoce.cli.asking import AskOptions
from vivavoce.cli.progress import HEADING
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.transcript import Transcript


def test_every_command_that_asks_in_words_has_the_option() -> None:
    asking = [name for name, command in COMMANDS.items() if {"timeout", "money"} <= set(options(command))]
    assert len(asking) > 8
    assert all("reply-format" in options(COMMANDS[name]) for name in asking)


@each_case("reply_format", [None, "text", "schema", "turn"])
def test_it_is_the_interviews_setting(reply_format: ReplyFormat | None) -> None:
    asking = AskOptions(8, time_out=120.0, quiet=True, reply_format=reply_format)
    with Transcript.open(None) as transcript:
        interview = asking.interview(open_candidate("bot:calculator"), transcript, expected=None, on_progress=None)
    assert interview.settings["asking"] == (reply_format or "by form")


@pytest.mark.long
def test_an_examination_keeps_it_in_its_plan_and_in_the_commands_that_have_the_numbers_again(
    viva: Viva, tmp_path: Path
) -> None:
    ended = viva("report", "bot:calculator", "--only", "certificate", "--out", "out", "--quiet", "--set", "reply-format=text")
    assert ended.code in (0, 1, 3, 4), ended.err
    assert 'reply_format = "text"' in (tmp_path / "out" / "plan.toml").read_text()
    card = json.loads((tmp_path / "out" / "report.json").read_text())["cards"][0]
    assert "--set reply-format=text" in card["command"]


def test_another_word_is_refused(refuses: Refuses) -> None:
    says = "'shout' is not one of text, schema, turn."
    refuses("certify", "bot:calculator", "--scope", "arithmetic", "--set", "reply-format=shout", says=says)


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [
        ("certify", "bot:calculator", "--scope", "arithmetic", "--unacceptable-limit", "none"),
        ("compare", "bot:calculator", "bot:gibberish", "--scope", "arithmetic"),
        ("gate", "bot:calculator", "--baseline", "bot:gibberish", "--scope", "arithmetic"),
    ],
)
def test_headlines_say_that_replies_were_followed_up(viva: Viva, command: tuple[str, ...]) -> None:
    followed = viva(*command, "--seed", "1", "--quiet", "--set", "reply-format=turn")
    assert "calculator with follow-up" in followed.out
    assert "follow-up" not in viva(*command, "--seed", "1", "--quiet").out


WRONG = "bot:calculator?wrong=0.3"
SUMS = ("--scope", "arithmetic", "--questions", "6")


def numbered(err: str) -> list[str]:
    """The lines that begin an answer."""
    return [line for line in err.splitlines() if line[:2] in ("1.", "2.", "3.", "4.")]


@pytest.mark.parametrize(
    "words",
    [
        ("certify", "bot:calculator", *SUMS),
        ("certify", "bot:calculator", *SUMS, "--draws", "3"),
        ("certify", "bot:calculator", *SUMS, "--scope", "arithmetic?digits=1"),
        ("certify", "bot:eliza", *SUMS, "--judge", "bot:gibberish"),
        ("gate", "bot:calculator", "--baseline", WRONG, *SUMS),
        ("report", "bot:calculator", "--only", "certificate", "--questions", "12", "--out", "out"),
    ],
    ids=" ".join,
)
def test_the_first_run_shows_three_answers_and_their_grades(viva: Viva, words: tuple[str, ...]) -> None:
    err = viva(*words).err
    assert err.count(HEADING) == 1
    assert [line[:2] for line in numbered(err)] == ["1.", "2.", "3."]
    assert err.count("  Why: ") == 3
    assert ("Grade: not judged" if "bot:eliza" in words else "Grade: right") in err


def test_a_gate_shows_those_of_the_new_candidate(viva: Viva) -> None:
    ended = viva("gate", "bot:eliza", "--baseline", "bot:calculator", *SUMS)
    assert ended.err.count("Grade: not gradable by rule") == 3


def test_what_was_answered_before_is_not_shown_again(viva: Viva) -> None:
    kept = (*SUMS, "--transcript", "run.sqlite")
    assert HEADING in viva("certify", "bot:calculator", *kept).err
    assert HEADING not in viva("certify", "bot:calculator", *kept).err
    assert HEADING not in viva("gate", "bot:calculator", "--baseline", WRONG, *kept).err


@pytest.mark.parametrize(
    "words", [("certify", "bot:calculator", *SUMS, "--quiet"), ("compare", "bot:calculator", WRONG, *SUMS)], ids=" ".join
)
def test_they_are_not_shown_with_quiet_nor_in_a_comparison(viva: Viva, words: tuple[str, ...]) -> None:
    assert HEADING not in viva(*words).err


def test_standard_output_is_as_before(viva: Viva, tmp_path: Path) -> None:
    words = ("certify", "bot:calculator", *SUMS, "--seed", "0", "--json")
    shown, quiet = viva(*words), viva(*words, "--quiet")
    assert json.loads(shown.out) == json.loads(quiet.out)
    assert HEADING in shown.err
    assert quiet.err == ""
