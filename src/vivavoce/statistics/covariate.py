"""E-processes for means of values drawn once each, with predictions of every value before its draw.

Before draw t there is a prediction of each of the n values that are left. m_t is the highest mean of these values under the
null. g is the prediction of the drawn value, less the mean of the predictions left. The bet is on what the predictions leave
unexplained: with x the drawn value, a factor is

    1 + c (x - m_t - w g),    0 <= c <= 1 / (m_t + w max g),    0 <= w <= 1.

Guarantee: predictions, w and c may depend on everything before the draw, but not on which value is drawn. Given the past, each
of the values left is equally likely. So x has a mean of at most m_t under the null, and g a mean of 0. So the factor has an
expectation of at most 1, for any predictions: wrong ones cost power, but cause no errors. The factor is never negative: its
minimum is at x = 0 and the largest g, where the bound on c makes it 0 or more. By Ville's inequality its products, and every
mixture of them, ever exceed 1/delta with probability at most delta. If only the lower end l <= x of a value is known, m_t is
computed from lower ends, and the factor uses l. The proof in `certificate.evidence` then holds, since the factor rises with l
and g still has a mean of 0. Upper ends are the mirror.

The stakes, by shares of the capital that are fixed before the first draw:

- An alternative p, conditioned on the earlier draws as in `betting`, uses w = p (1 - p) / (p (1 - p) + (p - m)^2) and
  c = (p - m) / (m (1 - m) - w^2 Var g). With w = 0 it is the bet of `betting`. For alternatives far from the null, the nearest
  null is flatter than the predictions are; w allows for that.
- The rest of the capital bets constant fractions u of the largest c with w = 1, as half of `differences` does.

`SHARE` of the capital bets without predictions, so the capital is never below this share of its value without predictions.

Sources: bets on residuals of a regression that is fitted during the test are our own; `waudbysmith2020` for draws without
replacement.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import FRACTIONS

SHARE: Final = 0.125
"""Share of the capital that bets without predictions."""
_CLOSE: Final = 1e-9
_NEAR: Final = 0.1
"""Scale of near means: the standard deviation of a normal kernel."""
_BY_EXPECTED: Final = 0.5
"""Share of the capital that is distributed by expected means."""
_FLOOR: Final = 1e-12
"""Added to a kernel, so that alternatives far from all means are equal."""
_MOST_DOUBT: Final = 7.0
"""Largest absolute log odds of the trust."""
_PATIENCE: Final = 1.1
"""The regression is fitted again after the number of values has grown by this factor."""
_INTERCEPT: Final = 0.1


class ResidualSpread(NamedTuple):
    """Predictions of the values left, less their mean."""

    drawn: float
    """Prediction of the drawn value."""
    variance: float
    least: float
    most: float

    def times(self, factor: float) -> ResidualSpread:
        """The same for values multiplied by this factor.

        >>> ResidualSpread(1.0, 2.0, -2.0, 4.0).times(-0.5)
        ResidualSpread(drawn=-0.5, variance=0.5, least=-2.0, most=1.0)
        """
        least, most = sorted((factor * self.least, factor * self.most))
        return ResidualSpread(factor * self.drawn, factor**2 * self.variance, least, most)


class Predictions:
    """Predictions of values in [-1, 1] from features of each, by a ridge regression on the values drawn so far.

    It also learns how far to trust them: it compares their squared errors with those of the mean so far, starting from the odds
    of `trust`.

    Parameters
    ----------
    features: shape (N, F), known for all values before the first draw.
    prior: the expected coefficients, shape (F,).
    precision: the variance of a value over the variance of a coefficient.
    trust: in (0, 1): the trust in the predictions before the first draw.

    Example
    -------
    >>> values = np.array([1.0, 0.0, 0.0, -1.0] * 20)
    >>> known = Predictions(values[:, None], prior=[0.0], precision=1.0)
    >>> for index in range(40):
    ...     known.observe(index, float(values[index]))
    >>> bool(known.belief > 0.9), bool(known.at(40).drawn > 0.9), bool(known.explained > 0.9)
    (True, True, True)
    """

    def __init__(self, features: Floats, *, prior: ArrayLike, precision: float, trust: float = 0.2) -> None:
        self._features = np.column_stack([np.ones(len(features)), features])
        self._prior = np.concatenate([[0.0], np.asarray(prior, dtype=np.float64)])
        penalty = np.concatenate([[_INTERCEPT], np.full(self._prior.size - 1, precision)])
        self._gram, self._moment = np.diag(penalty), penalty * self._prior
        self._predicted = self._features @ self._prior
        self._left: NDArray[np.bool_] = np.ones(len(features), dtype=bool)
        self._sum, self._squares, self._n, self._fit_at = 0.0, 0.0, 0, 1
        self._odds = log(trust / (1 - trust))

    @property
    def belief(self) -> float:
        """The trust in the predictions, in [0, 1]."""
        return 1 / (1 + exp(-self._odds))

    @property
    def explained(self) -> float:
        """The share of the variance of the values that they explain, times the trust."""
        if not self._n:
            return 0.0
        variance = self._squares / self._n - (self._sum / self._n) ** 2
        return min(1.0, self.belief**2 * float(np.var(self._predicted)) / max(variance, 0.01))

    def at(self, index: int) -> ResidualSpread:
        """The predictions left, with the prediction of the drawn value at this index."""
        left = self.belief * np.clip(self._predicted[self._left], -1, 1)
        mean = float(left.mean())
        drawn = self.belief * float(np.clip(self._predicted[index], -1, 1))
        return ResidualSpread(drawn - mean, float(left.var()), float(left.min()) - mean, float(left.max()) - mean)

    def observe(self, index: int, value: float) -> None:
        """Learn the value drawn at this index; for an unknown value, the middle of its range."""
        z, n = self._features[index], self._n
        plain, spread = self._sum / (n + 1), (self._squares + 0.25) / (n + 1)
        gained = ((value - plain) ** 2 - (value - float(self._predicted[index])) ** 2) / (2 * spread)
        self._odds = min(max(self._odds + gained, -_MOST_DOUBT), _MOST_DOUBT)
        self._gram, self._moment = self._gram + np.outer(z, z), self._moment + value * z
        self._sum, self._squares, self._n = self._sum + value, self._squares + value**2, n + 1
        self._left[index] = False
        if self._n >= self._fit_at:
            self._fit_at = max(self._n + 1, int(self._n * _PATIENCE))
            self._predicted = self._features @ np.linalg.solve(self._gram, self._moment)


def shares_of(null: float, bets: int, expected: ArrayLike = ()) -> Floats:
    """The capital of each alternative p: in proportion to p (1 - p), or half of it so and half by nearness to expected means.

    bets: the number of alternatives, evenly spread over (null, 1). expected: means of other candidates, any number.

    >>> shares_of(0.5, 2, [0.6]).round(3).tolist()
    [0.829, 0.171]
    """
    alternatives = null + (1 - null) * (np.arange(bets) + 0.5) / bets
    spread = alternatives * (1 - alternatives)
    plain: Floats = spread / spread.sum()
    means = np.asarray(expected, dtype=np.float64)
    if not means.size:
        return plain
    near = np.exp(-0.5 * ((alternatives[:, None] - means) / _NEAR) ** 2).mean(axis=1) + _FLOOR
    result: Floats = (1 - _BY_EXPECTED) * plain + _BY_EXPECTED * near / near.sum()
    return result


class ResidualTests:
    """E-processes against "the mean of N values is at most `null`", for several nulls, each with its own values.

    Parameters
    ----------
    nulls: shape (M,), each in (0, 1).
    shares: shares of the capital on B alternatives, evenly spread over (null, 1): shape (M, B). The rest bets constant
        fractions.
    population: N.

    Example
    -------
    >>> from vivavoce.statistics.confidence_sequences import mean_above
    >>> tests = ResidualTests([0.5], [shares_of(0.5, 60)], population=40)
    >>> for _ in range(5):
    ...     [log_e] = tests.take([1.0], [ResidualSpread(0.0, 0.0, 0.0, 0.0)])
    >>> round(float(mean_above(0.5, population=40).update([1.0] * 5)[-1] - log_e), 9)  # without predictions: the plain bet
    0.0
    """

    def __init__(self, nulls: ArrayLike, shares: ArrayLike, *, population: int) -> None:
        self._null, conditioned = np.asarray(nulls, dtype=np.float64), np.asarray(shares, dtype=np.float64)
        if not ((self._null > 0) & (self._null < 1)).all():
            raise BadInput(f"a null of {self._null.tolist()} must lie strictly between 0 and 1")
        self._population = population
        self._steps = (np.arange(conditioned.shape[1]) + 0.5) / conditioned.shape[1]
        rest = np.maximum(1 - conditioned.sum(axis=1, keepdims=True), 0.0)
        constant = np.repeat(np.where(rest > _CLOSE, rest, 0.0) / FRACTIONS.size, FRACTIONS.size, axis=1)
        with np.errstate(divide="ignore"):
            self._log_capital = np.log(np.concatenate([constant, conditioned], axis=1))
        self._sum = np.zeros(self._null.size)
        self._n = 0

    def take(self, values: ArrayLike, predicted: Sequence[ResidualSpread]) -> Floats:
        """Take the next value of each test, shape (M,), with the predictions before the draw; the log e-values: (M,).

        A log e-value is infinite once its null is impossible.
        """
        x, left = np.asarray(values, dtype=np.float64), self._population - self._n
        mean = (self._population * self._null - self._sum) / left
        open_ = (mean * left > _CLOSE * self._population) & (mean < 1)
        factors = self._factors(x[:, None], np.where(open_, mean, 0.5)[:, None], np.array(predicted), left)
        with np.errstate(divide="ignore"):
            self._log_capital += np.log(np.where(open_[:, None], np.maximum(factors, 0.0), 1.0))
        self._sum, self._n = self._sum + x, self._n + 1
        impossible = self._sum > self._population * (self._null + _CLOSE)
        result: Floats = np.where(impossible, np.inf, np.logaddexp.reduce(self._log_capital, axis=1))
        return result

    def drop(self, rows: NDArray[np.bool_]) -> None:
        """Drop these tests; the others move up."""
        for name in ("_null", "_log_capital", "_sum"):
            setattr(self, name, getattr(self, name)[~rows])

    def _factors(self, x: Floats, m: Floats, predicted: Floats, left: int) -> Floats:
        drawn, variance, _, most = (predicted[:, [column]] for column in range(4))
        constant = 1 + FRACTIONS / (m + most) * (x - m - drawn)
        p = np.minimum(m + self._population * (1 - self._null[:, None]) / left * self._steps, 1.0)
        spread = p * (1 - p)
        w = spread / np.maximum(spread + (p - m) ** 2, 1e-12)
        unexplained = np.maximum(m * (1 - m) - w**2 * variance, 1e-12)
        c = np.minimum((p - m) / unexplained, 1 / (m + w * most))
        conditioned = 1 + c * (x - m - w * drawn)
        result: Floats = np.concatenate([constant, conditioned], axis=1)
        return result


def mixed(plain: ArrayLike, residual: ArrayLike) -> Floats:
    """The log e-value of all bets: without predictions on `SHARE` of the capital, with predictions on the rest.

    >>> mixed([2.0], 2.0).tolist()
    [2.0]
    """
    without, with_ = (np.asarray(values, dtype=np.float64) for values in (plain, residual))
    result: Floats = np.logaddexp(without + log(SHARE), with_ + log(1 - SHARE))
    return result
