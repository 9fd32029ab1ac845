"""Counting comparisons, in constant memory: shares, means, histogram and the worst, with intervals over games."""

from __future__ import annotations

import heapq
from collections import Counter

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit

from vivavoce.consistency.chess.bootstrap import GameBootstrap
from vivavoce.consistency.chess.comparison import Check, Comparison
from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.finding import FEWEST_GAMES
from vivavoce.consistency.chess.summary import BINS, Summary
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval

SATURATED = 0.999
"""An evaluation of at least this size leaves no room above it: a difference may be hidden there."""
WORST = 10

_UNITS = 10**9
"""Differences are counted in billionths: .65 - .6 is no more than .05, and sums come out the same in any order."""
_LIMITS = tuple(round(threshold * _UNITS) for threshold in THRESHOLDS)
_BIN = 2 * _UNITS // BINS

_Floats = NDArray[np.float64]
_Key = tuple[int, str, str, str]


class Tally:
    """All that is counted of one check.

    Memory and time for one comparison do not depend on how many came before. Add the positions of one game one after another.

    Intervals at level .95 rest on standard errors from a Poisson bootstrap over games. Means: Student's t with games - 1
    degrees of freedom. Shares: Clopper and Pearson's interval at the effective number of positions (`korn1998`), and at the
    number of games where all positions agree, since the bootstrap knows nothing of what it never saw; likewise means where no
    game differs from another (`statistics.bounded.bounded_mean`).
    With fewer than three games an interval is everything that is possible.
    """

    def __init__(self, check: Check, *, seed: int) -> None:
        self.check = check
        self._sums = GameBootstrap(4 + len(_LIMITS), seed=seed)
        self._histogram = [0] * BINS
        self._worst: list[tuple[_Key, Comparison]] = []
        self._skipped: Counter[str] = Counter()
        self._no_answers = 0

    def add(self, comparison: Comparison) -> None:
        """Count one comparison of this check."""
        signed = round(comparison.signed * _UNITS)
        size = abs(signed)
        saturated = max(abs(comparison.first.evaluation.q), abs(comparison.second.evaluation.q)) >= SATURATED
        self._sums.add(comparison.game, (1, signed, size, saturated, *(size > limit for limit in _LIMITS)))
        self._histogram[min(size // _BIN, BINS - 1)] += 1
        self._keep((size, comparison.first.fen, comparison.second.fen, comparison.label), comparison)

    def skip(self, reason: str) -> None:
        """Count a position that the check does not apply to."""
        self._skipped[reason] += 1

    def no_answer(self) -> None:
        """Count a position that the engine did not evaluate."""
        self._no_answers += 1

    def summary(self) -> Summary:
        """Everything counted so far."""
        totals, replicates = self._sums.totals, self._sums.replicates()
        n, games = int(totals[0]), self._sums.games
        worlds = replicates[:, 1:] / np.maximum(replicates[:, :1], 1)
        drawn = worlds[replicates[:, 0] > 0]  # a world in which no game occurs has no mean
        columns = list(zip((totals[1:] / max(n, 1)).tolist(), drawn.T, strict=True))
        (signed, size, saturated), over = columns[:3], columns[3:]
        worst = [comparison for _, comparison in sorted(self._worst, key=lambda kept: kept[0], reverse=True)]
        return Summary(
            check=self.check,
            n=n,
            games=games,
            over=tuple(share_of_games(*column, n, games) for column in over),
            mean_signed=mean_of_games(_scaled(signed), n, games, Interval(-2.0, 2.0)),
            mean_difference=mean_of_games(_scaled(size), n, games, Interval(0.0, 2.0)),
            largest=worst[0].difference if worst else None,
            saturated=share_of_games(*saturated, n, games),
            skipped=dict(sorted(self._skipped.items())),
            no_answers=self._no_answers,
            histogram=tuple(self._histogram),
            worst=tuple(worst),
            replicates=tuple(tuple(shares.tolist()) for shares in worlds.T[3:]),
        )

    def _keep(self, key: _Key, comparison: Comparison) -> None:
        """Remember the comparison if it is among the worst; the same pair of positions is kept once."""
        if len(self._worst) == WORST and key <= self._worst[0][0]:
            return
        if any(kept == key for kept, _ in self._worst):
            return
        heapq.heappush(self._worst, (key, comparison))
        if len(self._worst) > WORST:
            heapq.heappop(self._worst)


def _scaled(column: tuple[float, _Floats]) -> tuple[float, _Floats]:
    return column[0] / _UNITS, column[1] / _UNITS


def mean_of_games(column: tuple[float, _Floats], n: int, games: int, possible: Interval) -> Estimate:
    """A mean with its interval, from its value and its replicates in worlds of other games; `possible`: all that it can be."""
    if games < FEWEST_GAMES:
        return Estimate(column[0] if n else None, possible, n)
    value, deviation = column[0], float(column[1].std())
    half = _student(games - 1) * deviation
    lower, upper = value - half, value + half
    if deviation == 0:  # no certainty: values as far off as can be may make up as much as was never seen
        unseen = share_of_games(0.0, column[1], n, games).interval.upper
        lower, upper = value - (value - possible.lower) * unseen, value + (possible.upper - value) * unseen
    return Estimate(value, Interval(max(lower, possible.lower), min(upper, possible.upper)), n)


def share_of_games(value: float, replicates: _Floats, n: int, games: int) -> Estimate:
    """A share with its interval, from its value and its replicates in worlds of other games."""
    if games < FEWEST_GAMES:
        return Estimate(value if n else None, Interval(0.0, 1.0), n)
    size = float(games) if value in (0.0, 1.0) else _effective(value, replicates, n, games)
    tail = (1 - CONFIDENCE) / 2
    lower = 0.0 if value == 0 else float(betaincinv(value * size, (1 - value) * size + 1, tail))
    upper = 1.0 if value == 1 else float(betaincinv(value * size + 1, (1 - value) * size, 1 - tail))
    return Estimate(value, Interval(lower, upper), n)


def _effective(value: float, replicates: _Floats, n: int, games: int) -> float:
    """This many independent positions would tell as much; fewer still where few games make the variance itself uncertain."""
    variance = float(replicates.var())
    size = n if variance == 0 else min(n, value * (1 - value) / variance)
    return size * (_student(n - 1) / _student(games - 1)) ** 2


def _student(degrees: int) -> float:
    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))
