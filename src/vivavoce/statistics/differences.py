"""E-processes and confidence sequences for means of paired differences in [-1, 1], many at once, also over strata.

A difference d compares two scores in [0, 1] on the same question. x = (d + 1) / 2 lies in [0, 1], and the null "the mean
difference is at most c" is the null "the mean of x is at most m = (1 + c) / 2". Each bet has a fraction u in (0, 1), and the
e-value is the mean of their capitals over u:

- With independent draws the factor is 1 - u + u x / m. For c = 0 that is 1 + u d: equal answers change nothing.
- Without replacement m moves with the draws, m_t = (N m - sum of earlier x) / (N - t + 1). Half of the capital always bets
  the same fraction, 1 - u + u x / m_t: its expectation is at most 1, since under the null the mean of the values left is at
  most m_t. The other half bets on alternatives p = m + (1 - m) u that are conditioned on the draws, as
  `betting.BettingTest` does. The first half wins if few questions distinguish the two candidates, since the conditioned
  bets are surprised by a tie; the second wins if many do.

For an unknown difference, bets that the mean is high use its least possible value: see `certificate.evidence`, whose proof
holds for all bets that rise with x.

Sources: `waudbysmith2024`, `waudbysmith2020`; the pairing and the two halves are our own.

**Over strata** of known masses, drawn with or without replacement, the e-processes are others.

The tests are about D = sum_i p_i D_i, where D_i is the mean difference in stratum i and p_i its mass; the null is "D is at most
c". Strata come in any order that does not look ahead. A bet of fraction u multiplies its capital by 1 + u d. At draw s, from
stratum i, let D_is be the mean of the values left in that stratum. For i.i.d. draws it is D_i. Without replacement from N_i
values, after n draws with the sum S, it is (N_i D_i - S) / (N_i - n). For any D_i,

    M = prod_s (1 + u d_s) / (1 + u D_is)

is a martingale given all earlier draws. Its denominator is unknown but bounded. Since (z - ln(1 + z)) / z^2 falls in z, and z =
u D_is is at most u, ln(1 + z) <= z - k z^2 with k = (u - ln(1 + u)) / u^2. This is quadratic in the D_i; its coefficients are
sums over a stratum's draws. For every price h >= 0 of the constraint sum_i p_i D_i <= c, its maximum is at most the maximum of
a sum over strata. Each term has a closed form, and so has the best price. A stratum without draws adds at most its mass to c,
since D_i >= -1.

The capital, divided by this bound and mixed over u, is below a mixture of martingales M on every path where the null is true:
an e-process. If draws are in proportion, the coefficients nearly cancel, and the cost of the bound vanishes as draws go on. The
bound rises with c, except for a price that is not the best, which only costs evidence. So the rejected nulls lie below one
point, whatever search finds it.

An unknown difference counts with its least possible value: 1 + u d rises in d, and the bound's D_is falls as S rises. Without
replacement D_is may then exceed 1. From there on its square is left out in that stratum: ln(1 + z) <= z.

Sources: betting on means in strata, `spertus2024`; without replacement, `waudbysmith2020`. The former searches the means of the
    null stratum by stratum; the quadratic bound is our own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats, log_of_sum
from vivavoce.statistics.bounds import check_delta

FRACTIONS = (np.arange(20) + 0.5) / 20
"""Fractions of the bets: twice as many make no visible difference in the number of questions."""
_CLOSE = 1e-9
_BLOCK = 32
"""Questions at once: a product of this many factors does not underflow."""
_CEILING = 1e9
"""The largest factor of a bet for one question, so that a product does not overflow either."""
_STEPS = 12
"""Steps of the search for an end of an interval, which is exact to about .0002."""


class DifferenceTests:
    """E-processes against "the mean difference is at most `null`", one for each null, over shared questions.

    Parameters
    ----------
    nulls: shape (M,), each in (-1, 1).
    population: number of questions if each is drawn once; None if they are i.i.d.

    Example
    -------
    >>> tests = DifferenceTests([0.0, 0.2])
    >>> bool(tests.update([[1.0] * 8, [1.0] * 8])[0, -1] > np.log(20))
    True
    """

    def __init__(self, nulls: ArrayLike, *, population: int | None = None) -> None:
        given = np.atleast_1d(np.asarray(nulls, dtype=np.float64))
        if not ((given > -1) & (given < 1)).all():
            raise BadInput("the null of a difference must lie strictly between -1 and 1")
        self._null = (1 + given) / 2
        self._population = population
        halves = 1 if population is None else 2
        self._log_capital = np.full((given.size, halves * FRACTIONS.size), -np.log(halves * FRACTIONS.size))
        self._sum = np.zeros(given.size)
        self.n = 0
        """Questions taken."""
        self.log_e = np.zeros(given.size)
        """Natural logarithms of the e-values now, shape (M,); infinite once a null is impossible."""

    def update(self, differences: ArrayLike) -> Floats:
        """Take the differences of further questions, shape (M, B), in drawn order; the log e-values after each: (M, B)."""
        d = np.asarray(differences, dtype=np.float64)
        if d.size and not (d.min() >= -1 and d.max() <= 1):
            raise BadInput("differences must lie in [-1, 1]")
        if self._population is not None and self.n + d.shape[1] > self._population:
            raise BadInput(f"there are more differences than the population of {self._population}")
        path = np.empty(d.shape)
        for start in range(0, d.shape[1], _BLOCK):
            x = (1 + d[:, start : start + _BLOCK]) / 2
            factors, refuted = self._factors(x)
            values = self._one(factors[:, 0])[:, None] if x.shape[1] == 1 else self._several(factors)
            path[:, start : start + _BLOCK] = np.where(refuted, np.inf, values)
            self.log_e = path[:, start + x.shape[1] - 1]
            self._sum, self.n = self._sum + x.sum(axis=1), self.n + x.shape[1]
        return path

    def _one(self, factors: Floats) -> Floats:
        """The log e-values after one more question, for factors of shape (M, bets), which are used up."""
        with np.errstate(divide="ignore"):
            np.log(factors, out=factors)
        factors += self._log_capital
        self._log_capital = factors
        return log_of_sum(factors)

    def _several(self, factors: Floats) -> Floats:
        """The same for a block of questions, shape (M, B, bets). It multiplies factors, since logarithms are slow."""
        earned = np.multiply.accumulate(np.minimum(factors, _CEILING, out=factors), axis=1, out=factors)
        top = self._log_capital.max(axis=1)
        top = np.where(np.isfinite(top), top, 0.0)
        capital = np.exp(self._log_capital - top[:, None])
        with np.errstate(divide="ignore"):
            result: Floats = np.log((earned @ capital[:, :, None])[:, :, 0]) + top[:, None]
            self._log_capital = self._log_capital + np.log(earned[:, -1])
        return result

    def take(self, differences: ArrayLike) -> Floats:
        """Take the differences of further questions as `update` does; the log e-values after the last of them, shape (M,).

        A row has NaN after its last difference; its earlier differences still count. It takes no more after that.
        """
        d = np.asarray(differences, dtype=np.float64)
        for start in range(0, d.shape[1], _BLOCK):
            block = d[:, start : start + _BLOCK]
            rows = np.flatnonzero(~np.isnan(block[:, 0]))
            x = (1 + block[rows]) / 2
            there = ~np.isnan(x)
            x = np.where(there, x, 0.0)
            factors, _ = self._factors(x, rows)
            np.minimum(factors, _CEILING, out=factors)
            if not there.all():
                factors[~there] = 1.0
            earned = np.multiply.reduce(factors, axis=1)
            with np.errstate(divide="ignore"):
                self._log_capital[rows] += np.log(earned)
            self._sum[rows] += x.sum(axis=1)
            self.n += block.shape[1]
        self.log_e = log_of_sum(self._log_capital)
        if self._population is not None:
            self.log_e[self._sum > self._population * (self._null + _CLOSE)] = np.inf
        return self.log_e

    def drop(self, rows: NDArray[np.bool_]) -> None:
        """Drop these tests; the others move up."""
        for name in ("_null", "_log_capital", "_sum", "log_e"):
            setattr(self, name, getattr(self, name)[~rows])

    def _factors(self, x: Floats, rows: NDArray[np.intp] | slice = slice(None)) -> tuple[Floats, NDArray[np.bool_]]:
        """The factors of all bets of these tests, and whether the null is impossible after each question."""
        null, before = self._null[rows, None], self._sum[rows, None]
        if self._population is None:
            return 1 + (x / null - 1)[:, :, None] * FRACTIONS, np.zeros(x.shape, dtype=bool)
        size = self._population
        after = before + np.cumsum(x, axis=1)
        left = size - self.n - np.arange(x.shape[1], dtype=np.float64)
        mean = (size * null - (after - x)) / left
        undecided = (mean * left > _CLOSE * size) & (mean < 1)  # elsewhere the draws have settled the null
        m = np.where(undecided, mean, 0.5)
        factors = np.empty((*x.shape, 2 * FRACTIONS.size))  # in place: there are many rows, and memory is what takes time
        fixed, conditioned = factors[..., : FRACTIONS.size], factors[..., FRACTIONS.size :]
        np.multiply((x / m - 1)[:, :, None], FRACTIONS, out=fixed)
        fixed += 1
        np.multiply((size * (1 - null) / left)[:, :, None], FRACTIONS, out=conditioned)  # the alternatives p, above m
        conditioned += m[:, :, None]
        np.minimum(conditioned, 1.0, out=conditioned)
        conditioned -= m[:, :, None]
        conditioned *= ((x - m) / (m * (1 - m)))[:, :, None]
        conditioned += 1
        if not undecided.all():
            factors[~undecided] = 1.0
        refuted: NDArray[np.bool_] = after > size * (null + _CLOSE)
        return np.maximum(factors, 0.0, out=factors), refuted


def difference_bounds(
    lower: ArrayLike, upper: ArrayLike, delta: float, *, population: int | None = None
) -> tuple[Floats, Floats]:
    """Confidence sequences for mean differences: each covers at every moment at once with probability at least 1 - delta.

    The lower end is the largest null that the test against it, at delta / 2, rejects by all differences so far, the upper end
    its mirror. The e-value falls as the null rises, on every path: x / m_t falls as m rises, and with K = N - t + 1 + sum of
    earlier x, which is at most N, a conditioned bet earns 1 + N (1 - m) u / (N m - sum of earlier x) by x = 1 and
    1 - N (1 - m) u / (K - N m) by x = 0, which both fall.

    Parameters
    ----------
    lower, upper: the least and the most that each difference may be, in drawn order, shape (M, n); equal for known differences.
        A row has NaN after its last difference.

    Returns
    -------
    Lower and upper ends, shape (M,).

    >>> low, high = difference_bounds([[1.0, 0.0, 0.0, 0.0] * 50], [[1.0, 0.0, 0.0, 0.0] * 50], 0.05)
    >>> bool(0 < low[0] < 0.25 < high[0] < 0.5)
    True
    """
    check_delta(delta)
    least, most = (np.asarray(values, dtype=np.float64) for values in (lower, upper))
    return _lowest(least, delta / 2, population), -_lowest(-most, delta / 2, population)


def _lowest(d: Floats, delta: float, population: int | None) -> Floats:
    """The largest rejected null of each row; if none is rejected, the least possible mean."""
    tests = d.shape[0]
    n = (~np.isnan(d)).sum(axis=1)
    sure, sums = np.full(tests, -1.0), np.nansum(d, axis=1)
    if not n.any():
        return sure
    if population is not None:
        sure = (sums - (population - n)) / population
    rejected, kept = np.maximum(sure, -1 + _CLOSE), np.minimum(sums / np.maximum(n, 1), 1 - _CLOSE)
    above, below = np.full(tests, np.nan), np.full(tests, np.nan)
    for step in range(_STEPS):
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.clip(above / (above - below), 0.02, 0.98)  # a secant, between two halvings
        tried = rejected + (kept - rejected) * np.where(np.isfinite(share) & (step % 2 == 1), share, 0.5)
        if step == 0:  # where tests look, so that interval and test agree
            tried = np.where((rejected < 0) & (kept > 0), 0.0, tried)
        excess = np.clip(DifferenceTests(tried, population=population).take(d) + np.log(delta), -30, 30)
        enough = excess >= 0
        rejected, above = np.where(enough, tried, rejected), np.where(enough, excess, above)
        kept, below = np.where(enough, kept, tried), np.where(enough, below, excess)
    result: Floats = np.where(n > 0, np.maximum(rejected, sure), -1.0)
    return result


_CURVE = (FRACTIONS - np.log1p(FRACTIONS)) / FRACTIONS**2
"""k of each bet."""
_ROUNDING = 1e-9
_STRATIFIED_STEPS = 14
"""Halvings in the search for an end of an interval, which is exact to about .0001."""


class StratifiedDifferenceTests:
    """E-processes against "the mean difference is at most c", for many rows of differences over the same draws.

    Parameters
    ----------
    rows: how many sequences of differences are tested.
    masses: of the strata, above 0 and adding up to 1.
    sizes: number of values in each stratum if they are drawn without replacement, with masses in proportion; None if i.i.d.

    Example
    -------
    >>> tests = StratifiedDifferenceTests(1, [0.5, 0.5])
    >>> for draw in range(14):
    ...     tests.update([1.0], draw % 2)
    >>> bool(tests.log_e([0.0])[0] > np.log(20))
    True
    """

    def __init__(self, rows: int, masses: ArrayLike, *, sizes: ArrayLike | None = None) -> None:
        self._masses = np.asarray(masses, dtype=np.float64)
        if self._masses.ndim != 1 or not (self._masses > 0).all() or abs(self._masses.sum() - 1) > _ROUNDING:
            raise BadInput("the masses of strata must be above 0 and add up to 1")
        strata = self._masses.size
        self._sizes = None if sizes is None else np.asarray(sizes, dtype=np.float64)
        self._counts = np.zeros((rows, strata))
        self._log_capital = np.zeros((rows, FRACTIONS.size))
        self._sums = np.zeros((rows, strata))
        self._known: NDArray[np.bool_] = np.ones((rows, strata), dtype=bool)
        # the mean of the values left is a D_i - b; the sums over draws of a, b, a^2, a b and b^2
        self._a, self._b, self._aa, self._ab, self._bb = (np.zeros((rows, strata)) for _ in range(5))

    def update(
        self, differences: ArrayLike, stratum: int, *, known: ArrayLike = True, rows: NDArray[np.intp] | slice = slice(None)
    ) -> None:
        """Take the next difference of each row, or of these rows; known: whether it is exact, or else a lower end."""
        d, i = np.asarray(differences, dtype=np.float64), stratum
        if d.size and not (d.min() >= -1 and d.max() <= 1):
            raise BadInput("differences must lie in [-1, 1]")
        a, b, squared = np.ones(d.shape), np.zeros(d.shape), np.ones(d.shape, dtype=bool)
        if self._sizes is not None:
            left = self._sizes[i] - self._counts[rows, i]
            if d.size and left.min() < 1:
                raise BadInput(f"there are more differences than the {self._sizes[i]:g} of a stratum")
            a, b, squared = self._sizes[i] / left, self._sums[rows, i] / left, self._known[rows, i]
        self._a[rows, i] += a
        self._b[rows, i] += b
        self._aa[rows, i] += a * a * squared
        self._ab[rows, i] += a * b * squared
        self._bb[rows, i] += b * b * squared
        self._log_capital[rows] += np.log1p(d[:, None] * FRACTIONS)
        self._sums[rows, i] += d
        self._counts[rows, i] += 1
        self._known[rows, i] &= np.asarray(known, dtype=bool)

    def log_e(self, nulls: ArrayLike) -> Floats:
        """Natural logarithms of the e-values now, of the same shape as the nulls; infinite where a null is impossible.

        nulls: one for each row, shape (rows,), or several, shape (rows, C).
        """
        given = np.asarray(nulls, dtype=np.float64)
        c = given.reshape(self._sums.shape[0], -1)
        log_e = log_of_sum(self._log_capital[:, None] - self._largest(c)) - np.log(FRACTIONS.size)
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

    def drop(self, rows: NDArray[np.bool_]) -> None:
        """Drop these rows; the others move up."""
        for name in ("_counts", "_log_capital", "_sums", "_known", "_a", "_b", "_aa", "_ab", "_bb"):
            setattr(self, name, getattr(self, name)[~rows])

    def _largest(self, c: Floats) -> Floats:
        """The bound on the logarithm of the denominator, for each row, null and bet."""
        u, k, p = FRACTIONS, _CURVE, self._masses
        curved = self._aa > 0
        over = curved / np.where(curved, self._aa, 1.0)
        slack = c + (~curved @ p)[:, None]  # a stratum without squares takes an end of [-1, 1]
        level = (self._a * ~curved).sum(axis=1)
        a_over, p_over = self._a * over, p * over
        pp, pa, aa = p_over @ p, a_over @ p, (a_over * self._a).sum(axis=1)
        p_ab, a_ab, ab = ((x * self._ab).sum(axis=1) for x in (p_over, a_over, self._ab * over))
        price = _per(pa) - 2 * k * u * (slack[..., None] - _per(p_ab))
        price = np.maximum(price / _per(np.where(pp > 0, pp, np.inf)), 0.0)
        squares = (_per(aa) - 2 * price * _per(pa) + price**2 * _per(pp)) / (4 * k) + k * u**2 * _per(ab - self._bb.sum(axis=1))
        linear = price * slack[..., None] + _per(level - self._b.sum(axis=1) + a_ab) - price * _per(p_ab)
        result: Floats = u * linear + squares
        return result


def _per(values: Floats) -> Floats:
    """One value for each row; further axes are nulls and bets."""
    return values[:, None, None]


def stratified_difference_bounds(
    lower: ArrayLike, upper: ArrayLike, strata: ArrayLike, delta: float, *, masses: ArrayLike, sizes: ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Confidence sequences for mean differences over strata; `difference_bounds` is the same without strata.

    Parameters
    ----------
    lower, upper: the least and the most that each difference may be, in drawn order, shape (M, n); NaN after the last in a row.
    strata: the number of the stratum that each came from, shape (n,).

    >>> d = [[1.0, 0.0, 0.0, 0.0] * 50]
    >>> low, high = stratified_difference_bounds(d, d, [0, 1] * 100, 0.05, masses=[0.5, 0.5])
    >>> bool(0 < low[0] < 0.25 < high[0] < 0.6)
    True
    """
    check_delta(delta)
    least, most = (np.asarray(values, dtype=np.float64) for values in (lower, upper))
    known, where = least == most, np.asarray(strata, dtype=np.int64)
    return _lowest_over_strata(least, known, where, delta / 2, masses, sizes), -_lowest_over_strata(
        -most, known, where, delta / 2, masses, sizes
    )


def _lowest_over_strata(
    d: Floats, known: NDArray[np.bool_], strata: NDArray[np.int64], delta: float, masses: ArrayLike, sizes: ArrayLike | None
) -> Floats:
    """The largest null of each row that was rejected; if none was, the least possible mean."""
    tests = StratifiedDifferenceTests(d.shape[0], masses, sizes=sizes)
    for index in range(d.shape[1]):
        rows = np.flatnonzero(~np.isnan(d[:, index]))
        tests.update(d[rows, index], int(strata[index]), known=known[rows, index], rows=rows)
    sure = tests.sure()
    rejected, kept = sure.copy(), np.ones(d.shape[0])
    for step in range(_STRATIFIED_STEPS):
        middle = (rejected + kept) / 2
        if step == 0:  # where tests look, so that interval and test agree
            middle = np.where((rejected < 0) & (kept > 0), 0.0, middle)
        enough = tests.log_e(middle) >= -np.log(delta)
        rejected, kept = np.where(enough, middle, rejected), np.where(enough, kept, middle)
    return rejected
