"""The bets of a certificate with a history written out anew, for many shuffled lists at once.

Another program for the same test: what `statistics.predictions` and `certificate.with_history` reckon draw by draw, here in
arrays over all runs, without unreadable replies. `history` counts wrong verdicts with it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BETS: Final = 60
PLAIN: Final = 1 / 8
"""The share of the capital that bets without a history."""
PRIOR: Final = 0.5
"""The slope that is expected."""
TRUST: Final = 0.7
"""How much predictions are believed at first."""


def first_verdicts(
    x: Floats, known: Floats, means: Floats, grade: float, delta: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draws until a verdict, and which: 1 understands, -1 does not, 0 none; for scores in drawn order, (R, N).

    known: the share of others, as `share_of_others` gives it, (R, N).
    means: of each of the others, (R, others).
    """
    runs, size = x.shape
    goal, model = np.log(1 / delta) - 1e-9, _Learner(x, known)
    sides = [_Side(grade, means, size), _Side(1 - grade, 1 - means, size)]
    until, which = np.full(runs, size, dtype=np.intp), np.zeros(runs, dtype=np.intp)
    total = np.zeros(runs)
    for drawn in range(size):
        mean = (size * grade - total) / (size - drawn)
        predicted = model.predicted(drawn)
        above = sides[0].take(x[:, drawn], total, mean, predicted, drawn)
        below = sides[1].take(1 - x[:, drawn], drawn - total, 1 - mean, -predicted, drawn)
        total = total + x[:, drawn]
        model.learn(drawn)
        passes, fails = above >= goal, below >= goal
        new = (which == 0) & (passes | fails)
        until[new], which[new] = drawn + 1, np.where(fails, -1, 1)[new]
    last = which == 0
    which[last] = np.where(total >= grade * size - 1e-9, 1, -1)[last]
    return until, which


class _Learner:
    """How far a regression on what is known is believed, and its coefficients: run by run."""

    def __init__(self, x: Floats, known: Floats) -> None:
        self._x, self._known = x, known
        self._intercept, self._slope = np.zeros(len(x)), np.full(len(x), PRIOR)
        self._odds = np.full(len(x), np.log(TRUST / (1 - TRUST)))
        self._next = 1

    def predicted(self, drawn: int) -> Floats:
        """Predictions of what is left, the next one first, less their mean: (R, left)."""
        clip = np.clip(self._intercept[:, None] + self._slope[:, None] * self._known[:, drawn:], -1, 1)
        centred: Floats = (clip - clip.mean(axis=1, keepdims=True)) / (1 + np.exp(-self._odds))[:, None]
        return centred

    def learn(self, drawn: int) -> None:
        """From the value drawn."""
        before, value, n = self._x[:, :drawn], self._x[:, drawn], drawn + 1
        spread = ((before**2).sum(axis=1) + 0.25) / n
        off = value - self._intercept - self._slope * self._known[:, drawn]
        gained = ((value - before.sum(axis=1) / n) ** 2 - off**2) / (2 * spread)
        self._odds = np.clip(self._odds + gained, -7, 7)
        if n >= self._next:
            self._next = max(n + 1, int(n * 1.1))
            self._fit(self._x[:, :n], self._known[:, :n])

    def _fit(self, x: Floats, z: Floats) -> None:
        """The two normal equations, with penalties .1 and 4."""
        aa, ab, bb = x.shape[1] + 0.1, z.sum(axis=1), (z * z).sum(axis=1) + 4
        a, b = x.sum(axis=1), (z * x).sum(axis=1) + 4 * PRIOR
        det = aa * bb - ab**2
        self._intercept, self._slope = (bb * a - ab * b) / det, (aa * b - ab * a) / det


class _Side:
    """Bets that the mean is above the null, run by run, with predictions and without."""

    def __init__(self, null: float, means: Floats, size: int) -> None:
        self._null, self._size = null, size
        self._p = null + (1 - null) * (np.arange(BETS) + 0.5) / BETS
        shares = self._p * (1 - self._p)
        shares = np.tile(shares / shares.sum(), (len(means), 1))
        near = np.exp(-50 * (self._p - means[:, :, None]) ** 2).mean(axis=1) + 1e-12
        both = (shares + near / near.sum(axis=1, keepdims=True)) / 2
        self._capital = [np.log(shares) + np.log(PLAIN), np.log(both) + np.log(1 - PLAIN)]

    def take(self, x: Floats, total: Floats, mean: Floats, predicted: Floats, drawn: int) -> Floats:
        """The log e-values after values of which so much was drawn before."""
        open_ = (mean * (self._size - drawn) > 1e-9 * self._size) & (mean < 1)
        m = np.where(open_, mean, 0.5)[:, None]
        p = np.clip((self._size * self._p - total[:, None]) / (self._size - drawn), m, 1)
        spread, off, most = predicted.var(axis=1)[:, None], predicted[:, :1], predicted.max(axis=1)[:, None]
        for believed in (0.0, 1.0):
            w = believed * p * (1 - p) / np.maximum(p * (1 - p) + (p - m) ** 2, 1e-12)
            c = np.minimum((p - m) / np.maximum(m * (1 - m) - w**2 * spread, 1e-12), 1 / (m + w * most))
            factor = np.where(open_[:, None], np.maximum(1 + c * (x[:, None] - m - w * off), 0), 1.0)
            with np.errstate(divide="ignore"):
                self._capital[int(believed)] = self._capital[int(believed)] + np.log(factor)
        both = np.logaddexp.reduce(np.concatenate(self._capital, axis=1), axis=1)
        result: Floats = np.where(total + x > self._size * (self._null + 1e-9), np.inf, both)
        return result
