"""E-processes for means of differences in [-1, 1] over strata of known masses, drawn with or without replacement.

What is tested is D = sum_i p_i D_i, the mean difference of stratum i weighted by its mass p_i; "D is at most c" is the null.
Strata come in any order that does not look ahead. A bet of fraction u multiplies its capital by 1 + u d. At draw s, from
stratum i, the mean of what that stratum has left is D_is: D_i itself for i.i.d. draws, and without replacement from N_i values,
after n draws with the sum S, (N_i D_i - S) / (N_i - n). Whatever the D_i are,

    M = prod_s (1 + u d_s) / (1 + u D_is)

is a martingale with regard to all that was drawn so far. Its denominator is not known, but it has a bound. As (z - ln(1 + z))
/ z^2 falls in z, and z = u D_is is at most u, ln(1 + z) <= z - k z^2 with k = (u - ln(1 + u)) / u^2. That is quadratic in the
D_i, with the sums over a stratum's draws of what follows as coefficients. Its largest value under sum_i p_i D_i <= c is, for
every price h >= 0 of the constraint, at most the largest value of a sum over strata, each of which has a closed form; so does
the best price. A stratum that was not asked yet adds at most its mass to c, as D_i >= -1.

The capital, divided by this bound and mixed over u, is below a mixture of martingales M on every path where the null is true:
an e-process. Where draws are in proportion the coefficients nearly cancel, and what the bound costs vanishes as draws go on. It
rises with c, but for a price that is not the best one, which costs evidence alone: so the nulls that are rejected lie below one
point, whatever search finds it.

Differences that are not known take their least: 1 + u d rises in d, and the bound's D_is falls as S rises. Without replacement
it may then exceed 1, so that from there on its square is left out in that stratum: ln(1 + z) <= z.

Sources: betting on means in strata, `spertus2024`; without replacement, `waudbysmith2020`. There the means of the null are gone
through stratum by stratum; the quadratic bound is our own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats, log_of_sum
from vivavoce.statistics.bounds import check_delta
from vivavoce.statistics.differences import FRACTIONS

_CURVE = (FRACTIONS - np.log1p(FRACTIONS)) / FRACTIONS**2
"""k of each bet."""
_ROUNDING = 1e-9
_STEPS = 14
"""Halvings in the search for an end of an interval: it is found to some .0001."""


class StratifiedDifferenceTests:
    """E-processes against "the mean difference is at most c", for many rows of differences over the same draws.

    Parameters
    ----------
    rows: how many sequences of differences are tested.
    masses: of the strata, above 0 and adding up to 1.
    sizes: how many values each stratum has where they are drawn without replacement, masses in proportion; None: i.i.d.

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
        # the mean of what is left is a D_i - b; the sums over draws of a, b, a^2, a b and b^2
        self._a, self._b, self._aa, self._ab, self._bb = (np.zeros((rows, strata)) for _ in range(5))

    def update(
        self, differences: ArrayLike, stratum: int, *, known: ArrayLike = True, rows: NDArray[np.intp] | slice = slice(None)
    ) -> None:
        """Take the next difference of each row, or of these rows; known: whether it is known, and not only its least."""
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

        nulls: of each row, shape (rows,), or several of each, shape (rows, C).
        """
        given = np.asarray(nulls, dtype=np.float64)
        c = given.reshape(self._sums.shape[0], -1)
        log_e = log_of_sum(self._log_capital[:, None] - self._largest(c)) - np.log(FRACTIONS.size)
        if self._sizes is not None:
            log_e[self.sure()[:, None] > c + _ROUNDING] = np.inf
        found: Floats = log_e.reshape(given.shape)
        return found

    def sure(self) -> Floats:
        """The least that each mean can be, by what was drawn."""
        if self._sizes is None:
            return np.full(self._sums.shape[0], -1.0)
        size = self._sizes.sum()
        found: Floats = (self._sums.sum(axis=1) - (size - self._counts.sum(axis=1))) / size
        return found

    def drop(self, rows: NDArray[np.bool_]) -> None:
        """Forget these rows; the others move up."""
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
        found: Floats = u * linear + squares
        return found


def _per(values: Floats) -> Floats:
    """One for each row, beside nulls and bets."""
    return values[:, None, None]


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
    known, where = least == most, np.asarray(strata, dtype=np.int64)
    return _lowest(least, known, where, delta / 2, masses, sizes), -_lowest(-most, known, where, delta / 2, masses, sizes)


def _lowest(
    d: Floats, known: NDArray[np.bool_], strata: NDArray[np.int64], delta: float, masses: ArrayLike, sizes: ArrayLike | None
) -> Floats:
    """The largest null of each row that was found to be rejected; where none is, the least that the mean can be."""
    tests = StratifiedDifferenceTests(d.shape[0], masses, sizes=sizes)
    for place in range(d.shape[1]):
        rows = np.flatnonzero(~np.isnan(d[:, place]))
        tests.update(d[rows, place], int(strata[place]), known=known[rows, place], rows=rows)
    sure = tests.sure()
    rejected, kept = sure.copy(), np.ones(d.shape[0])
    for step in range(_STEPS):
        middle = (rejected + kept) / 2
        if step == 0:  # where tests look, so that interval and test agree
            middle = np.where((rejected < 0) & (kept > 0), 0.0, middle)
        enough = tests.log_e(middle) >= -np.log(delta)
        rejected, kept = np.where(enough, middle, rejected), np.where(enough, kept, middle)
    return rejected
