"""Shares of contradictions over nodes, and the lines through their logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.fit import Fit
from vivavoce.consistency.chess.summary import Summary
from vivavoce.formats.interval import Interval
from vivavoce.report.blocks import Column, Figure, Row, Table
from vivavoce.report.cells import Cell, count_cell, share_cell, signed_cell

HOW_FITTED: Final = (
    "The lines are laid through the logarithms of nodes and shares by least squares, for each difference that was found at "
    "three or more numbers of nodes. The intervals of their slopes are quantiles over the same worlds, in which a game occurs "
    "equally often at every number of nodes."
)


@dataclass(frozen=True, slots=True)
class OverNodes:
    """The share of positions with a contradiction over the number of nodes, and fitted lines, to be drawn."""

    plot: ClassVar[str] = "vivavoce.consistency.chess.plots:over_nodes_drawing"
    summaries: tuple[tuple[int, Summary], ...]
    fits: tuple[Fit, ...]


def shares(summaries: Sequence[tuple[int, Summary]]) -> Table:
    """The share above each threshold by number of nodes."""
    return Table(
        (Column("Nodes"), *(Column(f"over {threshold:g}") for threshold in THRESHOLDS)),
        tuple(Row(count_cell(nodes), tuple(map(share_cell, of.over))) for nodes, of in summaries),
    )


def over_nodes(summaries: tuple[tuple[int, Summary], ...], fits: tuple[Fit, ...]) -> Figure:
    """How contradictions become rarer with search."""
    return Figure(OverNodes(summaries, fits))


def slopes(fits: Sequence[Fit]) -> tuple[Table, ...]:
    """The fitted lines, and what ten times as many nodes leave."""
    if not fits:
        return ()
    heads = (Column("Difference"), Column("Slope"), Column("Left by ten times the nodes"), Column("Points"))
    return (Table(heads, tuple(map(_row, fits))),)


def _row(fit: Fit) -> Row:
    tenfold = Cell.of(fit.tenfold, "{:.2f}".format, _rounded)
    return Row(Cell(f"over {fit.threshold:g}"), (signed_cell(fit.slope), tenfold, count_cell(fit.slope.n)))


def _rounded(interval: Interval) -> str:
    return f"[{interval.lower:.2f}, {interval.upper:.2f}]"
