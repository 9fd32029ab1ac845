"""Pearson's and Spearman's correlations, each with an interval and a p-value, and ranks with ties."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import atanh, isfinite, sqrt, tanh
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtr

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, check_confidence


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
    if abs(correlation) >= 1:
        return 0.0
    return 2 * float(stdtr(n - 2, -abs(correlation) * sqrt((n - 2) / (1 - correlation**2))))


def _interval(value: float, inner: float, variance: float, n: int, confidence: float) -> Bounds:
    """The interval around Fisher's z of `inner`, extended to include `value`."""
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
