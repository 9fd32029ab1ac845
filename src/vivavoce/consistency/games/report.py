"""What the checks of a game report: a table, histograms, the largest contradictions with diagrams, and the method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np

from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.report.checks import difference_histogram
from vivavoce.consistency.games.board import Diagram
from vivavoce.consistency.games.chesslike import ChessLike
from vivavoce.consistency.games.comparison import Comparison, Judged
from vivavoce.consistency.games.config import CheckName
from vivavoce.consistency.games.describe import LAWS, NAME, in_words, titles
from vivavoce.consistency.games.summary import Summary
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, signed
from vivavoce.report.blocks import Block, Column, Figure, Fold, InFull, InShort, Panels, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell, share_cell
from vivavoce.report.figures import Board, Boards
from vivavoce.report.parts import method_of, notes, paragraphs

BINS: Final = 60
"""Of a histogram."""
MOST_EXAMPLES: Final = 2
"""Pairs of positions of each check, on a page."""


def differences(summaries: Sequence[Summary]) -> Table:
    """What is counted, and a number with its interval for each check."""

    def row(what: str, cells: Callable[[Summary], Cell]) -> Row:
        return Row(Cell(what), tuple(map(cells, summaries)))

    told = any(of.plays_otherwise.value is not None for of in summaries)
    otherwise = [row("Plays another move", _otherwise)] if told else []
    return Table(
        (Column("Difference"), *(Column(NAME[of.check], short=of.check) for of in summaries)),
        (
            *(row(f"Over {limit:g}", partial(_over, i)) for i, limit in enumerate(THRESHOLDS)),
            row("Mean difference", lambda of: _amount(of.mean_difference)),
            row("Mean with its sign", lambda of: _amount(of.mean_signed, sign=True)),
            row("Largest", _largest),
            row("At an end of the scale", lambda of: share_cell(of.saturated)),
            *otherwise,
            row("Positions", lambda of: count_cell(of.n)),
            row("From games", lambda of: count_cell(of.games)),
            row("No answer", lambda of: count_cell(sum(of.no_answers.values()))),
            row("Skipped", lambda of: count_cell(sum(of.skipped.values()))),
        ),
    )


def left_out(summaries: Sequence[Summary]) -> tuple[Paragraph, ...]:
    """Why positions were skipped, or have no value."""
    return notes(
        *(
            f"{what}, {NAME[of.check]}: {', '.join(f'{reason} {count(times)}' for reason, times in reasons.items())}."
            for of in summaries
            for what, reasons in (("Skipped", of.skipped), ("No answer", of.no_answers))
            if reasons
        )
    )


def histograms(summaries: Sequence[Summary]) -> Panels:
    """How many positions have how large a difference, a panel a check; nothing where all differences are 0."""
    shown = [of for of in summaries if of.n]
    end = 1.08 * max((of.largest or 0.0 for of in shown), default=0.0)
    if not end:
        return Panels(())
    counts = [tuple(np.histogram([one.difference for one in of.comparisons], BINS, (0.0, end))[0].tolist()) for of in shown]
    most = max(map(max, counts))
    return Panels(
        tuple(
            difference_histogram(NAME[of.check], numbers, end / BINS, of.largest or 0.0, most)
            for of, numbers in zip(shown, counts, strict=True)
        )
    )


def largest(summaries: Sequence[Summary], board: ChessLike) -> Section:
    """The largest contradictions of each check, one of each game: in words, and on a page with both positions."""
    short = (paragraph for of in summaries for one in _worst(of)[:1] for paragraph in _lines(one, of))
    full = [Section(NAME[of.check], tuple(_example(one, board) for one in _worst(of))) for of in summaries if _worst(of)]
    return Section(
        "The largest contradictions",
        (InFull(tuple(full) or paragraphs("No difference was found.")), InShort(tuple(short))),
    )


def method(checks: Sequence[CheckName]) -> Fold:
    """How the numbers were found."""
    return method_of(
        (
            "Each position is evaluated by itself: the engine is told the position alone, and told beforehand that a new game "
            "begins. After a move, which changes the side to move, the sign is turned.",
            *(LAWS[check] for check in checks),
            "Mean with its sign: the first value minus the second. After a move, above 0 says that the engine likes to be the "
            "one to move.",
            "Plays another move: its best move in the second position is not the image of that in the first. Two moves may be "
            "equally good, so that alone is no error.",
            "Intervals are at level 95%. Positions of one game are alike, so games are resampled, not positions: standard "
            "errors are from 1,000 worlds in which each game occurs a Poisson number of times. Means have Student's interval, "
            "shares that of Clopper and Pearson at the number of independent positions that would be as uncertain.",
        )
    )


def _worst(summary: Summary) -> list[Comparison]:
    """The largest differences, of each game only the largest."""
    by_game: dict[str, Comparison] = {}
    for one in summary.comparisons:
        if one.difference > 0:
            by_game.setdefault(one.game, one)
    return list(by_game.values())[:MOST_EXAMPLES]


def _lines(comparison: Comparison, summary: Summary) -> tuple[Block, ...]:
    return (
        *paragraphs(f"{NAME[summary.check]}: {in_words(comparison)}"),
        *notes(comparison.first.position),
    )


def _example(comparison: Comparison, board: ChessLike) -> Block:
    """Both positions on boards."""
    positions = (comparison.first.position, comparison.second.position)
    one, other = (
        _board(judged, title, board.diagram(judged.position), board.to_move(judged.position))
        for judged, title in zip((comparison.first, comparison.second), titles(comparison), strict=True)
    )
    return Figure(Boards((one, other), in_words(comparison)), codes=positions, source=comparison.game)


def _board(judged: Judged, title: str, diagram: Diagram, to_move: str) -> Board:
    more = filter(None, (f"{to_move} to move", diagram.below))
    return Board(title, diagram.rows, diagram.pieces, (f"{signed(judged.value)} for {judged.viewpoint}", *more))


def _over(which: int, summary: Summary) -> Cell:
    return share_cell(summary.over[which])


def _otherwise(summary: Summary) -> Cell:
    if summary.plays_otherwise.value is None:
        return Cell("none", known=False)
    return share_cell(summary.plays_otherwise)


def _amount(estimate: Estimate, *, sign: bool = False) -> Cell:
    def write(value: float) -> str:
        text = f"{abs(value):.2f}"
        before = "" if not sign or not float(text) else "+" if value > 0 else "−"
        return before + text

    def write_interval(interval: Interval) -> str:
        return f"[{write(interval.lower)}, {write(interval.upper)}]"

    return Cell.of(estimate, write, write_interval)


def _largest(summary: Summary) -> Cell:
    if summary.largest is None:
        return Cell("none", known=False)
    return Cell(f"{summary.largest:.2f}", summary.largest)
