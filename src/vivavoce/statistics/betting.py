"""An e-process for a mean: a mixture of bets on each value that the mean is not what the null says.

Guarantee: if the null is true, the process *ever* exceeds 1/delta with probability at most delta (Ville's inequality). So you
may check after every value and stop at any time. The modules `confidence_sequences` and `leaning` choose the alternatives and
their weights.

Each bet has an alternative p beyond the null m and multiplies its capital by 1 + λ (x - m), λ = (p - m) / (m (1 - m)): for
x in {0, 1} the likelihood ratio of p against m. It is valid for x in between too, since it is linear in x and never negative.
The e-value is the weighted mean of the capitals.

Without replacement from a population of N values, the null and every alternative are conditioned on the earlier draws: m_t = (N
m - Σ x) / (N - t + 1), and p_t in the same way. So the bets sharpen as the population runs out. (Conditioning p as well is a
departure from the bets of `waudbysmith2020`, which fix λ; for x in {0, 1} it makes each bet the exact hypergeometric likelihood
ratio.)

Sources: `waudbysmith2024` (betting), `waudbysmith2020` (without replacement).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput

Floats = NDArray[np.float64]

_BLOCK = 128
"""Values at once: a product of this many factors of 1/120 or more does not underflow."""
_CEILING = 1e300
"""The largest factor of a capital in one block; blocks with a larger one are halved."""
_RUIN = -1e9
"""Replaces the logarithm of a capital of 0 if a count that may be 0 multiplies it."""
_ROUNDING = 1e-9
"""Means closer than this are equal."""


class NextValueForecast(NamedTuple):
    """Forecast of the next value from the earlier ones; all three numbers are in [0, 1]."""

    null: float
    """Its mean, at the edge of the null."""
    mean: float
    """The mean of the bets' alternatives, weighted by capital. The mixture's next bet is on this mean."""
    deviation: float
    """The standard deviation of the alternatives with the same weights."""


class BettingTest:
    """E-process against "the mean of values in [0, 1] is at most `null`" (or "at least", see `alternatives`).

    Parameters
    ----------
    null: in (0, 1).
    alternatives: one mean for each bet. All above the null: the null is "at most"; all below it: "at least".
    weights: the share of the initial capital on each bet; they are normalised.
    population: number of values in all if they are drawn without replacement; None if they are i.i.d.

    Example
    -------
    >>> test = BettingTest(0.5, alternatives=[0.9], weights=[1.0])
    >>> [round(float(e), 4) for e in np.exp(test.update([1, 1, 0]))]  # 0.9/0.5 = 1.8 for a 1, 0.1/0.5 = 0.2 for a 0
    [1.8, 3.24, 0.648]
    """

    def __init__(self, null: float, *, alternatives: ArrayLike, weights: ArrayLike, population: int | None = None) -> None:
        beyond = np.asarray(alternatives, dtype=np.float64)
        if not 0 < null < 1:
            raise BadInput(f"the null is {null}; it must lie strictly between 0 and 1")
        self._mirrored = bool((beyond < null).all())
        self._null = 1 - null if self._mirrored else null
        self._alternatives = 1 - beyond if self._mirrored else beyond
        if not ((self._alternatives > self._null) & (self._alternatives <= 1)).all():
            raise BadInput(f"the alternatives must lie in [0, 1] and all on one side of the null {null}")
        slope = (self._alternatives - self._null) / (self._null * (1 - self._null))
        self._at_zero, self._slope = 1 - slope * self._null, slope
        shares = np.asarray(weights, dtype=np.float64)
        self._log_capital = np.log(shares / shares.sum())
        self._population = population
        self._sum = 0.0
        self.n = 0
        """Values taken."""
        self.log_e = 0.0
        """Natural logarithm of the e-value now; infinite once the null is impossible."""

    def update(self, values: ArrayLike) -> Floats:
        """Take further values in [0, 1] in drawn order; the log e-value after each of them."""
        array = self._checked(values)
        if self._population is not None and self.n + array.size > self._population:
            raise BadInput(f"there are more values than the population of {self._population}")
        path = np.empty(array.size)
        step = self._independent if self._population is None else self._without_replacement
        for start in range(0, array.size, _BLOCK):
            block = array[start : start + _BLOCK]
            path[start : start + block.size] = step(block)
            self.n += block.size
            self._sum += float(block.sum())
            self.log_e = float(path[start + block.size - 1])
        return path

    def after(self, values: ArrayLike, counts: ArrayLike) -> Floats:
        """The log e-value if further i.i.d. values came in these numbers, in any order; the test itself does not change.

        values: the distinct values, shape (V,). counts: how often each occurs, shape (..., V). Returns shape (...).
        """
        with np.errstate(divide="ignore"):
            factors = np.log(self._at_zero + self._slope * self._checked(values)[:, None])
        growth = np.asarray(counts, dtype=np.float64) @ np.maximum(factors, _RUIN)
        return log_of_sum(growth + self._log_capital)

    def outlook(self) -> NextValueForecast | None:
        """The forecast of the next value; None if there is nothing to bet on, or no capital left.

        Mirrored if the null is "at least": then it is about 1 - value.

        >>> BettingTest(0.5, alternatives=[0.75, 1.0], weights=[1.0, 1.0]).outlook()
        NextValueForecast(null=0.5, mean=0.875, deviation=0.125)
        """
        top = self._log_capital.max()
        null, alternatives = self._null, self._alternatives
        if self._population is not None:
            if self.n == self._population:
                return None
            undecided, m, p = self._conditioned(np.array([self._sum]), np.array([float(self._population - self.n)]))
            null, alternatives = float(m[0, 0]) if undecided[0] else 0.0, p[0]
        if top == -np.inf or not null:
            return None
        shares = np.exp(self._log_capital - top)
        shares /= shares.sum()
        mean = float(shares @ alternatives)
        return NextValueForecast(null, mean, float(np.sqrt(shares @ (alternatives - mean) ** 2)))

    def _checked(self, values: ArrayLike) -> Floats:
        array = np.atleast_1d(np.asarray(values, dtype=np.float64))
        if array.size and not (array.min() >= 0 and array.max() <= 1):
            raise BadInput("values must lie in [0, 1]")
        return 1 - array if self._mirrored else array

    def _independent(self, block: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            growth = np.cumprod(self._at_zero + self._slope * block[:, None], axis=0)
        if block.size > 1 and not (growth <= _CEILING).all():
            return np.concatenate([self._independent(half) for half in np.array_split(block, 2)])
        top = self._log_capital.max()
        if top == -np.inf:
            return np.full(block.size, -np.inf)
        with np.errstate(divide="ignore"):
            path: Floats = np.log(growth @ np.exp(self._log_capital - top)) + top
            self._log_capital = self._log_capital + np.log(growth[-1])
        return path

    def _without_replacement(self, block: Floats) -> Floats:
        assert self._population is not None
        drawn = self._sum + np.concatenate(([0.0], np.cumsum(block)))
        left = self._population - self.n - np.arange(block.size, dtype=np.float64)
        undecided, m, p = self._conditioned(drawn[:-1], left)
        slope = np.where(undecided[:, None], (p - m) / (m * (1 - m)), 0.0)
        with np.errstate(divide="ignore"):
            growth = np.cumsum(np.log(np.maximum(1 + slope * (block[:, None] - m), 0.0)), axis=0)
        refuted = drawn[1:] > self._population * (self._null + _ROUNDING)
        path: Floats = np.where(refuted, np.inf, np.logaddexp.reduce(growth + self._log_capital, axis=1))
        self._log_capital = self._log_capital + growth[-1]
        return path

    def _conditioned(self, drawn: Floats, left: Floats) -> tuple[NDArray[np.bool_], Floats, Floats]:
        """Whether the null is open, the null, and the alternatives, given the sum of the earlier draws and the number left."""
        assert self._population is not None
        null = (self._population * self._null - drawn) / left
        # elsewhere the draws have settled the null, and there is nothing to bet on
        undecided = (null * left > _ROUNDING * self._population) & (null < 1)
        m = np.where(undecided, null, 0.5)[:, None]
        p = (self._population * self._alternatives - drawn[:, None]) / left[:, None]
        return undecided, m, np.clip(p, m, 1.0)


def log_of_sum(logs: Floats) -> Floats:
    """The logarithm of the sum of the exponentials along the last axis."""
    top = logs.max(axis=-1)
    finite = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        shifted = logs - finite[..., None]
        result: Floats = np.log(np.exp(shifted, out=shifted).sum(axis=-1)) + finite
    return result
