"""Workers of a cluster in simulated time: of several speeds, killed now and then, asked by a bounded look-ahead."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from tests.certificate.candidates import Expert, scope
from tests.interview.candidates import JumpingLoop
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
from vivavoce.scopes.questions import Question

pytestmark = [pytest.mark.slow, pytest.mark.study]

WORKERS, QUESTIONS = 16, 60
CRITERION = Criterion(0.7, None)
SECONDS, SLOWER, KILLED = 0.5, 10.0, 0.05
"""An answer; how much longer a wrong one takes; how often a worker is killed on the way, so that all begins anew."""


class ClusteredCandidate(Expert):
    """At the boundary, so that "pass" is an error for one that is worse by next to nothing; slow when it is wrong."""

    asked_again: RepeatReason = "same"

    def __init__(self, run: int) -> None:
        super().__init__(0.7, salt=f"cluster {run} ")
        self._rng = random.Random(run)
        self._idle: asyncio.Queue[float] = asyncio.Queue()
        for worker in range(WORKERS):
            self._idle.put_nowait(0.5 + worker / WORKERS)

    async def answer(self, prompt: Prompt, /) -> Reply:
        """The answer of whichever worker is free, and of another one where that is killed."""
        needed = SECONDS * (1.0 if self.right(prompt) else SLOWER)
        while True:
            speed = await self._idle.get()
            killed = self._rng.random() < KILLED
            try:
                await asyncio.sleep(needed / speed * (self._rng.random() if killed else 1.0))
            finally:
                self._idle.put_nowait(speed)
            if not killed:
                return Reply("Answer: A" if self.right(prompt) else "Answer: B")


async def in_drawn_order(run: int) -> bool:
    """Whether it is wrongly said to understand, as answers are taken in drawn order."""
    interview = Interview(ClusteredCandidate(run), answers=Reply, concurrency=WORKERS, settings=AskSettings(time_out=None))
    certificate = await certify(interview, scope(20_000), CRITERION, seed=run, questions=QUESTIONS)
    return bool(certificate.verdict is Verdict.PASS)


async def as_completed(run: int) -> bool:
    """The same where results are taken as they come."""
    test = SequentialTest(CRITERION)
    questions = random.Random(run).sample(scope(20_000).questions, QUESTIONS)
    async for score in _scores(ClusteredCandidate(run), questions):
        if test.update(score, 0.0) is not Verdict.UNDECIDED:
            break
    return bool(test.verdict is Verdict.PASS)


async def _scores(candidate: ClusteredCandidate, questions: list[Question]) -> AsyncIterator[float]:
    listed = scope(1)

    async def one(question: Question) -> float:
        return listed.grade(question, await candidate.answer(listed.prompt(question))).score

    for done in asyncio.as_completed([one(question) for question in questions]):
        yield await done


RUNS = 2_000
HASTY = 40


def test_wrong_verdicts_of_a_cluster() -> None:
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        falsely = sum(runner.run(in_drawn_order(run)) for run in range(RUNS))
        hastily = sum(runner.run(as_completed(run)) for run in range(HASTY))
    assert falsely <= RUNS * CRITERION.delta
    assert hastily > HASTY / 2  # the same candidate, the same test, and the wrong order
