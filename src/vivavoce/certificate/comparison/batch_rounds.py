"""What a comparison of two candidates by batch will take: in how many batches, with how many questions in vain."""

from __future__ import annotations

import numpy as np

from vivavoce.certificate.attempts import delta_of
from vivavoce.certificate.batch_rounds import SIMULATIONS, BatchedPower, Rounds
from vivavoce.certificate.comparison.block_plan import PairedBlockPlan
from vivavoce.certificate.comparison.config import ComparisonPlanConfig
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.plan import Answers
from vivavoce.certificate.config import BATCH_DISCOUNT
from vivavoce.statistics.betting import Floats


def rounds_of_pair(scores: Floats, *, margin: float, delta: float, population: int | None = None) -> Rounds:
    """The run on what two candidates earn by each unit, shape (2, n), in drawn order; where that does not suffice, all count.

    >>> found = rounds_of_pair(np.repeat([[1.0], [0.0]], 100, axis=1), margin=0.0, delta=0.05)
    >>> found.needed, found.batches
    (8, 1)
    """
    evidence = PairedEvidence([(0, 1)], margin=margin, delta=delta, population=population)
    plan, both = PairedBlockPlan(evidence, np.array([True, True])), scores.shape[1]
    asked = batches = taken = 0
    while taken < both and not evidence.settled.all():
        asked = min(both, asked + max(1, plan.next_block(scores[:, :asked], scores[:, :asked])))
        batches += 1
        while taken < asked and not evidence.settled.all():
            evidence.take(scores[:, taken], scores[:, taken])
            taken += 1
    return Rounds(taken, asked, batches)


def batched_comparison(config: ComparisonPlanConfig, answers: Answers, *, discount: float = BATCH_DISCOUNT) -> BatchedPower:
    """Simulate comparisons of two such candidates by batch; batches are of each candidate, and money is of both."""
    most = min(config.questions, config.size or config.questions)
    delta = delta_of(config.delta, 1)

    def run(number: int) -> Rounds:
        rng = np.random.default_rng([config.seed, number])
        scores = _scores(answers, config.score, most, rng)
        return rounds_of_pair(scores, margin=config.margin, delta=delta, population=config.size)

    return BatchedPower.of(map(run, range(SIMULATIONS)), 2 * config.price * (1 - discount))


def _scores(answers: Answers, baseline: float, most: int, rng: np.random.Generator) -> Floats:
    """Right or wrong of the new candidate and the baseline, shape (2, most)."""
    size = answers.size
    drawn = rng.random(most) if size is None else (rng.permutation(size)[:most] + 0.5) / size
    lost, won = drawn < answers.lost, (answers.lost <= drawn) & (drawn < answers.discordance)
    alike = drawn < answers.discordance + max(0.0, baseline - answers.lost)
    return np.stack([np.where(lost, False, won | alike), np.where(won, False, lost | alike)]).astype(np.float64)
