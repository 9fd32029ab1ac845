"""Tests and a confidence sequence for a mean, from few trusted values and many cheap predictions.

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

from math import log

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, check_delta, root
from vivavoce.statistics.confidence_sequences import mean_above, mean_below

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
