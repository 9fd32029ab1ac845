"""How the searches came along: the number of distinct finds and the largest difference over evaluations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.consistency.chess.config import Method
from vivavoce.consistency.chess.search.report import SearchCourses
from vivavoce.consistency.chess.search.runs import Point, Run, methods_of
from vivavoce.formats.wording import count
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES: dict[Method, tuple[str, str | tuple[int, tuple[float, float]]]] = {
    "random": (canvas.ORANGE, (0, (2.5, 1.2))),
    "genetic": (canvas.BLUE, "-"),
    "archive": (canvas.GREEN, (0, (7, 1.5))),
}
"""Colour and dashes of each method; random search is the reference."""


def search_courses_drawing(data: SearchCourses) -> Drawing:
    """Two courses over the evaluations, one line a method: the mean over the seeds within a band from least to most."""
    ends = "; ".join(f"{method} search {_end(runs)}" for method, runs in _by_method(data).items())
    alt = (
        f"Distinct boards with a difference above {data.config.threshold:g}, and the largest difference, as evaluations are "
        f"spent. After {count(data.config.evaluations)}, on average: {ends}."
    )
    return Drawing(partial(_draw, data=data), alt, 5.2)


def _by_method(data: SearchCourses) -> dict[Method, list[Run]]:
    return {method: [run for run in data.runs if run.method == method] for method in methods_of(data.runs)}


def _end(runs: Sequence[Run]) -> str:
    last = [run.course[-1] for run in runs]
    return f"{count(round(np.mean([point.distinct for point in last])))} and {np.mean([point.largest for point in last]):.2f}"


def _draw(figure: Figure, *, data: SearchCourses) -> None:
    above, below = figure.add_axes((0.115, 0.60, 0.70, 0.345)), figure.add_axes((0.115, 0.095, 0.70, 0.345))
    above.set_title(f"Distinct boards with a difference above {data.config.threshold:g}", loc="left", size=11)
    below.set_title("Largest difference so far", loc="left", size=11)
    runs = _by_method(data)
    _courses(above, runs, lambda point: point.distinct)
    _courses(below, runs, lambda point: point.largest)
    below.set_xlabel("Evaluations")


def _courses(axes: Axes, runs: Mapping[Method, Sequence[Run]], height: Callable[[Point], float]) -> None:
    spent = [point.evaluations for point in next(iter(runs.values()))[0].course]
    ends = []
    for method, of_method in runs.items():
        heights = np.array([[height(point) for point in run.course] for run in of_method])
        colour, dashes = LINES[method]
        axes.fill_between(spent, heights.min(axis=0), heights.max(axis=0), color=colour, alpha=0.15, linewidth=0)
        axes.plot(spent, heights.mean(axis=0), color=colour, linestyle=dashes)
        ends.append((float(heights.mean(axis=0)[-1]), method))
    axes.set_xlim(0, spent[-1])
    axes.set_ylim(0, max(axes.get_ylim()[1], 0.1))
    ticks = [tick for tick in axes.get_xticks() if 0 <= tick <= spent[-1]]
    axes.set_xticks(ticks, [count(round(tick)) for tick in ticks])
    _label(axes, ends)


def _label(axes: Axes, ends: list[tuple[float, Method]]) -> None:
    """Each method's name right of its line's end, from the bottom up and never two at one height."""
    top = axes.get_ylim()[1]
    lowest = -top
    for height, method in sorted(ends, key=lambda end: end[0]):
        lowest = max(height, lowest + top * 0.11)
        axes.annotate(
            method, (1, lowest / top), (6, 0), xycoords="axes fraction", textcoords="offset points", va="center",
            size=10, color=canvas.INK, bbox=HALO,
        )  # fmt: skip
        axes.plot([1.0], [height / top], "o", color=LINES[method][0], markersize=5, transform=axes.transAxes, clip_on=False)
