"""Dossiers made by hand, and examinations held on the spot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from vivavoce.examination.answer import SkippedRoom
from vivavoce.examination.cards import Claim, ComparableFigure, FindingCard
from vivavoce.examination.dossier import Dossier
from vivavoce.examination.part import ExaminationConfig, ExaminationContext, Nature
from vivavoce.examination.plan import Plan
from vivavoce.examination.run import Examination, look_ahead
from vivavoce.interview.budget import SharedBudget
from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview, Monitor
from vivavoce.interview.progress import Progress
from vivavoce.interview.transcript import Transcript

PASSED = Claim("trusted", "sums (required: a mean score of at least 0.70)", 0.05)
FAILED = Claim("not", "clocks (it falls short of: a mean score of at least 0.70)", 0.05)


def card(*claims: Claim, figures: tuple[ComparableFigure, ...] = ()) -> FindingCard:
    """A certificate's card without a finding."""
    return FindingCard(
        room="certificate",
        statement="bot:x understands sums.",
        claims=claims,
        figures=figures,
        caveats=("It holds for sums.",),
        command="viva certify bot:x --scope sums",
        scope_digest="ab",
        signature="vivavoce 0",
        details={"verdict": "pass"},
    )


def score(value: float, lower: float, upper: float, *, asked: str = "ab") -> ComparableFigure:
    """The mean score on sums."""
    return ComparableFigure("sums: mean score", value, lower, upper, 40, "score", asked)


def dossier(*cards: FindingCard, candidate: str = "bot:x") -> Dossier:
    """With one room that was left out and one that does not fit."""
    absent = (SkippedRoom("luna", "left out by the plan"), SkippedRoom("chess", "not for a built-in bot", fits=False))
    return Dossier(candidate, "bot", "0" * 64, cards, absent, Usage(10, 5, 0.25))


class FunctionSpeaker:
    """A candidate that answers by a function of the prompt's text."""

    def __init__(self, answer: Callable[[str], str], name: str = "test:speaker") -> None:
        self.name = name
        self._answer = answer
        self.asked = 0

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked += 1
        return Reply(self._answer(question.text), Usage(7, 3))


def examination(
    candidate: Candidate[Prompt, Reply], plan: Plan, *, nature: Nature = "model", transcript: Transcript | None = None
) -> Examination:
    """All set up, over a transcript in memory unless another one is given."""
    record = transcript or Transcript.open(None)

    def interview(
        *, shared_budget: SharedBudget, expected: int | None, on_progress: Callable[[Progress], None]
    ) -> Interview[Prompt, Reply]:
        return Interview(
            candidate, answers=Reply, transcript=record, budget=shared_budget.share(), monitor=Monitor(expected=expected)
        )

    examination = ExaminationConfig(candidate.name, nature, plan)
    table = ExaminationContext(
        examination, candidate, record, SharedBudget(plan.budget.budget), interview, None, lambda progress: None
    )
    return Examination(table, look_ahead(examination, candidate))


def examined(candidate: Candidate[Prompt, Reply], plan: Plan, *, nature: Nature = "model") -> Dossier:
    """The dossier of an examination in memory."""
    return asyncio.run(examination(candidate, plan, nature=nature).run())
