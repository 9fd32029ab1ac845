"""Dossiers and altered documents made by hand, and examinations and sweeps held on the spot, over records in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.interview_settings import interview_settings
from vivavoce.candidates.bots import Calculator
from vivavoce.errors import CandidateUnreachable
from vivavoce.examination.dossier import Dossier, SkippedRoom
from vivavoce.examination.part import Claim, ComparableFigure, ExaminationConfig, ExaminationContext, FindingCard, Nature
from vivavoce.examination.plan import Plan
from vivavoce.examination.presentation import SweepProgress
from vivavoce.examination.run import Examination, look_ahead
from vivavoce.examination.sweep.examiner import CellExaminer, subjects_of
from vivavoce.examination.sweep.plan import sweep_of
from vivavoce.examination.sweep.run import LocalCellRunner, RunningSweep, Sweep
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


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all entries of a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, entry in inner:
        yield (*path, step)
        yield from places(entry, (*path, step))


def altered_at(document: dict[str, Any], path: Sequence[str | int], value: Any) -> dict[str, Any]:
    """A copy of the document with another value at this path."""
    altered: dict[str, Any] = json.loads(json.dumps(document))
    *steps, last = path
    position: Any = altered
    for step in steps:
        position = position[step]
    position[last] = value
    return altered


@dataclass(frozen=True)
class Interviewer:
    """Makes interviews."""

    concurrency: int = 4

    def interview(
        self, candidate: Any, transcript: Transcript, *, shared_budget: SharedBudget, **given: Any
    ) -> Interview[Prompt, Reply]:
        return Interview(
            candidate,
            answers=Reply,
            transcript=transcript,
            concurrency=self.concurrency,
            budget=shared_budget.share(),
            **interview_settings(attempts=1, finishes=True, **given),
        )


def sweeping_of(plan: str, transcript: Transcript, *, concurrency: int = 4) -> RunningSweep:
    """A sweep of this plan that is about to be held."""
    read = sweep_of(plan)
    examiner = CellExaminer(read, subjects_of(read), transcript, Interviewer(concurrency))
    return RunningSweep(examiner, SweepProgress(lambda _: None, {}).of)


def swept(plan: str, transcript: Transcript | None = None, **given: Any) -> Sweep:
    """What a sweep of this plan finds."""
    sweeping = sweeping_of(plan, transcript or Transcript.open(None), **given)
    return asyncio.run(sweeping.run(LocalCellRunner(sweeping.examiner)))


@dataclass
class CalculatorsAway:
    """Calculators that cannot be reached while they are away; those whose names hold `where` alone."""

    where: str = ""
    away: bool = True

    def put_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answer = Calculator.answer

        async def sometimes(calculator: Calculator, question: Any, /) -> Any:
            if self.away and self.where in calculator.name:
                raise CandidateUnreachable("the candidate does not answer: connection refused", hearing="unheard")
            return await answer(calculator, question)

        monkeypatch.setattr(Calculator, "answer", sometimes)
