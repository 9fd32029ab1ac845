"""The plot of a histogram with a limit at 0."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing
from vivavoce.report.figures import Histogram

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEIGHT_INCHES = 2.4


def drawing(data: Histogram) -> Drawing:
    """Bars below the limit and beyond it."""
    return Drawing(partial(_draw, data=data), data.alt, HEIGHT_INCHES)


def _draw(figure: Figure, *, data: Histogram) -> None:
    from matplotlib.ticker import MaxNLocator

    axes = figure.add_axes((0.13, 0.24, 0.84, 0.66))
    edges = [data.begin + place * data.width for place in range(len(data.counts) + 1)]
    for left, counted in zip(edges, data.counts, strict=False):
        broken = left > -data.width / 2
        axes.bar(
            left,
            counted,
            width=data.width,
            align="edge",
            color=canvas.VERMILION if broken else canvas.BLUE,
            hatch="///" if broken else None,
            edgecolor=canvas.PAPER,
            linewidth=0.5,
        )
    axes.set_xlim(min(edges[0], -data.width), max(edges[-1], data.width))
    axes.set_ylim(0, max(data.counts) * 1.15)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.axvline(0, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)))
    left, right = axes.get_xlim()
    inside = -left / (right - left)
    for word, place, shift in (("kept", "right", -6), ("broken", "left", 6)):
        if (inside if word == "kept" else 1 - inside) > 0.12:
            axes.annotate(
                word, (0, 1.0), (shift, 0), xycoords=("data", "axes fraction"), textcoords="offset points",
                size=10, va="bottom", ha=place, bbox=HALO,
            )  # fmt: skip
    axes.set_xlabel(data.axis)
    axes.set_ylabel("Cases")
