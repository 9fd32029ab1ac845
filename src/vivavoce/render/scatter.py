"""The plot of points in panels side by side, such as values before and after a change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing
from vivavoce.report.figures import Point, Scatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TICKS: Final = (0.0, 0.5, 1.0)


def drawing(data: Scatter) -> Drawing | None:
    """Each panel with its points, marked ones as crosses; None without points."""
    if not any(data.panels.values()):
        return None
    return Drawing(partial(_draw, data=data), data.alt, 3.1 if len(data.panels) > 1 else 4.6)


def _draw(figure: Figure, *, data: Scatter) -> None:
    several = len(data.panels) > 1
    for i, (title, points) in enumerate(data.panels.items()):
        left, width = (0.11 + 0.475 * i, 0.40) if several else (0.13, 0.8)
        axes = figure.add_axes((left, 0.16, width, 0.72 if several else 0.76))
        axes.set_title(title, loc="left", size=11, pad=6)
        _draw_points(axes, points, data.threshold)
        if i:
            axes.tick_params(labelleft=False)
        else:
            axes.set_ylabel(data.vertical)
        axes.set_xlabel(data.horizontal)


def _draw_points(axes: Axes, points: Sequence[Point], threshold: float) -> None:
    axes.set_aspect("equal")
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    labels = [f"{tick:g}" for tick in _TICKS]
    axes.set_xticks(_TICKS, labels)
    axes.set_yticks(_TICKS, labels)
    axes.plot((0, 1), (0, 1), color=canvas.GREY, linewidth=0.8)
    for line in (axes.axhline, axes.axvline):
        line(threshold, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
    for is_marked, marker, colour, size in ((False, "o", canvas.BLUE, 3.2), (True, "x", canvas.VERMILION, 5.5)):
        chosen = [point for point in points if point[2] is is_marked]
        axes.plot(
            [point[0] for point in chosen],
            [point[1] for point in chosen],
            marker,
            color=colour,
            markersize=size,
            markeredgewidth=1.4 if is_marked else 0,
            alpha=1.0 if is_marked else 0.55,
        )
