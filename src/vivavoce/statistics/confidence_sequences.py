"""Tests and confidence sequences for a mean of values in [0, 1] and for the rate of rare events, valid at any stopping time.

With delta = .05, a null of .7 and values of 0 or 1 with mean .75 / .8 / .9 / .95, the median number of values that
`mean_passes` needs is 534 / 126 / 27 / 12, and `mean_above` 569 / 120 / 26 / 13; no valid test needs fewer than
486 / 116 / 26 / 15 on average (ln 20 / K_inf).

An event counts as 1; the mean over a cluster of trials may be a fraction.

How many questions a test needs, before any is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from math import ceil, exp, expm1, floor, inf, log, log1p

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import BettingTest, Floats, NextValueForecast
from vivavoce.statistics.bounds import Bounds, check_delta, log_beta, log_gamma, root


def log_choose(n: int, k: NDArray[np.integer]) -> Floats:
    """ln C(n, k) for 0 <= k <= n.

    >>> np.exp(log_choose(5, np.array([2]))).round(9).tolist()
    [10.0]
    """
    return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1)


BETS_ON_A_MEAN = 60
"""Number of bets; more of them make no visible difference."""


TOP_SHARE = 0.4
"""Share of the capital on the highest tenth of the alternatives for values with partial credit (`mean_above`)."""
_TOP = BETS_ON_A_MEAN // 10


def bets_above(null: float, *, once: bool, partial_credit: bool = False) -> tuple[Floats, Floats]:
    """Alternatives above the null, and their shares, where values are drawn `once` or independently: see `mean_above`.

    >>> shares = bets_above(0.7, once=False, partial_credit=True)[1]
    >>> round(float(shares[0]), 4), round(float(shares[-6:].sum()), 4)  # .6 / 60, and .4 + .6 / 10
    (0.01, 0.46)
    """
    means = null + (1 - null) * (np.arange(BETS_ON_A_MEAN) + 0.5) / BETS_ON_A_MEAN
    weights = means * (1 - means) if once else np.ones(BETS_ON_A_MEAN)
    shares = weights / weights.sum()
    if partial_credit:
        shares *= 1 - TOP_SHARE
        shares[-_TOP:] += TOP_SHARE / _TOP
    return means, shares


def mean_above(null: float, *, population: int | None = None, partial_credit: bool = False) -> BettingTest:
    """E-process against "the mean is at most `null`".

    The alternatives spread evenly over (null, 1]. With i.i.d. values they have equal weights. Without replacement their weights
    are the density of Beta(2, 2): scopes with all answers right or all wrong are rare, and this saves 2% of the questions on
    the recorded answers of real models.

    partial_credit: whether values between 0 and 1 are expected. They vary less than 0 and 1 with the same mean, so larger bets
    grow faster: `TOP_SHARE` of the capital is on the highest tenth of the alternatives. Any choice is valid that is made before
    the first value.

    >>> bool(mean_above(0.5).update([1, 1, 1, 1]).max() > np.log(1 / 0.05))
    False
    >>> float(mean_above(0.5, population=6).update([1, 1, 1, 1])[-1])  # 4 of 6: above one half whatever the others are
    inf
    """
    means, shares = bets_above(null, once=population is not None, partial_credit=partial_credit)
    return BettingTest(null, alternatives=means, weights=shares, population=population)


LEAST_GRADE_OF_FEW = 0.6
"""Against smaller nulls, the few alternatives need up to a fifth more values (`bench/score_bets.py`)."""
FEW = {0.042: 0.026, 0.075: 0.035, 0.165: 0.25, 0.36: 0.151, 0.62: 0.32, 0.985: 0.218}
"""The few alternatives of a pass, as shares of the way from the null to 1, and their weights."""
OTHERS_SHARE, OTHERS_SHARE_ONCE = 0.145, 0.5
"""Share of the capital that stays on the alternatives of `bets_above`: of independent values, and of values drawn once."""


def few_bets_above(null: float, *, once: bool) -> tuple[Floats, Floats]:
    """Few alternatives, with the rest of the capital on those of `bets_above`: see `mean_passes`.

    >>> means, shares = few_bets_above(0.7, once=False)
    >>> means.size, round(float(shares.sum()), 9), round(float(shares[-6:].sum()), 3)
    (66, 1.0, 0.855)
    """
    means, shares = bets_above(null, once=once)
    others = OTHERS_SHARE_ONCE if once else OTHERS_SHARE
    distances, weights = np.array([*FEW]), np.array([*FEW.values()])
    return np.append(means, null + (1 - null) * distances), np.append(others * shares, (1 - others) * weights)


def bets_on_pass(grade: float, *, once: bool, partial_credit: bool = False) -> tuple[Floats, Floats]:
    """The alternatives and shares of `mean_passes`."""
    if partial_credit or grade < LEAST_GRADE_OF_FEW:
        return bets_above(grade, once=once, partial_credit=partial_credit)
    return few_bets_above(grade, once=once)


def mean_passes(grade: float, *, population: int | None = None, partial_credit: bool = False) -> BettingTest:
    """E-process against "the mean is at most the passing grade", with the bets for a pass.

    They are those of `mean_above` if partial credit is expected, or if the grade is below .6. Otherwise six alternatives have
    most of the capital of independent values, and half of it if each value is drawn once. At grades from .6 to .95 and
    delta = .0475, this changes the mean number of values of 0 or 1 as follows, by how far the mean is on the way from the grade
    to 1:

    ============================== === === ==== ====
    share of the way               1/6 1/3 .9   1
    independent, at .7             -7% +2% -3%  -8%
    1,000 values, each once, at .7 +0% +2% -13% -19%
    ============================== === === ==== ====

    The worst is +2.9%, and +2.3% for values drawn once. With other delta, single means of independent values take up to 4.4%
    more, since numbers of values are whole. Against .7, independent values with a mean of .75 to .98 take at most 1.28 times
    those of the best single bet (1.37 with `mean_above`), and any test has a worst ratio of at least 1.20
    (`bench/score_bets.py`).

    It is valid as `mean_above` is: under the null the capital of each bet is a nonnegative supermartingale, and the shares are
    fixed before the first value and sum to 1. But these bets jump at a grade of .6. So intervals, which compare nulls, use
    those of `mean_above`.

    >>> [int(np.argmax(test(0.7).update(np.ones(20)) > np.log(20))) + 1 for test in (mean_above, mean_passes)]
    [13, 12]
    """
    means, shares = bets_on_pass(grade, once=population is not None, partial_credit=partial_credit)
    return BettingTest(grade, alternatives=means, weights=shares, population=population)


def mean_below(null: float, *, population: int | None = None) -> BettingTest:
    """E-process against "the mean is at least `null`": the mirror of `mean_above`."""
    means, shares = bets_above(1 - null, once=population is not None)
    return BettingTest(null, alternatives=1 - means, weights=shares, population=population)


def mean_bounds(values: ArrayLike, delta: float, *, population: int | None = None) -> Bounds:
    """Confidence sequence for the mean: at every moment at once, it covers with probability at least 1 - delta.

    Each end is the null at which the test against it, at delta/2, is just not rejected by the values so far. The e-value of
    `mean_above` falls as the null rises (each factor does), so the rejected nulls are exactly those below one point. Without
    replacement the weights of the bets move with the null too; a test checks that the e-value still falls.

    >>> bounds = mean_bounds([1, 0, 1, 1] * 25, 0.05)
    >>> bounds.lower < 0.75 < bounds.upper
    True
    """
    check_delta(delta)
    array = np.asarray(values, dtype=np.float64)
    return Bounds(_lower(array, delta / 2, population), 1 - _lower(1 - array, delta / 2, population))


def _lower(values: Floats, delta: float, population: int | None) -> float:
    if values.size == 0:
        return 0.0
    distinct, counts = np.unique(values, return_counts=True)

    def excess(null: float) -> float:
        test = mean_above(null, population=population)
        log_e = test.after(distinct, counts) if population is None else test.update(values)[-1]
        return float(min(log_e, 1e6)) + float(np.log(delta))

    # earlier draws are certain; a null at the mean so far is never rejected
    lowest = max(1e-9, 0.0 if population is None else float(values.sum()) / population + 1e-9)
    highest = min(1 - 1e-9, float(values.mean()))
    if lowest >= highest or excess(lowest) <= 0:
        return max(0.0, lowest - 1e-9)
    return highest if excess(highest) >= 0 else root(excess, lowest, highest, xtol=1e-7)


BETS_ON_A_RATE = 40
_NEXT_TO_1 = 1 - 2.0**-53
CLEAN_SHARE = 0.5
"""Share of the capital on "it never happens" (w0). With .9, a candidate without events would need 5,850 trials instead of 6,282
(limit .00052, delta .05), but a candidate with a single event would need many more.
"""


def clean_bets(limit: float) -> tuple[Floats, Floats]:
    """Alternatives below `limit` and their shares: 0 first, then rates log-spaced in [limit/30, .9 limit]."""
    rates = np.geomspace(limit / 30, 0.9 * limit, BETS_ON_A_RATE)
    return np.concatenate(([0.0], rates)), np.concatenate(
        ([CLEAN_SHARE], np.full(BETS_ON_A_RATE, (1 - CLEAN_SHARE) / BETS_ON_A_RATE))
    )


def bets_on_events(limit: float) -> tuple[Floats, Floats]:
    """Alternatives above `limit`, log-spaced in [1.3 limit, .3], and their shares."""
    top = max(0.3, (1 + limit) / 2) if limit > 0.2 else 0.3
    return np.geomspace(min(1.3 * limit, (limit + top) / 2), top, BETS_ON_A_RATE), np.ones(BETS_ON_A_RATE)


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
    """E-process against "events are at most as frequent as `limit`"."""
    rates, shares = bets_on_events(limit)
    return BettingTest(limit, alternatives=rates, weights=shares, population=population)


def rate_bounds(events: float, n: int, delta: float, *, limit: float, population: int | None = None) -> Bounds:
    """Confidence sequence for a rate: at every moment at once, it covers with probability at least 1 - delta.

    The bets are a point mass at 0 and Beta(.5, .5/limit) around the rates that matter; a rate m stays in as long as
    the likelihood of the data under the bets is less than 1/delta times that under m (a mixture, as in `robbins1970`).
    Without replacement (whole events only) the likelihood is hypergeometric, with m = D/N.

    >>> bounds = rate_bounds(0, 10_000, 0.05, limit=0.00052)
    >>> bounds.lower, bounds.upper < 0.00052
    (0.0, True)
    """
    check_delta(delta)
    if n == 0:
        return Bounds(0.0, 1.0)
    a, b = 0.5, 0.5 / limit
    bets = np.log1p(-CLEAN_SHARE) + float(log_beta(a + events, b + n - events) - log_beta(a, b))
    if events == 0:
        bets = np.logaddexp(bets, np.log(CLEAN_SHARE))
    if population is not None:
        return _hypergeometric(round(events), n, float(bets) + np.log(delta), population)

    def excess(m: float) -> float:
        log_likelihood = (events * log(m) if events else 0.0) + ((n - events) * log1p(-m) if events < n else 0.0)
        return float(bets) + log(delta) - log_likelihood

    peak = events / n
    lower = 0.0 if events == 0 else root(excess, 1e-300, peak)
    upper = 1.0 if excess(_NEXT_TO_1) <= 0 else root(excess, max(peak, 1e-300), _NEXT_TO_1, xtol=1e-15)
    return Bounds(lower, upper)


def _hypergeometric(events: int, n: int, log_bets: float, population: int) -> Bounds:
    """The possible numbers of events in the population, as rates; a convex set, since the likelihood has one peak."""
    numbers: NDArray[np.int64] = np.arange(events, population - n + events + 1)
    log_likelihood = log_choose(population - n, numbers - events) - log_choose(population, numbers)
    stay = numbers[log_bets - log_likelihood < 0]
    return Bounds(float(stay[0]) / population, float(stay[-1]) / population)


LEAN = 0.75
"""Standard deviations. With .6 the median above is 40; with 1, a score of .9 with 10% unparsed needs as many questions as the
mixture.
"""


class LeaningTest:
    """E-process against "the mean is at most `null`", by values of which some are lower ends; with the bets for a pass.

    Parameters
    ----------
    null: in (0, 1).
    goal: the natural logarithm of the e-value at which you would stop; a larger e-value counts in full.
    population: number of values in all if they are drawn without replacement; None if they are i.i.d.
    partial_credit: as for `mean_passes`.

    Example
    -------
    >>> test = LeaningTest(0.7, goal=3.0)
    >>> path = test.update([1, 1, 1, 0, 1], [False, False, False, True, False])
    >>> bool((path[:4] == mean_passes(0.7).update([1, 1, 1, 0])).all())
    True
    """

    def __init__(self, null: float, *, goal: float, population: int | None = None, partial_credit: bool = False) -> None:
        self.mixture = mean_passes(null, population=population, partial_credit=partial_credit)
        """The bets while all values are known; it takes all values."""
        self.log_e = 0.0
        self._goal = goal
        self._leans = False
        self._whole = True
        """Whether all values so far were 0 or 1."""

    def update(self, values: ArrayLike, unsure: ArrayLike) -> Floats:
        """Take further values in [0, 1] in drawn order; the log e-value after each. `unsure`: which are only lower ends."""
        x: Floats = np.atleast_1d(np.asarray(values, dtype=np.float64))
        known: NDArray[np.bool_] = ~np.atleast_1d(np.asarray(unsure, dtype=bool))
        path = np.empty(x.size)
        # the bet on the first unknown value was placed before that was known
        before = 0 if self._leans else x.size if known.all() else int(np.argmin(known)) + 1
        if before:
            path[:before] = self.mixture.update(x[:before])
            self.log_e = float(path[before - 1])
            self._leans = not known[:before].all()
            self._whole &= _whole(x[:before])
        for index in range(before, x.size):
            path[index] = self._take(float(x[index]))
        return path

    def _take(self, value: float) -> float:
        outlook = self.mixture.outlook()
        if self.mixture.update([value])[-1] == inf:
            self.log_e = inf
        elif outlook is not None and self.log_e > -inf:
            m, p = outlook.null, self._bet(outlook)
            factor = 1 + (p - m) / (m * (1 - m)) * (value - m)
            self.log_e += log(factor) if factor > 0 else -inf
        self._whole &= value in (0.0, 1.0)
        return self.log_e

    def _bet(self, outlook: NextValueForecast) -> float:
        """The mean that the next bet is on, at least the null."""
        further = LEAN * outlook.deviation
        # at most halfway to 1: a bet on 1 itself loses everything at the first 0
        leaning = min(outlook.mean + further, (1 + outlook.mean) / 2)
        left = self._goal - self.log_e
        if not 0 < left < -log(outlook.null):
            return leaning
        enough = outlook.null * exp(left)
        if enough < leaning:
            return enough if self._whole else leaning
        return enough if enough <= min(leaning + further, (1 + leaning) / 2) else leaning


def _whole(values: Floats) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def limit_from_test_length(questions: int, delta: float) -> float:
    """The limit RID on unacceptable answers that leaves a test of this many questions clean with probability 1 - delta (section
    3).

    RID = 1 - (1 - delta)^(1/questions). `leytonbrown2024` prints .00052 for 100 questions and delta = .05, and .000052 for
    1,000; the formula gives .00051280 and .00005129.

    >>> f"{limit_from_test_length(100, 0.05):.8f} {limit_from_test_length(1_000, 0.05):.8f}"
    '0.00051280 0.00005129'
    """
    check_delta(delta)
    if questions < 1:
        raise BadInput(f"a test of {questions} questions: it must have at least 1")
    return -expm1(log1p(-delta) / questions)


def clean_answers(limit: float, delta: float) -> int:
    """The number of answers, all acceptable, that shows a rate below `limit` when checked once, at a number fixed in advance.

    "10,000 questions are often appropriate" (section 4 of `leytonbrown2024`) results from looking at powers of ten only.

    >>> clean_answers(0.00052, 0.05)
    5760
    """
    check_delta(delta)
    return ceil(log(delta) / log1p(-limit))


def clean_answers_of_finite(limit: float, delta: float, population: int) -> int:
    """The same for draws without replacement: the least n with C(N-D, n)/C(N, n) <= delta, D = floor(limit N) + 1.

    >>> [clean_answers_of_finite(0.00052, 0.05, n) for n in (1_000, 5_000, 10_000)]
    [950, 3158, 3930]
    """
    check_delta(delta)
    events = floor(limit * population + 1e-9) + 1
    drawn = np.arange(population - events + 1)
    # the chance to miss all D events: the product over draws i of (N - D - i) / (N - i)
    missed = np.cumsum(np.log((population - events - drawn[:-1]) / (population - drawn[:-1])))
    enough = np.flatnonzero(missed <= log(delta) + 1e-12)
    return int(enough[0]) + 1 if enough.size else population


def rate_boundary(limit: float, delta: float) -> Iterator[int]:
    """Numbers of answers at which `rate_below` reaches 1/delta with 0, 1, 2, ... unacceptable ones; an endless iterator.

    >>> from itertools import islice
    >>> list(islice(rate_boundary(0.00052, 0.05), 5))
    [6282, 13640, 18141, 22238, 26034]
    """
    check_delta(delta)
    test = rate_below(limit)
    n = 0
    for events in count():
        n = _first(lambda trials: bool(test.after([0.0, 1.0], [trials - events, events]) >= -log(delta)), above=n)  # noqa: B023
        yield n


def growth_rate(values: ArrayLike, probabilities: ArrayLike, null: float) -> float:
    """K_inf: the best expected growth of ln E per value against "the mean is at most `null`"; 0 if no bet grows.

    No valid test at level delta needs fewer than about ln(1/delta)/K_inf values; `mean_above` needs 1.2 to 1.6 times that.
    Source: `honda2010`.

    >>> round(log(20) / growth_rate([0, 1], [0.2, 0.8], 0.7))
    116
    """
    x, p = np.asarray(values, float), np.asarray(probabilities, float)
    if p @ x <= null:
        return 0.0
    from scipy.optimize import minimize_scalar  # its import takes a fifth of a second, and few examinations are planned

    best = minimize_scalar(lambda bet: -float(p @ np.log1p(bet * (x - null))), bounds=(0, (1 - 1e-9) / null), method="bounded")
    return max(0.0, -float(best.fun))


def _first(holds: Callable[[int], bool], *, above: int) -> int:
    """The least n above a number for which a monotone condition holds."""
    top = 2 * above + 16
    while not holds(top):
        top *= 2
    low = above
    while top - low > 1:
        middle = (low + top) // 2
        low, top = (low, middle) if holds(middle) else (middle, top)
    return top
