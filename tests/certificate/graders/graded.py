"""Scopes that only graders can score, and graders whose grades are known."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field

import pytest

from tests.certificate.candidates import Expert, interview
from vivavoce.certificate.graders.judge import CandidateJudge
from vivavoce.certificate.graders.people import People, PersonsGrade
from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

RIGHT, WRONG = "Answer: A", "Answer: B"
"""What `Expert` says."""


def essays(size: int, *, copies: int = 1) -> ListedScope:
    """Questions without an answer, each with a rubric; in clusters of `copies`."""
    return ListedScope(
        "essays",
        tuple(
            Question(f"{i}.{copy}", f"Why {i}, version {copy}?", rubric="Be right.", cluster=f"{i}" if copies > 1 else "")
            for i in range(size)
            for copy in range(copies)
        ),
    )


@dataclass
class PointsJudge:
    """Judges: so many points for a right answer, so many for another one."""

    right: str = "9"
    wrong: str = "2"
    name: str = "test:points"
    seconds_when_wrong: float = 0.0
    prompts: list[Prompt] = field(default_factory=list)

    async def answer(self, prompt: Prompt, /) -> Reply:
        self.prompts.append(prompt)
        answer = re.findall(r"<answer \w+>\n(.*)\n</answer \w+>", prompt.text, re.DOTALL)[-1]
        if answer != RIGHT:
            await asyncio.sleep(self.seconds_when_wrong)
        points = self.right if answer == RIGHT else self.wrong
        return Reply(f"Let me see.\nScore: {points}\nUnacceptable: no", Usage(tokens_in=90, tokens_out=10, money=0.01))


def judge(candidate: Candidate[Prompt, Reply] | None = None, *, draws: int = 1, **settings: object) -> CandidateJudge:
    return CandidateJudge(interview(candidate or PointsJudge(), **settings), draws=draws)


def people(candidate: Expert, scope: ListedScope, *, but: frozenset[str] = frozenset()) -> People:
    """Grades of what such a candidate answers: 1 where it is right, 0 where not; none for the questions in `but`."""
    return People(
        PersonsGrade(q.id, "", float(candidate.right(scope.prompt(q))), False) for q in scope.questions if q.id not in but
    )


def same_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """All records have one secret from now on, so that people meet the same places in each of them."""
    monkeypatch.setattr("vivavoce.interview.transcript_opening.token_bytes", bytes)
    monkeypatch.setattr("vivavoce.interview.commitment.token_hex", lambda: "00")


__all__ = ["Expert", "essays", "interview", "judge", "people", "same_secrets"]
