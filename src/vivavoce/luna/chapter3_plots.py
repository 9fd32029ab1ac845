"""The figures of the thesis' chapter 3 again: mean and largest distance of ratings from intelligence, in both readings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.luna.chapter3 import Curve, Drawn, Point
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ACROSS = {"games": "games played", "share": "players who do, %", "delay": "games played honestly before 500 more"}


def curves_drawing(data: Drawn) -> Drawing:
    ends = [
        f"{words} {way.last.mean.value or 0.0:.1f} on average and {way.last.largest.value or 0.0:.1f} at most"
        for words, way in (("as the text reads", data.corrected), ("as published", data.as_published))
    ]
    alt = (
        f"{data.figure.title}: distance of ratings from intelligence at the right end, {'; '.join(ends)}. Bands are 95% "
        "intervals over trials."
    )
    return Drawing(partial(_draw, figure=data), alt, 3.0)


def _draw(made: Figure, *, figure: Drawn) -> None:
    axes = made.add_axes((0.115, 0.17, 0.86, 0.74))
    scale = 100 if figure.figure.across == "share" else 1
    for curve, colour, words in (
        (figure.corrected, canvas.BLUE, "as it reads"),
        (figure.as_published, canvas.ORANGE, "as published"),
    ):
        _lines(axes, curve, colour, words, scale)
    top = max(point.largest.value or 0.0 for curve in (figure.corrected, figure.as_published) for point in curve.points)
    axes.set_ylim(0, top * 1.35)  # room for the legend
    axes.set_xlim(left=0)
    axes.set_xlabel(ACROSS[figure.figure.across])
    axes.set_title("Distance from intelligence, points", loc="left", size=11)
    axes.legend(loc="upper left", ncols=2, frameon=False, fontsize=10, columnspacing=1.2, handlelength=2.2)


def _lines(axes: Axes, curve: Curve, colour: str, words: str, scale: float) -> None:
    x = np.array([scale * point.x for point in curve.points])
    mean, lower, upper = _values(curve.points)
    axes.fill_between(x, lower, upper, color=colour, alpha=0.2, linewidth=0)
    axes.plot(x, mean, color=colour, label=f"mean, {words}")
    largest = [point.largest.value for point in curve.points]
    axes.plot(
        x, [np.nan if one is None else one for one in largest], color=colour, linestyle=(0, (4, 2)), label=f"largest, {words}"
    )


def _values(points: tuple[Point, ...]) -> tuple[list[float], list[float], list[float]]:
    means = [np.nan if point.mean.value is None else point.mean.value for point in points]
    return means, [point.mean.interval.lower for point in points], [point.mean.interval.upper for point in points]
