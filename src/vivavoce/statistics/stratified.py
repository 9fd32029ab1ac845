"""Evidence that a mean over strata is above or below a number, valid at any moment one chooses to stop.

The denominator, and why this is valid, is in `statistics.strata`. The numerator is a mixture of forecasters, each of which
knows at every value only those before it:

- one number q in all strata, mixed over q: over the side of the null that is to be shown, for a score; over Beta(.5, .5/limit)
  and a share on "never" (`CLEAN_SHARE`), for the rate of rare events;
- q of a stratum's own, (K_i + c m)/(n_i + c), drawn towards the mean m of all by c imaginary values, for two c.

The first is sharp where the strata are alike, the second where they differ.
"""

from __future__ import annotations

from itertools import islice
from math import ceil, floor, log
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaln, xlog1py, xlogy

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, check_delta
from vivavoce.statistics.strata import log_most_likely, log_most_likely_of_finite, proportional

CLEAN_SHARE = 0.7
"""Share of the capital on "it never happens". Without strata it is .5 (`statistics.rate`): the rest of the mixture there lies
below the limit alone and does more of the work."""
_ROUNDING = 1e-9
_STEPS = 40
_AT_ONCE = 2_048


class Sides(NamedTuple):
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

    Several runs over the same sequence of strata can be taken at once: values then have a leading axis.

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
        self._log_q = Sides(np.zeros(1), np.zeros(1))

    def update(self, values: ArrayLike, strata: ArrayLike) -> Sides:
        """Take further values in [0, 1] in the order in which they were drawn; the evidence after each of them.

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
        return Sides(
            self._log_q.above - self._most_likely_below(sums, counts), self._log_q.below - self._most_likely_above(sums, counts)
        )

    def bounds(self, delta: float) -> Bounds:
        """Confidence sequence for the mean: at every moment at once, it covers with probability at least 1 - delta."""
        log_q = float(np.logaddexp(self._log_q.above, self._log_q.below).ravel()[-1]) - log(2) + log(delta)
        return Bounds(1 - self._largest(self._counts - self._sums, log_q), self._largest(self._sums, log_q))

    def _largest(self, sums: Floats, log_least: float) -> float:
        """The largest mean that is not rejected: the most likely strata with at least that mean are likely enough."""
        total = None if self._sizes is None else int(self._sizes.sum())
        low, high = 0.0, 1.0
        for _ in range(_STEPS):
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

    def _numerators(self, x: Floats, sums: Floats, counts: Floats, where: NDArray[np.int64]) -> Sides:
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
            return Sides(
                _mixed([pooled, *own], [0.5, 0.25, 0.25]), _mixed([clean, pooled, *own], [CLEAN_SHARE, 4 * rest, rest, rest])
            )
        with np.errstate(divide="ignore"):
            above = np.log(betainc(n - k + 1, k + 1, 1 - self._null)) - np.log(1 - self._null)
            below = np.log(betainc(k + 1, n - k + 1, self._null)) - np.log(self._null)
        whole = betaln(k + 1, n - k + 1)
        return Sides(_mixed([whole + above, *own], [0.5, 0.25, 0.25]), _mixed([whole + below, *own], [0.5, 0.25, 0.25]))


def clean_answers_in_strata(limit: float, delta: float, masses: ArrayLike) -> int:
    """Answers, asked in proportion to the strata and none of them an event, after which the rate is shown to be below `limit`.

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
    """The logarithm of the weighted mean of what the forecasters gave."""
    result: Floats = np.logaddexp.reduce([log + np.log(weight) for log, weight in zip(logs, weights, strict=True)], axis=0)
    return result
