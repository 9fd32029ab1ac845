"""Differences by check: a table, histograms, the worst positions on boards, and the method."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final

from vivavoce.consistency.chess.comparison import Check, Comparison
from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.describe import Side, in_words, sides
from vivavoce.consistency.chess.summary import BINS, Summary
from vivavoce.formats.wording import clipped, count, signed
from vivavoce.report.blocks import Block, Column, Figure, Fold, InFull, InShort, Panels, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import Board, Boards, Histogram
from vivavoce.report.parts import method_of, notes, paragraphs

NAME: Final[Mapping[Check, str]] = {
    Check.FORCED: "Forced moves",
    Check.RECOMMENDED: "Recommended moves",
    Check.MIRROR: "Position mirroring",
    Check.BOARDS: "Board transformations",
}
"""The checks, as `fluri2024` calls them."""
DRAWN_BINS: Final = 40
"""At most, in a histogram."""
SHOWN_BOARDS: Final = 6
"""Pairs of boards on a page, but at least three of each check."""
MOST_IN_SHORT: Final = 2
"""Positions of each check in a terminal."""
_MOVE: Final = re.compile("[a-h][1-8][a-h][1-8][qrbn]?")
_LAWS: Final[Mapping[Check, str]] = {
    Check.FORCED: "Forced moves: before and after the only legal move, the game is the same game.",
    Check.RECOMMENDED: "Recommended moves: the engine's own best move must not alter what the position is worth to it.",
    Check.MIRROR: "Position mirroring: with colours swapped and the board turned over, White has Black's game.",
    Check.BOARDS: "Board transformations: without pawns and castling, a board may be turned and flipped at will. All eight "
    "orientations are evaluated; the difference is that between the highest and the lowest.",
}


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


def histograms(summaries: Sequence[Summary]) -> Panels:
    """How many positions have how large a difference, a panel a check (Figure 8 of `fluri2024`)."""
    shown = [(of, of.largest) for of in summaries if of.largest is not None]
    bins = min(BINS, ceil(BINS / 2 * (1.08 * max((largest for _, largest in shown), default=0.0) + 0.04)))
    joined = -(-bins // DRAWN_BINS)
    counts = [
        tuple(sum(of.histogram[place : place + joined]) for place in range(0, joined * ceil(bins / joined), joined))
        for of, _ in shown
    ]
    most = max(map(max, counts), default=0)
    return Panels(
        tuple(
            difference_histogram(NAME[of.check], numbers, joined * 2 / BINS, largest, most)
            for (of, largest), numbers in zip(shown, counts, strict=True)
        )
    )


def difference_histogram(name: str, counts: tuple[int, ...], width: float, largest: float, most: int) -> Figure:
    """How many positions have how large a difference, on a logarithmic axis.

    Parameters
    ----------
    width: of a bin.
    most: the greatest count of all panels, which share their axes.
    """
    alt = f"{name}: positions by the difference of their two values, on a logarithmic scale. The largest is {largest:.2f}."
    return Figure(
        Histogram(
            0.0, width, counts, alt, "Difference", "Positions", limit=None, mark=(largest, f"largest {largest:.2f}"),
            logarithmic=True, top=most,
        ),
        title=name,
    )  # fmt: skip


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
                        "The largest differences, one of each game. Arrows show the engine’s best moves. Bars show its "
                        "evaluations, from −1 (lost) to 1 (won). The chance of winning, (q + 1 − d) / 2 of an evaluation q, is "
                        "given where the engine gives the share d of drawn games.",
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
    one, other = map(_board, sides(comparison))
    return Figure(Boards((one, other), in_words(comparison)), codes=codes, source=clipped(comparison.game, 120))


def _board(side: Side) -> Board:
    """A position with the engine's best move as an arrow; a move that cannot be read is not drawn."""
    placed = re.sub("[1-8]", lambda found: " " * int(found[0]), side.fen.split(" ")[0])
    pieces = tuple(tuple(sign.strip() for sign in row) for row in placed.split("/"))
    wins = () if side.wins is None else (f"{side.viewpoint} wins {100 * side.wins:.0f}%",)
    words = (f"{signed(side.value)} for {side.viewpoint}", *wins)
    return Board(side.title, pieces, "chess", words, side.value, arrow_of(side.best_move))


def arrow_of(move: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """From which square to which a move goes, by column and row from the top left; None for what is no move.

    >>> arrow_of("e2e4"), arrow_of("0000")
    (((4, 6), (4, 4)), None)
    """
    if not _MOVE.fullmatch(move) or move[:2] == move[2:4]:
        return None
    begin, end = (("abcdefgh".index(move[at]), 8 - int(move[at + 1])) for at in (0, 2))
    return begin, end


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
