"""Plots of rows below one another: values with intervals, and bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Final

from vivavoce.formats.wording import capital, count, share
from vivavoce.render import canvas
from vivavoce.render.canvas import HALO, Drawing, across
from vivavoce.report.figures import Bar, Bars, IntervalRow, IntervalRows, Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


ROW: Final = 0.29
"""Inches of a row."""
BESIDE: Final = 0.38
"""Largest share of the width for names next to the rows."""
EDGE: Final = 0.2
EDGE_LEFT: Final = 0.28
"""Inches left free on both sides, for half of the label of an outermost tick."""
FOOT: Final = 0.52
"""Inches below the rows, for ticks and one line of the axis' name."""
LOOKS: Final[Mapping[Kind, tuple[str, str]]] = {
    "plain": (canvas.BLUE, "o"),
    "control": (canvas.GREY, "D"),
    "reference": (canvas.ORANGE, "s"),
    "good": (canvas.GREEN, "o"),
    "bad": (canvas.VERMILION, "X"),
    "open": (canvas.GREY, "D"),
}
"""Colour and mark: either is enough to distinguish two kinds in a figure."""


@dataclass(frozen=True, slots=True)
class Name:
    """A line of text."""

    place: float
    text: str
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions in a plot, in inches from the top of the rows."""

    left: float
    """Left edge of the axes, from the left edge of the picture."""
    places: tuple[float, ...]
    """Positions of the rows."""
    names: tuple[Name, ...]
    is_beside: bool
    """Whether names are next to their rows, not above."""
    body: float
    """Height of all rows."""
    head: tuple[str, ...]
    """Lines on the meaning of the two sides, above everything; two in one line are separated by a tab."""
    key: tuple[tuple[Kind, str], ...]
    axis: tuple[str, ...]
    """Lines of the name of the axis."""
    has_limits: bool

    @property
    def top(self) -> float:
        """Inches above the rows."""
        return 0.08 + canvas.LINE * (len(self.head) + len(self.key) + self.has_limits)

    @property
    def foot(self) -> float:
        """Inches below the rows."""
        return FOOT + canvas.LINE * (len(self.axis) - 1)

    @property
    def height(self) -> float:
        """Height of the picture."""
        return self.top + self.body + self.foot


def layout(
    rows: Sequence[tuple[str, str]],
    axis: str,
    *,
    ends: tuple[str, str] = ("", ""),
    key: tuple[tuple[Kind, str], ...] = (),
    has_limits: bool = False,
) -> Layout:
    """The plan of some rows.

    rows: the name of each, and the heading of its group.
    """
    widest = max(canvas.inches_of(name) for name, _ in rows)
    is_beside = widest <= BESIDE * canvas.WIDTH_INCHES
    left = max(widest + 0.14, EDGE_LEFT) if is_beside else EDGE_LEFT
    room = canvas.WIDTH_INCHES - 0.05
    places: list[float] = []
    names: list[Name] = []
    y, group = 0.0, ""
    for name, heading in rows:
        if heading and heading != group:
            y += 0.1 if places else 0.0
            for line in canvas.wrapped(heading, inches=room * 0.85):
                names.append(Name(y + canvas.LINE / 2, line, is_heading=True))
                y += canvas.LINE
        group = heading
        if is_beside:
            names.append(Name(y + ROW / 2, name))
        else:
            y += 0.05
            for line in canvas.wrapped(name, inches=room):
                names.append(Name(y + canvas.LINE / 2, line))
                y += canvas.LINE
        places.append(y + ROW / 2)
        y += ROW
    lines = canvas.wrapped(axis, inches=canvas.WIDTH_INCHES - left)
    return Layout(left, tuple(places), tuple(names), is_beside, y, _head(ends, room), key, lines, has_limits)


def _head(ends: tuple[str, str], room: float) -> tuple[str, ...]:
    left, right = (f"← {ends[0]}" if ends[0] else "", f"{ends[1]} →" if ends[1] else "")
    if canvas.inches_of(left) + canvas.inches_of(right) + 0.2 < room:
        return (f"{left}\t{right}",) if left or right else ()
    return (f"{canvas.shortened(left, inches=room)}\t", f"\t{canvas.shortened(right, inches=room)}")


def axes_of(figure: Figure, plan: Layout, span: tuple[float, float], *, logarithmic: bool = False) -> Axes:
    """The axes, with all names around them."""
    height, width = plan.height, figure.get_figwidth()
    axes = figure.add_axes((plan.left / width, plan.foot / height, 1 - (plan.left + EDGE) / width, plan.body / height))
    if logarithmic:
        axes.set_xscale("log")
    axes.set_xlim(*span)
    axes.set_ylim(plan.body, 0)
    axes.set_yticks([])
    for name in plan.names:
        x, side = (plan.left - 0.08, "right") if plan.is_beside and not name.is_heading else (0.02, "left")
        weight = "bold" if name.is_heading else "normal"
        y = 1 - (plan.top + name.place) / height
        figure.text(x / width, y, name.text, ha=side, va="center", weight=weight, bbox=None if plan.is_beside else HALO)
    y = 0.06 + canvas.LINE / 2
    for line in plan.head:
        left, right = line.split("\t")
        figure.text(0.02 / width, 1 - y / height, left, va="center")
        figure.text(1 - 0.02 / width, 1 - y / height, right, va="center", ha="right")
        y += canvas.LINE
    keys(figure, [(LOOKS[kind], words) for kind, words in plan.key], y)
    middle = (plan.left + width - EDGE) / 2
    for index, line in enumerate(plan.axis):
        y = plan.foot - FOOT + 0.1 + canvas.LINE * 0.3 - canvas.LINE * index
        figure.text(middle / width, y / height, line, ha="center", va="center")
    return axes


def keys(figure: Figure, entries: Sequence[tuple[tuple[str, str], str]], y: float) -> None:
    """A mark with its words on each line, from y inches below the upper edge."""
    from matplotlib.lines import Line2D

    width, height = figure.get_figwidth(), figure.get_figheight()
    for (colour, mark), words in entries:
        line = Line2D(
            [0.12 / width], [1 - y / height], color=colour, marker=mark, markersize=7, markeredgewidth=0, linestyle="none"
        )
        figure.add_artist(line)
        figure.text(0.26 / width, 1 - y / height, words, va="center_baseline")
        y += canvas.LINE


def limit_line(axes: Axes, value: float, name: str) -> None:
    """A dashed line through all rows, with its name above it."""
    axes.axvline(value, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)))
    if name:
        limit_name(axes, value, name)


def limit_name(axes: Axes, value: float, name: str) -> None:
    """A name above all rows."""
    x = across(axes, value)
    axes.annotate(
        name, (value, 1), (0, 2), xycoords=("data", "axes fraction"), textcoords="offset points", va="bottom",
        ha="right" if x > 0.75 else "center" if x > 0.25 else "left", bbox=HALO,
    )  # fmt: skip


def tick_label(value: float, scale: float) -> str:
    """A number on an axis, multiplied by the scale."""
    return f"{scale * value:.6g}".replace("-", "\N{MINUS SIGN}")


def ticks(axes: Axes, scale: float) -> None:
    """At most five ticks with their numbers, multiplied by the scale, without overlap."""
    from matplotlib.ticker import MaxNLocator

    low, high = axes.get_xlim()
    room = (axes.bbox.width / axes.figure.dpi) / 0.62  # a tick's label takes about 0.6 inches
    tick_values = MaxNLocator(max(2, min(5, int(room)))).tick_values(low, high)
    places = [float(value) for value in tick_values if low - 1e-9 <= value <= high + 1e-9]
    axes.set_xticks(places, [tick_label(round(value, 9), scale) for value in places])


def span_of(values: Sequence[float]) -> tuple[float, float]:
    """An axis around all finite values, with a margin."""
    finite = [value for value in values if isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin


MOST_ROWS: Final = 60
"""Most rows in a figure; a table has more."""


def intervals_drawing(data: IntervalRows) -> Drawing | None:
    """Each value with its interval; None without rows, and for too many rows."""
    if not data.rows or len(data.rows) > MOST_ROWS:
        return None
    limits = data.limit is not None and bool(data.limit_label)
    plan = layout([(row.label, row.group) for row in data.rows], _axis(data), ends=data.ends, key=data.key, has_limits=limits)
    return Drawing(partial(_draw_intervals, data=data, plan=plan), data.alt or _in_words(data), plan.height)


def _in_words(data: IntervalRows) -> str:
    listed = ", ".join(f"{row.label} {row.text}" for row in data.rows)
    limit = "" if data.limit is None else f" The limit is {share(data.limit)}."
    return f"Share of {data.axis}: {listed}.{limit}"


def _axis(data: IntervalRows) -> str:
    if not data.axis:
        return ""
    return f"{capital(data.axis)}{' (%)' if data.unit == 'percent' else ''}"


def _draw_intervals(figure: Figure, *, data: IntervalRows, plan: Layout) -> None:
    span = data.span or span_of(_interval_values(data))
    axes = axes_of(figure, plan, span, logarithmic=data.logarithmic)
    for number, row in zip(plan.places, data.rows, strict=True):
        _draw_interval(axes, number, row, span)
    if data.limit is not None:
        limit_line(axes, data.limit, data.limit_label)
    scale = 100 if data.unit == "percent" else 1
    if data.logarithmic:
        powers = range(math.ceil(math.log10(span[0]) - 1e-9), math.floor(math.log10(span[1]) + 1e-9) + 1)
        shown = [10.0**power for power in powers][:: -(-len(powers) // 5)]
        axes.set_xticks(shown, [f"{scale * number:.10g}" for number in shown])
        axes.minorticks_off()
    else:
        ticks(axes, scale)


def _interval_values(data: IntervalRows) -> list[float]:
    limits = [limit for limit in (data.limit, *(row.limit for row in data.rows)) if limit is not None]
    ends = [end for row in data.rows for end in (row.interval.lower, row.interval.upper)]
    return [*limits, *ends, *(value for row in data.rows for value in (row.least, row.most) if value is not None)]


def _draw_interval(axes: Axes, number: float, row: IntervalRow, span: tuple[float, float]) -> None:
    colour, mark = LOOKS[row.kind]

    def within(value: float) -> float:
        return min(max(value, span[0]), span[1])

    if row.limit is not None:
        axes.plot([row.limit] * 2, [number - 0.12, number + 0.12], color=canvas.INK, linewidth=1.2, linestyle=(0, (2, 1)))
    ends = [within(row.interval.lower), within(row.interval.upper)]
    axes.plot(ends, [number] * 2, color=colour, linewidth=2.4, solid_capstyle="butt", clip_on=False)
    if row.least is None or row.most is None:
        return
    value = [within(end) for end in dict.fromkeys((row.least, row.most))]
    if len(value) > 1:
        axes.plot(value, [number] * 2, color=colour, linewidth=5, solid_capstyle="butt")
    axes.plot(value, [number] * len(value), mark, markersize=7, markeredgewidth=0, color=colour, clip_on=False)


THICK = 0.16
"""Inches."""
HATCHES = {"control": "////", "reference": "///", "bad": "xxx"}
"""Patterns of bars, which distinguish kinds without colours."""


def bars_drawing(data: Bars) -> Drawing | None:
    """Each bar from 0; None without bars, and for too many."""
    if not data.rows or len(data.rows) > MOST_ROWS:
        return None
    axis = f"{data.axis} (%)" if data.unit == "percent" else data.axis
    plan = layout(
        [(bar.label, bar.group) for bar in data.rows], axis, ends=data.ends, key=data.key, has_limits=bool(data.limits)
    )
    return Drawing(partial(_draw_bars, data=data, plan=plan), data.alt, plan.height)


def _draw_bars(figure: Figure, *, data: Bars, plan: Layout) -> None:
    span = data.span or span_of([0.0, *_bar_values(data)])
    axes = axes_of(figure, plan, span)
    axes.axvline(0, color=canvas.INK, linewidth=0.8)
    for number, bar in zip(plan.places, data.rows, strict=True):
        _draw_bar(axes, number, bar, span)
    label_limits(axes, data.limits, span)
    if data.unit == "powers":
        step = max(1, round((span[1] - span[0]) / 5))
        powers = [power for power in range(-step * 9, step * 9 + 1, step) if span[0] <= power <= span[1]]
        axes.set_xticks(powers, [count(10 ** abs(power)) if abs(power) < 4 else f"1e{abs(power)}" for power in powers])
    else:
        ticks(axes, 100 if data.unit == "percent" else 1)


def label_limits(axes: Axes, limits: Sequence[tuple[float, str]], span: tuple[float, float]) -> None:
    """A line at each limit with its name; two that have one name, and no room for it twice, have it between them."""
    names = {name for _, name in limits}
    if len(limits) == 2 and len(names) == 1:
        [name], values = names, [value for value, _ in limits]
        room = abs(values[1] - values[0]) / (span[1] - span[0]) * axes.bbox.width / axes.figure.dpi
        if room < 2 * canvas.inches_of(name) + 0.1:  # near the edges both names grow inwards
            for value in values:
                limit_line(axes, value, "")
            limit_name(axes, sum(values) / 2, f"dashed: {name}")
            return
    for value, name in limits:
        limit_line(axes, value, name)


def _bar_values(data: Bars) -> list[float]:
    ends = [end for bar in data.rows if bar.interval for end in (bar.interval.lower, bar.interval.upper)]
    return [*(bar.value for bar in data.rows), *ends, *(value for value, _ in data.limits)]


def _draw_bar(axes: Axes, number: float, bar: Bar, span: tuple[float, float]) -> None:
    colour, mark = LOOKS[bar.kind]
    low, high = span
    end = min(max(bar.value, low), high)
    axes.barh(
        number, end, height=THICK, color=colour, hatch=HATCHES.get(bar.kind), edgecolor=canvas.PAPER, linewidth=0, zorder=2
    )
    if bar.interval is not None:
        ends = [min(max(value, low), high) for value in (bar.interval.lower, bar.interval.upper)]
        axes.plot(ends, [number] * 2, color=canvas.INK, linewidth=1.2, zorder=3, solid_capstyle="butt")
    axes.plot([end], [number], mark, markersize=9, color=colour, markeredgecolor=canvas.PAPER, clip_on=False, zorder=4)
