"""How often the interval of Krippendorff's alpha holds the agreement of a judge and people on few answers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from vivavoce.certificate.graders.grades import FLOOR
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
        chance = scipy.stats.multinomial.pmf(tables, n, [right - apart, max(0.0, 1 - right - apart), 2 * apart])
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
            bounds = scipy.stats.pearsonr(first.astype(float), second.astype(float)).confidence_interval(0.95)
            known, held = known + 1, held + (bounds.low - 1e-12 <= truth <= bounds.high + 1e-12)
    assert held / known < 0.85


ANSWERED, SHARED = 3, 0.15
"""Answers to each question, and the deviation of a judge's error that they share."""


def points_by_question(rng: np.random.Generator, questions: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same for several answers to each question: answers share part of their quality and of the judge's error."""
    quality = rng.beta(2, 1, (questions, 1)) + 0.2 * rng.standard_normal((questions, ANSWERED))
    noise = 0.1 * rng.standard_normal((2, questions, ANSWERED))
    noise[0] += SHARED * rng.standard_normal((questions, 1))
    entry, other = np.clip(np.round(10 * (quality + noise)), 0, 10) / 10
    return entry.ravel(), other.ravel()


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("questions", [10, 20, 40])
def test_of_several_answers_to_a_question_the_interval_holds_it(questions: int) -> None:
    values, other = points_by_question(np.random.default_rng(1), 500_000)
    truth = 1 - np.mean((values - other) ** 2) / (2 * np.var(np.concatenate([values, other])))
    rng, names = np.random.default_rng(2), [f"q{n // ANSWERED}" for n in range(questions * ANSWERED)]
    samples = [points_by_question(rng, questions) for _ in range(RUNS // 2)]
    held = np.mean([truth in krippendorff_alpha(*sample, names).interval for sample in samples])
    apart = np.mean([truth in krippendorff_alpha(*sample).interval for sample in samples])
    print(questions, round(float(truth), 3), held, apart)
    assert held >= LEAST
    assert apart < held  # as if answers were independent, it misses more often


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize(("noise", "graded"), [(0.05, 120), (0.1, 200)])
def test_how_many_replies_show_that_a_judge_agrees(noise: float, graded: int) -> None:
    """As docs/graders.md says: about 120 at alpha = .95, and 200 at .84; half as many do not."""
    rng = np.random.default_rng(4)

    def shown(n: int) -> float:
        return float(np.mean([krippendorff_alpha(*points(rng, n, noise)).interval.lower >= FLOOR for _ in range(RUNS // 20)]))

    assert shown(graded) >= 0.8
    assert shown(graded // 2) <= 0.2
