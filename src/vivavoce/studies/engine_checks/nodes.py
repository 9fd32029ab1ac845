"""Shares of contradictions over numbers of nodes, and the lines through their logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from vivavoce.consistency.chess.counting import Fit
from vivavoce.consistency.config import THRESHOLDS
from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import count, percent, signed
from vivavoce.report.blocks import Column, Figure, Row, Table
from vivavoce.report.cells import Cell, count_cell, signed_cell
from vivavoce.report.figures import Axis, Line, Lines, Point
from vivavoce.studies.effects import Effect
from vivavoce.studies.engine_checks.counting import OVER
from vivavoce.studies.rates import Rate


def over_nodes(effects: Sequence[Effect], fits: Sequence[Fit]) -> Figure:
    """How contradictions become rarer with search (Figure 7 of `fluri2024`)."""
    slopes = ", ".join(f"{signed(fit.slope.value or 0.0)} for more than {fit.threshold:g}" for fit in fits)
    alt = "The share of positions with a contradiction by the number of nodes, both on logarithmic scales. " + (
        f"Slopes of the fitted lines: {slopes}." if slopes else "Too few contradictions for a line."
    )
    lowest = min((rate.least for effect in effects for rate in _shares(effect) if rate.least), default=0.1) / 2
    lines = [line for threshold in THRESHOLDS for line in _lines(threshold, effects, fits, lowest)]
    shares = tuple((10.0**power, percent(10.0**power)) for power in range(-7, 1))
    least, most = _nodes_of(effects[0]), _nodes_of(effects[-1])
    across = Axis("Nodes searched", logarithmic=True, span=(least / 1.3, most * 1.3), ticks=_ticks(least, most))
    upwards = Axis("Positions with a larger difference", logarithmic=True, span=(lowest, 1.0), ticks=shares)
    return Figure(Lines(across, upwards, tuple(lines), alt, height_inches=3.6))


def _ticks(least: int, most: int) -> tuple[tuple[float, str], ...]:
    powers = [10**power for power in range(13) if least <= 10**power <= most] or [least, most]
    shown = powers[:: -(-len(powers) // 5)]
    return tuple((float(nodes), count(nodes)) for nodes in shown)


def _lines(threshold: float, effects: Sequence[Effect], fits: Sequence[Fit], lowest: float) -> tuple[Line, ...]:
    """The shares above a threshold, and the line fitted to them; nothing where no difference was as large."""
    points = tuple(
        Point(_nodes_of(effect), rate.least, Interval(max(rate.interval.lower, lowest), rate.interval.upper))
        for effect in effects
        if (rate := effect.rates[OVER[threshold]]).least
    )
    if not points:
        return ()
    found = Line(f"more than {threshold:g}", points, joined=False)
    fitted = (
        tuple(Point(one.x, exp(fit.intercept) * one.x ** (fit.slope.value or 0.0)) for one in (points[0], points[-1]))
        for fit in fits
        if fit.threshold == threshold
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
    return Row(Cell(f"Over {fit.threshold:g}"), (signed_cell(fit.slope), tenfold, count_cell(fit.slope.n)))


def _rounded(interval: Interval) -> str:
    return f"[{interval.lower:.2f}, {interval.upper:.2f}]"


def _nodes_of(effect: Effect) -> int:
    return int(effect.numbers["nodes"] or 0)


def _shares(effect: Effect) -> list[Rate]:
    return [effect.rates[event] for event in OVER.values()]
