"""What the chess checks do not show, each in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vivavoce.consistency.chess.comparison import Check
from vivavoce.interview.wording import count, share

if TYPE_CHECKING:
    from vivavoce.consistency.chess.finding import Row

FEWEST_GAMES = 3
"""With fewer, nothing can be said about how games differ."""
FEW_GAMES = 30
"""With fewer, intervals over games are rough."""


def caveats(rows: Sequence[Row], *, source: str, made_forced: int = 0) -> tuple[str, ...]:
    """The caveats that apply, the weightiest first."""
    return tuple(sentence for sentence in _all(rows, source, made_forced) if sentence)


def _all(rows: Sequence[Row], source: str, made_forced: int) -> tuple[str, ...]:
    checks = {row.check for row in rows}
    judged = [judged for row in rows for comparison in row.worst for judged in (comparison.first, comparison.second)]
    saturated = max((row.saturated.value or 0.0 for row in rows), default=0.0)
    no_answers = sum(row.no_answers for row in rows)
    fewest = min((row.games for row in rows if row.n), default=FEW_GAMES)
    return (
        "A difference says that at least one of the two evaluations is wrong, not which one, nor how bad a move would be.",
        "The engine reports no WDL statistics (wins, draws, losses): its centipawns were mapped to an expected outcome by a "
        "logistic curve, and the size of every difference rests on that curve."
        if any(one.evaluation.wins is None for one in judged)
        else "Expected outcomes are the engine's own, as it maps its score to wins, draws and losses; another engine's mapping "
        "may be flatter, so do not compare sizes of differences between engines.",
        f"In up to {share(saturated)} of the comparisons an evaluation stands at the end of the scale (won or lost for "
        "certain): a difference may be hidden there."
        if saturated
        else "",
        "After a move the engine sees half a move further, so small differences are expected there; they shrink as the "
        "end of the game comes near."
        if checks & {Check.FORCED, Check.RECOMMENDED}
        else "",
        "Of eight orientations the two that differ most are compared, so the difference is larger than that of a single pair, "
        "and its sign means nothing."
        if Check.BOARDS in checks
        else "",
        f"In {count(made_forced)} of the positions the forced move was made, not found: a legal check that leaves one reply "
        "was played, often no move of a sensible game."
        if made_forced
        else "",
        f"It holds for positions as they come from {source or 'this source'}, each evaluated alone, without its game's history "
        "and with an empty hash table; other positions, another version or more nodes may give other results.",
        f"Left out of all shares, since the engine gave no evaluation: {count(no_answers)}." if no_answers else "",
        f"A check's positions come from {count(fewest)} game{'' if fewest == 1 else 's'} only, and positions of one game are "
        f"alike: {_rough(fewest)}"
        if fewest < FEW_GAMES
        else "",
    )


def _rough(games: int) -> str:
    return "intervals are rough." if games >= FEWEST_GAMES else "too few for an interval, so every possible value is given."
