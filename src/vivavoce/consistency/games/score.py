"""Counting comparisons: shares and means with intervals over games, as of chess engines."""

from __future__ import annotations

from collections import Counter

from vivavoce.consistency.chess.bootstrap import GameBootstrap
from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.score import mean_of_games, share_of_games
from vivavoce.consistency.games.comparison import Comparison
from vivavoce.consistency.games.config import CheckName
from vivavoce.consistency.games.summary import Summary
from vivavoce.formats.interval import Estimate, Interval

_UNITS = 10**9
"""Differences are counted in billionths: .65 - .6 is no more than .05, and sums come out the same in any order."""
_MOST = 2.0
"""The largest difference that there can be, between a game won and a game lost."""
_END = 0.999
"""A value of this size leaves no room above it, so a difference may be hidden there."""


class Tally:
    """All that is counted of one check; add the positions of one game one after another.

    Intervals at level .95 are those of the chess checks: standard errors from a Poisson bootstrap over games (`chamandy2012`),
    Student's for means, Clopper and Pearson's at the effective number of positions (`korn1998`) for shares.
    """

    def __init__(self, check: CheckName, *, seed: int) -> None:
        self.check = check
        self._limits = [round(threshold * _UNITS) for threshold in THRESHOLDS]
        self._sums = GameBootstrap(5 + len(self._limits), seed=seed)
        self._tells_moves = False
        self._comparisons: list[Comparison] = []
        self._skipped: Counter[str] = Counter()
        self._no_answers: Counter[str] = Counter()

    def add(self, comparison: Comparison) -> None:
        """Count one comparison of this check."""
        signed = round(comparison.signed * _UNITS)
        size = abs(signed)
        saturated = max(abs(comparison.first.value), abs(comparison.second.value)) >= _END
        self._tells_moves = comparison.plays_otherwise is not None
        flags = (saturated, bool(comparison.plays_otherwise), *(size > limit for limit in self._limits))
        self._sums.add(comparison.game, (1, signed, size, *flags))
        self._comparisons.append(comparison)

    def skip(self, reason: str) -> None:
        """Count a position that the check does not apply to."""
        self._skipped[reason] += 1

    def no_answer(self, reason: str) -> None:
        """Count a position that the engine gave no value."""
        self._no_answers[reason] += 1

    def summary(self) -> Summary:
        """Everything counted so far."""
        totals, replicates = self._sums.totals, self._sums.replicates()
        n, games = int(totals[0]), self._sums.games
        drawn = replicates[replicates[:, 0] > 0]  # a world in which no game occurs has no mean
        columns = list(zip((totals[1:] / max(n, 1)).tolist(), (drawn[:, 1:] / drawn[:, :1]).T, strict=True))
        (signed, size), rest = [(value / _UNITS, worlds / _UNITS) for value, worlds in columns[:2]], columns[2:]
        saturated, otherwise, *over = (share_of_games(*column, n, games) for column in rest)
        return Summary(
            check=self.check,
            n=n,
            games=games,
            over=tuple(over),
            mean_signed=mean_of_games(signed, n, games, Interval(-_MOST, _MOST)),
            mean_difference=mean_of_games(size, n, games, Interval(0.0, _MOST)),
            saturated=saturated,
            plays_otherwise=otherwise if self._tells_moves else Estimate(None, Interval(0.0, 1.0), 0),
            skipped=dict(sorted(self._skipped.items())),
            no_answers=dict(sorted(self._no_answers.items())),
            comparisons=tuple(sorted(self._comparisons, key=lambda one: (-one.difference, one.first.position, one.label))),
        )
