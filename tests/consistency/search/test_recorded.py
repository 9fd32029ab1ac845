"""Replies of a real model (Qwen2.5-Coder-0.5B-Instruct, 4 bits a weight, temperature 0), as they were recorded."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from pathlib import Path
from string import ascii_uppercase

from vivavoce.certificate.scopes import open_scope
from vivavoce.consistency.invariance.config import InvarianceConfig
from vivavoce.consistency.search.config import ContradictionSearchConfig
from vivavoce.consistency.search.examine import search
from vivavoce.consistency.search.finding import ContradictionSearch
from vivavoce.consistency.search.spaces.varied import VariedQuestions, kinds_of
from vivavoce.examination.varied import subjects_of
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview

HERE = Path(__file__).parent
CONFIG = ContradictionSearchConfig(calls=80, confirm=3, method="random")
RECORDED = [json.loads(line) for line in (HERE / "qwen.jsonl").read_text(encoding="utf-8").splitlines()]


class Recorded:
    """Says what was said to that text, one reply after the other."""

    name = "chat:qwen2.5-coder-0.5b-instruct"

    def __init__(self) -> None:
        self.left: defaultdict[str, list[str]] = defaultdict(list)
        for row in sorted(RECORDED, key=lambda row: int(row["draw"]), reverse=True):
            self.left[row["asked"]].append(row["reply"])

    async def answer(self, question: Prompt, /) -> Reply:
        left = self.left[question.text]
        return Reply(left.pop() if left else "", finish="stop")


def found() -> ContradictionSearch:
    subjects = subjects_of(open_scope(HERE / "capitals.csv"), InvarianceConfig(questions=CONFIG.cases, seed=CONFIG.seed))
    interview = Interview(Recorded(), answers=Reply)
    space = VariedQuestions(subjects, kinds_of(("order", "typos", "context", "persona")), CONFIG.seed)
    return asyncio.run(search(interview, space, CONFIG))


def content(asked: str, reply: str) -> str:
    """What a recorded reply picks, by the options of its question: not by the package's own reader."""
    options = dict(re.findall(r"^\((\w)\) (.*)$", asked, re.MULTILINE))
    (letter,) = re.findall(rf"^Answer: ([{ascii_uppercase}])$", reply, re.MULTILINE)
    return str(options[letter])


def test_all_replies_are_read() -> None:
    (run,) = found().runs
    assert dict(run.replies) == {"read": 80}
    assert (run.attempts, run.contradicting, run.distinct, run.unsettled) == (16, 8, 3, 5)


def test_each_contradiction_stands_in_the_recording() -> None:
    contradictions = found().contradictions
    assert [dict(one.changes) for one in contradictions] == [
        {"typos": "typing errors, set 4"},
        {"order": "options moved on by 2"},
        {"order": "options moved on by 1"},
    ]
    for one in contradictions:
        for side in one.sides:
            question = side.question.partition(" (")[0]
            options = side.question.partition(" (")[2].rstrip(")").split(" / ")
            shown = "".join(f"\n({letter}) {option}" for letter, option in zip("ABC", options, strict=True))
            said = [content(row["asked"], row["reply"]) for row in RECORDED if row["asked"].startswith(f"{question}\n{shown}")]
            assert len(said) >= 3
            assert set(said) == set(side.answers)
        first, second = one.sides
        assert set(first.answers).isdisjoint(second.answers)
