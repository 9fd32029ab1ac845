"""Plots of lines, histograms, and the path of evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from vivavoce.formats.wording import count, percent
from vivavoce.render import canvas
from vivavoce.render.canvas import HALO, Drawing, across, make_room_for_numbers
from vivavoce.render.row_plots import LOOKS, tick_label
from vivavoce.report.figures import Axis, EvidenceLine, EvidencePath, Histogram, Line, Lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Look = tuple[str, str, str | tuple[int, tuple[float, ...]]]
"""Colour, mark and dashes: each is enough to distinguish two lines."""
LINE_LOOKS: Final[tuple[Look, ...]] = (
    (canvas.BLUE, "o", "-"),
    (canvas.ORANGE, "s", (0, (6, 1.5))),
    (canvas.GREEN, "^", (0, (2, 1.5))),
    (canvas.VERMILION, "v", (0, (4, 1.5, 1, 1.5))),
    (canvas.GREY, "D", (0, (1, 1))),
)
REFERENCE: Final[Look] = (canvas.INK, "", (0, (4, 3)))
FOOT_INCHES: Final = 0.52
"""Inches below the axes."""
MOST_POINTS: Final = 60
"""Points of a line above which marks are small."""


def lines_drawing(data: Lines) -> Drawing | None:
    """All lines; None if no line has two points and unjoined ones have at most one together."""
    own = [line for line in data.lines if not line.is_reference]
    if not any(len(line.points) > 1 for line in own) and sum(len(line.points) for line in own if not line.joined) < 2:
        return None
    named = sum(bool(line.label) for line in data.lines)
    height = data.height_inches + canvas.LINE * (named if named > 1 else 0)
    return Drawing(partial(_draw_lines, data=data), data.alt, height)


def looks(data: Lines) -> list[Look]:
    """Styles of the lines, one after the other."""
    ours = iter(LINE_LOOKS * (1 + len(data.lines) // len(LINE_LOOKS)))
    return [REFERENCE if line.is_reference else next(ours) for line in data.lines]


def _draw_lines(figure: Figure, *, data: Lines) -> None:
    width, height = figure.get_figwidth(), figure.get_figheight()
    named = [(look, line) for look, line in zip(looks(data), data.lines, strict=True) if line.label]
    named = named if len(named) > 1 else []
    title = canvas.wrapped(data.upwards.label, inches=width - 0.05)
    label = canvas.wrapped(data.across.label, inches=width - 0.1)
    above = 0.16 + canvas.LINE * (len(named) + len(title))
    below = FOOT_INCHES + canvas.LINE * (len(label) - 1 + any("\n" in words for _, words in data.across.ticks))
    axes = figure.add_axes((0.0, below / height, 1.0, 1 - (above + below) / height))
    for look, line in zip(looks(data), data.lines, strict=True):
        _draw_line(axes, line, look)
    _scale(axes, data)
    make_room_for_numbers(axes, figure)
    if data.limit is not None:
        _level(axes, *data.limit)
    for index, (look, line) in enumerate(named):
        _key(figure, look, line, 0.13 + canvas.LINE * index)
    for index, text in enumerate(title):
        y = 0.13 + canvas.LINE * (len(named) + index)
        figure.text(0.02 / width, 1 - y / height, text, va="center")
    for index, text in enumerate(label):
        y = 0.14 + canvas.LINE * (len(label) - 1 - index)
        figure.text(0.5, y / height, text, ha="center", va="center")


def _draw_line(axes: Axes, line: Line, look: Look) -> None:
    colour, mark, dashes = look
    x, y = [point.x for point in line.points], [point.y for point in line.points]
    known = [point for point in line.points if point.interval is not None]
    ends = [(point.interval.lower, point.interval.upper) for point in known if point.interval is not None]
    if line.band:
        lower, upper = [low for low, _ in ends], [high for _, high in ends]
        axes.fill_between([point.x for point in known], lower, upper, color=colour, alpha=0.18, linewidth=0)
    else:
        for point, (low, high) in zip(known, ends, strict=True):
            if math.isfinite(low) and math.isfinite(high):
                axes.plot([point.x] * 2, [low, high], color=colour, linewidth=1.4, solid_capstyle="butt", clip_on=False)
    axes.plot(
        x, y, color=colour, linestyle=dashes if line.joined else "none", marker=mark if line.marked and mark else None,
        markersize=5 if len(x) <= MOST_POINTS else 3, linewidth=1.2 if line.is_reference else 1.8, clip_on=not line.marked,
    )  # fmt: skip


def _scale(axes: Axes, data: Lines) -> None:
    for axis, name in ((data.across, "x"), (data.upwards, "y")):
        if axis.logarithmic:
            getattr(axes, f"set_{name}scale")("log")
        if axis.span is not None:
            getattr(axes, f"set_{name}lim")(*axis.span)
        ticks = axis.ticks or _ticks(axes, axis, name)
        low, high = getattr(axes, f"get_{name}lim")()
        shown = [(value, words) for value, words in ticks if low - 1e-9 <= value <= high + 1e-9]
        getattr(axes, f"set_{name}ticks")([value for value, _ in shown], [words for _, words in shown])
    axes.minorticks_off()


def _ticks(axes: Axes, axis: Axis, name: str) -> list[tuple[float, str]]:
    from matplotlib.ticker import MaxNLocator

    low, high = getattr(axes, f"get_{name}lim")()
    scale = 100 if axis.unit == "percent" else 1
    most = 5 if name == "y" else max(2, int(axes.bbox.width / axes.figure.dpi))

    if axis.logarithmic:
        powers = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
        return [(number, tick_label(number, scale)) for number in powers[:: max(1, -(-len(powers) // (most + 1)))]]
    places = MaxNLocator(most, integer=axis.whole).tick_values(low, high)
    return [(float(number), count(round(number)) if axis.whole else tick_label(round(number, 9), scale)) for number in places]


def _level(axes: Axes, value: float, name: str) -> None:
    axes.axhline(value, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.annotate(
        name, (1, value), (-2, 3), xycoords=("axes fraction", "data"), textcoords="offset points", ha="right", bbox=HALO
    )


def _key(figure: Figure, look: Look, line: Line, y: float) -> None:
    """The line's look and its name, y inches below the upper edge."""
    from matplotlib.lines import Line2D

    colour, mark, dashes = look
    width, height = figure.get_figwidth(), figure.get_figheight()
    style: Any = dashes if line.joined else "none"
    figure.add_artist(
        Line2D(
            [0.04 / width, 0.2 / width, 0.36 / width], [1 - y / height] * 3, color=colour, markevery=[1], markersize=5,
            linestyle=style, marker=mark if line.marked and mark else None,
        )
    )  # fmt: skip
    figure.text(0.46 / width, 1 - y / height, canvas.shortened(line.label, inches=width - 0.55), va="center")


HISTOGRAM_INCHES: Final = 2.4
FLOOR: Final = 0.6
"""Lower end of bars on a logarithmic axis: below one case."""
MOST_LABELLED: Final = 16
"""Bins above which there is no line between them."""


def histogram_drawing(data: Histogram) -> Drawing | None:
    """Bars below the limit and above it; None without counts."""
    if not any(data.counts):
        return None
    return Drawing(partial(_draw_histogram, data=data), data.alt, HISTOGRAM_INCHES)


def _draw_histogram(figure: Figure, *, data: Histogram) -> None:
    width = figure.get_figwidth()
    lines = canvas.wrapped(data.axis, inches=width - 0.1)
    is_labelled = data.mark is not None or (data.limit is not None and any(data.sides))
    below, above = FOOT_INCHES + canvas.LINE * (len(lines) - 1), 0.1 + canvas.LINE * (1 + is_labelled)
    axes = figure.add_axes((0.0, below / HISTOGRAM_INCHES, 1.0, 1 - (below + above) / HISTOGRAM_INCHES))
    edges = [data.begin + index * data.width for index in range(len(data.counts) + 1)]
    limit = math.inf if data.limit is None else data.limit
    _draw_bins(axes, data, edges, limit)
    axes.set_xlim(min(edges[0], limit - data.width), max(edges[-1], data.begin if math.isinf(limit) else limit + data.width))
    _heights(axes, data)
    axes.locator_params(axis="x", nbins=max(2, int(1.4 * width)))
    make_room_for_numbers(axes, figure)
    figure.text(0.02 / width, 1 - 0.13 / HISTOGRAM_INCHES, data.upwards, va="center")
    for position, line in enumerate(lines):
        figure.text(
            0.5, (below - FOOT_INCHES + 0.14 - canvas.LINE * position) / HISTOGRAM_INCHES, line, ha="center", va="center"
        )
    _limit(axes, data)


def _draw_bins(axes: Axes, data: Histogram, edges: list[float], limit: float) -> None:
    """Bins on both sides of the limit; many of them as one shape, which takes fewer bytes."""
    floor = FLOOR if data.logarithmic else 0
    below = sum(edge < limit - data.width / 2 for edge in edges[:-1])
    for begin, end, colour, hatch in (
        (0, below, canvas.BLUE, None),
        (below, len(data.counts), canvas.VERMILION, "///"),
    ):
        counts = data.counts[begin:end]
        if len(data.counts) > MOST_LABELLED and counts:
            axes.stairs([max(n, floor) for n in counts], edges[begin : end + 1], baseline=floor, fill=True, color=colour)
        else:
            axes.bar(
                edges[begin:end], counts, width=data.width, align="edge", color=colour, hatch=hatch, edgecolor=canvas.PAPER,
                linewidth=0.5,
            )  # fmt: skip


def _heights(axes: Axes, data: Histogram) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    most = data.top or max(data.counts)
    if data.logarithmic:
        axes.set_yscale("log")
        axes.set_ylim(FLOOR, most * 2)
        powers = [10**power for power in range(0, 9, 1 if most < 1000 else 2) if 10**power <= most]
        axes.set_yticks(powers, [count(power) for power in powers])
        axes.minorticks_off()
        return
    axes.set_ylim(0, most * 1.1)
    if data.unit == "percent":
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: percent(round(value, 9))))
    else:
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: count(round(value))))


def _limit(axes: Axes, data: Histogram) -> None:
    """The limit and the mark, each a dashed line with its words above."""
    if data.limit is not None:
        axes.axvline(data.limit, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)))
        inside = across(axes, data.limit)
        for words, side, shift in ((data.sides[0], "right", -6), (data.sides[1], "left", 6)):
            if words and (inside if side == "right" else 1 - inside) > 0.12:
                _above(axes, data.limit, words, side, shift)
    if data.mark is not None:
        value, words = data.mark
        axes.axvline(value, color=canvas.VERMILION, linewidth=1.2, linestyle=(0, (4, 3)))
        inside = across(axes, value)
        _above(axes, value, words, "right" if inside > 0.7 else "left" if inside < 0.3 else "center", 0)


def _above(axes: Axes, value: float, words: str, side: str, shift: int) -> None:
    axes.annotate(
        words, (value, 1.0), (shift, 2), xycoords=("data", "axes fraction"), textcoords="offset points", va="bottom", ha=side,
        bbox=HALO,
    )  # fmt: skip


EVIDENCE_INCHES: Final = 3.6
DASHES: Final[Sequence[str | tuple[int, tuple[float, float]]]] = ("-", (0, (7, 1.5)), (0, (2.5, 1.2)))
"""Dash patterns of lines, one after the other."""
SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def evidence_drawing(data: EvidencePath) -> Drawing | None:
    """Each line with its name, and the thresholds; None for fewer than two looks."""
    return Drawing(partial(_draw_evidence, data=data), data.alt, EVIDENCE_INCHES) if len(data.questions) > 1 else None


def _draw_evidence(figure: Figure, *, data: EvidencePath) -> None:
    width = figure.get_figwidth()
    axes = figure.add_axes((0.68 / width, 0.52 / EVIDENCE_INCHES, 1 - 0.9 / width, 1 - 0.9 / EVIDENCE_INCHES))
    top, bottom = 1.75 * max(data.thresholds), -1.25 * max(data.thresholds)
    axes.set_xscale("log")
    first, last = data.questions[0], data.questions[-1]
    axes.set_xlim(max(1, first), max(last, first + 1) * 1.04)
    axes.set_ylim(bottom, top)
    for height in sorted(set(data.thresholds)):
        axes.axhline(height, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.annotate(
            f"{power(height)}: enough for a verdict", (0, height), (2, 4), xycoords=("axes fraction", "data"),
            textcoords="offset points", bbox=HALO,
        )  # fmt: skip
    for line, dashes in zip(data.lines, DASHES, strict=False):
        axes.plot(data.questions, line.heights, color=LOOKS[line.kind][0], linestyle=dashes)
    _label_lines(axes, data, (bottom, top))
    colour, mark = LOOKS[data.verdict]
    end = min(max(data.lines[data.deciding].heights[-1], bottom), top)
    axes.plot([last], [end], mark, markersize=9, color=colour, markeredgecolor=canvas.PAPER, clip_on=False, zorder=5)
    axes.set_xlabel("Questions asked")
    figure.text(0.02 / width, 1 - 0.14 / EVIDENCE_INCHES, "Evidence (e-value)", va="center")
    _plain_ticks(axes, data.questions, (bottom, top))


def _plain_ticks(axes: Axes, questions: Sequence[int], heights: tuple[float, float]) -> None:
    first, last = max(1, questions[0]), questions[-1]
    ticks = [t * 10**p for p in range(8) for t in ((1, 3) if last / first < 300 else (1,)) if first <= t * 10**p <= last]
    axes.set_xticks(ticks, [count(tick) for tick in ticks])
    axes.minorticks_off()
    step = max(1, round((heights[1] - heights[0]) / 5))
    powers = range(math.ceil(heights[0]), math.floor(heights[1]) + 1, step)
    axes.set_yticks(list(powers), [power(index) for index in powers])


def _label_lines(axes: Axes, data: EvidencePath, heights: tuple[float, float]) -> None:
    """Each line's name at its end, from the bottom up and never two at the same height."""
    bottom, top = heights
    gap = (top - bottom) * 0.095
    anchors: list[tuple[float, int, EvidenceLine]] = []
    for line in data.lines:
        leaves = next((i for i, y in enumerate(line.heights) if not bottom + gap <= y <= top - gap), len(data.questions))
        last = max(0, leaves - 1)
        anchors.append((min(max(line.heights[last], bottom + gap), top - gap), data.questions[last], line))
    lowest = bottom
    for height, x, line in sorted(anchors, key=lambda anchor: anchor[0]):
        lowest = max(height, lowest + gap)
        left, rising = across(axes, x) > 0.5, line.heights[-1] > 0
        level = "center" if not left else "bottom" if rising else "top"
        axes.annotate(
            line.label, (x, lowest), (-9 if left else 9, 3 if rising else -3), textcoords="offset points",
            ha="right" if left else "left", va=level, bbox=HALO,
        )  # fmt: skip


def power(height: float) -> str:
    """An e-value given as its decimal logarithm: plain where it is short.

    >>> power(2.0), power(-2.0), power(-5.0)
    ('100', '0.01', '10⁻⁵')
    """
    if -2 <= height <= 4:
        return count(round(10**height)) if height >= 0 else f"{10**height:.4g}"
    return f"10{str(round(height)).translate(SUPERSCRIPTS)}"
