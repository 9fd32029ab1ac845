"""The plot of shares with their intervals below one another."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.formats.wording import share
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing
from vivavoce.report.figures import IntervalRows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT: Final = 12
"""Characters of a label for which the usual margin is wide enough."""


def drawing(data: IntervalRows) -> Drawing | None:
    """Each share with its interval; None without rows."""
    if not data.rows:
        return None
    listed = ", ".join(f"{row.label} {row.text}" for row in data.rows)
    limit = "" if data.limit is None else f" The limit is {share(data.limit)}."
    return Drawing(partial(_draw, data=data), f"Share of {data.axis}: {listed}.{limit}", _height(data))


def _height(data: IntervalRows) -> float:
    return 0.9 + 0.32 * len(data.rows)


def _draw(figure: Figure, *, data: IntervalRows) -> None:
    height = _height(data)
    left = min(0.22 + 0.014 * max(0, max(len(row.label) for row in data.rows) - SHORT), 0.45)
    axes = figure.add_axes((left, 0.55 / height, 0.96 - left, 1 - 0.75 / height))
    for place, row in enumerate(data.rows):
        colour = canvas.GREY if row.kind == "control" else canvas.BLUE
        ends = [100 * row.interval.lower, 100 * row.interval.upper]
        axes.plot(ends, [place, place], color=colour, linewidth=1.4, solid_capstyle="butt")
        if row.most > row.least:
            axes.plot([100 * row.least, 100 * row.most], [place, place], color=colour, linewidth=5, solid_capstyle="butt")
        axes.plot([100 * row.least], [place], marker="o", markersize=5, color=colour, linestyle="none")
    axes.set_yticks(range(len(data.rows)), [row.label for row in data.rows])
    axes.set_ylim(len(data.rows) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    if data.limit is not None:
        axes.axvline(100 * data.limit, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.annotate("limit", (100 * data.limit, 1.0), (4, 1), xycoords=("data", "axes fraction"), size=9,
                      textcoords="offset points", va="bottom", bbox=HALO)  # fmt: skip
    axes.set_xlabel(f"{data.axis[0].upper()}{data.axis[1:]} (%)")
