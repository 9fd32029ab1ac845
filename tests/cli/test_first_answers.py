"""The first answers of an examination stand among its progress, as they are read and graded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from vivavoce.cli.progress import HEADING

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
