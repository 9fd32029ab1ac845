"""Tests and a confidence sequence for a mean over strata of known masses, valid at any stopping time (universal inference).

The test does not split delta among the strata. It is about sum_i p_i m_i, the mean of values in [0, 1] that come from stratum i
with probability p_i. Values may be drawn from the strata in any order that does not look ahead. With counts n_i and sums K_i so
far,

    E = Q / max { prod_i m_i^K_i (1 - m_i)^(n_i - K_i) : the means m_i obey the null },

where Q is the probability of the values by a forecaster who knows only the past (see below). Under the null, the product of the
true means is at most the maximum, so E is at most the ratio of Q to that product. With a value x, forecast as q, the ratio
multiplies by (q/m)^x ((1-q)/(1-m))^(1-x), which is at most x q/m + (1-x)(1-q)/(1-m), whose expectation is 1. So E ever reaches
1/delta with probability at most delta, for fractional values too, and for every allocation of draws that does not look ahead.
The denominator is a concave maximum under one linear constraint; it is bounded by its dual at a multiplier found by bisection.
Every multiplier gives an upper bound, so this costs evidence and never validity.

Without replacement (values 0 or 1 only) the likelihood is the hypergeometric one, each null is a list of whole numbers, and
the same dual is exact, since the likelihood is log-concave in each number.

Source: universal inference, `wasserman2020`; betting on the mean in strata, `spertus2024`. The latter searches the means of the
    null stratum by stratum; here the maximum has one multiplier.

The numerator Q is a mixture of forecasters, each of which knows only the earlier values:

- one number q in all strata, mixed over q: over the side of the null to be shown, for a score; over Beta(.5, .5/limit) and a
  share on "never" (`CLEAN_SHARE`), for the rate of rare events;
- one number q for each stratum, (K_i + c m)/(n_i + c), shrunk towards the overall mean m by c imaginary values, for two c.

The first is sharp if the strata are alike, the second if they differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from math import ceil, floor, log
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaln, gammaln, rel_entr, xlog1py, xlogy

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, check_delta

_TEST_STEPS = 35
"""Bisections: the remaining error of the multiplier costs less than .00001 of ln E."""
_TINY = 1e-300


def log_most_likely(sums: ArrayLike, counts: ArrayLike, masses: ArrayLike, least: float) -> Floats:
    """An upper bound, exact but for rounding, on max ln prod m_i^K_i (1 - m_i)^(n_i - K_i) over sum p_i m_i >= `least`.

    Parameters
    ----------
    sums, counts: K_i and n_i, shape (..., strata); one problem for each leading index.
    masses: p_i, shape (strata,), above 0 and adding up to 1.
    least: in (0, 1).

    >>> bool(abs(log_most_likely([0, 0], [60, 40], [0.6, 0.4], 0.1) - 100 * np.log(0.9)) < 1e-9)
    True
    """
    k, n, p = (np.asarray(values, dtype=np.float64) for values in (sums, counts, masses))
    m = np.where(n > 0, k / np.maximum(n, 1.0), 1.0)
    value: Floats = (xlogy(k, m) + xlog1py(n - k, -m)).sum(axis=-1)
    held = np.asarray((m * p).sum(axis=-1) < least)  # elsewhere the null contains the likeliest means
    if held.any():
        value = np.array(value)
        value[held] = _at_least(k[held], n[held], p, least)
    return np.minimum(value, 0.0)


def _at_least(k: Floats, n: Floats, p: Floats, least: float) -> Floats:
    low, high = np.zeros(n.shape[:-1]), n.sum(axis=-1) / (1 - least)
    for _ in range(_TEST_STEPS):
        middle = (low + high) / 2
        enough = (_means(k, n, middle[..., None] * p) * p).sum(axis=-1) >= least
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    m = _means(k, n, high[..., None] * p)
    value: Floats = (xlogy(k, m) + xlog1py(n - k, -m) + high[..., None] * p * m).sum(axis=-1) - high * least
    return value


def _means(k: Floats, n: Floats, price: Floats) -> Floats:
    """The m that maximise K ln m + (n - K) ln(1 - m) + price m: the root of price m^2 + (n - price) m - K = 0."""
    b = n - price
    root = np.sqrt(b * b + 4 * price * k)
    m: Floats = np.where(b >= 0, 2 * k / np.maximum(b + root, _TINY), (root - b) / np.maximum(2 * price, _TINY))
    return np.minimum(m, 1.0)


def log_most_likely_of_finite(sums: ArrayLike, counts: ArrayLike, sizes: ArrayLike, least: int) -> Floats:
    """The same for values 0 or 1 drawn without replacement from strata of `sizes`, over lists of ones with sum >= `least`.

    Minus infinity if no such list is left.

    >>> bool(np.isclose(log_most_likely_of_finite([0], [3], [10], 1), np.log(0.7)))  # one of ten, missed three times
    True
    """
    k, n, size = (np.asarray(values, dtype=np.float64) for values in (sums, counts, sizes))
    most = size - n + k
    ones = np.where(n > 0, np.clip(np.floor(k * (size + 1) / np.maximum(n, 1.0)), k, most), most)
    value = _log_hypergeometric(ones, k, n, size).sum(axis=-1)
    held = np.asarray(ones.sum(axis=-1) < least)
    if held.any():
        value = np.array(value)
        value[held] = _at_least_of_finite(k[held], n[held], size, least)
    result: Floats = np.minimum(value, 0.0)
    return result


def _at_least_of_finite(k: Floats, n: Floats, size: Floats, least: int) -> Floats:
    most = size - n + k
    low, high = np.zeros(n.shape[:-1]), np.full(n.shape[:-1], 2 * np.log(size.max() + 2))
    for _ in range(_TEST_STEPS):
        middle = (low + high) / 2
        enough = _ones(k, most, size, np.exp(middle[..., None])).sum(axis=-1) >= least
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    near = _ones(k, most, size, np.exp(high[..., None]))[..., None, :] + np.array([-1.0, 0.0, 1.0])[:, None]
    ones = np.clip(near, k[..., None, :], most[..., None, :])  # rounding may put the root off by one
    value = _log_hypergeometric(ones, k[..., None, :], n[..., None, :], size) + high[..., None, None] * ones
    best: Floats = value.max(axis=-2).sum(axis=-1) - high * least
    bounded: Floats = np.where(most.sum(axis=-1) < least, -np.inf, best)
    return bounded


def _ones(k: Floats, most: Floats, size: Floats, factor: Floats) -> Floats:
    """For each stratum, the number D of ones from which one more is not worth a `factor` of likelihood.

    One more is worth (D + 1)(most - D) factor > (D + 1 - K)(N - D), a quadratic in D.
    """
    a, b, c = factor - 1, factor * (most - 1) - (size - 1 + k), factor * most - (1 - k) * size
    root = np.sqrt(np.maximum(b * b + 4 * a * c, 0.0))
    end = np.where(b > 0, (b + root) / np.maximum(2 * a, _TINY), 2 * c / np.maximum(root - b, _TINY))
    ones: Floats = np.clip(np.ceil(end), k, most)
    return ones


def _log_hypergeometric(ones: Floats, k: Floats, n: Floats, size: Floats) -> Floats:
    """Log-likelihood of a sequence with K ones among n drawn from a stratum that holds this many ones."""
    value: Floats = (
        gammaln(ones + 1)
        - gammaln(ones - k + 1)
        + gammaln(size - ones + 1)
        - gammaln(size - ones - (n - k) + 1)
        - gammaln(size + 1)
        + gammaln(size - n + 1)
    )
    return value


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


def log_imbalance(counts: ArrayLike, masses: ArrayLike) -> Floats:
    """sum n_i ln(n_i / (n p_i)): the log evidence that bets of `statistics.betting` lose if draws come from strata in turn.

    Such a bet multiplies by f(x) = 1 + L (x - null), f(null) = 1. Whatever the means m_i, prod f(x_t) / prod f(m_i)^n_i is a
    martingale. If sum p_i m_i obeys the null then sum p_i f(m_i) = f(sum p_i m_i) <= 1, and prod f(m_i)^n_i is at most
    prod (n_i/(n p_i))^n_i (Gibbs' inequality), the same for every bet. So the e-value of any mixture of bets, divided by it, is
    still an e-value. It is 1 if each stratum has had its share, and near 1 if each is less than one draw behind.

    counts: shape (..., strata). Returns shape (...).

    >>> float(log_imbalance([6, 4], [0.6, 0.4])), round(float(log_imbalance([1, 0], [0.6, 0.4])), 6)
    (0.0, 0.510826)
    """
    n = np.asarray(counts, dtype=np.float64)
    result: Floats = rel_entr(n, n.sum(axis=-1, keepdims=True) * np.asarray(masses, dtype=np.float64)).sum(axis=-1)
    return np.maximum(result, 0.0)


CLEAN_SHARE = 0.7
"""Share of the capital on "it never happens". Without strata it is .5 (`statistics.confidence_sequences`): there the rest of
the mixture lies only below the limit and is more effective.
"""
_ROUNDING = 1e-9
_INTERVAL_STEPS = 40
_AT_ONCE = 2_048


class TwoSidedLogEvidence(NamedTuple):
    """Natural logarithms of e-values, one for each value."""

    above: Floats
    """For a mean above the null."""
    below: Floats
    """For a mean below it."""


class StratifiedTest:
    """E-processes for and against "the mean over strata is at most `null`".

    Parameters
    ----------
    null: in (0, 1).
    masses: of the strata, above 0 and adding up to 1.
    sizes: how many values each stratum has if they are 0 or 1 and drawn without replacement; masses must be in proportion.
        The null is then a number of ones, and a mean equal to it counts as above (a score), or with `rare` as below (a rate).
    rare: whether ones are rare events; chooses the forecasters.

    It can take several runs over the same sequence of strata at once: values then have a leading axis.

    Example
    -------
    >>> test = StratifiedTest(0.1, [0.5, 0.5], rare=True)
    >>> bool(test.update(np.zeros(1_000), np.zeros(1_000)).below.max() <= 0)  # one stratum alone says nothing of the other
    True
    >>> int(np.argmax(test.update(np.zeros(1_000), np.ones(1_000)).below >= np.log(20)))
    14
    """

    def __init__(self, null: float, masses: ArrayLike, *, sizes: ArrayLike | None = None, rare: bool = False) -> None:
        self._null, self._rare = null, rare
        self._masses = np.asarray(masses, dtype=np.float64)
        if not 0 < null < 1:
            raise BadInput(f"the null is {null}; it must lie strictly between 0 and 1")
        if self._masses.ndim != 1 or not (self._masses > 0).all() or abs(self._masses.sum() - 1) > _ROUNDING:
            raise BadInput("the masses of strata must be above 0 and add up to 1")
        self._sizes = None if sizes is None else np.asarray(sizes, dtype=np.float64)
        self._sums, self._counts = np.zeros(self._masses.size), np.zeros(self._masses.size)
        self._a, self._b = (0.5, 0.5 / null) if rare else (0.5, 0.5)
        self._own = (0.3 / null, 3 / null) if rare else (2.0, 16.0)
        """The c of the forecasters that know the strata."""
        self._log_own = np.zeros(len(self._own))
        self._log_q = TwoSidedLogEvidence(np.zeros(1), np.zeros(1))

    def update(self, values: ArrayLike, strata: ArrayLike) -> TwoSidedLogEvidence:
        """Take further values in [0, 1] in drawn order; the evidence after each of them.

        values: shape (..., T). strata: the number of the stratum that each came from, shape (T,).
        """
        x, where = np.asarray(values, dtype=np.float64), np.asarray(strata, dtype=np.int64)
        if x.size and not (x.min() >= 0 and x.max() <= 1):
            raise BadInput("values must lie in [0, 1]")
        came = (where[:, None] == np.arange(self._masses.size)).astype(np.float64)
        sums: Floats = self._sums[..., None, :] + np.cumsum(x[..., None] * came, axis=-2)
        counts: Floats = self._counts + np.cumsum(came, axis=0)
        self._log_q = self._numerators(x, sums, counts, where)
        self._sums, self._counts = sums[..., -1, :], counts[-1]
        counts = np.broadcast_to(counts, sums.shape)
        return TwoSidedLogEvidence(
            self._log_q.above - self._most_likely_below(sums, counts), self._log_q.below - self._most_likely_above(sums, counts)
        )

    def bounds(self, delta: float) -> Bounds:
        """Confidence sequence for the mean: at every moment at once, it covers with probability at least 1 - delta."""
        log_q = float(np.logaddexp(self._log_q.above, self._log_q.below).ravel()[-1]) - log(2) + log(delta)
        return Bounds(1 - self._largest(self._counts - self._sums, log_q), self._largest(self._sums, log_q))

    def _largest(self, sums: Floats, log_least: float) -> float:
        """The largest mean that is not rejected: its likeliest strata are likely enough."""
        total = None if self._sizes is None else int(self._sizes.sum())
        low, high = 0.0, 1.0
        for _ in range(_INTERVAL_STEPS):
            middle = (low + high) / 2
            if self._sizes is None or total is None:
                stays = log_most_likely(sums, self._counts, self._masses, middle) >= log_least
            else:
                stays = log_most_likely_of_finite(sums, self._counts, self._sizes, ceil(middle * total)) >= log_least
            low, high = (middle, high) if stays else (low, middle)
        return high if total is None else floor(high * total + _ROUNDING) / total

    def _most_likely_above(self, sums: Floats, counts: Floats) -> Floats:
        if self._sizes is None:
            return log_most_likely(sums, counts, self._masses, self._null)
        return log_most_likely_of_finite(sums, counts, self._sizes, self._fewest_above)

    def _most_likely_below(self, sums: Floats, counts: Floats) -> Floats:
        if self._sizes is None:
            return log_most_likely(counts - sums, counts, self._masses, 1 - self._null)
        return log_most_likely_of_finite(counts - sums, counts, self._sizes, int(self._sizes.sum()) - self._fewest_above + 1)

    @property
    def _fewest_above(self) -> int:
        """The least number of ones that counts as above the null."""
        assert self._sizes is not None
        ones = self._null * float(self._sizes.sum())
        return floor(ones + _ROUNDING) + 1 if self._rare else ceil(ones - _ROUNDING)

    def _numerators(self, x: Floats, sums: Floats, counts: Floats, where: NDArray[np.int64]) -> TwoSidedLogEvidence:
        """ln Q after each value, for the two sides."""
        k, n = sums.sum(axis=-1), counts.sum(axis=-1)
        at = np.arange(where.size)
        own_k, own_n = sums[..., at, where] - x, counts[at, where] - 1
        mean = (k - x + self._a) / (n - 1 + self._a + self._b)
        own = []
        for i, c in enumerate(self._own):
            q = (own_k + c * mean) / (own_n + c)
            own.append(self._log_own[..., i, None] + np.cumsum(xlogy(x, q) + xlog1py(1 - x, -q), axis=-1))
        self._log_own = np.stack([path[..., -1] for path in own], axis=-1)
        if self._rare:
            pooled = betaln(self._a + k, self._b + n - k) - betaln(self._a, self._b)
            clean = np.where(k == 0, 0.0, -np.inf)
            rest = (1 - CLEAN_SHARE) / 6
            return TwoSidedLogEvidence(
                _mixed([pooled, *own], [0.5, 0.25, 0.25]), _mixed([clean, pooled, *own], [CLEAN_SHARE, 4 * rest, rest, rest])
            )
        with np.errstate(divide="ignore"):
            above = np.log(betainc(n - k + 1, k + 1, 1 - self._null)) - np.log(1 - self._null)
            below = np.log(betainc(k + 1, n - k + 1, self._null)) - np.log(self._null)
        whole = betaln(k + 1, n - k + 1)
        return TwoSidedLogEvidence(
            _mixed([whole + above, *own], [0.5, 0.25, 0.25]), _mixed([whole + below, *own], [0.5, 0.25, 0.25])
        )


def clean_answers_in_strata(limit: float, delta: float, masses: ArrayLike) -> int:
    """The number of answers without an event, in proportion to the strata, that shows a rate below `limit`.

    >>> clean_answers_in_strata(0.00052, 0.05, [0.5, 0.3, 0.15, 0.05])
    6135
    """
    check_delta(delta)
    test, order, taken = StratifiedTest(limit, masses, rare=True), proportional(masses), 0
    while True:
        enough = test.update(np.zeros(_AT_ONCE), list(islice(order, _AT_ONCE))).below >= -log(delta)
        if enough.any():
            return taken + int(np.argmax(enough)) + 1
        taken += _AT_ONCE


def _mixed(logs: list[Floats], weights: list[float]) -> Floats:
    """The logarithm of the weighted mean of the forecasters' probabilities."""
    result: Floats = np.logaddexp.reduce([log + np.log(weight) for log, weight in zip(logs, weights, strict=True)], axis=0)
    return result
