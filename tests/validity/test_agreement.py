"""How often the interval of Krippendorff's alpha holds the agreement of a judge and people on few answers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multinomial, pearsonr

from vivavoce.statistics.agreement import krippendorff_alpha

LEAST = 0.93
AGREED, RIGHT = (0.8, 0.85, 0.9, 0.95, 0.98, 1.0), (0.5, 0.7, 0.9)
"""Share of the answers on which both agree, and that each finds right."""
GRADED = (10, 20, 50, 100)
RUNS = 2_000


def true_alpha(agreed: float, right: float) -> float:
    """By hand: 1 - P(the two differ) / P(two scores drawn from all differ)."""
    return 1 - (1 - agreed) / (2 * right * (1 - right))


def covered(n: int) -> dict[tuple[float, float], float]:
    """The exact share of samples of n right-or-wrong grades whose interval holds alpha, of those where it is estimable.

    Alpha depends on three numbers alone: of answers that both find right, that both find wrong, and on which they differ.
    """
    tables = np.array([(right, wrong, n - right - wrong) for right in range(n + 1) for wrong in range(n - right + 1)])
    estimates = [
        krippendorff_alpha(np.repeat([1.0, 0.0, 1.0], table), np.repeat([1.0, 0.0, 0.0], table)) for table in tables.tolist()
    ]
    shares = {}
    for agreed, right in product(AGREED, RIGHT):
        apart = (1 - agreed) / 2
        chance = multinomial.pmf(tables, n, [right - apart, max(0.0, 1 - right - apart), 2 * apart])
        known = np.array([estimate.value is not None for estimate in estimates])
        holds = np.array([true_alpha(agreed, right) in estimate.interval for estimate in estimates]) & known
        shares[agreed, right] = float(chance[holds].sum() / chance[known].sum())
    return shares


def test_of_ten_answers_the_interval_holds_it_whatever_the_agreement() -> None:
    shares = covered(10)
    assert len(shares) == len(AGREED) * len(RIGHT)
    assert min(shares.values()) >= LEAST, shares


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("n", [15, 20, 30, 50, 70, 100])
def test_of_right_or_wrong_grades_the_interval_holds_it(n: int) -> None:
    shares = covered(n)
    print(n, {case: round(share, 3) for case, share in shares.items()})
    assert min(shares.values()) >= LEAST, shares


def points(rng: np.random.Generator, n: int, noise: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What a judge and a person give of ten points: each the answer's quality, many of which are good, with noise."""
    quality = rng.beta(2, 1, n)
    entry, other = np.clip(np.round(10 * (quality + noise * rng.standard_normal((2, n)))), 0, 10) / 10
    return entry, other


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("noise", [0.03, 0.1, 0.3])
@pytest.mark.parametrize("n", GRADED)
def test_of_points_the_interval_holds_it(n: int, noise: float) -> None:
    values, other = points(np.random.default_rng(1), 2_000_000, noise)
    truth = 1 - np.mean((values - other) ** 2) / (2 * np.var(np.concatenate([values, other])))
    rng = np.random.default_rng(2)
    held = np.mean([truth in krippendorff_alpha(*points(rng, n, noise)).interval for _ in range(RUNS)])
    print(n, noise, round(float(truth), 3), held)
    assert held >= LEAST


@pytest.mark.slow
@pytest.mark.study
def test_the_study_can_tell() -> None:
    """Fisher's interval for a correlation of grades that are 0 or 1 misses far more often."""
    rng, agreed, n = np.random.default_rng(3), 0.95, 20
    truth, held, known = true_alpha(agreed, 0.5), 0, 0  # with equal shares alpha is the correlation
    for _ in range(RUNS):
        first = rng.random(n) < 0.5
        second = np.where(rng.random(n) < agreed, first, ~first)
        if first.any() and second.any() and not (first.all() or second.all()):
            bounds = pearsonr(first.astype(float), second.astype(float)).confidence_interval(0.95)
            known, held = known + 1, held + (bounds.low - 1e-12 <= truth <= bounds.high + 1e-12)
    assert held / known < 0.85
