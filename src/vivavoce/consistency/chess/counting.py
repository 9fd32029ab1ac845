"""Counts of differences with intervals clustered by game, and the regression of shares on node counts."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import shake_256
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, pdtr, stdtrit

from vivavoce.consistency.chess.comparison import DIGITS, ChessComparison
from vivavoce.consistency.config import THRESHOLDS
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval

REPLICATES = 1_000
_LEVELS = 2**16
"""Each weight is computed from two bytes."""


class GameBootstrap:
    """Column sums of integers, and their 1,000 Poisson(1) bootstrap replicates over games.

    Positions of one game are not independent, so games are resampled, not positions: all positions of a game share its weights.
    The weights depend only on the seed and the game's name, so the order of positions does not change the sums, to the last
    digit. Adding the positions of a game consecutively is fastest.

    >>> sums = GameBootstrap(2, seed=0)
    >>> sums.add("a", (1, 10)); sums.add("a", (1, 20)); sums.add("b", (1, 5))
    >>> sums.totals.tolist(), sums.replicates().shape, sums.games
    ([3, 35], (1000, 2), 2)
    """

    def __init__(self, columns: int, *, seed: int) -> None:
        self._seed = seed
        self._totals = np.zeros(columns, dtype=np.int64)
        self._replicates = np.zeros((REPLICATES, columns), dtype=np.int64)
        self._game: str | None = None
        self._current = [0] * columns
        self.games = 0
        """Runs of consecutive positions of one game. A game that returns later is counted again; its weights stay the same."""

    def add(self, game: str, values: Sequence[int]) -> None:
        """Count one position of a game."""
        if game != self._game:
            self._settle()
            self._game = game
            self.games += 1
        self._current = [total + value for total, value in zip(self._current, values, strict=True)]

    @property
    def totals(self) -> NDArray[np.int64]:
        """The sums without resampling."""
        self._settle()
        return self._totals.copy()

    def replicates(self) -> NDArray[np.int64]:
        """The sums in each replicate, one row per replicate."""
        self._settle()
        return self._replicates.copy()

    def _settle(self) -> None:
        """Add the counts of the current game to all sums."""
        if self._game is None or not any(self._current):
            return
        sums = np.array(self._current, dtype=np.int64)
        self._totals += sums
        self._replicates += np.multiply.outer(weights(self._seed, self._game), sums)
        self._current = [0] * len(self._current)


def weights(seed: int, game: str) -> NDArray[np.int64]:
    """The number of copies of the game in each replicate: independent Poisson(1) numbers from a hash of seed and name.

    Each number uses two bytes, so probabilities are exact to 1/65,536, and no weight exceeds 8.

    >>> bool((weights(0, "Kasparov - Topalov") == weights(0, "Kasparov - Topalov")).all())
    True
    """
    digest = shake_256(f"{seed}/{game}".encode("utf-8", "surrogatepass")).digest(2 * REPLICATES)
    return _poisson().take(np.frombuffer(digest, dtype="<u2"))


@cache
def _poisson() -> NDArray[np.int64]:
    """The Poisson(1) quantile at the middle of each level."""
    middles = (np.arange(_LEVELS) + 0.5) / _LEVELS
    return np.asarray(pdtr(np.arange(20), 1.0)).searchsorted(middles).astype(np.int64)


FEWEST_GAMES: Final = 3
"""With fewer games, the variation between games can't be estimated."""
SATURATED: Final = 0.999
"""An evaluation of at least this size is at the end of the scale, which may hide a difference."""
WORST: Final = 10
BINS: Final = 200
"""Bins of the histogram of differences from 0 to 2."""

_UNITS = 10**DIGITS
"""Differences are counted in billionths, as integers, so that sums do not depend on their order."""
_LIMITS = tuple(round(threshold * _UNITS) for threshold in THRESHOLDS)
_BIN = 2 * _UNITS // BINS

_Floats = NDArray[np.float64]
_Key = tuple[int, str, str, str]


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """The counts of one check."""

    check: str
    n: int
    """Positions compared."""
    games: int
    """Games of these positions."""
    over: tuple[Estimate, ...]
    """Share of positions with a difference above each of `THRESHOLDS`."""
    mean_signed: Estimate
    """Mean signed difference: a systematic bias, for example towards the side to move."""
    mean_difference: Estimate
    largest: float | None
    """The largest difference; None if no positions were compared."""
    saturated: Estimate
    """Share of pairs with an evaluation at an end of the scale, which may hide a difference."""
    skipped: Mapping[str, int]
    """Positions that the check does not apply to, by reason."""
    no_answers: Mapping[str, int]
    """Positions without an evaluation, by reason; they are not part of any share."""
    histogram: tuple[int, ...]
    """Pairs by difference, in `BINS` bins of equal width from 0 to 2."""
    worst: tuple[ChessComparison, ...]
    replicates: tuple[tuple[float, ...], ...] = field(repr=False, default=())
    """The shares of `over` in each bootstrap replicate, one inner tuple per threshold; 0 in a replicate without games.
    Replicates with equal seeds are comparable."""


@dataclass(frozen=True, slots=True)
class CheckedPositions:
    """The counts of a tested engine, with everything needed to recompute them."""

    candidate: str
    source: str
    digest: str
    """SHA-256 of the positions' file; empty without a file."""
    seed: int
    settings: Mapping[str, object]
    summaries: tuple[CheckSummary, ...]
    """One per check, in the requested order."""
    each: tuple[ChessComparison, ...] = ()
    """All pairs if they were kept, by check and in the order of counting."""
    made_forced: int = 0
    """Forced positions that were constructed (by a check that leaves one reply), not found."""


class CheckTally:
    """Counts the differences of one check.

    Memory, and time for one comparison, do not grow with the number of comparisons. Add the positions of a game consecutively.

    Intervals have level .95 and use standard errors from a Poisson bootstrap over games. Means use Student's t with games - 1
    degrees of freedom. Shares use Clopper and Pearson's interval at the effective number of positions (`korn1998`). If all
    positions agree, the bootstrap sees no variation, so shares use the number of games instead. Means do the same if no game
    differs from another (`statistics.clustered.bounded_mean`). With fewer than three games, an interval contains every possible
    value.
    """

    def __init__(self, check: str, *, seed: int) -> None:
        self.check = check
        self._sums = GameBootstrap(4 + len(_LIMITS), seed=seed)
        self._histogram = [0] * BINS
        self._worst: list[tuple[_Key, ChessComparison]] = []
        self._skipped: Counter[str] = Counter()
        self._no_answers: Counter[str] = Counter()

    def add(self, pair: ChessComparison) -> None:
        """Count one pair of positions of this check."""
        signed = round(pair.signed * _UNITS)
        size = abs(signed)
        flags = (pair.extreme >= SATURATED, *(size > limit for limit in _LIMITS))
        self._sums.add(pair.game, (1, signed, size, *flags))
        self._histogram[min(size // _BIN, BINS - 1)] += 1
        self._keep((size, *pair.positions, pair.label), pair)

    def skip(self, reason: str) -> None:
        """Count a position that the check does not apply to."""
        self._skipped[reason] += 1

    def no_answer(self, reason: str) -> None:
        """Count a position that the engine did not evaluate."""
        self._no_answers[reason] += 1

    def summary(self) -> CheckSummary:
        """The counts so far."""
        totals, replicates = self._sums.totals, self._sums.replicates()
        n, games = int(totals[0]), self._sums.games
        worlds = replicates[:, 1:] / np.maximum(replicates[:, :1], 1)
        drawn = worlds[replicates[:, 0] > 0]  # a replicate without games has no mean
        columns = list(zip((totals[1:] / max(n, 1)).tolist(), drawn.T, strict=True))
        (signed, size, saturated), over = columns[:3], columns[3:]
        worst = [pair for _, pair in sorted(self._worst, key=lambda kept: kept[0], reverse=True)]
        return CheckSummary(
            check=self.check,
            n=n,
            games=games,
            over=tuple(share_of_games(*column, n, games) for column in over),
            mean_signed=mean_of_games(_scaled(signed), n, games, Interval(-2.0, 2.0)),
            mean_difference=mean_of_games(_scaled(size), n, games, Interval(0.0, 2.0)),
            largest=worst[0].difference if worst else None,
            saturated=share_of_games(*saturated, n, games),
            skipped=dict(sorted(self._skipped.items())),
            no_answers=dict(sorted(self._no_answers.items())),
            histogram=tuple(self._histogram),
            worst=tuple(worst),
            replicates=tuple(tuple(shares.tolist()) for shares in worlds.T[3:]),
        )

    def _keep(self, key: _Key, pair: ChessComparison) -> None:
        """Keep the pair if its difference is among the largest; the same pair of positions is kept once."""
        if len(self._worst) == WORST and key <= self._worst[0][0]:
            return
        if any(kept == key for kept, _ in self._worst):
            return
        heapq.heappush(self._worst, (key, pair))
        if len(self._worst) > WORST:
            heapq.heappop(self._worst)


def _scaled(column: tuple[float, _Floats]) -> tuple[float, _Floats]:
    return column[0] / _UNITS, column[1] / _UNITS


def mean_of_games(column: tuple[float, _Floats], n: int, games: int, possible: Interval) -> Estimate:
    """A mean with its interval, from its value and its bootstrap replicates; `possible` is the range of possible values."""
    if games < FEWEST_GAMES:
        return Estimate(column[0] if n else None, possible, n)
    value, deviation = column[0], float(column[1].std())
    half = _student(games - 1) * deviation
    lower, upper = value - half, value + half
    if deviation == 0:  # no variation was observed, so assume extreme values for the largest share that may be unseen
        unseen = share_of_games(0.0, column[1], n, games).interval.upper
        lower, upper = value - (value - possible.lower) * unseen, value + (possible.upper - value) * unseen
    return Estimate(value, Interval(max(lower, possible.lower), min(upper, possible.upper)), n)


def share_of_games(value: float, replicates: _Floats, n: int, games: int) -> Estimate:
    """A share with its interval, from its value and its bootstrap replicates."""
    if games < FEWEST_GAMES:
        return Estimate(value if n else None, Interval(0.0, 1.0), n)
    size = float(games) if value in (0.0, 1.0) else _effective(value, replicates, n, games)
    tail = (1 - CONFIDENCE) / 2
    lower = 0.0 if value == 0 else float(betaincinv(value * size, (1 - value) * size + 1, tail))
    upper = 1.0 if value == 1 else float(betaincinv(value * size + 1, (1 - value) * size, 1 - tail))
    return Estimate(value, Interval(lower, upper), n)


def _effective(value: float, replicates: _Floats, n: int, games: int) -> float:
    """The effective number of independent positions, reduced further if few games make the variance uncertain."""
    variance = float(replicates.var())
    size = n if variance == 0 else min(n, value * (1 - value) / variance)
    return size * (_student(n - 1) / _student(games - 1)) ** 2


def _student(degrees: int) -> float:
    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


FEWEST_POINTS: Final = 3
"""A line always fits two points, so it shows nothing."""


@dataclass(frozen=True, slots=True)
class Fit:
    """share = exp(intercept) * nodes ** slope, by least squares on logarithms."""

    threshold: float
    slope: Estimate
    """Its `n` is the number of node counts in the fit."""
    intercept: float
    tenfold: Estimate
    """The factor by which ten times as many nodes multiply the share."""


def fit_rows(rows: Sequence[tuple[int, CheckSummary]], threshold: float) -> Fit | None:
    """The fit for one threshold over all node counts with a share above 0; None with fewer than three, or too few games.

    For the slope's interval, the line is refitted in each bootstrap replicate, with the same game weights at every node count.
    A replicate omits a node count whose share in it is 0.
    """
    which = THRESHOLDS.index(threshold)
    used = [(nodes, row) for nodes, row in rows if row.over[which].value]
    if len(used) < FEWEST_POINTS or min(row.games for _, row in used) < FEWEST_GAMES:
        return None
    nodes = [number for number, _ in used]
    slope, intercept = line(nodes, [row.over[which].value or 0.0 for _, row in used])
    worlds = np.array([row.replicates[which] for _, row in used], dtype=np.float64).T
    slopes = [line(nodes, world)[0] for world in worlds if np.count_nonzero(world) >= FEWEST_POINTS]
    lower, upper = np.quantile(slopes, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    tenfold = Estimate(10**slope, Interval(10 ** float(lower), 10 ** float(upper)), len(used))
    return Fit(threshold, Estimate(slope, Interval(float(lower), float(upper)), len(used)), intercept, tenfold)


def line(nodes: Sequence[int], shares: Sequence[float] | NDArray[np.float64]) -> tuple[float, float]:
    """Slope and intercept of ln(share) on ln(nodes) by least squares; shares of 0 are omitted.

    If ten times the nodes halve the share, the slope is -ln(2)/ln(10) = -0.30103.

    >>> slope, intercept = line([1, 10], [0.4, 0.2])
    >>> round(slope, 5), round(intercept, 5)  # ln(0.4) = -0.91629
    (-0.30103, -0.91629)
    """
    x, y = np.log(np.asarray(nodes, dtype=np.float64)), np.asarray(shares, dtype=np.float64)
    x, y = x[y > 0], np.log(y[y > 0])
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    return slope, float(y.mean() - slope * x.mean())
