"""Shares of contradictions over nodes, and the lines through their logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final

from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.fit import Fit
from vivavoce.consistency.chess.summary import Summary
from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import count, percent, signed
from vivavoce.report.blocks import Column, Figure, Row, Table
from vivavoce.report.cells import Cell, count_cell, share_cell, signed_cell
from vivavoce.report.figures import Axis, Line, Lines, Point

HOW_FITTED: Final = (
    "The lines are laid through the logarithms of nodes and shares by least squares, for each difference that was found at "
    "three or more numbers of nodes. The intervals of their slopes are quantiles over the same worlds, in which a game occurs "
    "equally often at every number of nodes."
)


def shares(summaries: Sequence[tuple[int, Summary]]) -> Table:
    """The share above each threshold by number of nodes."""
    return Table(
        (Column("Nodes"), *(Column(f"over {threshold:g}") for threshold in THRESHOLDS)),
        tuple(Row(count_cell(nodes), tuple(map(share_cell, of.over))) for nodes, of in summaries),
    )


def over_nodes(summaries: Sequence[tuple[int, Summary]], fits: Sequence[Fit]) -> Figure:
    """How contradictions become rarer with search (Figure 7 of `fluri2024`)."""
    slopes = ", ".join(f"{signed(fit.slope.value or 0.0)} for more than {fit.threshold:g}" for fit in fits)
    alt = "The share of positions with a contradiction by the number of nodes, both on logarithmic scales. " + (
        f"Slopes of the fitted lines: {slopes}." if slopes else "Too few contradictions for a line."
    )
    lines = [line for which in range(len(THRESHOLDS)) for line in _lines(which, summaries, fits)]
    lowest = min((share.value for _, of in summaries for share in of.over if share.value), default=0.1) / 2
    shares = tuple((10.0**power, percent(10.0**power)) for power in range(-7, 1))
    least, most = summaries[0][0], summaries[-1][0]
    across = Axis("Nodes searched", logarithmic=True, span=(least / 1.3, most * 1.3), ticks=_nodes(least, most))
    upwards = Axis("Positions with a larger difference", logarithmic=True, span=(lowest, 1.0), ticks=shares)
    return Figure(Lines(across, upwards, tuple(lines), alt, height_inches=3.6))


def _nodes(least: int, most: int) -> tuple[tuple[float, str], ...]:
    powers = [10**power for power in range(13) if least <= 10**power <= most] or [least, most]
    shown = powers[:: -(-len(powers) // 5)]
    return tuple((float(nodes), count(nodes)) for nodes in shown)


def _lines(which: int, summaries: Sequence[tuple[int, Summary]], fits: Sequence[Fit]) -> tuple[Line, ...]:
    """The shares above a threshold, and the line fitted to them; nothing where no difference was as large."""
    points = tuple(
        Point(nodes, share.value, Interval(max(share.interval.lower, 1e-9), share.interval.upper))
        for nodes, of in summaries
        if (share := of.over[which]).value
    )
    if not points:
        return ()
    found = Line(f"more than {THRESHOLDS[which]:g}", points, joined=False)
    fitted = (
        tuple(Point(one.x, exp(fit.intercept) * one.x ** (fit.slope.value or 0.0)) for one in (points[0], points[-1]))
        for fit in fits
        if fit.threshold == THRESHOLDS[which]
    )
    return (found, *(Line("", ends, is_reference=True) for ends in fitted))


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
