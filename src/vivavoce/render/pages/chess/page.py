"""What the chess checks say on their page: everything the template needs, already in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vivavoce.consistency.chess.comparison import THRESHOLDS, Check, Comparison
from vivavoce.consistency.chess.describe import in_words
from vivavoce.consistency.chess.finding import ChessConsistency, Row, engine
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import (
    clipped,
    count,
    percent,
    percent_interval,
    score,
    score_interval,
    signed,
    signed_interval,
)
from vivavoce.render.plots.chess import NAME, histograms
from vivavoce.render.plots.drawing import Plot, figure
from vivavoce.render.wording import hyphenated

SHOWN_BOARDS = 6
"""Pairs of boards on a page, but at least three of each check."""

Cell = tuple[str, str]
"""A number and its interval."""


def chess_title(finding: ChessConsistency) -> str:
    """What the page is."""
    return f"Contradictions of {engine(finding.candidate)} in chess"


def chess_body(finding: ChessConsistency, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    plot = histograms(finding.rows, f"{name}h")
    return {
        "finding": finding,
        "columns": [hyphenated(NAME[row.check]) for row in finding.rows],
        "numbers": numbers(finding.rows),
        "skips": skips(finding.rows),
        "plots": [figure(plot)] if plot else [],
        "worst": [_worst(row, f"{name}{row.check.value}", max(3, SHOWN_BOARDS // len(finding.rows))) for row in finding.rows],
        "method": method(finding.rows),
    }


def numbers(rows: Sequence[Row]) -> list[tuple[str, tuple[Cell, ...]]]:
    """The table: what is counted, and a number with its interval for each check."""
    over = [
        (f"Over {threshold:g}", tuple(_share(row.over[which]) for row in rows)) for which, threshold in enumerate(THRESHOLDS)
    ]
    return [
        *over,
        ("Mean difference", tuple(_mean(row.mean_difference) for row in rows)),
        ("Mean with its sign", tuple(_signed(row) for row in rows)),
        ("Largest", tuple(("none" if row.largest is None else f"{row.largest:.2f}", "") for row in rows)),
        ("At an end of the scale", tuple(_share(row.saturated) for row in rows)),
        ("Positions", tuple((count(row.n), "") for row in rows)),
        ("From games", tuple((count(row.games), "") for row in rows)),
        ("No answer", tuple((count(row.no_answers), "") for row in rows)),
        ("Skipped", tuple((count(sum(row.skipped.values())), "") for row in rows)),
    ]


def skips(rows: Sequence[Row]) -> list[str]:
    """Why positions were skipped, one sentence a check."""
    return [
        f"{NAME[row.check]}: {', '.join(f'{reason} {count(number)}' for reason, number in row.skipped.items())}."
        for row in rows
        if row.skipped
    ]


def method(rows: Sequence[Row]) -> list[str]:
    """How the numbers were found, in sentences."""
    law = {
        Check.FORCED: "Forced moves: before and after the only legal move, the game is the same game.",
        Check.RECOMMENDED: "Recommended moves: the engine's own best move must not alter what the position is worth to it.",
        Check.MIRROR: "Position mirroring: with colours swapped and the board turned over, White has Black's game.",
        Check.BOARDS: "Board transformations: without pawns and castling, a board may be turned and flipped at will. "
        "All eight orientations are evaluated; the difference is that between the highest and the lowest.",
    }
    return [
        "Each position is evaluated by itself: the engine is told the position alone, after its memory was cleared. An "
        "evaluation is the expected outcome between −1 (lost) and 1 (won); after a move, which changes the side to move, the "
        "sign is turned.",
        *(law[row.check] for row in rows),
        "Mean with its sign: the first evaluation minus the second, both for the same side. Above 0 the engine likes "
        "to be the one to move (moves), or likes a position better as it is than mirrored.",
        "Intervals are at level 95%. Positions of one game are alike, so games are resampled, not positions: standard errors "
        "are from 1,000 worlds in which each game occurs a Poisson number of times (a Poisson bootstrap). Means have "
        "Student's interval, shares that of Clopper and Pearson at the number of independent positions that would be as "
        "uncertain.",
    ]


def shown_worst(row: Row, limit: int) -> list[Comparison]:
    """The worst comparisons, of each game only the worst."""
    by_game: dict[str, Comparison] = {}
    for comparison in row.worst:
        if comparison.difference > 0:
            by_game.setdefault(comparison.game, comparison)
    return list(by_game.values())[:limit]


def _worst(row: Row, name: str, limit: int) -> dict[str, Any]:
    from vivavoce.render.plots.chess_boards import boards

    pairs = []
    for number, comparison in enumerate(shown_worst(row, limit), 1):
        drawing = figure(Plot(boards(comparison, f"{name}{number}"), in_words(comparison)))
        fens = (comparison.first.fen, comparison.second.fen)
        pairs.append({**drawing, "game": clipped(comparison.game, 120), "fens": fens})
    return {"name": NAME[row.check], "pairs": pairs}


def _share(estimate: Estimate) -> Cell:
    return ("unknown" if estimate.value is None else percent(estimate.value), percent_interval(estimate.interval))


def _mean(estimate: Estimate) -> Cell:
    return ("unknown" if estimate.value is None else score(estimate.value), score_interval(estimate.interval))


def _signed(row: Row) -> Cell:
    estimate = row.mean_signed
    if row.check is Check.BOARDS or estimate.value is None:
        return ("none", "")
    return (signed(estimate.value), signed_interval(estimate.interval))
