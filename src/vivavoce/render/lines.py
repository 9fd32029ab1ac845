"""The plot of lines and points in the plane."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from vivavoce.formats.wording import count
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing, beside
from vivavoce.report.figures import Axis, Line, Lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Look = tuple[str, str, str | tuple[int, tuple[float, ...]]]
"""Colour, mark and dashes: each is enough to tell two lines apart."""
LOOKS: Final[tuple[Look, ...]] = (
    (canvas.BLUE, "o", "-"),
    (canvas.ORANGE, "s", (0, (6, 1.5))),
    (canvas.GREEN, "^", (0, (2, 1.5))),
    (canvas.VERMILION, "v", (0, (4, 1.5, 1, 1.5))),
    (canvas.GREY, "D", (0, (1, 1))),
)
REFERENCE: Final[Look] = (canvas.INK, "", (0, (4, 3)))
BELOW: Final = 0.52
"""Inches below the axes."""
MANY: Final = 60
"""Points of a line above which marks are small."""


def drawing(data: Lines) -> Drawing | None:
    """All lines; None where no line has two points, and all of those that are not joined have at most one together."""
    own = [line for line in data.lines if not line.is_reference]
    if not any(len(line.points) > 1 for line in own) and sum(len(line.points) for line in own if not line.joined) < 2:
        return None
    named = sum(bool(line.label) for line in data.lines)
    height = data.height_inches + canvas.LINE * (named if named > 1 else 0)
    return Drawing(partial(_draw, data=data), data.alt, height)


def looks(data: Lines) -> list[Look]:
    """Of the lines, one after the other."""
    ours = iter(LOOKS * (1 + len(data.lines) // len(LOOKS)))
    return [REFERENCE if line.is_reference else next(ours) for line in data.lines]


def _draw(figure: Figure, *, data: Lines) -> None:
    width, height = figure.get_figwidth(), figure.get_figheight()
    named = [(look, line) for look, line in zip(looks(data), data.lines, strict=True) if line.label]
    named = named if len(named) > 1 else []
    title = canvas.wrapped(data.upwards.label, inches=width - 0.05)
    label = canvas.wrapped(data.across.label, inches=width - 0.1)
    above = 0.16 + canvas.LINE * (len(named) + len(title))
    below = BELOW + canvas.LINE * (len(label) - 1 + any("\n" in words for _, words in data.across.ticks))
    axes = figure.add_axes((0.0, below / height, 1.0, 1 - (above + below) / height))
    for look, line in zip(looks(data), data.lines, strict=True):
        _draw_line(axes, line, look)
    _scale(axes, data)
    beside(axes, figure)
    if data.limit is not None:
        _level(axes, *data.limit)
    for place, (look, line) in enumerate(named):
        _key(figure, look, line, 0.13 + canvas.LINE * place)
    for place, text in enumerate(title):
        y = 0.13 + canvas.LINE * (len(named) + place)
        figure.text(0.02 / width, 1 - y / height, text, va="center")
    for place, text in enumerate(label):
        y = 0.14 + canvas.LINE * (len(label) - 1 - place)
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
        markersize=5 if len(x) <= MANY else 3, linewidth=1.2 if line.is_reference else 1.8, clip_on=not line.marked,
    )  # fmt: skip


def _scale(axes: Axes, data: Lines) -> None:
    for axis, name in ((data.across, "x"), (data.upwards, "y")):
        if axis.logarithmic:
            getattr(axes, f"set_{name}scale")("log")
        if axis.span is not None:
            getattr(axes, f"set_{name}lim")(*axis.span)
        ticks = axis.ticks or _ticks(axes, axis, name)
        low, high = getattr(axes, f"get_{name}lim")()
        shown = [(place, words) for place, words in ticks if low - 1e-9 <= place <= high + 1e-9]
        getattr(axes, f"set_{name}ticks")([place for place, _ in shown], [words for _, words in shown])
    axes.minorticks_off()


def _ticks(axes: Axes, axis: Axis, name: str) -> list[tuple[float, str]]:
    from matplotlib.ticker import MaxNLocator

    low, high = getattr(axes, f"get_{name}lim")()
    scale = 100 if axis.unit == "percent" else 1
    most = 5 if name == "y" else max(2, int(axes.bbox.width / axes.figure.dpi))

    def write(value: float) -> str:
        return f"{scale * value:.6g}".replace("-", "\N{MINUS SIGN}")

    if axis.logarithmic:
        powers = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
        return [(place, write(place)) for place in powers[:: max(1, -(-len(powers) // (most + 1)))]]
    places = MaxNLocator(most, integer=axis.whole).tick_values(low, high)
    return [(float(place), count(round(place)) if axis.whole else write(round(place, 9))) for place in places]


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
