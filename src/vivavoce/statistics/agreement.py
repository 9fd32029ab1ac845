"""Agreement of two graders beyond chance, and correlations with intervals and p-values.

Krippendorff's alpha for numbers is 1 - observed / expected disagreement: the mean square of the difference of two scores of one
answer, over the same for two scores drawn from all (`krippendorff2011`). It is 1 if both always agree, and 0 if their scores
are no closer than those of any two answers. For grades of 0 and 1 it is Scott's pi and, where both give
equally many, Cohen's kappa. It is computed here because the maintained library for it is under the GPL, and needs no package
beyond numpy.

Its interval is a Bayesian bootstrap over answers (`rubin1981`). With few answers and few disagreements every resample agrees,
so each end of the interval adds one unseen answer, the least favourable one. For a share that is the interval of Clopper and
Pearson, and for a mean the bound of `gaffke2005`. A 95% interval covers 96% of the time or more where graders agree on 80% to
100% of 10 to 100 answers (`tests/validity/test_agreement.py`).

Several answers to one question are graded alike. Then whole questions are resampled, and the unseen answer counts as many times
as a question has answers on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import atanh, isfinite, sqrt, tanh
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, check_confidence

DELTA = 0.05
RESAMPLES = 4_000
_ROUNDING = 1e-9
_AT_ONCE = 1 << 20
"""Weights that are drawn at one time."""


def krippendorff_alpha(first: Floats, second: Floats, questions: Sequence[str] = ()) -> Estimate:
    """Agreement beyond chance of two graders on the same answers, with its 95% interval; see the head of this file.

    Parameters
    ----------
    first, second: a finite score for each answer.
    questions: the question of each answer, if several may be to the same one.

    >>> meg, owen = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]  # an example of krippendorff2011
    >>> alpha = krippendorff_alpha(np.array(meg, dtype=float), np.array(owen, dtype=float))
    >>> round(alpha.value, 3), round(alpha.interval.lower, 1), round(alpha.interval.upper, 1)
    (0.095, -0.5, 0.7)
    """
    n, scores = first.size, np.concatenate([first, second])
    lowest, highest = float(scores.min(initial=np.inf)), float(scores.max(initial=-np.inf))
    if n < 2 or highest - lowest <= _ROUNDING:
        return Estimate(None, Interval(-1.0, 1.0), n)
    rare = lowest if scores.mean() > (lowest + highest) / 2 else highest
    value = 1 - (1 - 1 / (2 * n)) * (1 - float(_alphas(np.ones((1, n)), first, second)[0]))
    question = np.unique(questions, return_inverse=True)[1] if questions else np.arange(n)
    lower = np.quantile(_resampled(np.append(first, lowest), np.append(second, highest), question), DELTA / 2)
    upper = np.quantile(_resampled(np.append(first, rare), np.append(second, rare), question), 1 - DELTA / 2)
    return Estimate(value, Interval(min(value, float(lower)), max(value, float(upper))), n)


def _resampled(first: Floats, second: Floats, question: NDArray[np.intp]) -> Floats:
    """Alpha with random weights of the questions, from draws that are the same each time.

    question: the question of each answer, from 0; the unseen answer comes last and has none.
    """
    rng, at_once, questions = np.random.default_rng(0), max(1, _AT_ONCE // first.size), int(question.max()) + 1
    sizes = [min(at_once, RESAMPLES - begun) for begun in range(0, RESAMPLES, at_once)]
    columns, times = np.append(question, questions), np.append(np.ones(question.size), question.size / questions)
    drawn = (rng.standard_exponential((size, questions + 1)) for size in sizes)
    return np.concatenate([_alphas(weights[:, columns] * times, first, second) for weights in drawn])


def _alphas(weights: Floats, first: Floats, second: Floats) -> Floats:
    """Alpha of each row of weights, shape (rows, answers), without the correction for few answers."""
    centre = (first.mean() + second.mean()) / 2
    entry, other = first - centre, second - centre
    total = weights.sum(axis=1)
    mean = weights @ (entry + other) / (2 * total)
    variance = weights @ (entry**2 + other**2) / (2 * total) - mean**2
    return np.asarray(1 - weights @ (entry - other) ** 2 / (2 * total * variance))


def mean_ranks(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The rank of each value, from 1 for the smallest; equal values share the mean of their ranks.

    `scipy.stats.rankdata` gives the same, but importing it takes as long as a short examination.

    >>> mean_ranks([3.0, 1.0, 3.0, 7.0]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, position, counts = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[position]


EXACT: Final = 8
"""Up to this many pairs, all permutations of ranks are counted: 8! are 40,320."""


class CorrelationResult(NamedTuple):
    """A correlation with its interval and p-value."""

    value: float
    bounds: Bounds
    p: float
    """Two-sided: the chance of a correlation at least as far from 0 if the true one is 0."""
    n: int


def pearson(first: ArrayLike, second: ArrayLike, *, spent: int = 0, confidence: float = CONFIDENCE) -> CorrelationResult:
    """Pearson's correlation, its interval by Fisher's z (`fisher1921`), its p-value by Student's t.

    Both assume independent pairs from a normal distribution.

    Parameters
    ----------
    first, second: one number for each pair, finite.
    spent: degrees of freedom already used: k - 1 for residuals from the means of k groups, as for a partial correlation.

    Raises `NotEnoughEvidence` for fewer than four pairs plus `spent`, or if all numbers of a list are equal.

    >>> result = pearson([1, 2, 3, 4, 5], [1, 3, 2, 5, 4])
    >>> round(result.value, 3), round(result.bounds.lower, 3), round(result.bounds.upper, 3), round(result.p, 3)
    (0.8, -0.28, 0.986, 0.104)
    """
    values, other = _checked(first, second, spent)
    value = _product_moment(values, other)
    bounds = _interval(value, value, 1.0, values.size - spent, confidence)
    return CorrelationResult(value, bounds, p_value(value, values.size - spent), values.size)


def spearman(first: ArrayLike, second: ArrayLike, *, spent: int = 0, confidence: float = CONFIDENCE) -> CorrelationResult:
    """Spearman's rank correlation, its interval by Fisher's z with the variance (1 + r²/2) / (n - 3) of `bonett2000`.

    Equal numbers share the mean of their ranks. The p-value counts all permutations of up to eight pairs, and is Student's t
    for more. With a few pairs, ranks agree perfectly for many smaller true correlations. Then the lower end is the one for the
    next smaller value that ranks without ties can take.

    Parameters and errors are those of `pearson`.

    >>> result = spearman([1, 2, 3, 4, 5], [10, 30, 20, 50, 40])
    >>> round(result.value, 3), round(result.bounds.lower, 3), round(result.bounds.upper, 3), round(result.p, 3)
    (0.8, -0.457, 0.991, 0.133)
    """
    entry, other = (mean_ranks(values) for values in _checked(first, second, spent))
    n = entry.size
    value = _product_moment(entry, other)
    step = 12 / (n * (n**2 - 1))
    inner = float(np.clip(value, step - 1, 1 - step))
    bounds = _interval(value, inner, 1 + inner**2 / 2, n - spent, confidence)
    p = _exact(entry, other) if n <= EXACT and not spent else p_value(value, n - spent)
    return CorrelationResult(value, bounds, p, n)


def p_value(correlation: float, n: int) -> float:
    """Two-sided p-value of a correlation of n independent pairs, by Student's t at n - 2 degrees of freedom.

    >>> round(p_value(0.5, 20), 4)
    0.0248
    """
    from scipy.special import stdtr

    if abs(correlation) >= 1:
        return 0.0
    return 2 * float(stdtr(n - 2, -abs(correlation) * sqrt((n - 2) / (1 - correlation**2))))


def _interval(value: float, inner: float, variance: float, n: int, confidence: float) -> Bounds:
    """The interval around Fisher's z of `inner`, extended to include `value`."""
    from scipy.special import ndtri

    check_confidence(confidence)
    if abs(inner) == 1:
        return Bounds(inner, inner)
    half = float(ndtri((1 + confidence) / 2)) * sqrt(variance / (n - 3))
    return Bounds(min(value, tanh(atanh(inner) - half)), max(value, tanh(atanh(inner) + half)))


def _product_moment(values: Floats, other: Floats) -> float:
    first, second = values - values.mean(), other - other.mean()
    scale = float(np.sqrt(first @ first) * np.sqrt(second @ second))
    # rounded, since a perfect correlation is off in the last digit
    return round(float(first @ second / scale), 14) if scale else 0.0


def _exact(values: Floats, other: Floats) -> float:
    """The share of permutations with a rank correlation at least as far from 0."""
    orders = np.array(list(permutations(range(values.size))))
    centred = values - values.mean()
    sums = abs((other - other.mean())[orders] @ centred)
    return float((sums >= sums[0] - 1e-9).mean())


def _checked(first: ArrayLike, second: ArrayLike, spent: int) -> tuple[Floats, Floats]:
    entry, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if entry.shape != other.shape or entry.ndim != 1:
        raise BadInput(f"{entry.size} and {other.size} numbers: give two for each pair")
    if not all(isfinite(value) for value in (*entry, *other)):
        raise BadInput("a number is not finite: leave out pairs with missing values")
    if entry.size - spent < 4:
        pairs = "1 pair" if entry.size == 1 else f"{entry.size} pairs"
        raise NotEnoughEvidence(f"{pairs}; a correlation with an interval needs at least {4 + spent}")
    for values in (entry, other):
        if np.ptp(values) <= 1e-12 * max(1.0, float(abs(values).max())):
            raise NotEnoughEvidence("all numbers of one list are equal; a correlation needs some that differ")
    return entry, other
