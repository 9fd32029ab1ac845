"""Votes: how often a verdict is wrong where the answer that most replies agree on is worth exactly what stands at the boundary.

A list of 60 tasks. A reply to one is right, or one of two wrong answers, each with its probability there, and some replies
cannot be read, whatever they were going to say. Tasks are drawn with replacement, answered N times whenever one is drawn, and
one looks after each of up to 400. What a vote is worth to a candidate on average is added up over all that N replies may be; in
the first table it is exactly what is required, in the second it differs between two candidates by exactly 0 or the margin.

    python -m tests.validity.test_votes [--runs 4000]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import factorial, prod
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.validity.error_studies import DELTA, RunStatements, print_table, runs_of, shares_of, slack
from tests.validity.test_draws import GRADE, LOOKS, TASKS
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.claims.draws import Draws, Ends
from vivavoce.certificate.comparison.drawing import UNWEIGHTED, OneByOne
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question
from vivavoce.statistics.betting import Floats

GRADES: Final = (
    Grade(1.0, False, read_as="right"),
    Grade(0.0, False, read_as="wrong"),
    Grade(0.0, False, read_as="other"),
    Grade(0.0, False, Outcome.UNREADABLE, upper=1.0),
)
"""Of what a reply may be."""
MARGIN: Final = 0.05
Counts = NDArray[np.int64]


@cache
def worth(*counts: int) -> Ends:
    """What so many replies of each kind are worth by our own rule for votes: the least and the most."""
    draws = Draws(sum(counts), "vote")
    grades = [grade for grade, number in zip(GRADES, counts, strict=True) for _ in range(number)]
    value = draws.value((Question("1", "1?", accepted=("right",)),) * draws.number, grades)
    return Ends(value.score, value.upper)


def expected(chances: Sequence[float], number: int) -> float:
    """The mean worth of a vote of N replies, each of which is right, wrong or the other wrong one with these chances."""
    total = 0.0
    for counts in product(range(number + 1), repeat=3):
        if sum(counts) == number:
            ways = factorial(number) / prod(map(factorial, counts))
            total += ways * prod(p**k for p, k in zip(chances, counts, strict=True)) * majority(counts)
    return total


def majority(counts: Sequence[int]) -> float:
    """By hand, and so a witness of `worth`: a choice at random among the answers that came most often."""
    tied = [index for index, number in enumerate(counts) if number == max(counts)]
    return float(0 in tied) / len(tied)


def chances_for(value: float, number: int, split: float = 1.0) -> tuple[float, float, float]:
    """Chances with which a vote is worth this; `split`: the share of wrong replies that are the same one."""

    def of(p: float) -> tuple[float, float, float]:
        return p, (1 - p) * split, (1 - p) * (1 - split)

    lower, upper = 0.0, 1.0
    for _ in range(60):
        middle = (lower + upper) / 2
        lower, upper = (middle, upper) if expected(of(middle), number) < value else (lower, middle)
    return of(lower)


@dataclass(frozen=True)
class Voter:
    """A candidate: the groups of its tasks, each with how many there are, and chances of the replies to each."""

    number: int
    """Of replies to a question."""
    groups: tuple[tuple[int, tuple[float, float, float]], ...]
    unread: float = 0.0
    """This share of replies cannot be read."""

    @property
    def mean(self) -> float:
        """Of the votes on all tasks."""
        return sum(tasks * expected(chances, self.number) for tasks, chances in self.groups) / TASKS

    def values(self, rng: np.random.Generator, drawn: Counts) -> tuple[Floats, Floats]:
        """The least and the most that each drawn task's vote is worth."""
        chances = np.repeat([chances for _, chances in self.groups], [tasks for tasks, _ in self.groups], axis=0)
        read = chances * (1 - self.unread)
        counts = rng.multinomial(self.number, np.column_stack([read, np.full(TASKS, self.unread)])[drawn])
        kinds, values = np.unique(counts.reshape(-1, 4), axis=0, return_inverse=True)
        ends = np.array([worth(*map(int, kind)) for kind in kinds])[values.ravel()].reshape(*drawn.shape, 2)
        return ends[..., 0], ends[..., 1]


def voter(number: int, *groups: tuple[int, float], split: float = 1.0, unread: float = 0.0) -> Voter:
    """By groups of tasks: how many, and what a vote is worth there."""
    return Voter(number, tuple((tasks, chances_for(value, number, split)) for tasks, value in groups), unread)


@dataclass(frozen=True)
class VoteCase:
    """A candidate whose votes are worth exactly the passing grade."""

    name: str
    voter: Voter


CASES: Final = (
    VoteCase("vote of 5, all alike", voter(5, (60, GRADE))),
    VoteCase("vote of 4, ties", voter(4, (60, GRADE))),
    VoteCase("vote of 5, wrong answers differ", voter(5, (60, GRADE), split=0.5)),
    VoteCase("vote of 5, 30 at .95, 30 at .45", voter(5, (30, 0.95), (30, 0.45))),
    VoteCase("vote of 5, 10% of replies unread", voter(5, (60, GRADE), unread=0.1)),
)


@dataclass(frozen=True)
class VotePair:
    """Two candidates whose votes differ by exactly this."""

    name: str
    first: Voter
    second: Voter
    difference: float


EASY, HARD, BELOW = voter(5, (30, 0.9), (30, 0.6)), voter(5, (30, 0.6), (30, 0.9)), voter(5, (30, 0.85), (30, 0.55))
PAIRS: Final = (
    VotePair("the same chances", EASY, EASY, 0.0),
    VotePair("other tasks, as many", EASY, HARD, 0.0),
    VotePair("vote of 4, wrong answers differ", voter(4, (30, 0.9), (30, 0.6), split=0.5), voter(4, (60, 0.75)), 0.0),
    VotePair("worse by the margin", BELOW, HARD, -MARGIN),
    VotePair("better by the margin", EASY, BELOW, MARGIN),
    VotePair("worse by the margin, 5% unread", voter(5, (30, 0.85), (30, 0.55), unread=0.05), EASY, -MARGIN),
)


def error_rates(case: VoteCase, *, runs: int, seed: int = 0) -> tuple[float, float]:
    """Shares of the runs that end with "pass", and with "fail"."""
    rng = np.random.default_rng(seed)
    least, most = case.voter.values(rng, rng.integers(TASKS, size=(runs, LOOKS)))
    zeros, criterion = np.zeros(LOOKS), Criterion(GRADE, None, DELTA)
    verdicts = [
        SequentialTest(criterion, whole=False).update(low, zeros, upper=high) for low, high in zip(least, most, strict=True)
    ]
    return shares_of(verdicts)


def paired_error_rates(pair: VotePair, *, runs: int, seed: int = 0) -> tuple[float, float]:
    """Shares of the runs with a wrong statement of a comparison, and with a wrong verdict of a gate."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(TASKS, size=(runs, LOOKS))
    first, second = pair.first.values(rng, drawn), pair.second.values(rng, drawn)
    low, high, tests = first[0] - second[1], first[1] - second[0], OneByOne(None).tests(runs, MARGIN)
    statements = RunStatements(runs, pair.difference, MARGIN)
    for n in range(LOOKS):
        statements.take(tests.take(low[:, n], high[:, n], UNWEIGHTED))
    return statements.errors


def main() -> None:
    """Print both tables."""
    runs = runs_of(__doc__)
    rows = ((case.name, *error_rates(case, runs=runs)) for case in CASES)
    print_table(("votes at the boundary", "understands", "does not understand"), rows)
    pairs = ((pair.name, *paired_error_rates(pair, runs=runs)) for pair in PAIRS)
    print_table(("votes of two candidates", "wrong statement", "wrong verdict of a gate"), pairs)


RUNS = 4_000
SLACK = slack(RUNS)


def test_votes_stand_exactly_at_the_boundary() -> None:
    for counts in product(range(6), repeat=3):
        if sum(counts):
            assert worth(*counts, 0) == pytest.approx((majority(counts),) * 2)
    assert [case.voter.mean for case in CASES] == pytest.approx([GRADE] * len(CASES))
    assert [pair.first.mean - pair.second.mean for pair in PAIRS] == pytest.approx([pair.difference for pair in PAIRS])


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_each_wrong_verdict_is_as_rare_as_promised(case: VoteCase) -> None:
    assert max(error_rates(case, runs=RUNS)) <= 0.05 + SLACK


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("pair", [pytest.param(pair, id=pair.name) for pair in PAIRS])
def test_so_are_wrong_statements_and_wrong_gates(pair: VotePair) -> None:
    assert max(paired_error_rates(pair, runs=RUNS)) <= 0.05 + SLACK


def test_a_small_study_that_can_tell() -> None:
    # 60 runs at 5%: nine errors or more have a chance of .3% (binomial), and the seed is fixed
    assert max(error_rates(CASES[1], runs=60)) < 9 / 60
    assert max(paired_error_rates(PAIRS[5], runs=60)) < 9 / 60


if __name__ == "__main__":
    main()
