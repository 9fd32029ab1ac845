"""Figures as data. A figure says what it shows; `render` draws it without knowing which finding it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from vivavoce.formats.interval import Interval


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One value on an axis, with its interval."""

    label: str
    text: str
    """The value in words."""
    least: float
    most: float
    """The same as `least` unless the value itself is uncertain."""
    interval: Interval
    kind: Literal["plain", "control"] = "plain"


@dataclass(frozen=True, slots=True)
class IntervalRows:
    """Shares below one another on one axis from 0 to 100%."""

    plot: ClassVar = "vivavoce.render.interval_rows:drawing"
    axis: str
    """What the shares are of, in words that follow "share of"."""
    rows: Sequence[IntervalRow]
    limit: float | None = None
    """A line that is drawn through all rows; None: none."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in bins of equal width; 0 is an edge, and what lies above it is marked."""

    begin: float
    width: float
    counts: tuple[int, ...]
    alt: str = ""
    """What it shows, in words."""
    axis: str = ""

    plot: ClassVar = "vivavoce.render.histogram:drawing"

    def labelled(self, alt: str, axis: str) -> Histogram:
        """The same with its words."""
        return replace(self, alt=alt, axis=axis)


Point = tuple[float, float, bool]
"""Two values from 0 to 1, and whether the point is marked."""


@dataclass(frozen=True, slots=True)
class Scatter:
    """Points in a panel for each title, with the diagonal and a threshold on both axes."""

    plot: ClassVar = "vivavoce.render.scatter:drawing"
    panels: Mapping[str, Sequence[Point]]
    threshold: float
    horizontal: str
    vertical: str
    alt: str
    """What it shows, in words."""
