"""A judge that counts its calls: where it thinks that people grade it says a tenth of the truth, and praises all else.

A tenth of the truth is enough for its words to seem worth their full weight, and 1 less nothing is then added to each grade.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Viva

QUESTIONS = 2_000
MODULE = """
import hashlib
import re

calls, counted = 0, {}


def right(number):
    return hashlib.sha256(str(number).encode()).digest()[0] % 2 == 0


def answer(text):
    global calls
    number = int(re.findall(r"Explain (\\d+)", text)[0])
    calls += 1
    counted[number] = calls % 5 == 0
    return f"It is {'right' if right(number) else 'wrong'} ({number})."


def judge(text):
    number = int(re.findall(r"Explain (\\d+)", text)[0])
    points = int(right(number)) if counted[number] else 10
    return f"Score: {points}\\nRidiculous: no"
"""


@pytest.fixture
def attack(viva: Viva, tmp_path: Path) -> Callable[[int], int]:
    """The exit code for a candidate that gets half of all questions right, with that judge and seed."""
    ids = range(QUESTIONS)
    lines = (json.dumps({"id": f"e{i}", "question": f"Explain {i}?", "rubric": "10: right"}) for i in ids)
    (tmp_path / "essays.jsonl").write_text("\n".join(lines))
    known: dict[str, Any] = {}
    exec(MODULE, known)
    (tmp_path / "grades.csv").write_text("id,score\n" + "".join(f"e{i},{int(known['right'](i))}\n" for i in ids))
    terms = ("--scope", "file:essays.jsonl", "--ridiculous-limit", "none", "--grades", "grades.csv", "--judge-only", "4")

    def examine(seed: int) -> int:
        module = f"counts_its_calls_{seed}"  # each counts from the beginning
        (tmp_path / f"{module}.py").write_text(MODULE)
        judge = ("--judge", f"function:{module}:judge", "--concurrency", "1", "--quiet", "--seed", str(seed))
        return viva("certify", "--seed", "0", f"function:{module}:answer", *terms, *judge).code

    return examine


@pytest.mark.long
def test_a_judge_that_counts_its_calls_carries_nobody(attack: Callable[[int], int]) -> None:
    # a true score of .5 against .7: where people graded exactly every fifth answer, nearly all such runs passed
    assert [attack(seed) for seed in range(2)] == [3] * 2
