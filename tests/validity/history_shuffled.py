"""The bets of a certificate with a history written out anew, for many shuffled lists at once.

Another program for the same test: what `statistics.covariate` and `certificate.with_history` reckon draw by draw, here in
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
TRUST: Final = 0.7
"""How much predictions are believed at first."""


def first_verdicts(
    x: Floats, logits: Floats, means: Floats, grade: float, delta: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draws until a verdict, and which: 1 understands, -1 does not, 0 none; for scores and logits in drawn order, (R, N).

    means: of each of the others, (R, others).
    """
    runs, size = x.shape
    goal, model = np.log(1 / delta) - 1e-9, _Learner(x, logits)
    sides = [_Side(grade, means, size), _Side(1 - grade, 1 - means, size)]
    until, which = np.full(runs, size, dtype=np.intp), np.zeros(runs, dtype=np.intp)
    total = np.zeros(runs)
    for drawn in range(size):
        mean = (size * grade - total) / (size - drawn)
        inside = np.clip(mean, 1e-6, 1 - 1e-6)
        told = model.told(inside, drawn)
        above = sides[0].take(x[:, drawn], total, mean, told, drawn)
        below = sides[1].take(1 - x[:, drawn], drawn - total, 1 - mean, 1 - told, drawn)
        total = total + x[:, drawn]
        model.learn(drawn)
        passes, fails = above >= goal, below >= goal
        new = (which == 0) & (passes | fails)
        until[new], which[new] = drawn + 1, np.where(fails, -1, 1)[new]
    last = which == 0
    which[last] = np.where(total >= grade * size - 1e-9, 1, -1)[last]
    return until, which


class _Learner:
    """How far the logits are believed, and their slope: run by run."""

    def __init__(self, x: Floats, logits: Floats) -> None:
        self._x, self._logits = x, logits
        self._intercept, self._slope = np.zeros(len(x)), np.ones(len(x))
        self._odds = np.full(len(x), np.log(TRUST / (1 - TRUST)))
        self._next = 1
        self._shift = np.zeros(len(x))

    def told(self, mean: Floats, drawn: int) -> Floats:
        """Predictions of what is left, the next one first, with this mean: (R, left)."""
        grid = 0.05 * np.rint(np.clip(self._logits[:, drawn:] * self._slope[:, None], -15, 15) / 0.05)
        low = np.log(mean / (1 - mean)) - grid.max(axis=1)
        high = np.log(mean / (1 - mean)) - grid.min(axis=1)
        shift = np.clip(self._shift, low, high)
        for _ in range(30):  # Newton's steps, and halves where these lead out of the bracket
            found = _logistic(shift[:, None] + grid)
            off = mean - found.mean(axis=1)
            if np.abs(off).max() < 1e-7:
                break
            low, high = np.where(off > 0, shift, low), np.where(off > 0, high, shift)
            step = shift + off / np.maximum((found * (1 - found)).mean(axis=1), 1e-12)
            shift = np.where((step > low) & (step < high), step, (low + high) / 2)
        self._shift = shift
        found += (mean - found.mean(axis=1))[:, None]
        belief = _logistic(self._odds)[:, None]
        return mean[:, None] + belief * (found - mean[:, None])

    def learn(self, drawn: int) -> None:
        """From the value drawn."""
        x, n = self._x[:, : drawn + 1], drawn + 1
        if drawn:
            plain = (x[:, :drawn].sum(axis=1) + 0.5) / n
            told = np.clip(_logistic(self._intercept + self._slope * self._logits[:, drawn]), 1e-6, 1 - 1e-6)
            value = x[:, drawn]
            gained = value * np.log(told / plain) + (1 - value) * np.log((1 - told) / (1 - plain))
            self._odds = np.clip(self._odds + gained, -7, 7)
        if n >= self._next:
            self._next = max(n + 1, int(n * 1.1))
            self._fit(x, self._logits[:, :n])

    def _fit(self, x: Floats, z: Floats) -> None:
        a, b = self._intercept, self._slope
        open_ = np.ones(len(x), dtype=bool)
        for _ in range(4):
            q = _logistic(a[:, None] + b[:, None] * z)
            w = q * (1 - q)
            aa, ab, bb = w.sum(axis=1) + 0.1, (w * z).sum(axis=1), (w * z * z).sum(axis=1) + 10
            ga = (x - q).sum(axis=1) - 0.1 * a
            gb = ((x - q) * z).sum(axis=1) - 10 * (b - 1)
            det = aa * bb - ab**2
            da, db = (bb * ga - ab * gb) / det, (aa * gb - ab * ga) / det
            largest = np.maximum(np.abs(da), np.abs(db))
            scale = np.minimum(1, 3 / np.maximum(largest, 1e-12)) * open_
            a, b = a + da * scale, b + db * scale
            open_ &= largest >= 0.01
        self._intercept, self._slope = a, b


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

    def take(self, x: Floats, total: Floats, mean: Floats, told: Floats, drawn: int) -> Floats:
        """The log e-values after values of which so much was drawn before."""
        open_ = (mean * (self._size - drawn) > 1e-9 * self._size) & (mean < 1)
        m = np.where(open_, mean, 0.5)[:, None]
        p = np.clip((self._size * self._p - total[:, None]) / (self._size - drawn), m, 1)
        spread, off, most = told.var(axis=1)[:, None], told[:, :1] - m, told.max(axis=1)[:, None] - m
        for believed in (0.0, 1.0):
            w = believed * p * (1 - p) / np.maximum(p * (1 - p) + (p - m) ** 2, 1e-12)
            c = np.minimum((p - m) / np.maximum(m * (1 - m) - w**2 * spread, 1e-12), 1 / (m + w * most))
            factor = np.where(open_[:, None], np.maximum(1 + c * (x[:, None] - m - w * off), 0), 1.0)
            with np.errstate(divide="ignore"):
                self._capital[int(believed)] = self._capital[int(believed)] + np.log(factor)
        both = np.logaddexp.reduce(np.concatenate(self._capital, axis=1), axis=1)
        found: Floats = np.where(total + x > self._size * (self._null + 1e-9), np.inf, both)
        return found


def _logistic(x: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-x))
    return found
