"""The plot of a rule: how far the outputs of each tuple are from breaking it, or beyond."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from vivavoce.consistency.relations.describe import rough
from vivavoce.consistency.relations.report import RuleDistances
from vivavoce.consistency.relations.rules import NOISE
from vivavoce.consistency.relations.summary import Histogram
from vivavoce.formats.wording import clipped, count
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEIGHT_INCHES = 2.4


def rule_distances_drawing(data: RuleDistances) -> Drawing | None:
    """How many tuples are how far from the limit of the rule; None where there is little to see."""
    row = data.summary
    histogram = row.histogram
    if histogram is None:
        return None
    beyond = f"{count(row.violated) if row.violated else 'none'} of {count(row.n)}"
    from_zero = max(row.tolerances) <= NOISE  # else the largest violation is further from 0 than from the limit
    furthest = f", the furthest by {rough(row.largest or 0.0)}" if row.violated and from_zero else ""
    alt = f"How far cases are from the limit of the rule “{clipped(row.rule, 80)}”: {beyond} beyond it{furthest}."
    return Drawing(partial(_draw, histogram=histogram), alt, HEIGHT_INCHES)


def _draw(figure: Figure, *, histogram: Histogram) -> None:
    from matplotlib.ticker import MaxNLocator

    axes = figure.add_axes((0.13, 0.24, 0.84, 0.66))
    edges = [histogram.begin + place * histogram.width for place in range(len(histogram.counts) + 1)]
    for left, counted in zip(edges, histogram.counts, strict=False):
        broken = left > -histogram.width / 2
        axes.bar(
            left,
            counted,
            width=histogram.width,
            align="edge",
            color=canvas.VERMILION if broken else canvas.BLUE,
            hatch="///" if broken else None,
            edgecolor=canvas.PAPER,
            linewidth=0.5,
        )
    axes.set_xlim(min(edges[0], -histogram.width), max(edges[-1], histogram.width))
    axes.set_ylim(0, max(histogram.counts) * 1.15)
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
    axes.set_xlabel("Beyond the limit of the rule, in the unit of the output")
    axes.set_ylabel("Cases")
