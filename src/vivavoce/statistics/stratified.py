"""Tests and confidence sequences for a mean over strata of known masses, valid at any stopping time, by bets.

The null is "the mean D = sum_i p_i D_i of values in [-1, 1] is at most c", with D_i the mean of stratum i and p_i its mass. A
value is a difference of two scores, or 2 x - 1 for a score x; "at least" is the null of the negated values. Values come from
the strata in any order that does not look ahead, with or without replacement. The error is not divided among strata.

**The martingale.** A bet of fraction u in (0, 1] multiplies its capital by 1 + u d. At draw s, from stratum i, the values that
are left there have the mean D_is: it is D_i for independent draws, and (N_i D_i - S) / (N_i - n) after n draws with the sum S
out of N_i. Whatever the D_i are, the product of (1 + u d_s) / (1 + u D_is) is a martingale with regard to all that was drawn.

**The bound.** Its denominator is not known, but its largest value under the null has a bound, and the capital divided by the
bound and mixed over u is then below a mixture of martingales on every path: an e-process, and the same for all nulls c >= D, so
that the nulls that are rejected give a confidence sequence. With z = u D_is, any z0 in (-1, u] and w = (z - z0) / (1 + z0),

    ln(1 + z) = ln(1 + z0) + ln(1 + w) <= ln(1 + z0) + w - k w^2,   k = (W - ln(1 + W)) / W^2,   W = (u - z0) / (1 + z0),

as (w - ln(1 + w)) / w^2 falls in w, and w is at most W. z0 is u times what D_is would be on average if all D_i were c, so that
w is near 0. The sum over draws is quadratic in the D_i. Its largest value under sum_i p_i D_i <= c is, for a price h >= 0 of
the constraint, at most the largest value of a sum over strata, each of which has a closed form; so does the best price. A
stratum that was not asked yet adds at most its mass to c, as D_i >= -1. Another price or z0 costs evidence, never validity.

**Values that are not known** count with their least, and validity needs nothing of which these are: 1 + u d rises in d, so that
the product is a supermartingale, and D_is falls as S rises, so that the bound only grows. Without replacement D_is may then
exceed 1 in the bound, where the square would be wrong: from there on it is left out in that stratum, ln(1 + w) <= w.

**What it costs.** The bets are those without strata. With independent draws the largest denominator is the product of
(n_i / (n p_i))^n_i, by Gibbs' inequality, whatever the bet: that is where 1 + u D_i is (1 + u c) n_i / (n p_i). So a test that
divides a fixed bet by it can be no better than without strata, and loses ln E where draws are out of proportion. With K strata
of one mass that is nothing at the end of a round, and in the middle of one about K^2 / (8 n): 1/6 for K = 14 at n = 147. Bets
that know the stratum (by its mean so far) saved 3% with three strata that differ, and cost 1% with 10 or 14: they are not made.

Sources: betting on means in strata, `spertus2024`; without replacement, `waudbysmith2020`. There the means of the null are gone
through stratum by stratum; the quadratic bound is our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import floor

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats, log_of_sum
from vivavoce.statistics.bounds import check_delta
from vivavoce.statistics.confidence_sequences import bets_above, bets_on_events, bets_on_pass, clean_bets
from vivavoce.statistics.differences import FRACTIONS

_ROUNDING = 1e-9
_CLOSE = 1e-6
"""The expansion is at least this far above -1."""
_NARROWEST = 1e-4
"""The least W: k falls in it, so that a larger one is valid, and a smaller one is lost to rounding."""
_STEPS = 14
"""Halvings in the search for an end of an interval, which is exact to about .0001."""
_FINE_STEPS = 28
"""The same for a rate, exact to 1e-8."""


def proportional(masses: ArrayLike, *, sizes: ArrayLike | None = None) -> Iterator[int]:
    """The stratum of each draw in turn: always the one furthest behind its mass that has a value left. Without an event so far,
    this allocation is the best for the rate: the null puts all events where draws per mass are fewest. It does not depend on
    answers, so a resumed run asks the same questions.

    >>> from itertools import islice
    >>> list(islice(proportional([0.5, 0.3, 0.2]), 10))
    [0, 1, 2, 0, 0, 1, 0, 2, 1, 0]
    """
    p, drawn = np.asarray(masses, dtype=np.float64), np.zeros(np.size(masses))
    left = np.full(p.size, np.inf) if sizes is None else np.asarray(sizes, dtype=np.float64)
    for t in count(1):
        if (drawn >= left).all():
            return
        lag = np.where(drawn < left, p * t - drawn, -np.inf)
        stratum = int(np.argmax(lag.round(9)))  # rounded, so that ties are the same on every machine
        drawn[stratum] += 1
        yield stratum


class StratifiedTests:
    """E-processes against "the mean over strata is at most c", for many rows of values in [-1, 1] over the same draws.

    Parameters
    ----------
    rows: how many sequences of values are tested.
    masses: of the strata, above 0 and adding up to 1.
    sizes: how many values each stratum has if they are drawn without replacement, masses in proportion; None: i.i.d.
    fractions, shares: the bets, in (0, 1], and the share of the capital on each (they are normalised).

    Example
    -------
    >>> tests = StratifiedTests(1, [0.5, 0.5])
    >>> for draw in range(14):
    ...     tests.update([1.0], draw % 2)
    >>> bool(tests.log_e([0.0])[0] > np.log(20))
    True
    """

    def __init__(
        self,
        rows: int,
        masses: ArrayLike,
        *,
        sizes: ArrayLike | None = None,
        fractions: Floats = FRACTIONS,
        shares: Floats | None = None,
    ) -> None:
        self._masses = np.asarray(masses, dtype=np.float64)
        if self._masses.ndim != 1 or not (self._masses > 0).all() or abs(self._masses.sum() - 1) > _ROUNDING:
            raise BadInput("the masses of strata must be above 0 and add up to 1")
        strata = self._masses.size
        self._sizes = None if sizes is None else np.asarray(sizes, dtype=np.float64)
        self._fractions = fractions
        weights = np.ones(fractions.size) if shares is None else shares
        self._log_capital = np.tile(np.log(weights / weights.sum()), (rows, 1))
        self._known: NDArray[np.bool_] = np.ones((rows, strata), dtype=bool)
        # the mean of the values left is a D_i - b: sums over draws, and of 1, a, b, a^2, a b, b^2 over those with a square
        self._counts, self._sums, self._a, self._b = (np.zeros((rows, strata)) for _ in range(4))
        self._squared = np.zeros((rows, strata, 6))

    def update(
        self, values: ArrayLike, stratum: int, *, known: ArrayLike = True, rows: NDArray[np.intp] | slice = slice(None)
    ) -> None:
        """Take the next value of each row, or of these rows; known: whether it is exact, and not only its least value."""
        d, i = np.asarray(values, dtype=np.float64), stratum
        if d.size and not (d.min() >= -1 and d.max() <= 1):
            raise BadInput("values over strata must lie in [-1, 1]")
        a, b, squared = np.ones(d.shape), np.zeros(d.shape), np.ones(d.shape, dtype=bool)
        if self._sizes is not None:
            left = self._sizes[i] - self._counts[rows, i]
            if d.size and left.min() < 1:
                raise BadInput(f"there are more values than the {self._sizes[i]:g} of a stratum")
            a, b, squared = self._sizes[i] / left, self._sums[rows, i] / left, self._known[rows, i]
        self._a[rows, i] += a
        self._b[rows, i] += b
        self._squared[rows, i] += np.stack([np.ones(d.shape), a, b, a * a, a * b, b * b], axis=-1) * squared[:, None]
        with np.errstate(divide="ignore"):
            self._log_capital[rows] += np.log1p(d[:, None] * self._fractions)
        self._sums[rows, i] += d
        self._counts[rows, i] += 1
        self._known[rows, i] &= np.asarray(known, dtype=bool)

    def log_e(self, nulls: ArrayLike) -> Floats:
        """Natural logarithms of the e-values now, of the same shape as the nulls; infinite where a null is impossible.

        nulls: of each row, shape (rows,), or several of each, shape (rows, C).
        """
        given = np.asarray(nulls, dtype=np.float64)
        c = given.reshape(self._sums.shape[0], -1)
        log_e = log_of_sum(self._log_capital[:, None] - self._largest(c))
        if self._sizes is not None:
            log_e[self.sure()[:, None] > c + _ROUNDING] = np.inf
        result: Floats = log_e.reshape(given.shape)
        return result

    def sure(self) -> Floats:
        """The least possible mean of each row, given the draws."""
        if self._sizes is None:
            return np.full(self._sums.shape[0], -1.0)
        size = self._sizes.sum()
        result: Floats = (self._sums.sum(axis=1) - (size - self._counts.sum(axis=1))) / size
        return result

    def lowest(self, delta: float, steps: int = _STEPS) -> Floats:
        """The largest null of each row that was found to be rejected; where none is, the least that the mean can be."""
        rejected, kept = self.sure(), np.ones(self._sums.shape[0])
        for step in range(steps):
            middle = (rejected + kept) / 2
            if step == 0:  # where comparisons look, so that interval and test agree
                middle = np.where((rejected < 0) & (kept > 0), 0.0, middle)
            enough = self.log_e(middle) >= -np.log(delta)
            rejected, kept = np.where(enough, middle, rejected), np.where(enough, kept, middle)
        return rejected

    def drop(self, rows: NDArray[np.bool_]) -> None:
        """Forget these rows; the others move up."""
        for name, values in vars(self).items():
            if isinstance(values, np.ndarray) and values.ndim > 1:
                setattr(self, name, values[~rows])

    def _largest(self, c: Floats) -> Floats:
        """The bound on the logarithm of the denominator, for each row, null and bet."""
        p, n = self._masses, self._counts.sum(axis=1)[:, None]
        mean = (c * self._a.sum(axis=1)[:, None] - self._b.sum(axis=1)[:, None]) / np.maximum(n, 1.0)
        mean = np.clip(mean, _CLOSE - 1, 1.0)  # of what is left, if all strata have the mean c
        start = 1 + mean[..., None] * self._fractions
        top = np.maximum((1 + self._fractions) / start - 1, _NARROWEST)
        k, u = (top - np.log1p(top)) / top**2, self._fractions / start
        squares, sa, sb, aa, ab, bb = np.moveaxis(self._squared[:, None], -1, 0)
        # with the mean taken off, what was b is b + mean
        bb = (bb + 2 * sb * mean[..., None] + squares * mean[..., None] ** 2).sum(axis=-1)
        ab = ab + sa * mean[..., None]
        b = self._b.sum(axis=1)[:, None] + n * mean
        a, curved = self._a[:, None], aa > 0
        over = curved / np.where(curved, aa, 1.0)
        slack, level = c + ~curved @ p, (a * ~curved).sum(axis=-1)  # a stratum without squares takes an end of [-1, 1]
        pp, pa, p_ab = ((p * over * x).sum(axis=-1) for x in (p, a, ab))
        a_a, a_ab, ab_ab = ((over * x).sum(axis=-1) for x in (a * a, a * ab, ab * ab))
        linear, square, pp = level - b + a_ab, ab_ab - bb, np.where(pp > 0, pp, np.inf)
        # with the best price, or with 0 where that is below it
        gain = np.maximum(pa[..., None] - 2 * k * u * (slack - p_ab)[..., None], 0.0)
        result: Floats = (a_a[..., None] - gain**2 / pp[..., None]) / (4 * k) + n[..., None] * np.log(start)
        result += u * (linear[..., None] + k * u * square[..., None])
        return result


class StratifiedMeanTests:
    """E-processes against "the mean of values in [0, 1] over strata is at most `null`", for rows of values over the same draws.

    Parameters
    ----------
    null: in (0, 1).
    bets: means above the null, and the share of the capital on each. Over one stratum they are those of `betting.BettingTest`.
    masses, sizes, rows: as for `StratifiedTests`.
    """

    def __init__(
        self, null: float, bets: tuple[Floats, Floats], masses: ArrayLike, *, sizes: ArrayLike | None = None, rows: int = 1
    ) -> None:
        if not 0 < null < 1:
            raise BadInput(f"the null is {null}; it must lie strictly between 0 and 1")
        means, shares = bets
        ruin = (1 - means) / (1 - null)  # what a value of 0 leaves
        fractions = (1 - ruin) / (1 + ruin * (2 * null - 1))
        self._tests = StratifiedTests(rows, masses, sizes=sizes, fractions=fractions, shares=shares)
        self._nulls = np.full(rows, 2 * null - 1)

    def update(self, values: ArrayLike, strata: ArrayLike, *, known: ArrayLike = True) -> Floats:
        """Take further values in drawn order; the log e-values after each, of shape (rows, T).

        values: each at least, shape (rows, T). known: whether that is exact. strata: of the draws, shape (T,).
        """
        x = np.asarray(values, dtype=np.float64)
        exact, path = np.broadcast_to(known, x.shape), np.empty(x.shape)
        for index, stratum in enumerate(np.asarray(strata, dtype=np.int64).tolist()):
            self._tests.update(2 * x[:, index] - 1, stratum, known=exact[:, index])
            path[:, index] = self._tests.log_e(self._nulls)
        return path

    def lowest(self, delta: float) -> Floats:
        """The lower end of a confidence sequence at level 1 - delta, for the mean of each row."""
        return (1 + self._tests.lowest(delta, _FINE_STEPS)) / 2


def mean_above_in_strata(
    null: float, masses: ArrayLike, *, sizes: ArrayLike | None = None, rows: int = 1
) -> StratifiedMeanTests:
    """Against "the mean is at most `null`"; with 1 - null it takes 1 - x and is the test against "at least".

    >>> float(mean_above_in_strata(0.5, [0.5, 0.5], sizes=[4, 2]).update([[1, 1, 1, 1]], [0, 1, 0, 0])[0, -1])  # 4 of 6
    inf
    """
    return StratifiedMeanTests(null, bets_above(null, once=sizes is not None), masses, sizes=sizes, rows=rows)


def mean_passes_in_strata(
    grade: float, masses: ArrayLike, *, sizes: ArrayLike | None = None, rows: int = 1, partial_credit: bool = False
) -> StratifiedMeanTests:
    """Against "the mean is at most the passing grade", with the bets of `confidence_sequences.mean_passes`."""
    bets = bets_on_pass(grade, once=sizes is not None, partial_credit=partial_credit)
    return StratifiedMeanTests(grade, bets, masses, sizes=sizes, rows=rows)


def rate_above_in_strata(
    limit: float, masses: ArrayLike, *, sizes: ArrayLike | None = None, rows: int = 1
) -> StratifiedMeanTests:
    """Against "events are at most as frequent as `limit`"."""
    return StratifiedMeanTests(limit, bets_on_events(limit), masses, sizes=sizes, rows=rows)


def rate_below_in_strata(
    limit: float, masses: ArrayLike, *, sizes: ArrayLike | None = None, rows: int = 1, whole: bool = True
) -> StratifiedMeanTests:
    """Against "events are more frequent than `limit`"; it takes 1 for what is none.

    whole: whether events are 0 or 1, no fractions: without replacement the null is then a number of events, and sharper.

    >>> path = rate_below_in_strata(0.1, [0.5, 0.5]).update(np.ones((1, 40)), [0, 1] * 20)
    >>> int(np.argmax(path[0] >= np.log(20))) + 1
    32
    """
    size = None if sizes is None else int(np.sum(sizes))
    fewest = 0 if size is None or not whole else floor(limit * size + _ROUNDING) + 1
    null = fewest / size if size is not None and 0 < fewest < size else limit
    rates, shares = clean_bets(null)
    return StratifiedMeanTests(1 - null, (1 - rates, shares), masses, sizes=sizes, rows=rows)


def stratified_difference_bounds(
    lower: ArrayLike, upper: ArrayLike, strata: ArrayLike, delta: float, *, masses: ArrayLike, sizes: ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Confidence sequences for mean differences over strata, as `differences.difference_bounds` gives them without.

    Parameters
    ----------
    lower, upper: the least and the most that each difference may be, in drawn order, shape (M, n); NaN after a row's last.
    strata: the number of the stratum that each came from, shape (n,).

    >>> d = [[1.0, 0.0, 0.0, 0.0] * 50]
    >>> low, high = stratified_difference_bounds(d, d, [0, 1] * 100, 0.05, masses=[0.5, 0.5])
    >>> bool(0 < low[0] < 0.25 < high[0] < 0.6)
    True
    """
    check_delta(delta)
    least, most = (np.asarray(values, dtype=np.float64) for values in (lower, upper))
    known, ends = least == most, []
    for d in (least, -most):
        tests = StratifiedTests(d.shape[0], masses, sizes=sizes)
        for index, stratum in enumerate(np.asarray(strata, dtype=np.int64).tolist()):
            rows = np.flatnonzero(~np.isnan(d[:, index]))
            tests.update(d[rows, index], stratum, known=known[rows, index], rows=rows)
        ends.append(tests.lowest(delta / 2))
    return ends[0], -ends[1]
