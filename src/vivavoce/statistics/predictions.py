"""E-processes that use predictions: of all values before a draw (`ResidualTests`), of many per trusted one (`PredictedTest`).

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

Tests and a confidence sequence for a mean, from few trusted values and many cheap predictions.

In block t there are m + 1 values in [0, 1], each with mean s given the past, and a prediction in [0, 1] of each. One of the
values is looked up: x_t, at a place drawn uniformly among the m + 1. Its prediction is g_t, and f_t is the mean of the m other
predictions, whose true values are not looked up. The bet is on

    z_t = x_t - eta_t g_t + eta_t f_t = x_t - eta_t (g_t - f_t).

Why it is valid at any moment. Condition on all blocks before t with their places, and on all values and predictions of block t.
The place is independent of them. So g_t is each of the m + 1 predictions with the same chance. With G for their sum, the
conditional mean of g_t is G / (m + 1), and the conditional mean of f_t is (G - G / (m + 1)) / m, the same number. eta_t depends
on earlier blocks only. So z_t and x_t have the same conditional mean, the mean of the block's values, and given the past alone
this is s. No bias of the predictions can enter, however large it is and whatever it depends on, since their mean over the
others is a part of z_t and not a constant. As eta_t is in [0, 1], z_t is in [-1, 2]. So (z_t + 1) / 3 is in [0, 1] with mean (s
+ 1) / 3, and any bet that is fair for such values is fair here. Against a null PG the stake on z_t is less than 1 / (PG + 1),
while the stake on x_t may be up to 1 / PG. Under the null the capital is a supermartingale, and by Ville's inequality it ever
reaches 1/delta with probability at most delta.

So the predictor may know every value of this block and of all others, future ones included, its earlier predictions, how often
it was asked, and the places of all finished blocks. Predictions need not be independent of each other, similar from block to
block, or honest. But the predictor must not know the place in a block that it is still predicting. If the place were fixed,
such as the last of each block, the predictor could predict low there and high elsewhere. Then f_t - g_t would be nearly 1, and
the predictor would decide every verdict. So all predictions of a block are fixed before its place is drawn, from randomness
that no one has seen.

A prediction may be missing, for reasons that depend on anything but the place. It counts by its ends, the least and the most
that it could have been: z is at least x_t - eta_t (upper g_t - lower f_t) and at most x_t - eta_t (lower g_t - upper f_t). The
first is at most z with all predictions, whose conditional mean is s. So bets that s is high use it and stay supermartingales;
bets that s is low use the second. Both lie in [-1, 2], and eta_t may be learnt from anything known about earlier blocks.

A trusted value may be missing as well, for reasons that depend on anything, even on its own value. Then it counts by its ends
in the same way, in x and in z: x_t - eta_t g_t + eta_t f_t rises with x_t, and eta_t is fixed before.

Used alone, such bets can be worse because of the smaller stakes. So half of the capital bets on x_t without predictions; the
mean of two e-processes is an e-process.

With delta = .05, PG = .7, m = 9, values of 0 or 1 and predictions that err by about .2, the median number of trusted values at
s = .9 is 26 without predictions and 28 with them (44 if they had all the capital); at s = .8 it is 110 and 93; at s = .75, 596
and 217.

Sources: the estimate of `angelopoulos2023` (prediction-powered inference), and the bets of `waudbysmith2024`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, check_delta, root
from vivavoce.statistics.confidence_sequences import mean_above, mean_below
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


_EDGE = 1e-9


class Correction:
    """Turns values and predictions into the ends of z; learns the weight eta of the predictions from earlier blocks.

    eta minimises the variance of z: it is the slope of x on g so far, cut off at 0 and 1, and shrunk by 1 + 1/m, since f is a
    mean of m. It is 0 until two blocks have had different predictions.

    Parameters
    ----------
    further: m, the predictions behind each f; at least 1.

    Example
    -------
    >>> correction = Correction(further=1)
    >>> low, high = correction.update([1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.5, 0.5, 0.6])  # eta: 0, 0, then 1/2
    >>> low.tolist(), bool((low == high).all())
    ([1.0, 0.0, 0.8], True)
    """

    def __init__(self, *, further: int) -> None:
        if further < 1:
            raise BadInput(f"{further} further predictions for each value; it needs at least 1")
        self._shrunk = 1 / (1 + 1 / further)
        self._n = 0
        self._sums = np.zeros(4)
        """Of x, g, x g and g g."""

    def update(
        self,
        values: ArrayLike,
        predictions: ArrayLike,
        fresh: ArrayLike,
        *,
        predictions_at_most: ArrayLike | None = None,
        fresh_at_most: ArrayLike | None = None,
    ) -> tuple[Floats, Floats]:
        """Take further blocks in drawn order; the least and the most that z of each may be, in [-1, 2].

        If predictions are missing, the last two arguments are upper ends, and the others are lower ends.
        """
        x, g, f = (_checked(numbers) for numbers in (values, predictions, fresh))
        g_most = g if predictions_at_most is None else _checked(predictions_at_most)
        f_most = f if fresh_at_most is None else _checked(fresh_at_most)
        if not x.size == g.size == f.size:
            raise BadInput(
                f"{x.size} values, {g.size} predictions and {f.size} means of further ones: give one of each a block"
            )
        sums = self._sums + np.cumsum(np.column_stack((x, g, x * g, g * g)), axis=0)
        before = np.vstack((self._sums, sums[:-1])) if x.size else np.empty((0, 4))
        n = np.maximum(self._n + np.arange(x.size), 1)
        covariance = before[:, 2] - before[:, 0] * before[:, 1] / n
        variance = before[:, 3] - before[:, 1] ** 2 / n
        slope = np.divide(covariance, variance, out=np.zeros(x.size), where=variance > _EDGE)
        eta = np.clip(slope * self._shrunk, 0.0, 1.0)
        if x.size:
            self._n, self._sums = self._n + x.size, sums[-1]
        return x - eta * (g_most - f), x - eta * (g - f_most)


class PredictedTest:
    """E-process against "the mean is at most `null`" (or "at least", if `mirrored`): half bets on the values, half on z.

    >>> test = PredictedTest(0.5)
    >>> alone = mean_above(0.5)
    >>> path = test.update([1.0] * 8, [1.0] * 8)
    >>> bool((path >= alone.update([1.0] * 8) - log(2)).all())
    True
    """

    def __init__(self, null: float, *, mirrored: bool = False) -> None:
        begin = mean_below if mirrored else mean_above
        self._alone, self._helped = begin(null), begin((null + 1) / 3)

    def update(self, values: ArrayLike, corrected: ArrayLike) -> Floats:
        """Take further blocks, each with its value and its z; the log e-value after each."""
        return _halves(self._alone.update(values), self._helped.update(_scaled(corrected)))


def predicted_bounds(
    values: ArrayLike,
    corrected: ArrayLike,
    delta: float,
    *,
    at_most: ArrayLike | None = None,
    values_at_most: ArrayLike | None = None,
) -> Bounds:
    """Confidence sequence for the mean: at every moment at once, it covers with probability at least 1 - delta.

    Each end is the null at which `PredictedTest`, at delta/2, is just not rejected. Every factor of it falls as the null rises,
    of the form 1 + c (x / m - 1) and 1 + c ((z + 1) / (m + 1) - 1) with 0 < c < 1, so that rejected nulls lie below one point.

    at_most, values_at_most: the upper ends of z and of the values, if they are not known exactly.

    >>> x = np.array([1.0, 0.0, 1.0, 1.0] * 25)
    >>> bounds = predicted_bounds(x, x - (x - 0.75), 0.05)  # predictions that are always right, and their mean known
    >>> bounds.lower < 0.75 < bounds.upper
    True
    """
    check_delta(delta)
    x, z = np.asarray(values, dtype=np.float64), np.asarray(corrected, dtype=np.float64)
    most = z if at_most is None else np.asarray(at_most, dtype=np.float64)
    x_most = x if values_at_most is None else np.asarray(values_at_most, dtype=np.float64)
    if not x.size:
        return Bounds(0.0, 1.0)
    return Bounds(_lower(x, z, delta / 2), 1 - _lower(1 - x_most, 1 - most, delta / 2))


def _lower(x: Floats, z: Floats, delta: float) -> float:
    once, w = np.ones(x.size), _scaled(z)

    def excess(null: float) -> float:
        log_e = _halves(mean_above(null).after(x, once), mean_above((null + 1) / 3).after(w, once))
        return min(float(log_e), 1e6) + log(delta)

    if excess(_EDGE) <= 0:
        return 0.0
    return 1 - _EDGE if excess(1 - _EDGE) >= 0 else root(excess, _EDGE, 1 - _EDGE, xtol=1e-7)


def _halves(values: Floats, other: Floats) -> Floats:
    result: Floats = np.logaddexp(values, other) - log(2)
    return result


def _scaled(corrected: ArrayLike) -> Floats:
    w: Floats = (np.asarray(corrected, dtype=np.float64) + 1) / 3
    return np.where(abs(w - 0.5) <= 0.5 + _EDGE, np.clip(w, 0.0, 1.0), w)  # cut off rounding errors, refuse anything else


def _checked(numbers: ArrayLike) -> Floats:
    array = np.atleast_1d(np.asarray(numbers, dtype=np.float64))
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        raise BadInput("values and predictions must lie in [0, 1]")
    return array
