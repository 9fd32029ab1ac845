"""Formats estimates as table cells and in words, and draws how much guesses about one person vary. Findings on ratings, sites
and predictions all import this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from vivavoce.formats.interval import Estimate
from vivavoce.report.cells import TableCell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines

TOO_LITTLE = "(too little for an interval)"


def number_cell(estimate: Estimate, decimals: int, *, unknown: str = "too little data") -> TableCell:
    """A number with its interval, or a note that there is too little data.

    >>> from vivavoce.formats.interval import Interval
    >>> number_cell(Estimate(68.94, Interval(66.0, 71.5), 220), 1)
    TableCell('68.9', interval='[66.0, 71.5]')
    >>> number_cell(Estimate(None, Interval(0, 1), 0), 1)
    TableCell('too little data')
    """
    if estimate.value is None:
        return TableCell(unknown, known=False)
    ends = estimate.interval
    if not (isfinite(ends.lower) and isfinite(ends.upper)):
        return TableCell(_written(estimate.value, decimals), estimate.value, interval=TOO_LITTLE)
    bounds = f"[{_written(ends.lower, decimals)}, {_written(ends.upper, decimals)}]"
    return TableCell(_written(estimate.value, decimals), estimate.value, ends, bounds)


def _written(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")


def in_words(estimate: Estimate, decimals: int = 1) -> str:
    """A number with its interval, or a note that there is too little data.

    >>> from vivavoce.formats.interval import Interval
    >>> in_words(Estimate(68.94, Interval(66.0, 71.5), 220)), in_words(Estimate(None, Interval(0, 1), 0))
    ('68.9 [66.0, 71.5]', 'too little data')
    """
    return number_cell(estimate, decimals).words


@dataclass(frozen=True, slots=True)
class SpreadAt:
    """How much guesses vary, for people who received this many (Figure 6.6 of `silver2016`)."""

    games: int
    deviation: Estimate
    """Mean standard deviation of a person's guesses; n people."""
    between: float | None
    """Standard deviation of these over people, the bars of Figure 6.6; None for a single person."""
    error: float
    """The mean standard deviation over the root of the number of guesses: the uncertainty of such a rating."""


def spread_lines(spread: Sequence[SpreadAt]) -> Lines:
    """Standard deviation of guesses by their number."""
    alt = ""
    if spread:
        first, last = (f"{in_words(end.deviation)} with {end.games} guesses" for end in (spread[0], spread[-1]))
        alt = f"How far guesses about one person are apart: {first}, {last}. Bars: 95% intervals."
    points = LinePoint.all_of((spread_at.games for spread_at in spread), (spread_at.deviation for spread_at in spread))
    ends = [point.y for point in points] + [
        point.interval.upper for point in points if point.interval is not None and isfinite(point.interval.upper)
    ]
    upwards = Axis("Standard deviation of guesses, points", span=(0.0, 1.05 * max(ends, default=1.0) or 1.0))
    return Lines(Axis("Guesses that a person received", whole=True), upwards, (Line("", points, joined=False),), alt)
