"""Tests and a confidence sequence for the mean of values in [0, 1], valid at any moment one chooses to stop.

With delta = .05, a null of .7 and values of 0 or 1 with mean .75 / .8 / .9 / .95, the median number of values that
`mean_above` needs is 569 / 120 / 26 / 13; no valid test needs fewer than 486 / 116 / 26 / 15 on average (ln 20 / K_inf).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.statistics.betting import BettingTest, Floats
from vivavoce.statistics.bounds import Bounds, check_delta
from vivavoce.statistics.roots import root

BETS = 60
"""Number of bets: more change nothing that can be seen."""


def mean_above(null: float, *, population: int | None = None) -> BettingTest:
    """E-process against "the mean is at most `null`".

    The alternatives spread evenly over (null, 1]. With i.i.d. values all weigh the same. Without replacement they weigh as
    the density of Beta(2, 2): scopes that are answered all right or all wrong are rare, and this saves 2% of the questions
    on the recorded answers of real models.

    >>> bool(mean_above(0.5).update([1, 1, 1, 1]).max() > np.log(1 / 0.05))
    False
    >>> float(mean_above(0.5, population=6).update([1, 1, 1, 1])[-1])  # 4 of 6: above one half whatever the others are
    inf
    """
    alternatives = null + (1 - null) * (np.arange(BETS) + 0.5) / BETS
    return _weighted(null, alternatives, population)


def mean_below(null: float, *, population: int | None = None) -> BettingTest:
    """E-process against "the mean is at least `null`": the mirror of `mean_above`."""
    return _weighted(null, null - null * (np.arange(BETS) + 0.5) / BETS, population)


def mean_bounds(values: ArrayLike, delta: float, *, population: int | None = None) -> Bounds:
    """Confidence sequence for the mean: at every moment at once, it covers with probability at least 1 - delta.

    Each end is the null at which the test against it, at delta/2, is just not rejected by the values so far. The e-value of
    `mean_above` falls as the null rises (each factor does), so the rejected nulls are exactly those below one point. Without
    replacement the weights of the bets move with the null, too: that it falls all the same is looked at in a test.

    >>> bounds = mean_bounds([1, 0, 1, 1] * 25, 0.05)
    >>> bounds.lower < 0.75 < bounds.upper
    True
    """
    check_delta(delta)
    array = np.asarray(values, dtype=np.float64)
    return Bounds(_lower(array, delta / 2, population), 1 - _lower(1 - array, delta / 2, population))


def _weighted(null: float, alternatives: Floats, population: int | None) -> BettingTest:
    weights = np.ones(BETS) if population is None else alternatives * (1 - alternatives)
    return BettingTest(null, alternatives=alternatives, weights=weights, population=population)


def _lower(values: Floats, delta: float, population: int | None) -> float:
    if values.size == 0:
        return 0.0
    distinct, counts = np.unique(values, return_counts=True)

    def excess(null: float) -> float:
        test = mean_above(null, population=population)
        log_e = test.after(distinct, counts) if population is None else test.update(values)[-1]
        return float(min(log_e, 1e6)) + float(np.log(delta))

    # what is drawn already counts for sure; a null at the mean so far is never rejected
    lowest = max(1e-9, 0.0 if population is None else float(values.sum()) / population + 1e-9)
    highest = min(1 - 1e-9, float(values.mean()))
    if lowest >= highest or excess(lowest) <= 0:
        return max(0.0, lowest - 1e-9)
    return highest if excess(highest) >= 0 else root(excess, lowest, highest, xtol=1e-7)
