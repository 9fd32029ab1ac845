"""`viva recheck` of what the consistency room prints by itself, and of dialogues and turns of functions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from tests.studies.contract import contract_of
from vivavoce.studies.scope_studies import RECHECKED

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


@pytest.mark.long
@pytest.mark.parametrize("name", RECHECKED)
def test_the_record_gives_the_finding_again(name: str, viva: Viva) -> None:
    if name == "vary":
        command: tuple[str, ...] = ("consistency", "vary", HERE, "--vary", "order,persona,turn", "--flip-limit", "0.2")
        scope = "file:things.csv"
    else:
        command, scope = contract_of(name).command(name), contract_of(name).file(name)
    again = ("--transcript", "run.sqlite")
    made, repeated = (viva(*command, "--scope", scope, *again, "--json", "--quiet").out for _ in range(2))
    assert repeated == made
    Path("made.json").write_text(made)
    same = viva("recheck", "made.json", *again, "--scope", scope)
    assert (same.code, same.out.splitlines()[0][:8]) == (0, "● The sa")
    for words in (f"of the finding of a study of {command[2][:40]}", "is reproduced", "all settings in the signature"):
        assert words in same.out
    needed = viva("recheck", "made.json", *again)
    assert (needed.code, "give it with --scope" in needed.err) == (2, True)
    for number in ('"events": ', '"n": '):
        at = made.index(number) + len(number)
        Path("altered.json").write_text(f"{made[:at]}9{made[at:]}")
        differs = viva("recheck", "altered.json", *again, "--scope", scope)
        assert (differs.code, "differs from the record in" in differs.out) == (3, True)
    file = Path(scope.removeprefix("file:"))
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    assert viva("recheck", "made.json", *again, "--scope", scope).code == 2


def test_altered_details_are_found(viva: Viva) -> None:
    scope, record = ("--scope", "file:sums.csv"), ("--transcript", "run.sqlite")
    command = ("anchoring", "function:mind_of_ours:pupil", *scope, "--high", "500", "--flip-limit", "0.2", "--seed", "3")
    made = viva("consistency", *command, *record, "--json", "--quiet").out
    Path("made.json").write_text(made.replace('"high": [500,', '"high": [600,'))
    assert viva("recheck", "made.json", *record, *scope).code == 3


def test_what_the_record_cannot_give_is_said(viva: Viva) -> None:
    command = ("consistency", "vary", HERE, *SCOPE, "--vary", "order", "--transcript", "run.sqlite", "--json", "--quiet")
    made = viva(*command).values
    Path("made.json").write_text(json.dumps({**made, "figures": {**made["figures"], "not_reached": 3}}))
    ended = viva("recheck", "made.json", "--transcript", "run.sqlite", *SCOPE)
    assert (ended.code, "A budget ended it" in ended.out) == (4, True)
    Path("made.json").write_text(json.dumps({**made, "signature": made["signature"].replace('"vary"', '"varied"')}))
    ended = viva("recheck", "made.json", "--transcript", "run.sqlite", *SCOPE)
    assert (ended.code, "does not say how it was examined" in ended.err) == (2, True)


def test_a_dialogue_of_functions_over_a_list_is_found_on_record(viva: Viva) -> None:
    sums = ("--scope", "file:sums.csv")
    command = (
        "consistency",
        "teach",
        "function:mind_of_ours:pupil",
        "--teacher",
        "function:mind_of_ours:teacher",
        *sums,
        "--seed",
        "0",
    )
    made = viva(*command, "--dialogue-turns", "2", "--transcript", "run.sqlite", "--json", "--quiet")
    Path("made.json").write_text(made.out)
    same = viva("recheck", "made.json", "--transcript", "run.sqlite", *sums)
    assert (same.code, same.out.splitlines()[0][:8]) == (0, "● The sa")


def test_a_dossier_on_turns_before_a_question_is_the_same(viva: Viva) -> None:
    Path("plan.toml").write_text('examinations = ["vary"]\n[vary]\nscope = "file:things.csv"\nvary = ["turn", "order"]\n')
    assert viva("report", HERE, "--plan", "plan.toml", "--out", "out", "--quiet").code == 0
    same = viva("recheck", "out", "--transcript", "out/transcript.sqlite", *SCOPE)
    assert (same.code, same.out.splitlines()[0][:8]) == (0, "● The sa")
