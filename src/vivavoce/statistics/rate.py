"""Tests and a confidence sequence for the rate of rare events, valid at any moment one chooses to stop.

An event counts 1; where a value is the mean over a cluster of trials it may be a fraction.
"""

from __future__ import annotations

from math import floor

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, xlog1py, xlogy

from vivavoce.statistics.betting import BettingTest, Floats
from vivavoce.statistics.binomial import log_choose
from vivavoce.statistics.bounds import Bounds, check_delta
from vivavoce.statistics.roots import root

BETS = 40
_NEXT_TO_1 = 1 - 2.0**-53
CLEAN_SHARE = 0.5
"""Share of the capital on "it never happens" (w0). At .9 a clean candidate would need 5,850 trials instead of 6,282 (limit
.00052, delta .05), but one with a single event many more."""


def clean_bets(limit: float) -> tuple[Floats, Floats]:
    """Alternatives below `limit` and their shares: 0 first, then rates log-spaced in [limit/30, .9 limit]."""
    rates = np.geomspace(limit / 30, 0.9 * limit, BETS)
    return np.concatenate(([0.0], rates)), np.concatenate(([CLEAN_SHARE], np.full(BETS, (1 - CLEAN_SHARE) / BETS)))


def rate_below(limit: float, *, population: int | None = None, whole: bool = True) -> BettingTest:
    """E-process against "events are more frequent than `limit`".

    Without replacement and with `whole` events (0 or 1, no fractions) the null is sharper: more than `limit` means at least
    D = floor(limit N) + 1 events among the N, and the alternatives are numbers of events as well.

    >>> test = rate_below(0.00052)
    >>> path = test.update(np.zeros(6_282))
    >>> bool(path[-2] < np.log(20) < path[-1])
    True
    """
    fewest = 1 if population is None else floor(limit * population + 1e-9) + 1
    if population is None or not whole or fewest >= population:
        rates, shares = clean_bets(limit)
        return BettingTest(limit, alternatives=rates, weights=shares, population=population)
    numbers = np.unique(np.round(clean_bets(fewest / population)[0] * population))
    numbers = numbers[numbers < fewest]
    some = max(1, numbers.size - 1)
    shares = np.where(numbers == 0, CLEAN_SHARE, (1 - CLEAN_SHARE) / some)
    return BettingTest(fewest / population, alternatives=numbers / population, weights=shares, population=population)


def rate_above(limit: float, *, population: int | None = None) -> BettingTest:
    """E-process against "events are at most as frequent as `limit`": rates log-spaced in [1.3 limit, .3]."""
    top = max(0.3, (1 + limit) / 2) if limit > 0.2 else 0.3
    rates = np.geomspace(min(1.3 * limit, (limit + top) / 2), top, BETS)
    return BettingTest(limit, alternatives=rates, weights=np.ones(BETS), population=population)


def rate_bounds(events: float, n: int, delta: float, *, limit: float, population: int | None = None) -> Bounds:
    """Confidence sequence for a rate: at every moment at once, it covers with probability at least 1 - delta.

    The bets are a point mass at 0 and Beta(.5, .5/limit) around the rates that matter; a rate m stays in as long as
    the likelihood of the data under the bets is less than 1/delta times that under m (a mixture, as in `robbins1970`).
    Without replacement (whole events only) the same with the hypergeometric likelihood, m = D/N.

    >>> bounds = rate_bounds(0, 10_000, 0.05, limit=0.00052)
    >>> bounds.lower, bounds.upper < 0.00052
    (0.0, True)
    """
    check_delta(delta)
    if n == 0:
        return Bounds(0.0, 1.0)
    a, b = 0.5, 0.5 / limit
    bets = np.log1p(-CLEAN_SHARE) + float(betaln(a + events, b + n - events) - betaln(a, b))
    if events == 0:
        bets = np.logaddexp(bets, np.log(CLEAN_SHARE))
    if population is not None:
        return _hypergeometric(round(events), n, float(bets) + np.log(delta), population)

    def excess(m: float) -> float:
        return float(bets - xlogy(events, m) - xlog1py(n - events, -m)) + float(np.log(delta))

    peak = events / n
    lower = 0.0 if events == 0 else root(excess, 1e-300, peak)
    upper = 1.0 if excess(_NEXT_TO_1) <= 0 else root(excess, max(peak, 1e-300), _NEXT_TO_1, xtol=1e-15)
    return Bounds(lower, upper)


def _hypergeometric(events: int, n: int, log_bets: float, population: int) -> Bounds:
    """The numbers of events in the population that stay in, as rates; a convex set, since the likelihood has one peak."""
    numbers: NDArray[np.int64] = np.arange(events, population - n + events + 1)
    log_likelihood = log_choose(population - n, numbers - events) - log_choose(population, numbers)
    stay = numbers[log_bets - log_likelihood < 0]
    return Bounds(float(stay[0]) / population, float(stay[-1]) / population)
