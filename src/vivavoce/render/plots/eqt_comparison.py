"""The plots of several candidates on their own explanations: bars by category, and a spider plot of all categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from vivavoce.eqt.figures import Figures
from vivavoce.eqt.finding import ExplainQueryTest
from vivavoce.formats.wording import count, percent
from vivavoce.render.pages.eqt.tables import called, cell
from vivavoce.render.plots import style
from vivavoce.render.plots.drawing import HALO, Plot, drawn
from vivavoce.render.plots.eqt import pair

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes

MOST_DRAWN: Final = 5
"""Candidates in one picture: more cannot be told from one another."""
MOST_PANELS: Final = 24
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
    (style.BLUE, "o", "-"),
    (style.VERMILION, "s", (0, (6, 2))),
    (style.GREEN, "^", (0, (2, 1.5))),
    (style.ORANGE, "D", (0, (6, 2, 1.5, 2))),
    (style.GREY, "v", (0, (1, 1))),
)
"""Colour, mark and dashes of each candidate's line: any one of the three is enough to tell them apart."""


def panel(category: str, rows: Sequence[tuple[int, str, Figures]], name: str) -> Plot:
    """One category: a pair of bars a candidate, closed book solid, open book hatched.

    Parameters
    ----------
    rows: number and name of each candidate with its figures in this category.
    name: begins every id in the picture.
    """
    told = "; ".join(f"{called(who)} {cell(one, 'closed').line} and {cell(one, 'open_book').line}" for _, who, one in rows)
    alt = f"{called(category)}, answered exactly without the explanation and with it: {told}."
    height = 0.3 + 0.36 * len(rows)
    draw = partial(_draw_panel, rows=rows, height=height)
    return Plot(drawn(draw, name, alt, height_inches=height, width_inches=WIDTH_INCHES), alt)


def spider(findings: Sequence[ExplainQueryTest], categories: Sequence[str], name: str) -> Plot | None:
    """Closed-book accuracy of all categories, a line a candidate; None for fewer than three categories."""
    corners, drawn_ones = list(categories[:MOST_CORNERS]), findings[:MOST_DRAWN]
    if len(corners) < LEAST_CORNERS:
        return None
    shares = [_shares(finding, corners) for finding in drawn_ones]
    parts = []
    for finding, values in zip(drawn_ones, shares, strict=True):
        known = {corner: value for corner, value in zip(corners, values, strict=True) if value is not None}
        if known:
            least, most = min(known, key=lambda c: known[c]), max(known, key=lambda c: known[c])
            parts.append(
                f"{called(finding.candidate)} from {percent(known[least])} in {called(least)} to {percent(known[most])} in "
                f"{called(most)}"
            )
    alt = f"Answered exactly without the explanation, in {count(len(corners))} categories: {'; '.join(parts)}."
    height = KEY_INCHES * len(drawn_ones) + 0.5 + SPIDER_INCHES + 0.42
    names = [called(finding.candidate)[:LONGEST_KEY] for finding in drawn_ones]
    draw = partial(_draw_spider, names=names, corners=corners, shares=shares, height=height)
    return Plot(drawn(draw, name, alt, height_inches=height), alt)


def _shares(finding: ExplainQueryTest, categories: Sequence[str]) -> list[float | None]:
    found = {one.name: one.closed.value for one in finding.categories}
    return [found.get(category) for category in categories]


def _draw_panel(figure: Figure, *, rows: Sequence[tuple[int, str, Figures]], height: float) -> None:
    axes = figure.add_axes((0.08, 0.26 / height, 0.83, (height - 0.3) / height))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.grid(visible=False, axis="y")
    for y, (_, _, one) in enumerate(rows):
        pair(axes, y, one, height=0.38)
    axes.set_yticks(range(len(rows)), [str(number) for number, _, _ in rows], size=TEXT)
    axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"], size=TEXT)
    axes.tick_params(length=0)


def corner_name(category: str) -> str:
    """A category in at most two short lines.

    >>> corner_name("computer science"), corner_name("x" * 40)
    ('computer\\nscience', 'xxxxxxxxxxxx\\nxxxxxxxxxxx…')
    """
    from textwrap import wrap

    found = wrap(called(category), LONGEST_CORNER)
    if len(found) > 2:
        found = [found[0], f"{found[1][: LONGEST_CORNER - 1]}…"]
    return "\n".join(found)


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


def _draw_spider(
    figure: Figure, *, names: Sequence[str], corners: Sequence[str], shares: Sequence[Sequence[float | None]], height: float
) -> None:
    from matplotlib.projections.polar import PolarAxes

    across = SPIDER_INCHES / style.WIDTH_INCHES
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
    keys(figure, names, lines=True)
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
