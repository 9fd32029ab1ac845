"""A candidate that is three times slower when it is wrong, 100 questions in flight: the order of answers decides."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.certificate.candidates import Expert, scope
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes.questions import Question

pytestmark = [pytest.mark.slow, pytest.mark.study]

RUNS, QUESTIONS, AT_ONCE = 200, 300, 100
CRITERION = Criterion(0.7, None)
SECONDS = 0.004


def candidate(run: int) -> Expert:
    """At the boundary, so that "pass" is an error for one that is worse by next to nothing."""
    return Expert(0.7, salt=f"order {run} ", seconds_when_right=SECONDS, seconds_when_wrong=3 * SECONDS)


async def scores_as_completed(who: Expert, questions: tuple[Question, ...]) -> AsyncIterator[float]:
    """What most harnesses do: as many in flight as allowed, results as they come."""
    listed = scope(1)
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(question: Question) -> float:
        async with slots:
            return listed.grade(question, await who.answer(listed.prompt(question))).score

    for done in asyncio.as_completed([one(question) for question in questions]):
        yield await done


async def test_false_acceptance_in_drawn_order_and_as_completed() -> None:
    falsely, hastily = 0, 0
    questions = scope(50_000)
    for run in range(RUNS):
        interview = Interview(candidate(run), answers=Reply, concurrency=AT_ONCE)
        certificate = await certify(interview, questions, CRITERION, seed=run, questions=QUESTIONS)
        falsely += certificate.verdict is Verdict.PASS
        test = SequentialTest(CRITERION)
        async for score in scores_as_completed(candidate(run), questions.questions[:QUESTIONS]):
            if test.update(score, 0.0) is not Verdict.UNDECIDED:
                break
        hastily += test.verdict is Verdict.PASS
    assert falsely <= RUNS * 0.05 + 3 * (RUNS * 0.05 * 0.95) ** 0.5
    assert hastily > RUNS * 0.9  # the same candidate, the same test, and the wrong order
