"""E-processes for mean differences in [-1, 1] by bets on what predictions of the differences leave unexplained.

As `covariate` does for means, and with the same guarantee: with x = (d + 1) / 2, m the highest mean that the null leaves for
the values left, and g any predictions of them that the past settles, of which those of the values left have the mean g', a
factor

    1 + c (x - m - (g - g')),    0 <= c <= 1 / (m + max g - g')

has an expectation of at most 1, and is never negative: it is least for x = 0 and the largest prediction left. Half of the
capital bets fractions u of the largest c, as half of `differences` does. The other half bets on alternatives p as `covariate`
does, with c = (p - m) / (m (1 - m) - w^2 Var g) and w (g - g') in place of g - g', w = p (1 - p) / (p (1 - p) + (p - m)^2).
"""

from __future__ import annotations

from math import exp, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import FRACTIONS

_CLOSE: Final = 1e-9
_MOST_DOUBT: Final = 7.0
_PATIENCE: Final = 1.1
_INTERCEPT: Final = 0.1


class Spread(NamedTuple):
    """Predictions of the differences left, less their mean."""

    drawn: float
    """Of the one that is drawn."""
    variance: float
    least: float
    most: float


class DifferencePredictions:
    """Predictions of differences from features of each question, by a ridge regression on the differences found so far.

    How much of them is believed is learned as in `covariate.Predictions`, by the squares of what each prediction was off.

    Parameters
    ----------
    features: shape (N, F), known of all questions before the first draw.
    prior: the coefficients that are expected, shape (F,).
    precision: how surely: the variance of a difference over that of a coefficient, shape (F,).
    trust: in (0, 1): how much of them is believed before anything is drawn.

    Example
    -------
    >>> d = np.array([1.0, 0.0, 0.0, -1.0] * 20)
    >>> known = DifferencePredictions(d[:, None], prior=np.zeros(1), precision=np.ones(1))
    >>> for place in range(40):
    ...     known.observe(place, float(d[place]))
    >>> bool(known.belief > 0.9), bool(known.at(40).drawn > 0.9)
    (True, True)
    """

    def __init__(self, features: Floats, *, prior: Floats, precision: Floats, trust: float = 0.2) -> None:
        self._features = np.column_stack([np.ones(len(features)), features])
        self._prior = np.concatenate([[0.0], prior])
        penalty = np.concatenate([[_INTERCEPT], precision])
        self._gram, self._moment = np.diag(penalty), penalty * self._prior
        self._told = self._features @ self._prior
        self._left: NDArray[np.bool_] = np.ones(len(features), dtype=bool)
        self._sum, self._squares, self._n, self._fit_at = 0.0, 0.0, 0, 1
        self._odds = log(trust / (1 - trust))

    @property
    def belief(self) -> float:
        """How much of the predictions is believed, in [0, 1]."""
        return 1 / (1 + exp(-self._odds))

    @property
    def explained(self) -> float:
        """The share of the variance of differences that they explain, as far as they are believed."""
        if not self._n:
            return 0.0
        variance = self._squares / self._n - (self._sum / self._n) ** 2
        return min(1.0, self.belief**2 * float(np.var(self._told)) / max(variance, 0.01))

    def at(self, place: int) -> Spread:
        """The predictions left, and that of a question that is drawn from them."""
        left = self.belief * np.clip(self._told[self._left], -1, 1)
        mean = float(left.mean())
        drawn = self.belief * float(np.clip(self._told[place], -1, 1))
        return Spread(drawn - mean, float(left.var()), float(left.min()) - mean, float(left.max()) - mean)

    def observe(self, place: int, difference: float) -> None:
        """The difference on a question was found, or the middle of what it may be."""
        z, n = self._features[place], self._n
        plain, spread = self._sum / (n + 1), (self._squares + 0.25) / (n + 1)
        gained = ((difference - plain) ** 2 - (difference - float(self._told[place])) ** 2) / (2 * spread)
        self._odds = min(max(self._odds + gained, -_MOST_DOUBT), _MOST_DOUBT)
        self._gram, self._moment = self._gram + np.outer(z, z), self._moment + difference * z
        self._sum, self._squares, self._n = self._sum + difference, self._squares + difference**2, n + 1
        self._left[place] = False
        if self._n >= self._fit_at:
            self._fit_at = max(self._n + 1, int(self._n * _PATIENCE))
            self._told = self._features @ np.linalg.solve(self._gram, self._moment)


class ResidualDifferenceTests:
    """E-processes against "the mean difference is at most `null`", one for each null, each with predictions of its own.

    Parameters
    ----------
    nulls: shape (M,), each in (-1, 1).
    population: number of questions, each of which is drawn once.

    Example
    -------
    >>> tests = ResidualDifferenceTests(np.zeros(1), population=40)
    >>> for _ in range(8):
    ...     log_e = tests.take(np.ones(1), [Spread(0.0, 0.0, 0.0, 0.0)])
    >>> bool(log_e[0] > np.log(20))
    True
    """

    def __init__(self, nulls: Floats, *, population: int) -> None:
        if not ((nulls > -1) & (nulls < 1)).all():
            raise BadInput("the null of a difference must lie strictly between -1 and 1")
        self._null, self._population = (1 + nulls) / 2, population
        self._log_capital = np.full((nulls.size, 2 * FRACTIONS.size), -np.log(2 * FRACTIONS.size))
        self._sum = np.zeros(nulls.size)
        self._n = 0

    def take(self, differences: Floats, told: list[Spread]) -> Floats:
        """Take the differences on the next question, shape (M,), with what was predicted; the log e-values: (M,)."""
        x, left = (1 + differences) / 2, self._population - self._n
        mean = (self._population * self._null - self._sum) / left
        open_ = (mean * left > _CLOSE * self._population) & (mean < 1)
        factors = self._factors(x[:, None], np.where(open_, mean, 0.5)[:, None], np.array(told) / [2, 4, 2, 2], left)
        with np.errstate(divide="ignore"):
            self._log_capital += np.log(np.where(open_[:, None], np.maximum(factors, 0.0), 1.0))
        self._sum, self._n = self._sum + x, self._n + 1
        impossible = self._sum > self._population * (self._null + _CLOSE)
        found: Floats = np.where(impossible, np.inf, np.logaddexp.reduce(self._log_capital, axis=1))
        return found

    def drop(self, rows: NDArray[np.bool_]) -> None:
        """Forget these tests; the others move up."""
        for name in ("_null", "_log_capital", "_sum"):
            setattr(self, name, getattr(self, name)[~rows])

    def _factors(self, x: Floats, m: Floats, told: Floats, left: int) -> Floats:
        drawn, variance, _, most = (told[:, [place]] for place in range(4))
        fixed = 1 + FRACTIONS / (m + most) * (x - m - drawn)
        p = np.minimum(m + self._population * (1 - self._null[:, None]) / left * FRACTIONS, 1.0)
        spread = p * (1 - p)
        w = spread / np.maximum(spread + (p - m) ** 2, 1e-12)
        unexplained = np.maximum(m * (1 - m) - w**2 * variance, 1e-12)
        c = np.minimum((p - m) / unexplained, 1 / (m + w * most))
        conditioned = 1 + c * (x - m - w * drawn)
        found: Floats = np.concatenate([fixed, conditioned], axis=1)
        return found
