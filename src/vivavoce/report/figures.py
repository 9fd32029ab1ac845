"""Figures as data. A figure describes its content; `render` draws it without knowing its finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from vivavoce.formats.interval import Estimate, Interval

Kind = Literal["plain", "control", "reference", "good", "bad", "open"]
"""The kind of a row or line: each kind has its own colour and mark."""
Unit = Literal["percent", "number"]
"""Labels of an axis: 0.5 as 50 or as 0.5."""
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
    """The same as `least` unless the value itself is uncertain: both ends are then marked and joined."""
    interval: Interval
    kind: Kind = "plain"
    group: str = ""
    """A heading above the first of the rows that share it."""
    limit: float | None = None
    """A line through this row only."""
    bound: tuple[float, str] | None = None
    """The end of the interval that a verdict rests on, and its name."""

    @classmethod
    def of(
        cls, label: str, text: str, estimate: Estimate, kind: Kind = "plain", group: str = "", ends: Interval | None = None
    ) -> IntervalRow:
        """The row of an estimate; an unknown value is shown as such. ends: the least and the greatest possible value; None if
        it is one number.

        >>> IntervalRow.of("a", "50%", Estimate(0.5, Interval(0.2, 0.8), 9)).least
        0.5
        """
        least, most = (estimate.value, estimate.value) if ends is None else (ends.lower, ends.upper)
        return cls(label, "unknown" if least is None else text, least, most, estimate.interval, kind, group)

    def within(self, interval: Interval, bound: tuple[float, str]) -> IntervalRow:
        """The row with the interval of a one-sided bound: from 0 or to 1."""
        return replace(self, interval=interval, bound=bound)


@dataclass(frozen=True, slots=True)
class IntervalRows:
    """Values below one another on one axis: shares from 0 to 100%, unless the axis says otherwise."""

    plot: ClassVar = "vivavoce.render.row_plots:intervals_drawing"
    axis: str
    """Name of the axis; for shares, the words after "share of"."""
    rows: Sequence[IntervalRow]
    limit: float | None = None
    """A line through all rows; None: none."""
    limit_label: str = "limit"
    alt: str = ""
    """A description of the figure; empty: a list of the shares."""
    unit: Unit = "percent"
    span: Span | None = (0.0, 1.0)
    """None: as wide as the rows."""
    logarithmic: bool = False
    """Whether the axis is logarithmic; it then needs a span above 0."""
    ends: tuple[str, str] = ("", "")
    """The meaning of values on the left and on the right of the limit."""
    key: tuple[tuple[Kind, str], ...] = ()
    """The names of the kinds of rows."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value as a bar from 0, with its interval if it has one."""

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
    """Powers: bars are decimal logarithms of a number, or of its reciprocal on the left of 0."""
    span: Span | None = (0.0, 1.0)
    """None: as wide as the bars."""
    limits: tuple[tuple[float, str], ...] = ()
    """Lines through all bars, and their names."""
    ends: tuple[str, str] = ("", "")
    key: tuple[tuple[Kind, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in bins of equal width. A limit is an edge of a bin, and the bins above it are marked."""

    begin: float
    width: float
    counts: tuple[float, ...]
    alt: str = ""
    """A description of the figure."""
    axis: str = ""
    upwards: str = "Cases"
    unit: Unit = "number"
    """Unit of the counts: numbers, or shares in percent."""
    limit: float | None = 0.0
    sides: tuple[str, str] = ("kept", "broken")
    """Names of the parts below and above the limit."""
    mark: tuple[float, str] | None = None
    """A marked value and its name."""
    logarithmic: bool = False
    """Whether the axis of counts is logarithmic."""
    top: float | None = None
    """The greatest count on the axis, if several histograms share it; None: this one's own."""

    plot: ClassVar = "vivavoce.render.line_plots:histogram_drawing"

    def labelled(self, alt: str, axis: str) -> Histogram:
        """The same, with its words."""
        return replace(self, alt=alt, axis=axis)


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A point of a line, with the interval of its height."""

    x: float
    y: float
    interval: Interval | None = None

    @classmethod
    def all_of(cls, places: Iterable[float], estimates: Iterable[Estimate]) -> tuple[LinePoint, ...]:
        """The known estimates, each at its position.

        >>> LinePoint.all_of([1, 2], [Estimate(None, Interval(0, 1), 0), Estimate(0.5, Interval(0.2, 0.8), 9)])
        (LinePoint(x=2, y=0.5, interval=Interval(lower=0.2, upper=0.8)),)
        """
        both = zip(places, estimates, strict=True)
        return tuple(cls(x, estimate.value, estimate.interval) for x, estimate in both if estimate.value is not None)


@dataclass(frozen=True, slots=True)
class Line:
    """Points from left to right."""

    label: str
    """Its name in the key; empty: no name."""
    points: tuple[LinePoint, ...]
    is_reference: bool = False
    """Whether it is a reference: drawn in ink, dashed and without marks."""
    joined: bool = True
    marked: bool = True
    band: bool = False
    """Whether intervals are drawn as a band, not as bars."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of lines."""

    label: str
    unit: Unit = "number"
    logarithmic: bool = False
    span: Span | None = None
    """None: as wide as the points."""
    ticks: tuple[tuple[float, str], ...] = ()
    """Positions and names of ticks; empty: automatic."""
    whole: bool = False
    """Whether values are whole numbers."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines and points in the plane."""

    plot: ClassVar = "vivavoce.render.line_plots:lines_drawing"
    across: Axis
    upwards: Axis
    lines: tuple[Line, ...]
    """Lines; at most five, besides references, have different marks."""
    alt: str
    limit: tuple[float, str] | None = None
    """A horizontal line, and its name."""
    height_inches: float = 3.0


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """The path of one e-value."""

    label: str
    kind: Kind
    heights: tuple[float, ...]
    """Decimal logarithms, one for each look."""


@dataclass(frozen=True, slots=True)
class EvidencePath:
    """The evidence by number of questions, up to a verdict."""

    plot: ClassVar = "vivavoce.render.line_plots:evidence_drawing"
    questions: tuple[int, ...]
    """Questions asked at each look; fewer than two looks are not drawn."""
    lines: tuple[EvidenceLine, ...]
    thresholds: tuple[float, ...]
    """Decimal logarithms of the e-values that are enough for a verdict."""
    deciding: int
    """The line that decided, or that the verdict still waits for."""
    verdict: Kind
    alt: str


@dataclass(frozen=True, slots=True)
class Board:
    """A position on a chessboard, and its caption."""

    title: str
    rows: tuple[tuple[str, ...], ...]
    """From the top: pieces by their letters, upper case for White; empty texts for empty squares."""
    words: tuple[str, ...]
    """Captions below the board."""
    value: float | None = None
    """Drawn as a bar from −1 to 1; None: not drawn."""
    arrow: tuple[tuple[int, int], tuple[int, int]] | None = None
    """An arrow between two squares, each by its column and row from the top left, from 0."""


@dataclass(frozen=True, slots=True)
class Boards:
    """Two positions side by side."""

    plot: ClassVar = "vivavoce.render.boards:drawing"
    boards: tuple[Board, Board]
    alt: str
