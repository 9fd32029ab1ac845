"""An e-process for a mean when only lower ends are known for some values.

An unparsed reply counts with its least possible value. So the mean of the counted values is below the true mean, and the margin
of a bet shrinks: for a score of .9 against .7 with 5% unparsed replies it is .855 - .7. From the first such value on, this test
bets differently from the mixture of `betting`, which it follows while all values are known:

- It leans: it bets on the mean that the mixture expects and `LEAN` standard deviations of that expectation above it. The
  mixture spreads its capital evenly over all alternatives, which is too timid for a goal that is three e-folds away.
- It aims: if one value of 1 would reach the goal with a bet at most that much larger, it bets just enough for that. It bets no
  more than enough only while all values have been 0 or 1, since a value in between might fall short.

The guarantee is the same as in `betting`: each factor is 1 + b (x - m) with a b >= 0 that depends on the past only, and b m <=
1. So given the past its expectation is at most 1 under the null, whatever decides which values are known (see
`certificate.evidence`). The choice of b affects how soon the evidence comes, not how often it is wrong.

Take values of 0 or 1 of which 5% are unparsed at random, against .7 at delta .05 (`docs/appendix/validity.md`). For a score of
.9 this test needs a median of 38 to 40 questions, depending on the seed, and the mixture 42; the averages are 49 and 53. It
needs more if the mean of the counted values is near the null: for a score of .8, where that mean is .76, 503 on average instead
of 462.
"""

from __future__ import annotations

from math import exp, inf, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.statistics.betting import Floats, NextValueForecast
from vivavoce.statistics.confidence_sequences import mean_above

LEAN = 0.75
"""Standard deviations. With .6 the median above is 40; with 1, a score of .9 with 10% unparsed needs as many questions as the
mixture.
"""


class LeaningTest:
    """E-process against "the mean is at most `null`", by values of which some are lower ends.

    Parameters
    ----------
    null: in (0, 1).
    goal: the natural logarithm of the e-value at which you would stop; a larger e-value counts in full.
    population: number of values in all if they are drawn without replacement; None if they are i.i.d.

    Example
    -------
    >>> test = LeaningTest(0.7, goal=3.0)
    >>> path = test.update([1, 1, 1, 0, 1], [False, False, False, True, False])
    >>> bool((path[:4] == mean_above(0.7).update([1, 1, 1, 0])).all())
    True
    """

    def __init__(self, null: float, *, goal: float, population: int | None = None) -> None:
        self.mixture = mean_above(null, population=population)
        """The bets while all values are known; it takes all values."""
        self.log_e = 0.0
        self._goal = goal
        self._leans = False
        self._whole = True
        """Whether all values so far were 0 or 1."""

    def update(self, values: ArrayLike, unsure: ArrayLike) -> Floats:
        """Take further values in [0, 1] in drawn order; the log e-value after each. `unsure`: which are only lower ends."""
        x: Floats = np.atleast_1d(np.asarray(values, dtype=np.float64))
        known: NDArray[np.bool_] = ~np.atleast_1d(np.asarray(unsure, dtype=bool))
        path = np.empty(x.size)
        # the bet on the first unknown value was placed before that was known
        before = 0 if self._leans else x.size if known.all() else int(np.argmin(known)) + 1
        if before:
            path[:before] = self.mixture.update(x[:before])
            self.log_e = float(path[before - 1])
            self._leans = not known[:before].all()
            self._whole &= _whole(x[:before])
        for index in range(before, x.size):
            path[index] = self._take(float(x[index]))
        return path

    def _take(self, value: float) -> float:
        outlook = self.mixture.outlook()
        if self.mixture.update([value])[-1] == inf:
            self.log_e = inf
        elif outlook is not None and self.log_e > -inf:
            m, p = outlook.null, self._bet(outlook)
            factor = 1 + (p - m) / (m * (1 - m)) * (value - m)
            self.log_e += log(factor) if factor > 0 else -inf
        self._whole &= value in (0.0, 1.0)
        return self.log_e

    def _bet(self, outlook: NextValueForecast) -> float:
        """The mean that the next bet is on, at least the null."""
        further = LEAN * outlook.deviation
        # at most halfway to 1: a bet on 1 itself loses everything at the first 0
        leaning = min(outlook.mean + further, (1 + outlook.mean) / 2)
        left = self._goal - self.log_e
        if not 0 < left < -log(outlook.null):
            return leaning
        enough = outlook.null * exp(left)
        if enough < leaning:
            return enough if self._whole else leaning
        return enough if enough <= min(leaning + further, (1 + leaning) / 2) else leaning


def _whole(values: Floats) -> bool:
    return bool(((values == 0) | (values == 1)).all())
