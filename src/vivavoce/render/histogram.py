"""The plot of a histogram."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.formats.wording import count, percent
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing, across, beside
from vivavoce.report.figures import Histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT_INCHES: Final = 2.4
FLOOR: Final = 0.6
"""Where bars begin on a logarithmic axis: below one case."""
MANY: Final = 16
"""Bins above which there is no line between them."""
BELOW: Final = 0.52
"""Inches below the axes."""


def drawing(data: Histogram) -> Drawing | None:
    """Bars below the limit and beyond it; None where nothing was counted."""
    if not any(data.counts):
        return None
    return Drawing(partial(_draw, data=data), data.alt, HEIGHT_INCHES)


def _draw(figure: Figure, *, data: Histogram) -> None:
    width = figure.get_figwidth()
    lines = canvas.wrapped(data.axis, inches=width - 0.1)
    below, above = BELOW + canvas.LINE * (len(lines) - 1), 0.1 + canvas.LINE * (1 + _is_labelled(data))
    axes = figure.add_axes((0.0, below / HEIGHT_INCHES, 1.0, 1 - (below + above) / HEIGHT_INCHES))
    edges = [data.begin + place * data.width for place in range(len(data.counts) + 1)]
    limit = math.inf if data.limit is None else data.limit
    _draw_bins(axes, data, edges, limit)
    axes.set_xlim(min(edges[0], limit - data.width), max(edges[-1], data.begin if math.isinf(limit) else limit + data.width))
    _heights(axes, data)
    axes.locator_params(axis="x", nbins=max(2, int(1.4 * width)))
    beside(axes, figure)
    figure.text(0.02 / width, 1 - 0.13 / HEIGHT_INCHES, data.upwards, va="center")
    for place, line in enumerate(lines):
        figure.text(0.5, (below - BELOW + 0.14 - canvas.LINE * place) / HEIGHT_INCHES, line, ha="center", va="center")
    _limit(axes, data)


def _is_labelled(data: Histogram) -> bool:
    return data.mark is not None or (data.limit is not None and any(data.sides))


def _draw_bins(axes: Axes, data: Histogram, edges: list[float], limit: float) -> None:
    """Bins on both sides of the limit; many of them as one shape, which takes fewer bytes."""
    floor = FLOOR if data.logarithmic else 0
    below = sum(edge < limit - data.width / 2 for edge in edges[:-1])
    for begin, end, colour, hatch in (
        (0, below, canvas.BLUE, None),
        (below, len(data.counts), canvas.VERMILION, "///"),
    ):
        counts = data.counts[begin:end]
        if len(data.counts) > MANY and counts:
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
        place, words = data.mark
        axes.axvline(place, color=canvas.VERMILION, linewidth=1.2, linestyle=(0, (4, 3)))
        inside = across(axes, place)
        _above(axes, place, words, "right" if inside > 0.7 else "left" if inside < 0.3 else "center", 0)


def _above(axes: Axes, place: float, words: str, side: str, shift: int) -> None:
    axes.annotate(
        words, (place, 1.0), (shift, 2), xycoords=("data", "axes fraction"), textcoords="offset points", va="bottom", ha=side,
        bbox=HALO,
    )  # fmt: skip
