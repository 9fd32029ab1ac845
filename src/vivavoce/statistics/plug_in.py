"""E-processes for a pair of candidates that learn from the answers how far their scores differ on one question.

The null is "the mean difference is at most c", for differences d in [-1, 1]. A plug-in bet of size l multiplies its capital by
1 + l (d - c). Here l is the log-optimal size against c = -r, for a margin r, if both candidates are equal and q is the mean
square of d so far: the share of discordant questions if answers are right or wrong. With probability q / 2 for d = -1 and for
d = 1, the derivative of E log(1 + l (d + r)) is 0 at

    l(q, r) = 2 r / (q - 2 r^2 + sqrt(q^2 + 4 r^2 (1 - q))),

which falls in q. q begins as if 5 questions had a mean square of .2. If each of N questions is drawn once, c is the mean of
the differences that are left, c_t = (N c - sum of earlier d) / (N - t + 1), and r is r N / (N - t + 1), the distance of c_t
from the mean that is left if both are equal. In each case the bet is min(l, 1 / (1 + c_t)), so capital is never negative.

**All values known.** l depends on earlier values alone, and the mean of d_t given those is at most c_t under the null. So each
factor has a conditional expectation of at most 1: the capital is a supermartingale, and an e-process.

**Values that are not known, or become known later.** An unparsed reply, a fault that a later run asks again, or a late grade
has a value between two ends. The capital is not monotone in earlier values, since they change later bets: against c = -.2,
with 20 ties after the first value, it is 9.5, 49.2 and 45.7 if that is -1, 0 and 1. So the bets are those for the true values,
as above, and the number reported is a lower bound of their capital, whatever the true values are. The factor

    f(l, d, c) = 1 + min(l, 1 / (1 + c)) (d - c)

rises in d, falls in c (where the minimum is 1 / (1 + c), f is (1 + d) / (1 + c)), and is monotone in l. d is at least its
lower end. c_t is at most what it is with lower ends for the earlier d. l lies between l(q, r) for the most and for the least
that q may be. So the smaller of f at these two sizes, with the lower end for d and lower ends in c_t, is at most the true
factor, and the product is at most the true capital. That holds on every path and whatever is known at which time. So the bound
exceeds 1/delta at any time only if the true capital does at that point of the order, which has a probability of at most delta.
No one gains by choosing which answers are missing, or when they become known; nothing about that time needs a record. A later
value can only raise the bound. (If bets were those for what is known last, they could be chosen once an answer was seen: with
30% of the answers hidden for a time, up to 60% of gates at the margin would pass, `tests/validity/test_late_values.py`.)

**Other nulls.** l does not depend on the null c, and f falls in c, so the capital against c falls as c rises, on every path.
The same is true of the bets of `differences`. So for any margins claimed, r is one number that is fixed before the first
answer.

**Shares.** Against 0 a tenth of the capital is on the plug-in bet P, which replaces the smallest bet of `differences`, and the
rest on the other bets: a mixture M. Against the margins half of it is on P and half on M: E = (M + P) / 2. Both are
supermartingales with regard to the true values and what is known of them, as their bets are (`certificate.evidence`). At half
of delta, "better" needs M(0) >= 2 / delta. If the difference is d < 0, then E(d) >= M(d) / 2 >= M(0) / 2, so E(d) >= 1 /
delta: wrong statements about the direction, and about any margins, have one event of probability delta
(`certificate.comparison.evidence`). Less than one half of M in E would break this. In all, P has .55 of E.

A larger share in M costs more where candidates differ by much, and gains where they are alike or differ by about the margin.
With a margin of .02 and 10% / 30% discordance, equal candidates need 1.06 / 1.10 times the questions of the best constant bet
(`bench/paired_bets.py`); with P in E alone, 1.08 / 1.12. Without the second smallest bet too, D = .05 at 60% takes 13% longer.

Sources: betting, `waudbysmith2024`, without replacement `waudbysmith2020`; plug-in bets, their "predictable plug-in". The
bound for unknown values and the shares are our own.
"""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import FRACTIONS, DifferenceTests, lowest_mean

SHARE: Final = 0.1
"""The share of the plug-in bet in M; in E it has half of the rest too, and the module's docstring says why not more."""
_PRIOR_SQUARES, _PRIOR_QUESTIONS = 1.0, 5.0
_WIDEST = 0.9
"""The largest margin that a bet is made for, when few questions are left."""
_BLOCK = 4_096
"""Differences of a row that are taken at once."""
_LEAST = 1e-9
"""The smallest 1 + c by which a bet is limited; below it the null is impossible."""


def log_optimal_bet(mean_square: ArrayLike, margin: ArrayLike) -> Floats:
    """The log-optimal bet against "the mean difference is at most -margin" if it is 0, for differences of -1, 0 and 1.

    >>> float(log_optimal_bet(0.1, 0.02).round(4)), float(log_optimal_bet(1.0, 0.5).round(4))  # r / (1 - r^2) without ties
    (0.194, 0.6667)
    """
    q, r = np.asarray(mean_square, dtype=np.float64), np.asarray(margin, dtype=np.float64)
    result: Floats = 2 * r / (q - 2 * r**2 + np.sqrt(q**2 + 4 * r**2 * (1 - q)))
    return result


class PlugInBets:
    """Plug-in bets against "the mean difference is at most `null`", one for each null, over shared questions.

    Parameters
    ----------
    nulls: shape (M,), each in (-1, 1).
    margin: r, in (0, 1); fixed before the first answer.
    population: number of questions if each is drawn once; None if they are i.i.d.

    >>> bets = PlugInBets([-0.1], 0.1)
    >>> bool(bets.update([[0.0] * 40], [[0.0] * 40])[0, -1] > np.log(20))
    True
    """

    def __init__(self, nulls: ArrayLike, margin: float, *, population: int | None = None) -> None:
        self._null = np.atleast_1d(np.asarray(nulls, dtype=np.float64))
        if not 0 < margin < 1:
            raise BadInput(f"the margin of the bets is {margin}; it must lie strictly between 0 and 1")
        self._margin, self._population = margin, population
        self._log_capital, self._sum = np.zeros(self._null.size), np.zeros(self._null.size)
        self._squares = np.zeros((2, self._null.size))
        """The least and the most that the sum of the squares may be."""
        self._n = 0

    def update(self, least: ArrayLike, most: ArrayLike) -> Floats:
        """Take the least and the most that further differences may be, shape (M, B); the log capital after each, at least."""
        low, high = np.asarray(least, dtype=np.float64), np.asarray(most, dtype=np.float64)
        n = self._n + np.arange(low.shape[1], dtype=np.float64)
        squares = np.stack([np.where(low * high > 0, np.minimum(low**2, high**2), 0.0), np.maximum(low**2, high**2)])
        after = self._squares[:, :, None] + np.cumsum(squares, axis=2)
        bold, cautious = (after - squares + _PRIOR_SQUARES) / (n + _PRIOR_QUESTIONS)
        null, margin = self._null[:, None], np.full(n.size, self._margin)
        if self._population is not None:
            left = self._population - n
            null = (self._population * null - (self._sum[:, None] + np.cumsum(low, axis=1) - low)) / left
            margin = np.minimum(margin * self._population / left, _WIDEST)
        gain = low - null
        bet = np.where(gain >= 0, log_optimal_bet(cautious, margin), log_optimal_bet(bold, margin))
        bet = np.minimum(bet, 1 / np.maximum(1 + null, _LEAST))
        with np.errstate(divide="ignore"):
            path: Floats = self._log_capital[:, None] + np.cumsum(np.log(np.maximum(1 + bet * gain, 0.0)), axis=1)
        self._log_capital, self._sum, self._n = path[:, -1], self._sum + low.sum(axis=1), self._n + n.size
        self._squares = after[:, :, -1]
        return path

    def take(self, least: Floats, most: Floats) -> Floats:
        """Take differences as `update` does; the log capital after the last of each row, shape (M,).

        A row has NaN after its last difference. No more can be taken after that.
        """
        known = ~np.isnan(least)
        last, result = known.sum(axis=1) - 1, np.zeros(self._null.size)
        for start in range(0, least.shape[1], _BLOCK):
            block = slice(start, start + _BLOCK)
            path = self.update(*(np.where(known[:, block], ends[:, block], 0.0) for ends in (least, most)))
            ends_here = np.flatnonzero((last >= start) & (last < start + path.shape[1]))
            result[ends_here] = path[ends_here, last[ends_here] - start]
        return result

    def drop(self, rows: NDArray[np.bool_]) -> None:
        """Drop these bets; the others move up."""
        for name in ("_null", "_log_capital", "_sum"):
            setattr(self, name, getattr(self, name)[~rows])
        self._squares = self._squares[:, ~rows]


class PairedDifferenceTests:
    """E-processes against four nulls of each pair of candidates: D <= 0, D >= 0, D <= -margin, D >= margin.

    Parameters
    ----------
    pairs: their number.
    margin: in (-1, 1).
    aim: the margin that plug-in bets are made for, fixed before the first answer; 0: there are none.
    population: number of questions if each is drawn once; None if they are i.i.d.

    Example
    -------
    >>> alike = np.zeros((1, 200))
    >>> [PairedDifferenceTests(1, 0.02, aim=aim).update(alike, alike)[2, 0, -1].round(2).item() for aim in (0.0, 0.02)]
    [2.63, 2.8]
    """

    def __init__(self, pairs: int, margin: float, *, aim: float = 0.0, population: int | None = None) -> None:
        nulls = np.repeat([0.0, 0.0, -margin, -margin], pairs)
        self._bets = DifferenceTests(nulls, population=population, fractions=FRACTIONS[1:] if aim > 0 else FRACTIONS)
        self._plug_in = PlugInBets(nulls, aim, population=population) if aim > 0 else None

    @property
    def n(self) -> int:
        """Questions taken."""
        return self._bets.n

    def update(self, least: Floats, most: Floats) -> Floats:
        """Take the least and the most that further differences may be, shape (P, B); the log e-values after each: (4, P, B)."""
        low, high = np.concatenate([least, -most] * 2), np.concatenate([most, -least] * 2)
        path = self._bets.update(low)
        if self._plug_in is not None:
            path = _mixture(path, plug_in := self._plug_in.update(low, high))
            margins = slice(2 * len(least), None)
            path[margins] = _with_half(path[margins], plug_in[margins])
        return path.reshape(4, *least.shape)

    def drop(self, pairs: NDArray[np.bool_]) -> None:
        """Drop these pairs; the others move up."""
        self._bets.drop(np.tile(pairs, 4))
        if self._plug_in is not None:
            self._plug_in.drop(np.tile(pairs, 4))


def margin_bounds(
    least: Floats, most: Floats, delta: float, *, margin: float, aim: float, population: int | None = None
) -> tuple[Floats, Floats]:
    """Confidence sequences by the tests against margins, as `differences.difference_bounds` gives them by the mixture alone.

    margin: the verdict's, where the search begins. aim: as for `PairedDifferenceTests`, above 0.

    >>> alike = np.zeros((1, 300))
    >>> [round(float(end[0]), 3) for end in margin_bounds(alike, alike, 0.1, margin=0.02, aim=0.02)]
    [-0.013, 0.013]
    """

    def lowest(low: Floats, high: Floats) -> Floats:
        def log_e(nulls: Floats) -> Floats:
            plug_in = PlugInBets(nulls, aim, population=population).take(low, high)
            bets = DifferenceTests(nulls, population=population, fractions=FRACTIONS[1:]).take(low)
            return _with_half(_mixture(bets, plug_in), plug_in)

        return lowest_mean(low, delta / 2, population, log_e, first=-margin)

    def lowest_by_length(low: Floats, high: Floats) -> Floats:
        """The same for rows of about the same length at a time, since bets go on to the end of the longest one."""
        ends = np.empty(low.shape[0])
        longest = 2 ** np.ceil(np.log2(np.maximum((~np.isnan(low)).sum(axis=1), 1))).astype(np.intp)
        for length in np.unique(longest):
            rows = longest == length
            ends[rows] = lowest(low[rows, :length], high[rows, :length])
        return ends

    return lowest_by_length(least, most), -lowest_by_length(-most, -least)


def _mixture(bets: Floats, plug_in: Floats) -> Floats:
    """The logarithm of M."""
    result: Floats = np.logaddexp(bets + log(1 - SHARE), plug_in + log(SHARE))
    return result


def _with_half(mixture: Floats, plug_in: Floats) -> Floats:
    """The logarithm of E."""
    result: Floats = np.logaddexp(mixture, plug_in) - log(2)
    return result
