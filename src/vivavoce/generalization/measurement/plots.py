"""The plot of measured models: how each measure changes with the size of the models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING

from vivavoce.formats.wording import percent
from vivavoce.generalization.alignment.report.cells import three
from vivavoce.generalization.measurement.report import TrendFigure
from vivavoce.generalization.measurement.trend import Slope
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW_INCHES = 0.3


def trend_drawing(data: TrendFigure) -> Drawing | None:
    slopes = [one for one in data.slopes if one.measure == "accuracy" and one.change.value is not None]
    if not slopes:
        return None
    told = "; ".join(f"at a threshold of {percent(one.threshold or 0.0)} {three(one.change.value or 0.0)}" for one in slopes)
    height = 1.1 + ROW_INCHES * len(slopes)
    return Drawing(
        partial(_draw, slopes=slopes, height=height), f"Change of weighted accuracy with a tenfold size: {told}.", height
    )


def _draw(figure: Figure, *, slopes: Sequence[Slope], height: float) -> None:
    axes = figure.add_axes((0.24, 0.6 / height, 0.73, (height - 1.0) / height))
    axes.axvline(0, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)))
    for place, one in enumerate(slopes):
        interval = one.change.interval
        if isfinite(interval.lower) and isfinite(interval.upper):
            axes.hlines(place, interval.lower, interval.upper, color=canvas.BLUE, linewidth=3, alpha=0.4)
        axes.plot([one.change.value or 0.0], [place], "o", color=canvas.BLUE, markersize=4.5)
    axes.set_ylim(len(slopes) - 0.5, -0.5)
    axes.set_yticks(range(len(slopes)), [f"Threshold {percent(one.threshold or 0.0)}" for one in slopes])
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("Change of weighted accuracy with a tenfold size")
    axes.set_title("no change at the dashed line", loc="left", size=10)
