"""The figures of rating prediction: errors side by side (Figure 5.3 of `silver2016`) and by training, ratings in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Final

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count
from vivavoce.luna.predict.interval import Prediction
from vivavoce.report.figures import Axis, IntervalRow, IntervalRows, Kind, Line, Lines, Point

MOST_DOTS: Final = 100
"""People who are shown one by one."""
KEY: Final[tuple[tuple[Kind, str], ...]] = (("plain", "examined"), ("reference", "a single feature"), ("control", "a baseline"))


def errors(bars: Iterable[tuple[str, Estimate, Kind]], axis: str, alt: str) -> IntervalRows:
    """Errors below one another: the name of each, its value, and what it is there for."""
    rows = [IntervalRow.of(name, f"{error.value or 0.0:.2f}", error, kind) for name, error, kind in bars]
    top = max((row.interval.upper for row in rows if isfinite(row.interval.upper)), default=1.0)
    kinds = {row.kind for row in rows}
    key = tuple((kind, words) for kind, words in KEY if kind in kinds)
    return IntervalRows(axis, rows, alt=alt, unit="number", span=(0.0, 1.05 * top), key=key)


def learning(errors_by_name: Mapping[str, tuple[Sequence[int], Sequence[Estimate]]], alt: str) -> Lines:
    """Errors by the number of people learnt from, of each predictor."""
    lines = tuple(Line(name, Point.all_of(sizes, found), band=True) for name, (sizes, found) in errors_by_name.items())
    sizes = sorted({point.x for line in lines for point in line.points})
    top = max((point.interval.upper for line in lines for point in line.points if point.interval), default=1.0)
    across = Axis("People learnt from", logarithmic=True, ticks=tuple((size, count(round(size))) for size in sizes))
    upwards = Axis("Root mean squared error, ratings from 0 to 1", span=(0.0, 1.05 * top))
    return Lines(across, upwards, lines, alt)


def in_order(predictions: Sequence[Prediction], level: float) -> Lines:
    """Predicted ratings in order, each with its interval."""
    ordered = sorted(predictions, key=lambda one: one.rating)
    alt = ""
    if ordered:
        alt = (
            f"Ratings of {count(len(ordered))} people in order, from {ordered[0].rating:.2f} to {ordered[-1].rating:.2f}, each "
            f"with its {level:.0%} interval."
        )
    points = tuple(Point(place, one.rating, Interval(one.lower, one.upper)) for place, one in enumerate(ordered, 1))
    many = len(ordered) > MOST_DOTS
    line = Line("", points, joined=many, marked=not many, band=many)
    across = Axis("People, the lowest rating first", span=(0.5, len(ordered) + 0.5), whole=True)
    return Lines(across, Axis("Rating", span=(0.0, 1.0)), (line,), alt)
