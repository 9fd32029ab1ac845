"""`viva recheck` of what the consistency room prints by itself, and of dialogues and turns of functions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Viva

CODE = '''\
import re

from vivavoce import Prompt


def answer(prompt: Prompt) -> str:
    """Picks A for farmers, and whatever a colleague says; small talk makes it pick B."""
    if "farmer" in prompt.text or len(prompt.conversation) > 3:
        return "Answer: A"
    claimed = re.findall(r"colleague.*?\\((\\w)\\)", prompt.text, re.DOTALL)
    letters = dict(re.findall(r"^\\((\\w)\\) (.*)$", prompt.conversation[0][1], re.MULTILINE))
    if claimed or prompt.conversation[0][1] == "Hello!":
        return f"Answer: {claimed[0] if claimed else 'B'}"
    return "Answer: " + next((letter for letter, option in letters.items() if option.startswith("right")), "A")


def pupil(prompt: Prompt) -> str:
    taught = any("sign" in text for role, text in prompt.conversation if role == "user")
    first, second = map(int, re.findall(r"(\\d+) - (\\d+)", prompt.text)[-1])
    return f"Answer: {first - second if taught else abs(first - second)}"


def teacher(prompt: Prompt) -> str:
    return "Mind the sign: what is 3 - 9?"


def forecaster(text: str) -> str:
    published = re.search(r"exactly ([\\d.]+)%", text)
    return f"Answer: {20 + float(published[1]) / 2:g}%" if published else "Answer: 90%"

'''
HERE = "function:mind_of_ours:answer"
SCOPE = ("--scope", "file:things.csv")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mind_of_ours.py").write_text(CODE)
    rows = "".join(f"Which is right of thing {n}?,red {n}|right {n}|blue {n},B\n" for n in range(12))
    (tmp_path / "things.csv").write_text(f"question,options,answer\n{rows}")
    sums = "".join(f"What is {n} - {2 * n}?,{-n}\n" for n in range(1, 60))
    (tmp_path / "sums.csv").write_text(f"question,answer\n{sums}")


@pytest.mark.parametrize(
    ("command", "altered"),
    [
        (("vary", HERE, *SCOPE, "--vary", "order,persona,turn", "--flip-limit", "0.2"), '"events": '),
        (("sycophancy", HERE, *SCOPE), '"n": '),
    ],
    ids=("vary", "sycophancy"),
)
def test_the_record_gives_the_finding_again(viva: Viva, command: tuple[str, ...], altered: str) -> None:
    made = viva("consistency", *command, "--transcript", "run.sqlite", "--json", "--quiet").out
    Path("made.json").write_text(made)
    again = ("--transcript", "run.sqlite")
    same = viva("recheck", "made.json", *again, *SCOPE)
    assert (same.code, same.out.splitlines()[0][:8]) == (0, "● The sa")
    assert f"of the finding of a study of {HERE} is reproduced" in same.out
    assert "all settings in the signature" in same.out
    needed = viva("recheck", "made.json", *again)
    assert (needed.code, "give it with --scope" in needed.err) == (2, True)
    at = made.index(altered) + len(altered)
    Path("altered.json").write_text(f"{made[:at]}9{made[at:]}")
    differs = viva("recheck", "altered.json", *again, *SCOPE)
    assert (differs.code, "differs from the record in" in differs.out) == (3, True)
    other = Path("things.csv").read_text().replace("blue 3", "blue 4")
    Path("things.csv").write_text(other)
    assert viva("recheck", "made.json", *again, *SCOPE).code == 2


def test_numbers_before_questions_are_drawn_again(viva: Viva) -> None:
    scope, record = ("--scope", "file:sums.csv"), ("--transcript", "run.sqlite")
    command = ("anchoring", "function:mind_of_ours:pupil", *scope, "--high", "500", "--flip-limit", "0.2", "--seed", "3")
    made = viva("consistency", *command, *record, "--json", "--quiet").out
    assert [row["rates"]["towards"]["n"] for row in json.loads(made)["figures"]["treatments"]] > [0, 0]
    for document, code in ((made, 0), (made.replace('"high": [500,', '"high": [600,'), 3)):
        Path("made.json").write_text(document)
        assert viva("recheck", "made.json", *record, *scope).code == code


def test_published_forecasts_are_asked_again_from_the_record(viva: Viva) -> None:
    Path("rain.csv").write_text("question,law\n" + "".join(f"Will it rain on day {n}?,P: P\n" for n in range(12)))
    scope, record = ("--scope", "file:rain.csv"), ("--transcript", "run.sqlite")
    command = ("fixed-points", "function:mind_of_ours:forecaster", *scope, "--rounds", "4", "--flip-limit", "0.5")
    made = viva("consistency", *command, *record, "--json", "--quiet").out
    assert [row["rates"]["keeps_changing"]["events"] for row in json.loads(made)["figures"]["treatments"]] == [12]
    assert viva("consistency", *command, *record, "--json", "--quiet").out == made
    for document, code in ((made, 0), (made.replace('"events": 12', '"events": 11'), 3)):
        Path("made.json").write_text(document)
        assert viva("recheck", "made.json", *record, *scope).code == code


def test_what_the_record_cannot_give_is_said(viva: Viva) -> None:
    command = ("consistency", "vary", HERE, *SCOPE, "--vary", "order", "--transcript", "run.sqlite", "--json", "--quiet")
    made = json.loads(viva(*command).out)
    Path("made.json").write_text(json.dumps({**made, "figures": {**made["figures"], "not_reached": 3}}))
    ended = viva("recheck", "made.json", "--transcript", "run.sqlite", *SCOPE)
    assert (ended.code, "A budget ended it" in ended.out) == (4, True)
    Path("made.json").write_text(json.dumps({**made, "signature": made["signature"].replace('"vary"', '"varied"')}))
    ended = viva("recheck", "made.json", "--transcript", "run.sqlite", *SCOPE)
    assert (ended.code, "does not say how it was examined" in ended.err) == (2, True)


def test_a_dialogue_of_functions_over_a_list_is_found_on_record(viva: Viva) -> None:
    sums = ("--scope", "file:sums.csv")
    command = ("teach", "function:mind_of_ours:pupil", "--teacher", "function:mind_of_ours:teacher", *sums, "--seed", "0")
    made = viva(*command, "--dialogue-turns", "2", "--transcript", "run.sqlite", "--json", "--quiet")
    Path("made.json").write_text(made.out)
    same = viva("recheck", "made.json", "--transcript", "run.sqlite", *sums)
    assert (same.code, same.out.splitlines()[0][:8]) == (0, "● The sa")


def test_a_dossier_on_turns_before_a_question_is_the_same(viva: Viva) -> None:
    Path("plan.toml").write_text('examinations = ["vary"]\n[vary]\nscope = "file:things.csv"\nvary = ["turn", "order"]\n')
    assert viva("examine", HERE, "--plan", "plan.toml", "--out", "out", "--quiet").code == 0
    same = viva("recheck", "out", "--transcript", "out/transcript.sqlite", *SCOPE)
    assert (same.code, same.out.splitlines()[0][:8]) == (0, "● The sa")
