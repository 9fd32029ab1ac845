"""The plots of several candidates on their own explanations: bars by category, and a spider plot of all categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from vivavoce.eqt.figures import Figures
from vivavoce.eqt.report.cells import called, figure_cell, line
from vivavoce.eqt.report.figures import CategoryPanel, CategorySpider
from vivavoce.eqt.report.plots import pair
from vivavoce.formats.wording import count, percent
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes

LEAST_CORNERS: Final = 3
MOST_CORNERS: Final = 24
WIDTH_INCHES: Final = 2.4
"""Of a panel: two stand side by side on a telephone."""
TEXT: Final = 9.5
SPIDER_INCHES: Final = 3.05
"""Across; the rest of the width is for the names of the corners."""
KEY_INCHES: Final = 0.24
LONGEST_KEY: Final = 48
"""Characters of a name next to its mark."""
LONGEST_CORNER: Final = 12
"""Characters in a line of a corner's name, of which there are two."""
LINES: Final[tuple[tuple[str, str, Any], ...]] = (
    (canvas.BLUE, "o", "-"),
    (canvas.VERMILION, "s", (0, (6, 2))),
    (canvas.GREEN, "^", (0, (2, 1.5))),
    (canvas.ORANGE, "D", (0, (6, 2, 1.5, 2))),
    (canvas.GREY, "v", (0, (1, 1))),
)
"""Colour, mark and dashes of each candidate's line: any one of the three is enough to tell them apart."""


def category_panel_drawing(data: CategoryPanel) -> Drawing:
    told = "; ".join(
        f"{called(name)} {line(figure_cell(figures, 'closed'))} and {line(figure_cell(figures, 'open_book'))}"
        for _, name, figures in data.candidates
    )
    alt = f"{called(data.category)}, answered exactly without the explanation and with it: {told}."
    height = 0.3 + 0.36 * len(data.candidates)
    return Drawing(lambda figure: _draw_panel(figure, data.candidates, height), alt, height, WIDTH_INCHES)


def category_spider_drawing(data: CategorySpider) -> Drawing | None:
    corners = data.categories[:MOST_CORNERS]
    if len(corners) < LEAST_CORNERS:
        return None
    told = [
        words for name, shares in zip(data.candidates, data.shares, strict=True) if (words := _extremes(name, corners, shares))
    ]
    alt = f"Answered exactly without the explanation, in {count(len(corners))} categories: {'; '.join(told)}."
    height = KEY_INCHES * len(data.candidates) + 0.5 + SPIDER_INCHES + 0.42
    return Drawing(lambda figure: _draw_spider(figure, data, corners, height), alt, height)


def _extremes(name: str, corners: Sequence[str], shares: Sequence[float | None]) -> str:
    """From which share to which, and in which categories; empty where none is known."""
    known = {corner: share for corner, share in zip(corners, shares, strict=False) if share is not None}
    if not known:
        return ""
    least, most = min(known, key=lambda corner: known[corner]), max(known, key=lambda corner: known[corner])
    return f"{name} from {percent(known[least])} in {called(least)} to {percent(known[most])} in {called(most)}"


def _draw_panel(figure: Figure, rows: Sequence[tuple[int, str, Figures]], height: float) -> None:
    axes = figure.add_axes((0.08, 0.26 / height, 0.83, (height - 0.3) / height))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.grid(visible=False, axis="y")
    for y, (_, _, figures) in enumerate(rows):
        pair(axes, y, figures, height=0.38)
    axes.set_yticks(range(len(rows)), [str(number) for number, _, _ in rows], size=TEXT)
    axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"], size=TEXT)
    axes.tick_params(length=0)


def corner_name(category: str) -> str:
    """A category in at most two short lines.

    >>> corner_name("computer science"), corner_name("x" * 40)
    ('computer\\nscience', 'xxxxxxxxxxxx\\nxxxxxxxxxxx…')
    """
    from textwrap import wrap

    lines = wrap(called(category), LONGEST_CORNER)
    if len(lines) > 2:
        lines = [lines[0], f"{lines[1][: LONGEST_CORNER - 1]}…"]
    return "\n".join(lines)


def keys(figure: Figure, names: Sequence[str], *, lines: bool) -> None:
    """At the top of a picture each candidate's mark, and its line if there are `lines`, with its number and name."""
    from matplotlib.lines import Line2D

    height = float(figure.get_size_inches()[1])
    for place, name in enumerate(names):
        colour, mark, dashes = LINES[place]
        y = 1 - (0.16 + KEY_INCHES * place) / height
        figure.add_artist(
            Line2D(
                [0.06, 0.1, 0.14], [y] * 3, color=colour, linestyle=dashes if lines else "none", marker=mark, markersize=4.5,
                markevery=[1],
            )
        )  # fmt: skip
        figure.text(0.165, y, f"{place + 1}  {name}", size=10, va="center_baseline")


def _draw_spider(figure: Figure, data: CategorySpider, corners: Sequence[str], height: float) -> None:
    from matplotlib.projections.polar import PolarAxes

    shares = [of_candidate[: len(corners)] for of_candidate in data.shares]
    across = SPIDER_INCHES / canvas.WIDTH_INCHES
    axes = PolarAxes(figure, ((1 - across) / 2, 0.42 / height, across, SPIDER_INCHES / height))
    figure.add_axes(axes)
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1)
    axes.set_yticks([0.25, 0.5, 0.75, 1], ["", "50%", "", ""], size=9)
    axes.set_rlabel_position(180 / len(corners))
    axes.spines["polar"].set_visible(False)
    angles = [2 * math.pi * place / len(corners) for place in range(len(corners))]
    axes.set_xticks(angles, [""] * len(angles))
    for angle, corner in zip(angles, corners, strict=True):
        x, y = math.sin(angle), math.cos(angle)
        side = "center" if abs(x) < 0.2 else "left" if x > 0 else "right"
        end = "bottom" if y > 0.95 else "top" if y < -0.95 else "center"
        axes.text(angle, 1.06, corner_name(corner), ha=side, va=end, size=9.5, linespacing=0.95)
    for (colour, mark, dashes), values in zip(LINES, shares, strict=False):
        heights = [math.nan if value is None else value for value in values]
        axes.plot([*angles, angles[0]], [*heights, heights[0]], color=colour, linestyle=dashes, marker=mark, markersize=4.5)
    keys(figure, [name[:LONGEST_KEY] for name in data.candidates], lines=True)
    _numbers(axes, angles, shares)


def _numbers(axes: PolarAxes, angles: Sequence[float], shares: Sequence[Sequence[float | None]]) -> None:
    """Each line's number, where it is farthest from the others, no two at one corner if there are enough."""
    free = set(range(len(angles)))
    for place, values in enumerate(shares):
        room = {
            corner: min((abs(value - there) for there in _others(shares, place, corner)), default=1.0)
            for corner, value in enumerate(values)
            if value is not None
        }
        if room:
            corner = max(free & set(room) or set(room), key=lambda one: (room[one], -one))
            free.discard(corner)
            axes.annotate(
                str(place + 1), (angles[corner], values[corner] or 0.0), (7, 0), textcoords="offset points", size=10,
                va="center", bbox=HALO,
            )  # fmt: skip


def _others(shares: Sequence[Sequence[float | None]], place: int, corner: int) -> list[float]:
    """Where the other lines are at a corner."""
    found = (values[corner] for other, values in enumerate(shares) if other != place)
    return [value for value in found if value is not None]
