"""Sweeps that are held within this process, over a record in memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from tests.interview_settings import interview_settings
from vivavoce.examination.sweep.examiner import CellExaminer, subjects_of
from vivavoce.examination.sweep.finding import Sweep
from vivavoce.examination.sweep.plan import sweep_of
from vivavoce.examination.sweep.progress import SweepProgress
from vivavoce.examination.sweep.run import CellRunner, LocalCellRunner, RunningSweep
from vivavoce.interview.budget import SharedBudget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript


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


def swept(plan: str, transcript: Transcript | None = None, *, hands: Any = None, **given: Any) -> Sweep:
    """What a sweep of this plan finds. hands: who examines, made from the examiner; None: this process."""
    sweeping = sweeping_of(plan, transcript or Transcript.open(None), **given)
    examines: CellRunner = LocalCellRunner(sweeping.examiner) if hands is None else hands(sweeping.examiner)
    return asyncio.run(sweeping.run(examines))
