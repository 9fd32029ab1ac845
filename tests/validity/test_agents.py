"""Agents with a planted fault: does the finding hold the planted rate in its intervals?

A tool call fails one time in ten, whatever came before, and the answer on whose way one failed is wrong. Questions are drawn
from a list of 600, the examination stops by its own verdict, so that the number of calls depends on what happened. Counted is
in how many of 400 examinations, seeds 0 to 399, the 95% interval of failed calls holds .1, and that of the score the mean over
the list; at least 92% is required, fixed beforehand.

    python -m tests.validity.test_agents [--runs 400]
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pytest

from tests.validity.error_studies import runs_of
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.interview.candidate import Prompt, Reply, Step
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

PLANTED: Final = 0.1
REQUIRED: Final = 0.92
RUNS: Final = 400
SIZE: Final = 600


@cache
def agent_scope() -> ListedScope:
    """Sums, more than any of these examinations asks."""
    scope = open_scope([{"id": f"q{n}", "question": f"What is {n} + 1?", "answer": n + 1} for n in range(SIZE)], name="sums")
    assert isinstance(scope, ListedScope)
    return scope


@dataclass
class Agent:
    """Calls a tool once for each sum, or as often as it is told; a call fails one time in ten, by the seed."""

    seed: int
    calls: int = 1
    again: bool = False
    """Whether it calls once more after a call that failed, and is right then."""

    name: str = "agent"

    def flags(self, number: int) -> list[bool]:
        """Of a question, whether each call failed."""
        rng = np.random.default_rng([self.seed, number])
        result = [bool(rng.random() < PLANTED) for _ in range(self.calls)]
        while self.again and result[-1]:
            result.append(bool(rng.random() < PLANTED))
        return result

    async def answer(self, question: Prompt, /) -> Reply:
        """The sum, wrong where a call failed, unless it called once more."""
        number = int(question.text.split()[2])
        failed = self.flags(number)
        steps = tuple(Step(tool="add", arguments=str(number), error="busy" if flag else "", seconds=0.01) for flag in failed)
        return Reply(f"Answer: {number + 1 + self.is_wrong(number)}", steps=steps)

    def is_wrong(self, number: int) -> bool:
        """Whether its answer is."""
        return not self.again and any(self.flags(number))

    def replies(self, certificate: Certificate) -> Iterator[list[bool]]:
        """The calls of the questions on which a finding rests, in drawn order."""
        scope = agent_scope()
        drawn = scope.draw(np.random.default_rng(certificate.signature.seed))
        for _, (question,) in zip(range(certificate.questions), drawn, strict=False):
            yield self.flags(number_of(question))


def number_of(question: Question) -> int:
    """The number that one is added to."""
    return int(question.text.split()[2])


@dataclass(frozen=True)
class CoverageCount:
    """In how many runs an interval held what was planted."""

    calls: int
    score: int
    runs: int
    questions: float
    """Mean."""


def coverage(runs: int, *, calls: int = 1, again: bool = False, grade: float = 0.7) -> CoverageCount:
    """Examinations by the seeds 0, 1, 2 and so on."""
    return asyncio.run(_coverage(runs, calls, again, grade))


async def _coverage(runs: int, calls: int, again: bool, grade: float) -> CoverageCount:
    held = held_score = asked = 0
    for seed in range(runs):
        agent = Agent(seed, calls, again)
        truth = sum(not agent.is_wrong(number) for number in range(SIZE)) / SIZE
        interview = Interview(agent, answers=Reply)
        certificate = await certify(interview, agent_scope(), Criterion(grade, None), seed=seed, questions=400)
        assert isinstance(certificate, Certificate)
        assert certificate.agent is not None
        ends, scores = certificate.agent.failing.interval, certificate.score.interval
        held += ends.lower <= PLANTED <= ends.upper
        held_score += scores.lower <= truth <= scores.upper
        asked += certificate.questions
    return CoverageCount(held, held_score, runs, asked / runs)


CASES: Final = {
    "one call, grade .7": {"calls": 1, "grade": 0.7},
    "one call, grade .85": {"calls": 1, "grade": 0.85},
    "one call, grade .95": {"calls": 1, "grade": 0.95},
    "three calls, grade .7": {"calls": 3, "grade": 0.7},
    "once more after a failure, grade .9": {"calls": 1, "again": True, "grade": 0.9},
}


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_planted_rate_lies_in_the_interval(case: dict[str, Any]) -> None:
    counts = coverage(RUNS, **case)
    assert counts.calls >= REQUIRED * counts.runs
    assert counts.score >= REQUIRED * counts.runs


@pytest.mark.long
def test_it_does_in_a_small_study() -> None:
    counts = coverage(25, calls=2, grade=0.7)
    # of 25 at 95% fewer than 20 have a chance of 0.1% (binomial), and the seeds are fixed
    assert min(counts.calls, counts.score) >= 20
    assert counts.questions > 10


if __name__ == "__main__":
    runs = runs_of(__doc__, RUNS)
    for name, case in CASES.items():
        counts = coverage(runs, **case)  # type: ignore[arg-type]
        shares = f"failed calls {counts.calls / counts.runs:.1%}, score {counts.score / counts.runs:.1%}"
        print(f"{name}: {shares} of {counts.runs}, after {counts.questions:.0f} questions on average", flush=True)
