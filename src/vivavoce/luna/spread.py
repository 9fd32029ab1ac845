"""How far guesses about one person lie apart, by how many there are (Figure 6.6 of `silver2016`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from vivavoce.formats.interval import Estimate
from vivavoce.luna.cells import in_words
from vivavoce.report.figures import Axis, Line, Lines, Point


@dataclass(frozen=True, slots=True)
class SpreadAt:
    """How far guesses lie apart, of persons who received this many."""

    games: int
    deviation: Estimate
    """Mean standard deviation of the guesses of a person; n persons."""
    between: float | None
    """Standard deviation of these over persons, the bars of the thesis' Figure 6.6; None for a single person."""
    error: float
    """The mean standard deviation over the root of the number of guesses: how uncertain such a rating is."""


def spread_lines(spread: Sequence[SpreadAt]) -> Lines:
    """Standard deviation of guesses by their number."""
    alt = ""
    if spread:
        first, last = (f"{in_words(one.deviation)} with {one.games} guesses" for one in (spread[0], spread[-1]))
        alt = f"How far guesses about one person lie apart: {first}, {last}. Bars: 95% intervals."
    points = Point.all_of((one.games for one in spread), (one.deviation for one in spread))
    ends = [point.y for point in points] + [
        point.interval.upper for point in points if point.interval is not None and isfinite(point.interval.upper)
    ]
    upwards = Axis("Standard deviation of guesses, points", span=(0.0, 1.05 * max(ends, default=1.0) or 1.0))
    return Lines(Axis("Guesses that a person received", whole=True), upwards, (Line("", points, joined=False),), alt)
