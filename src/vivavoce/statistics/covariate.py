"""An e-process for a mean of values that are each drawn once, where something is known of every value beforehand.

Before draw t a prediction r_i stands for each of the n values that are left, and the mean of these predictions is m_t, the
highest mean that the null leaves for them. The bet is on what the predictions leave unexplained: with x the value drawn and r
its prediction, a factor is

    1 + c (x - m_t - w (r - m_t)),    0 <= c <= 1 / (m_t + w (max r - m_t)),    0 <= w <= 1.

Guarantee: predictions, w and c may depend on everything before the draw, but not on which value is drawn. Given the past each
of the values left is as likely as any other, so that x has a mean of at most m_t under the null, and r - m_t one of 0, as r
stands for all that are left. So the factor has an expectation of at most 1, whatever predictions are worth: wrong ones cost
power, never error. It is never negative: it is least for x = 0 and the largest r, where the bound on c makes it 0 or more. By
Ville's inequality its products, and every mixture of them, ever exceed 1/delta with probability at most delta. Where a value is
known by its lower end l <= x only, m_t is reckoned from lower ends, and the factor is one of l: the proof in
`certificate.evidence` holds, since the factor rises with l and r - m_t still has a mean of 0. Upper ends are the mirror.

How much is bet: an alternative p, conditioned on what was drawn as in `betting`, takes w = p (1 - p) / (p (1 - p) + (p - m)^2)
and c = (p - m) / (m (1 - m) - w^2 Var r). With w = 1 the factor is that of the nearest null to independent values of which each
is 1 with probability r + c r (1 - r): a likelihood ratio. For alternatives far from the null the nearest null is flatter than
the predictions are, which w stands for; with w = 0 it is the bet of `betting`.

How the capital is shared out among alternatives is settled before the first draw, so that it may be anything: as in `mean`, or
half of it so and half by how near each alternative is to means that are expected, such as those of others (`shares_of`).

`SHARE` of the capital bets without predictions, as if there were none, so that the capital is never below this share of what
it would be then.

Sources: bets on residuals of a regression that is fitted as one goes are our own; `waudbysmith2020` for draws without
replacement.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, fsum, inf, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.leaning import LEAN
from vivavoce.statistics.mean import BETS

SHARE: Final = 0.125
"""Of the capital, which bets without predictions."""
_CLOSE: Final = 1e-9
_STEP: Final = 0.05
"""Of the grid on which predictions stand, in units of a logit."""
_FAR: Final = 15.0
TRUST: Final = 0.2
"""How much predictions are believed before anything was drawn, if nothing else is said."""
_NEAR: Final = 0.1
"""Means that differ by this much are near each other: the standard deviation of a normal kernel."""
_BY_EXPECTED: Final = 0.5
"""Of the capital, which is shared out by the means that are expected."""
_FLOOR: Final = 1e-12
"""Of a kernel, so that alternatives that are near no mean are alike."""
_MOST_DOUBT: Final = 7.0
"""Logarithm of the odds, either way."""
_PATIENCE: Final = 1.1
"""The regression is fitted again when so many times as many values are there."""
_INTERCEPT: Final = 0.1


class Shifted(NamedTuple):
    """Predictions of all values left, shifted so that they have a given mean."""

    drawn: float
    """Of the value that is drawn."""
    variance: float
    least: float
    most: float

    @property
    def mirrored(self) -> Shifted:
        """Of 1 - value."""
        return Shifted(1 - self.drawn, self.variance, 1 - self.most, 1 - self.least)


class Predictions:
    """Predictions of values in [0, 1] from features of each, by a logistic ridge regression on the values drawn so far.

    How much of them is believed is learned as well: the weight of evidence that they foresaw the values drawn better than the
    mean so far did, from the odds of `trust`.

    Parameters
    ----------
    features: shape (N, F), known of all values before the first draw.
    prior: the coefficients that are expected, shape (F,).
    precision: how surely, one over the variance, shape (F,).
    trust: in (0, 1): how much of them is believed before anything is drawn.

    Example
    -------
    >>> values = np.array([0.0, 1.0] * 30)
    >>> known = Predictions(4 * values[:, None] - 2, prior=[1.0], precision=[10.0])
    >>> for place in range(20):
    ...     known.observe(place, float(values[place]))
    >>> shifted = known.at(0.5, 20)
    >>> bool(known.belief > 0.9), bool(shifted.drawn < 0.1), bool(known.explained > 0.7)
    (True, True, True)
    """

    def __init__(
        self, features: Floats, *, prior: Floats | list[float], precision: Floats | list[float], trust: float = TRUST
    ) -> None:
        self._features = np.asarray(features, dtype=np.float64)
        self._prior = np.concatenate([[0.0], np.asarray(prior, dtype=np.float64)])
        self._precision = np.concatenate([[_INTERCEPT], np.asarray(precision, dtype=np.float64)])
        self.coefficients = self._prior.copy()
        """Of the regression, the intercept first."""
        self._left: NDArray[np.bool_] = np.ones(len(self._features), dtype=bool)
        self._drawn: list[int] = []
        self._values: list[float] = []
        self._odds = log(trust / (1 - trust))
        self._fit_at = 1
        self._shift = 0.0
        self._shifted: dict[float, tuple[Floats, float]] = {}
        self._place_all()

    @property
    def belief(self) -> float:
        """How much of the predictions is believed, in [0, 1]."""
        return 1 / (1 + exp(-self._odds))

    @property
    def explained(self) -> float:
        """The share of the variance of the values that the predictions explain, as far as they are believed."""
        mean = min(max(float(np.mean(self._values)) if self._values else 0.5, 0.01), 0.99)
        counts = np.bincount(self._level, minlength=self._levels.size).astype(np.float64)
        values, off = self._shifted_to(mean, counts)
        spread = float(counts @ (values + off - mean) ** 2) / counts.sum()
        return float(self.belief**2 * spread / (mean * (1 - mean)))

    def at(self, mean: float, place: int) -> Shifted:
        """The predictions with this mean over the values left, in (0, 1), and that of the value at a place."""
        key = round(mean, 12)  # both tests ask for one mean, but for rounding
        if key not in self._shifted:
            self._shifted[key] = self._shifted_to(mean, self._counts)
        values, off = self._shifted[key]
        there = self._counts > 0
        belief = self.belief
        left = values[there]
        spread = float(self._counts @ (values - mean + off) ** 2) / float(self._counts.sum())
        least, most = (mean + belief * (float(end) + off - mean) for end in (left.min(), left.max()))
        drawn = mean + belief * (float(values[self._level[place]]) + off - mean)
        return Shifted(drawn, belief**2 * spread, least, most)

    def observe(self, place: int, value: float) -> None:
        """The value at a place was drawn."""
        self._shifted.clear()
        self._doubt(place, value)
        self._drawn.append(place)
        self._values.append(value)
        self._left[place] = False
        self._counts[self._level[place]] -= 1
        if len(self._values) >= self._fit_at:
            self._fit_at = max(len(self._values) + 1, int(len(self._values) * _PATIENCE))
            self._fit()
            self._place_all()

    def _doubt(self, place: int, value: float) -> None:
        """Weigh the predictions by how well they foresaw this value, beside the mean of those before."""
        if not self._values:
            return
        plain = (fsum(self._values) + 0.5) / (len(self._values) + 1)
        told = float(_logistic(self.coefficients[0] + self._logits[place]))
        told = min(max(told, 1e-6), 1 - 1e-6)
        gained = value * log(told / plain) + (1 - value) * log((1 - told) / (1 - plain))
        self._odds = min(max(self._odds + gained, -_MOST_DOUBT), _MOST_DOUBT)

    def _fit(self) -> None:
        """Newton's method on the penalised likelihood, from the coefficients before."""
        x = np.column_stack([np.ones(len(self._drawn)), self._features[self._drawn]])
        y, found = np.array(self._values), self.coefficients
        for _ in range(4):
            q = _logistic(x @ found)
            curvature = (x * (q * (1 - q))[:, None]).T @ x + np.diag(self._precision)
            step = np.linalg.solve(curvature, x.T @ (y - q) - self._precision * (found - self._prior))
            largest = float(np.abs(step).max())
            found = found + step * min(1.0, 3 / max(largest, 1e-12))
            if largest < 0.01:
                break
        self.coefficients = found

    def _place_all(self) -> None:
        """The logits of all values, rounded to a grid, and how many of those left stand on each of its levels."""
        raw = np.clip(self._features @ self.coefficients[1:], -_FAR, _FAR)
        self._logits = raw
        steps = np.rint(raw / _STEP).astype(np.intp)
        lowest = int(steps.min())
        self._level = steps - lowest
        self._counts = np.bincount(self._level[self._left], minlength=int(self._level.max()) + 1).astype(np.float64)
        self._levels = _STEP * (lowest + np.arange(self._counts.size))

    def _shifted_to(self, mean: float, counts: Floats) -> tuple[Floats, float]:
        """Predictions of levels on which so many stand each, and what is to be added to them for their mean to be exact."""
        total = float(counts.sum())
        target, shift = log(mean / (1 - mean)), self._shift
        lowest, highest = target - float(self._levels.max()), target - float(self._levels.min())
        shift = min(max(shift, lowest), highest)
        for _ in range(60):
            values = _logistic(shift + self._levels)
            off = mean - float(counts @ values) / total
            if abs(off) < 1e-7:
                break
            lowest, highest = (shift, highest) if off > 0 else (lowest, shift)
            slope = float(counts @ (values * (1 - values))) / total
            newton = shift + off / max(slope, 1e-12)
            shift = newton if lowest < newton < highest else (lowest + highest) / 2
        self._shift = shift
        return values, off


def shares_of(alternatives: Floats, expected: ArrayLike = ()) -> Floats:
    """Of the capital, that of each alternative: by p (1 - p), or half of it so and half by how near it is to expected means.

    alternatives: shape (B,). expected: means of others, any number, in the terms of the alternatives.

    >>> shares_of(np.array([0.6, 0.8]), [0.6]).round(3).tolist()
    [0.74, 0.26]
    """
    spread = alternatives * (1 - alternatives)
    plain: Floats = spread / spread.sum()
    means = np.asarray(expected, dtype=np.float64)
    if not means.size:
        return plain
    near = np.exp(-0.5 * ((alternatives[:, None] - means) / _NEAR) ** 2).mean(axis=1) + _FLOOR
    found: Floats = (1 - _BY_EXPECTED) * plain + _BY_EXPECTED * near / near.sum()
    return found


Foreseen = Callable[[float], Shifted]
"""Predictions by the mean that they are to have."""


class ResidualTest:
    """E-process against "the mean of N values is at most `null`" by bets on what predictions leave unexplained.

    Parameters
    ----------
    null: in (0, 1).
    population: N.
    mirrored: the null is "at least" instead.
    expected: means that others have, for `shares_of`.

    Example
    -------
    >>> test = ResidualTest(0.5, population=40)
    >>> flat = lambda mean: Shifted(mean, 0.0, mean, mean)
    >>> for _ in range(5):
    ...     log_e = test.take(1.0, foreseen=flat)
    >>> from vivavoce.statistics.mean import mean_above
    >>> round(float(mean_above(0.5, population=40).update([1.0] * 5)[-1] - log_e), 9)  # so it is the plain bet
    0.0
    """

    def __init__(self, null: float, *, population: int, mirrored: bool = False, expected: ArrayLike = ()) -> None:
        if not 0 < null < 1:
            raise BadInput(f"the null is {null}; it must lie strictly between 0 and 1")
        self._null, self._population, self._mirrored = (1 - null if mirrored else null), population, mirrored
        self._alternatives = self._null + (1 - self._null) * (np.arange(BETS) + 0.5) / BETS
        means = np.asarray(expected, dtype=np.float64)
        self._log_capital = np.log(shares_of(self._alternatives, 1 - means if mirrored else means))
        self._sum, self._leaning = 0.0, False
        self.n = 0
        """Values taken."""
        self.log_e = 0.0
        """Natural logarithm of the e-value; infinite once the null is impossible."""

    def take(self, value: float, *, foreseen: Foreseen, leans: bool = False) -> float:
        """Take the value that is drawn next; the log e-value after it.

        foreseen: predictions as they stood before the draw.
        leans: whether it is not the value itself, but the least that it may be: from the next one on this test leans then, as
            `leaning.LeaningTest` does, which takes one bet in place of the mixture.
        """
        left = self._population - self.n
        x = 1 - value if self._mirrored else value
        mean = (self._population * self._null - self._sum) / left
        if mean * left > _CLOSE * self._population and mean < 1:
            self._bet(x, mean, left, foreseen)
        self._sum, self.n = self._sum + x, self.n + 1
        self._leaning |= leans
        if self._sum > self._population * (self._null + _CLOSE):
            self.log_e = inf
        return self.log_e

    def _bet(self, x: float, mean: float, left: int, foreseen: Foreseen) -> None:
        shifted = foreseen(1 - mean).mirrored if self._mirrored else foreseen(mean)
        ahead = np.clip((self._population * self._alternatives - self._sum) / left, mean, 1.0)
        bets = ahead
        top = float(self._log_capital.max())
        if self._leaning and top > -inf:
            shares = np.exp(self._log_capital - top)
            shares /= shares.sum()
            expected = float(shares @ ahead)
            further = LEAN * float(np.sqrt(shares @ (ahead - expected) ** 2))
            bets = np.append(ahead, min(expected + further, (1 + expected) / 2))
        grown = self._log_factors(bets, x, mean, shifted)
        self._log_capital = self._log_capital + grown[:BETS]
        if self._leaning:
            self.log_e += float(grown[-1]) if grown.size > BETS else 0.0
        else:
            self.log_e = float(np.logaddexp.reduce(self._log_capital))

    @staticmethod
    def _log_factors(p: Floats, x: float, mean: float, shifted: Shifted) -> Floats:
        spread = p * (1 - p)
        w = spread / np.maximum(spread + (p - mean) ** 2, 1e-12)
        unexplained = np.maximum(mean * (1 - mean) - w**2 * shifted.variance, 1e-12)
        c = np.minimum((p - mean) / unexplained, 1 / (mean + w * (shifted.most - mean)))
        with np.errstate(divide="ignore"):
            found: Floats = np.log(np.maximum(1 + c * (x - mean - w * (shifted.drawn - mean)), 0.0))
        return found


class ResidualTests:
    """Both e-processes of one row of values, against "at most `null`" and against "at least `null`"; they learn from each.

    >>> tests = ResidualTests(0.5, Predictions(np.zeros((9, 1)), prior=[1.0], precision=[10.0]), population=9)
    >>> for place in range(5):
    ...     above, below = tests.take(place, 1.0)
    >>> above
    inf
    """

    def __init__(self, null: float, predictions: Predictions, *, population: int, expected: ArrayLike = ()) -> None:
        self.predictions = predictions
        self._above = ResidualTest(null, population=population, expected=expected)
        self._below = ResidualTest(null, population=population, expected=expected, mirrored=True)

    def take(self, place: int, value: float, *, leans: bool = False) -> tuple[float, float]:
        """Take the value at a place, which is drawn next; the log e-values after it.

        leans: whether the test against "at most" leans from the next value on.
        """

        def foreseen(mean: float) -> Shifted:
            return self.predictions.at(mean, place)

        above = self._above.take(value, leans=leans, foreseen=foreseen)
        below = self._below.take(value, foreseen=foreseen)
        self.predictions.observe(place, value)
        return above, below


def mixed(plain: ArrayLike, residual: ArrayLike) -> Floats:
    """The log e-value of bets without predictions, on `SHARE` of the capital, and with them on the rest.

    >>> mixed([2.0], 2.0).tolist()
    [2.0]
    """
    without, with_ = (np.asarray(values, dtype=np.float64) for values in (plain, residual))
    found: Floats = np.logaddexp(without + log(SHARE), with_ + log(1 - SHARE))
    return found


def _logistic(x: ArrayLike) -> Floats:
    found: Floats = 1 / (1 + np.exp(-np.asarray(x, dtype=np.float64)))
    return found
