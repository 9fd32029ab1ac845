"""Differences by check: a table, histograms, the worst positions on boards, and the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from vivavoce.consistency.chess.comparison import Check, Comparison
from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.describe import in_words
from vivavoce.consistency.chess.summary import Summary
from vivavoce.formats.wording import clipped, count
from vivavoce.report.blocks import Block, Column, Figure, Fold, InFull, InShort, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.parts import method_of, notes, paragraphs

NAME: Final[Mapping[Check, str]] = {
    Check.FORCED: "Forced moves",
    Check.RECOMMENDED: "Recommended moves",
    Check.MIRROR: "Position mirroring",
    Check.BOARDS: "Board transformations",
}
"""The checks, as `fluri2024` calls them."""
SHOWN_BOARDS: Final = 6
"""Pairs of boards on a page, but at least three of each check."""
MOST_IN_SHORT: Final = 2
"""Positions of each check in a terminal."""
_LAWS: Final[Mapping[Check, str]] = {
    Check.FORCED: "Forced moves: before and after the only legal move, the game is the same game.",
    Check.RECOMMENDED: "Recommended moves: the engine's own best move must not alter what the position is worth to it.",
    Check.MIRROR: "Position mirroring: with colours swapped and the board turned over, White has Black's game.",
    Check.BOARDS: "Board transformations: without pawns and castling, a board may be turned and flipped at will. All eight "
    "orientations are evaluated; the difference is that between the highest and the lowest.",
}


@dataclass(frozen=True, slots=True)
class DifferenceHistograms:
    """How many positions have how large a difference, to be drawn."""

    plot: ClassVar[str] = "vivavoce.consistency.chess.plots:difference_histograms_drawing"
    summaries: tuple[Summary, ...]


def differences(summaries: Sequence[Summary]) -> Table:
    """What is counted, and a number with its interval for each check."""

    def row(what: str, *cells: Cell) -> Row:
        return Row(Cell(what), cells)

    return Table(
        (Column("Difference"), *(Column(NAME[of.check], short=of.check.value) for of in summaries)),
        (
            *(row(f"Over {limit:g}", *(share_cell(of.over[i]) for of in summaries)) for i, limit in enumerate(THRESHOLDS)),
            row("Mean difference", *(score_cell(of.mean_difference) for of in summaries)),
            row("Mean with its sign", *map(_signed, summaries)),
            row("Largest", *map(_largest, summaries)),
            row("At an end of the scale", *(share_cell(of.saturated) for of in summaries)),
            row("Positions", *(count_cell(of.n) for of in summaries)),
            row("From games", *(count_cell(of.games) for of in summaries)),
            row("No answer", *(count_cell(of.no_answers) for of in summaries)),
            row("Skipped", *(count_cell(sum(of.skipped.values())) for of in summaries)),
        ),
    )


def skipped(summaries: Sequence[Summary]) -> tuple[Paragraph, ...]:
    """Why positions were skipped, one sentence a check."""
    return notes(
        *(
            f"Skipped, {NAME[of.check]}: {', '.join(f'{reason} {count(number)}' for reason, number in of.skipped.items())}."
            for of in summaries
            if of.skipped
        )
    )


def histograms(summaries: tuple[Summary, ...]) -> Figure:
    """How many positions have how large a difference."""
    return Figure(DifferenceHistograms(summaries))


def worst_positions(summaries: Sequence[Summary]) -> Section:
    """The worst comparisons of each check, on boards; in a terminal in words."""
    most = max(3, SHOWN_BOARDS // len(summaries))
    lines = (line for of in summaries for comparison in _worst(of, MOST_IN_SHORT) for line in _lines(comparison))
    return Section(
        "The worst positions",
        (
            InFull(
                (
                    Paragraph(
                        "The largest differences, one of each game. Arrows are the engine’s best moves, bars its evaluations, "
                        "with the chance of winning, (q + 1 − d) / 2 of an evaluation q, where it says how large a share d of "
                        "games is drawn.",
                        quiet=True,
                    ),
                    *(Section(NAME[of.check], _boards(_worst(of, most))) for of in summaries),
                )
            ),
            InShort(tuple(lines)),
        ),
    )


def board_pair(comparison: Comparison) -> Figure:
    """Two positions with what the engine says about each, and both to be copied."""
    codes = (comparison.first.fen, comparison.second.fen)
    return Figure(comparison, codes=codes, source=clipped(comparison.game, 120))


def method(checks: Sequence[Check]) -> Fold:
    """How the numbers were found."""
    return method_of(how_compared(checks))


def how_compared(checks: Sequence[Check]) -> tuple[str, ...]:
    """The same in sentences."""
    return (
        "Each position is evaluated by itself: the engine is told the position alone, after its memory was cleared. An "
        "evaluation is the expected outcome between −1 (lost) and 1 (won); after a move, which changes the side to move, the "
        "sign is turned.",
        *(_LAWS[check] for check in checks),
        "Mean with its sign: the first evaluation minus the second, both for the same side. Above 0 the engine likes "
        "to be the one to move (moves), or likes a position better as it is than mirrored.",
        "Intervals are at level 95%. Positions of one game are alike, so games are resampled, not positions: standard errors "
        "are from 1,000 worlds in which each game occurs a Poisson number of times (a Poisson bootstrap). Means have "
        "Student's interval, shares that of Clopper and Pearson at the number of independent positions that would be as "
        "uncertain.",
    )


def _boards(comparisons: Sequence[Comparison]) -> tuple[Block, ...]:
    return tuple(map(board_pair, comparisons)) or paragraphs("No difference was found.")


def _lines(comparison: Comparison) -> tuple[Paragraph, ...]:
    return (*paragraphs(in_words(comparison)), *notes(comparison.first.fen))


def _worst(summary: Summary, most: int) -> list[Comparison]:
    """The worst comparisons, of each game only the worst."""
    by_game: dict[str, Comparison] = {}
    for comparison in summary.worst:
        if comparison.difference > 0:
            by_game.setdefault(comparison.game, comparison)
    return list(by_game.values())[:most]


def _signed(summary: Summary) -> Cell:
    if summary.check is Check.BOARDS or summary.mean_signed.value is None:
        return Cell("none", known=False)
    return signed_cell(summary.mean_signed)


def _largest(summary: Summary) -> Cell:
    return Cell("none", known=False) if summary.largest is None else Cell(f"{summary.largest:.2f}", summary.largest)
