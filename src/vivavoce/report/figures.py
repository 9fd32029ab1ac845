"""Figures as data. A figure says what it shows; `render` draws it without knowing which finding it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from vivavoce.formats.interval import Estimate, Interval

Kind = Literal["plain", "control", "reference", "good", "bad", "open"]
"""What a row or line is there for: each kind has a colour and a mark of its own."""
Unit = Literal["percent", "number"]
"""How an axis is labelled: 0.5 as 50 or as 0.5."""
Span = tuple[float, float]
"""The least and the greatest value on an axis."""


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One value on an axis, with its interval."""

    label: str
    text: str
    """The value in words."""
    least: float | None
    """None: the value is unknown, and only its interval is drawn."""
    most: float | None
    """The same as `least` unless the value itself is uncertain: both ends are marked then, and joined."""
    interval: Interval
    kind: Kind = "plain"
    group: str = ""
    """A heading above the first of the rows that share it."""
    limit: float | None = None
    """A line through this row alone."""

    @classmethod
    def of(
        cls, label: str, text: str, estimate: Estimate, kind: Kind = "plain", group: str = "", ends: Interval | None = None
    ) -> IntervalRow:
        """The row of an estimate; an unknown value is shown as such.

        ends: the least and the most that the value may be; None where that is one number.

        >>> IntervalRow.of("a", "50%", Estimate(0.5, Interval(0.2, 0.8), 9)).least
        0.5
        """
        least, most = (estimate.value, estimate.value) if ends is None else (ends.lower, ends.upper)
        return cls(label, "unknown" if least is None else text, least, most, estimate.interval, kind, group)


@dataclass(frozen=True, slots=True)
class IntervalRows:
    """Values below one another on one axis: shares from 0 to 100%, unless the axis says otherwise."""

    plot: ClassVar = "vivavoce.render.row_plots:intervals_drawing"
    axis: str
    """What the axis shows; of shares, in words that follow "share of"."""
    rows: Sequence[IntervalRow]
    limit: float | None = None
    """A line that is drawn through all rows; None: none."""
    limit_label: str = "limit"
    alt: str = ""
    """What the figure shows, in words; empty: the shares in a list."""
    unit: Unit = "percent"
    span: Span | None = (0.0, 1.0)
    """None: as wide as the rows."""
    logarithmic: bool = False
    """Whether the axis is; it needs a span above 0."""
    ends: tuple[str, str] = ("", "")
    """What a value on the left and on the right of the limit means."""
    key: tuple[tuple[Kind, str], ...] = ()
    """What the kinds of rows are."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value as a bar from 0, with its interval where it has one."""

    label: str
    value: float
    kind: Kind = "plain"
    interval: Interval | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars below one another."""

    plot: ClassVar = "vivavoce.render.row_plots:bars_drawing"
    axis: str
    rows: Sequence[Bar]
    alt: str
    unit: Literal["percent", "number", "powers"] = "percent"
    """Powers: bars are decimal logarithms, of a number or, on the left of 0, of its counterpart."""
    span: Span | None = (0.0, 1.0)
    """None: as wide as the bars."""
    limits: tuple[tuple[float, str], ...] = ()
    """Lines through all bars, and their names."""
    ends: tuple[str, str] = ("", "")
    key: tuple[tuple[Kind, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in bins of equal width. Where there is a limit, it is an edge of a bin, and what lies above it is marked."""

    begin: float
    width: float
    counts: tuple[float, ...]
    alt: str = ""
    """What it shows, in words."""
    axis: str = ""
    upwards: str = "Cases"
    unit: Unit = "number"
    """Of the counts: numbers, or shares in percent."""
    limit: float | None = 0.0
    sides: tuple[str, str] = ("kept", "broken")
    """What lies below the limit and above it."""
    mark: tuple[float, str] | None = None
    """A place that is marked by a line, and its name."""
    logarithmic: bool = False
    """Whether the axis of counts is."""
    top: float | None = None
    """The greatest count on the axis, where several histograms share it; None: of this one."""

    plot: ClassVar = "vivavoce.render.line_plots:histogram_drawing"

    def labelled(self, alt: str, axis: str) -> Histogram:
        """The same with its words."""
        return replace(self, alt=alt, axis=axis)


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a line, with the interval of its height."""

    x: float
    y: float
    interval: Interval | None = None

    @classmethod
    def all_of(cls, places: Iterable[float], estimates: Iterable[Estimate]) -> tuple[Point, ...]:
        """The estimates that are known, each at its place.

        >>> Point.all_of([1, 2], [Estimate(None, Interval(0, 1), 0), Estimate(0.5, Interval(0.2, 0.8), 9)])
        (Point(x=2, y=0.5, interval=Interval(lower=0.2, upper=0.8)),)
        """
        both = zip(places, estimates, strict=True)
        return tuple(cls(x, estimate.value, estimate.interval) for x, estimate in both if estimate.value is not None)


@dataclass(frozen=True, slots=True)
class Line:
    """Points from left to right."""

    label: str
    """Its name in the key; empty: not named there."""
    points: tuple[Point, ...]
    is_reference: bool = False
    """Whether it is there to be compared with: drawn in ink, dashed and without marks."""
    joined: bool = True
    marked: bool = True
    band: bool = False
    """Whether intervals are a band rather than bars."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of lines."""

    label: str
    unit: Unit = "number"
    logarithmic: bool = False
    span: Span | None = None
    """None: as wide as the points."""
    ticks: tuple[tuple[float, str], ...] = ()
    """Places and their names; empty: as fits."""
    whole: bool = False
    """Whether values are whole numbers."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines and points in the plane."""

    plot: ClassVar = "vivavoce.render.line_plots:lines_drawing"
    across: Axis
    upwards: Axis
    lines: tuple[Line, ...]
    """At most five lines besides references have different marks."""
    alt: str
    limit: tuple[float, str] | None = None
    """A level line, and its name."""
    height_inches: float = 3.0


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """The course of one e-value."""

    label: str
    kind: Kind
    heights: tuple[float, ...]
    """Decimal logarithms, one a look."""


@dataclass(frozen=True, slots=True)
class EvidencePath:
    """How evidence grew with the questions, up to a verdict."""

    plot: ClassVar = "vivavoce.render.line_plots:evidence_drawing"
    questions: tuple[int, ...]
    """Asked at each look; fewer than two looks are not drawn."""
    lines: tuple[EvidenceLine, ...]
    thresholds: tuple[float, ...]
    """Decimal logarithms of e-values that are enough for a verdict."""
    deciding: int
    """The line that decided, or that the verdict waits for."""
    verdict: Kind
    alt: str


@dataclass(frozen=True, slots=True)
class Board:
    """A position on a board, and its caption."""

    title: str
    rows: tuple[tuple[str, ...], ...]
    """From the top: pieces by their letters, upper case for the side that begins; empty texts where there is none."""
    pieces: Literal["chess", "discs", "wedges"]
    """Chess pieces are on a chessboard; discs on the crossings of lines; wedges in squares, the other side's upside down."""
    words: tuple[str, ...]
    """Below the board, the first line in front."""
    value: float | None = None
    """Drawn as a bar from −1 to 1; None: not drawn."""
    arrow: tuple[tuple[int, int], tuple[int, int]] | None = None
    """From one square to another, each by its column and row from the top left, from 0."""


@dataclass(frozen=True, slots=True)
class Boards:
    """Two positions side by side."""

    plot: ClassVar = "vivavoce.render.boards:drawing"
    boards: tuple[Board, Board]
    alt: str
