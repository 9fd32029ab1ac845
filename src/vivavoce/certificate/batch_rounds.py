"""What an examination by batch will take: in how many batches, with how many questions in vain, at which price.

Simulated runs are examined question by question, which says where they end, and drawn block by block as a real one would be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np

from vivavoce.certificate.block_plan import BlockPlan, Stands
from vivavoce.certificate.config import BATCH_DISCOUNT
from vivavoce.certificate.evidence import SequentialTest, Taken
from vivavoce.certificate.verdict import Criterion
from vivavoce.statistics.betting import Floats

SIMULATIONS: Final = 60
"""Runs: each takes as long as planning a real examination."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """What one run came to."""

    needed: int
    """Questions up to the end."""
    asked: int
    batches: int


@dataclass(frozen=True, slots=True)
class BatchedPower:
    """What to expect of an examination by batch."""

    simulations: int
    mean_batches: float
    p90_batches: int
    """Enough in nine of ten examinations."""
    needed: float
    """Questions that count, on average."""
    asked: float
    """All that are asked, on average."""
    money: float
    """For all that are asked, at the price by batch, by all candidates."""

    @classmethod
    def of(cls, runs: Iterable[Rounds], price: float) -> BatchedPower:
        """From simulated runs; price: of a question by batch, to all candidates."""
        found = np.array([(run.needed, run.asked, run.batches) for run in runs], dtype=np.float64)
        needed, asked, batches = found.mean(axis=0).tolist()
        most = int(np.quantile(found[:, 2], 0.9, method="inverted_cdf"))
        return cls(len(found), batches, most, needed, asked, asked * price)

    @property
    def in_vain(self) -> float:
        """Questions that are drawn in vain, on average."""
        return self.asked - self.needed

    def as_json(self) -> dict[str, object]:
        """As values."""
        return {
            "simulations": self.simulations,
            "batches": {"mean": self.mean_batches, "p90": self.p90_batches},
            "questions": {"asked": self.asked, "in_vain": self.in_vain},
            "money": self.money,
        }


def rounds_of(criterion: Criterion, scores: Floats, ridiculous: Floats, *, population: int | None = None) -> Rounds:
    """The run on these values of units, in drawn order; where they do not suffice, all of them are needed.

    >>> rounds_of(Criterion(0.7, None), np.ones(100), np.zeros(100))
    Rounds(needed=13, asked=19, batches=1)
    """
    test, plan = SequentialTest(criterion, population=population), BlockPlan(criterion, population=population)
    test.update(scores, ridiculous)
    asked = batches = 0
    while asked < test.n:
        seen, absurd = scores[:asked], ridiculous[:asked]
        block = plan.next_block(Taken(seen, absurd, seen, absurd), stands=_stands(test, asked))
        asked = min(scores.size, asked + max(1, block))
        batches += 1
    return Rounds(test.n, asked, batches)


def _stands(test: SequentialTest, n: int) -> Stands | None:
    """The evidence after so many units of the last update."""
    found = test.log_evidence
    if not n:
        return None
    rate = inf if found.ridiculous_pass is None else float(found.ridiculous_pass[n - 1])
    return Stands(n, float(found.score_pass[n - 1]), rate, float(found.fail[n - 1]))


def batched_power(
    criterion: Criterion,
    *,
    score: float,
    ridiculous: float = 0.0,
    questions: int = 10_000,
    price: float = 0.0,
    discount: float = BATCH_DISCOUNT,
    seed: int = 0,
) -> BatchedPower:
    """Simulate examinations of an endless scope by batch, with at most this many questions, each at a list price.

    score, ridiculous: as `plan.estimate_power` has them.
    """

    def run(number: int) -> Rounds:
        drawn = np.random.default_rng([seed, number]).random(questions)
        right, absurd = drawn < score, drawn >= 1 - ridiculous
        return rounds_of(criterion, right.astype(np.float64), absurd.astype(np.float64))

    return BatchedPower.of(map(run, range(SIMULATIONS)), price * (1 - discount))
