"""Correlations of pairs of which some share a player."""

from __future__ import annotations

from collections.abc import Sequence
from math import atanh, inf, tanh
from typing import Final

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.statistics.clustered import mean_interval

FEWEST_PAIRS: Final = 4
"""That a correlation with an interval needs."""
UNKNOWN: Final = Interval(-inf, inf)


def clustered_correlation(first: Sequence[float], second: Sequence[float], groups: Sequence[Sequence[str]]) -> Estimate:
    """Pearson's correlation of pairs of which some share a player; the interval allows for that.

    The variance of r is that of the mean of its influence function, robust to what shares a group; ends by Fisher's z. With
    fewer than four pairs, with all numbers of a list equal, or with every pair sharing a player with every other, there is no
    interval; in the first two cases no value either.

    >>> found = clustered_correlation([1, 2, 3, 4, 5], [1, 3, 2, 5, 4], [(), (), (), (), ()])
    >>> found.n, round(found.value or 0, 3)
    (5, 0.8)
    """
    one, other = (np.asarray(values, dtype=np.float64) for values in (first, second))
    n = one.size
    if n < FEWEST_PAIRS or np.ptp(one) == 0 or np.ptp(other) == 0:
        return Estimate(None, UNKNOWN, n)
    one, other = ((values - values.mean()) / values.std() for values in (one, other))
    value = float(np.clip((one * other).mean(), -1, 1))
    if abs(value) >= 1 - 1e-12:
        return Estimate(value, UNKNOWN, n)
    influence = one * other - value / 2 * (one**2 + other**2)
    try:
        bounds = mean_interval(influence, groups, confidence=CONFIDENCE)
    except NotEnoughEvidence:
        return Estimate(value, UNKNOWN, n)
    half = (bounds.upper - bounds.lower) / 2 / (1 - value**2)
    return Estimate(value, Interval(tanh(atanh(value) - half), tanh(atanh(value) + half)), n)
