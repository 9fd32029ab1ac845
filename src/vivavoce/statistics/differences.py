"""E-processes and confidence sequences for means of paired differences in [-1, 1], many at once, also over strata.

A test for two candidates on the same questions is `paired_test`.

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

Over strata the tests are those of `statistics.stratified`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats, log_of_sum
from vivavoce.statistics.bounds import check_delta
from vivavoce.statistics.clustered import ClusterDependence, Groups, checked, spread_of

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
    fractions: of the bets, in (0, 1).

    Example
    -------
    >>> tests = DifferenceTests([0.0, 0.2])
    >>> bool(tests.update([[1.0] * 8, [1.0] * 8])[0, -1] > np.log(20))
    True
    """

    def __init__(self, nulls: ArrayLike, *, population: int | None = None, fractions: Floats = FRACTIONS) -> None:
        given = np.atleast_1d(np.asarray(nulls, dtype=np.float64))
        if not ((given > -1) & (given < 1)).all():
            raise BadInput("the null of a difference must lie strictly between -1 and 1")
        self._null = (1 + given) / 2
        self._population, self._fractions = population, fractions
        halves = 1 if population is None else 2
        self._log_capital = np.full((given.size, halves * fractions.size), -np.log(halves * fractions.size))
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
        """The log e-values after one more question, for factors of shape (M, bets)."""
        factors = np.ascontiguousarray(factors)
        with np.errstate(divide="ignore"):
            np.log(factors, out=factors)
        factors += self._log_capital
        self._log_capital = factors
        return log_of_sum(factors)

    def _several(self, factors: Floats) -> Floats:
        """The same for a block of questions, shape (M, B, bets). It multiplies factors, since logarithms are slow."""
        earned = np.ascontiguousarray(factors)
        np.multiply.accumulate(np.minimum(earned, _CEILING, out=earned), axis=1, out=earned)
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
                np.copyto(factors, 1.0, where=~there[:, :, None])
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
        """The factors of all bets of these tests, shape (M, B, bets), and whether the null is impossible after each question.

        Bets are the first axis in memory and tests the last, since there are few bets and many tests.
        """
        null, before, bets = self._null[rows, None], self._sum[rows, None], self._fractions[:, None, None]
        if self._population is None:
            factors = bets * _by_question(x / null - 1)
            factors += 1
            return factors.T, np.zeros(x.shape, dtype=bool)
        size = self._population
        after = before + np.cumsum(x, axis=1)
        left = size - self.n - np.arange(x.shape[1], dtype=np.float64)
        mean = (size * null - (after - x)) / left
        undecided = (mean * left > _CLOSE * size) & (mean < 1)  # elsewhere the draws have settled the null
        m = np.where(undecided, mean, 0.5)
        factors = np.empty((2 * bets.size, *x.T.shape))  # in place: memory is what takes time
        fixed, conditioned = factors[: bets.size], factors[bets.size :]
        np.multiply(_by_question(x / m - 1), bets, out=fixed)
        fixed += 1
        np.multiply(_by_question(size * (1 - null) / left), bets, out=conditioned)  # the alternatives p, above m
        conditioned += (mean_now := _by_question(m))
        np.minimum(conditioned, 1.0, out=conditioned)
        conditioned -= mean_now
        conditioned *= _by_question((x - m) / (m * (1 - m)))
        conditioned += 1
        if not undecided.all():
            np.copyto(factors, 1.0, where=~undecided.T)
        refuted: NDArray[np.bool_] = after > size * (null + _CLOSE)
        return np.maximum(factors, 0.0, out=factors).T, refuted


def _by_question(values: Floats) -> Floats:
    """Values of tests, shape (M, B), as (B, M) in memory."""
    return np.ascontiguousarray(values.T)


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
    return lowest_mean(d, delta, population, lambda nulls: DifferenceTests(nulls, population=population).take(d))


def lowest_mean(
    d: Floats, delta: float, population: int | None, log_e: Callable[[Floats], Floats], *, first: float = 0.0
) -> Floats:
    """The largest rejected null of each row; if none is rejected, the least possible mean.

    d: the least that each difference may be, shape (M, n), with NaN after a row's last.
    log_e: the log e-values of rows against these nulls, shape (M,), which fall as a null rises.
    first: the null that is tried first, where the verdict's test looks, so that interval and test agree.
    """
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
        if step == 0:
            tried = np.where((rejected < first) & (kept > first), first, tried)
        excess = np.clip(log_e(tried) + np.log(delta), -30, 30)
        enough = excess >= 0
        rejected, above = np.where(enough, tried, rejected), np.where(enough, excess, above)
        kept, below = np.where(enough, kept, tried), np.where(enough, below, excess)
    result: Floats = np.where(n > 0, np.maximum(rejected, sure), -1.0)
    return result


FEWEST_SETS = 20
"""The fewest independent sets of equal size for the bootstrap: with fewer, it errs too often for skewed differences."""
LARGEST_SET = 0.5
"""The largest share of the differences in one set: above it, resamples mostly say how often that set was drawn."""
MOST_SETS = 4_000
"""With more sets, bootstrap and Student's t agree to three digits, and resampling takes minutes."""
SHRINKAGE = 3.0
"""With n sets, t is multiplied by n / (n + 3). For differences with mean 0 that are lognormal with log-scale deviation 1, a
test at 5% then errs at most 6% of the time, also for sets of different sizes; without the factor up to 8%.
"""

_AT_ONCE = 1 << 20
"""Number of sets that are drawn together."""
_ROUNDING = 1e-12
"""Smaller relative differences count as rounding errors: sums in another order differ in their last digits."""


class PairedTest(NamedTuple):
    """Whether the mean of paired differences is 0."""

    p: float
    """Two-sided: the chance of a mean at least as far from 0 if the true mean is 0."""
    method: Literal["bootstrap", "betting", "t"]
    sets: int
    """Number of sets of differences that share no group, even indirectly."""


def paired_test(
    differences: ArrayLike, groups: Groups, *, largest: float, rng: np.random.Generator, rounds: int = 10_000
) -> PairedTest:
    """Test that paired differences are 0 on average, if some of them share a group.

    Differences that share a group depend on each other. All that are connected through shared groups form one set, and the test
    resamples sets. It bootstraps Student's t over the sums of sets (`hall1992`), centred, so differences may be skewed; a test
    that flips their signs would assume symmetry. p is the larger of two numbers: twice the smaller tail, and the share of
    rounds whose t is as far from 0. The sample itself counts as one more round (`phipson2010`).

    With fewer than twenty sets of equal size (or as many others as carry the same information), or if sets do not differ, p
    comes from bets on bounded differences, half of the capital on each side (`statistics.differences`). It is 1 over the final
    capital, and valid for any number of sets. If more than half of at least twenty differences are in one set (pairs of base
    questions are often all connected), or if there are more than 4,000 sets, p comes from Student's t test with the variance of
    `clustered`.

    Parameters
    ----------
    differences: one for each question that both answered, the second's value minus the first's; finite.
    groups: the groups that each difference belongs to, such as its base questions.
    largest: the largest possible absolute difference; positive and finite.

    Raises `NotEnoughEvidence` for fewer than two differences, or if each shares a group with every other.

    >>> paired_test([0.5, 1.0] * 10, [()] * 20, largest=1.0, rng=np.random.default_rng(0)).p < 0.001
    True
    >>> round(paired_test([1.0] * 6, [()] * 6, largest=1.0, rng=np.random.default_rng(0)).p, 2)  # bets earn 2^7 / 7, about
    0.11
    """
    from scipy.special import stdtr

    array = checked(differences, groups)
    if rounds < 1:
        raise BadInput(f"rounds is {rounds}; a bootstrap needs at least 1")
    if not 0 < largest < inf or abs(array).max(initial=0.0) > largest * (1 + _ROUNDING):
        raise BadInput(f"largest is {largest}; it must be finite, and no difference may lie further from 0")
    sharing = ClusterDependence(groups)
    spread = spread_of(array, sharing)
    sets, sizes = spread.degrees + 1, np.bincount(sharing.components)
    sums = np.bincount(sharing.components, weights=array).astype(np.float64)
    is_resampled = sizes.max() <= LARGEST_SET * array.size and sizes.size <= MOST_SETS
    if array.size >= FEWEST_SETS and not is_resampled and spread.variance > _tiny(array):
        t = abs(float(array.mean())) / sqrt(spread.variance) * _shrinkage(sets)
        return PairedTest(2 * float(stdtr(spread.degrees, -t)), "t", sizes.size)
    if sets >= FEWEST_SETS - _ROUNDING and float(sums.var()) > _tiny(sums):
        return PairedTest(_resampled(sums, sets, rng, rounds), "bootstrap", sizes.size)
    return PairedTest(_betted(sums / (largest * float(sizes.max()))), "betting", sizes.size)


def mcnemar(first: ArrayLike, second: ArrayLike) -> float:
    """Exact two-sided p-value that two candidates fail equally often on the same questions (`mcnemar1947`).

    Only questions where exactly one fails matter: under the null they fall either way like a fair coin. It assumes independent
    questions; if they share groups, use `paired_test` on the differences.

    Parameters
    ----------
    first, second: one truth value for each question, for each candidate. Without discordant questions p is 1.

    >>> mcnemar([True] * 5 + [False] * 5, [False] * 5 + [False] * 5)  # 2 / 2**5
    0.0625
    """
    from scipy.special import bdtr

    values, other = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if values.shape != other.shape or values.ndim != 1:
        raise BadInput(f"{values.size} and {other.size} truth values: give one for each question, for both candidates")
    discordant = int((values != other).sum())
    fewer = min(int((values & ~other).sum()), int((other & ~values).sum()))
    return min(1.0, 2 * float(bdtr(fewer, discordant, 0.5)))


def _tiny(values: Floats) -> float:
    """A variance below which these values count as equal."""
    return float(_ROUNDING * abs(values).max()) ** 2


def _shrinkage(sets: float) -> float:
    return sets / (sets + SHRINKAGE)


def _resampled(sums: Floats, sets: float, rng: np.random.Generator, rounds: int) -> float:
    """The p-value of a bootstrap of Student's t, over sets that are not all alike."""
    t = float(_students(sums[None])[0]) * _shrinkage(sets)
    centred, at_once = sums - sums.mean(), max(1, _AT_ONCE // sums.size)
    below, above, beyond = 1, 1, 1
    for begun in range(0, rounds, at_once):
        drawn = rng.integers(0, sums.size, (min(at_once, rounds - begun), sums.size))
        again = _students(centred[drawn])
        below, above = below + int((again <= t).sum()), above + int((again >= t).sum())
        beyond += int((abs(again) >= abs(t)).sum())
    return min(1.0, max(2 * min(below, above), beyond) / (1 + rounds))


def _students(values: Floats) -> Floats:
    """Student's t of each row, up to a constant; infinite for a row of one value that is not 0."""
    means, spread = values.mean(axis=1), values.std(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(abs(means) <= _ROUNDING * abs(values).max(), 0.0, means / spread)


def _betted(shares: Floats) -> float:
    """The p-value of bets on either side, of values in [-1, 1]."""
    log_e = DifferenceTests([0.0, 0.0]).update(np.stack([shares, -shares]))[:, -1]
    return float(min(1.0, 2 / np.exp(log_e).sum()))
