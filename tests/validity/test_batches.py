"""How many questions are asked by batch and not needed, in how many batches, and at which part of the list price.

Right and wrong answers at a true score, against the passing grade .7 at delta .05, no limit on unacceptable ones: each run is
examined answer by answer, which says where the verdict falls, and blocks are drawn by `drawing.block_after` until they reach
it.

    python -m tests.validity.test_batches [--runs 300]
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.validity.error_studies import Row, print_table, runs_of
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.interview.drawing import FIRST_BLOCK, block_after

CRITERION: Final = Criterion(0.7, None)
DISCOUNT: Final = 0.5
SCORES: Final = (0.75, 0.8, 0.9, 0.95)
DIFFERENCES: Final = (0.05, 0.1, 0.2)
"""Between the scores of two candidates whom .3 of all questions tell apart."""
DISCORDANT: Final = 0.3
LONGEST: Final = 10_000
"""Questions of a run: none at these scores comes to more."""


@dataclass(frozen=True, slots=True)
class Batches:
    """What runs came to; arrays of one number a run."""

    needed: np.ndarray
    """Questions up to the verdict."""
    asked: np.ndarray
    rounds: np.ndarray
    """Batches, one after the other."""

    @property
    def unneeded(self) -> float:
        """The share of all that was asked in all runs."""
        return float(1 - self.needed.sum() / self.asked.sum())

    @property
    def mean_unneeded(self) -> float:
        """The mean of each run's share."""
        return float((1 - self.needed / self.asked).mean())

    @property
    def spread(self) -> float:
        """Two standard errors of that mean."""
        return float(2 * (1 - self.needed / self.asked).std() / np.sqrt(self.asked.size))

    @property
    def of_price(self) -> float:
        """What batches cost, as a part of what only the needed questions cost one by one."""
        return float((1 - DISCOUNT) * self.asked.sum() / self.needed.sum())


def blocks_of(needed: int) -> tuple[int, int]:
    """How many questions are asked, and in how many batches, where the verdict falls after so many."""
    asked = rounds = 0
    while asked < needed:
        asked += block_after(asked)
        rounds += 1
    return asked, rounds


def certificate(score: float, seed: int) -> int:
    """Questions until the verdict on a candidate of this true score."""
    right = np.random.default_rng([seed, round(1_000 * score)]).random(LONGEST) < score
    test = SequentialTest(CRITERION)
    test.update(right.astype(float), np.zeros(LONGEST))
    return test.n


def comparison(difference: float, seed: int) -> int:
    """Questions to each of two candidates whose true scores differ by so much, until one is found to be better."""
    drawn = np.random.default_rng([seed, round(1_000 * difference)]).random(LONGEST)
    first = (drawn < (DISCORDANT + difference) / 2).astype(float)
    second = ((drawn >= (DISCORDANT + difference) / 2) & (drawn < DISCORDANT)).astype(float)
    evidence = PairedEvidence([(0, 1)], margin=0.0, delta=CRITERION.delta)
    for answers in np.stack([first, second]).T:
        if evidence.settled.all():
            break
        evidence.take(answers, answers)
    return int(evidence.n[0])


def batches(needed: list[int]) -> Batches:
    """Runs whose verdicts fall after so many questions."""
    asked, rounds = zip(*map(blocks_of, needed), strict=True)
    return Batches(np.array(needed), np.array(asked), np.array(rounds))


def _row(name: str, batches: Batches) -> Row:
    nine, most = np.quantile(batches.rounds, 0.9, method="inverted_cdf"), batches.rounds.max()
    asked = (f"{batches.needed.mean():.0f}", f"{batches.asked.mean():.0f}", batches.unneeded)
    rounds = f"{batches.rounds.mean():.1f} ({nine:.0f}, {most:.0f})"
    return (name, *asked, f"{batches.mean_unneeded:.1%} ± {batches.spread:.1%}", rounds, f"{batches.of_price:.3f}")


def main() -> None:
    """Print the table of `docs/appendix/measured-costs.md`."""
    runs = range(runs_of(__doc__, 300))
    certificates = ((f"certificate, score {score:g}", [certificate(score, seed) for seed in runs]) for score in SCORES)
    comparisons = ((f"compare, D = {d:g}", [comparison(d, seed) for seed in runs]) for d in DIFFERENCES)
    heads = ("", "needed", "asked", "not needed, of all", "mean of each run's share", "batches (90%, most)", "of list price")
    print_table(heads, (_row(name, batches(needed)) for name, needed in chain(certificates, comparisons)))


@given(st.integers(1, 100_000))
def test_at_most_a_third_is_not_needed_or_the_rest_of_a_first_block(needed: int) -> None:
    asked, rounds = blocks_of(needed)
    assert 0 <= asked - needed < max(FIRST_BLOCK, asked / 3)
    assert rounds <= 25  # 1.5 ** 22 * 20 is 149,000


def test_sizes_worked_out_by_hand() -> None:
    # 20, 20, 20, then 30 after 60, 45 after 90, 68 after 135
    by_hand = {1: (20, 1), 20: (20, 1), 21: (40, 2), 61: (90, 4), 91: (135, 5), 136: (203, 6)}
    assert {needed: blocks_of(needed) for needed in by_hand} == by_hand


@pytest.mark.slow
@pytest.mark.study
def test_a_fifth_is_not_needed() -> None:
    for score in SCORES:
        counts = batches([certificate(score, seed) for seed in range(300)])
        assert 0.15 < counts.unneeded < 0.25
        assert counts.of_price < 0.67  # at half the price
        assert counts.rounds.mean() < 10


if __name__ == "__main__":
    main()
