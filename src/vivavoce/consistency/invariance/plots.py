"""The plot of flip rates by kind of variation, beside that of the identical question."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.consistency.invariance.report import FlipRates
from vivavoce.consistency.invariance.words import rate_in_words
from vivavoce.formats.wording import share
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT: Final = 12
"""Characters of a name for which the usual margin is wide enough."""


def flip_rates_drawing(data: FlipRates) -> Drawing | None:
    """Each rate with its interval; None where nothing was asked."""
    if not any(rate.n for _, rate in data.rows):
        return None
    told = ", ".join(f"{name} {rate_in_words(rate)}" for name, rate in data.rows)
    limit = "" if data.limit is None else f" The limit is {share(data.limit)}."
    return Drawing(partial(_draw, data=data), f"Share of {data.of}: {told}.{limit}", _height(data))


def _height(data: FlipRates) -> float:
    return 0.9 + 0.32 * len(data.rows)


def _draw(figure: Figure, *, data: FlipRates) -> None:
    height = _height(data)
    left = min(0.22 + 0.014 * max(0, max(len(name) for name, _ in data.rows) - SHORT), 0.45)
    axes = figure.add_axes((left, 0.55 / height, 0.96 - left, 1 - 0.75 / height))
    for place, (_, rate) in enumerate(data.rows):
        if rate.least is None or rate.most is None:
            continue
        colour = canvas.GREY if place == 0 else canvas.BLUE
        ends = [100 * rate.interval.lower, 100 * rate.interval.upper]
        axes.plot(ends, [place, place], color=colour, linewidth=1.4, solid_capstyle="butt")
        if rate.most > rate.least:
            axes.plot([100 * rate.least, 100 * rate.most], [place, place], color=colour, linewidth=5, solid_capstyle="butt")
        axes.plot([100 * rate.least], [place], marker="o", markersize=5, color=colour, linestyle="none")
    axes.set_yticks(range(len(data.rows)), [name for name, _ in data.rows])
    axes.set_ylim(len(data.rows) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    if data.limit is not None:
        axes.axvline(100 * data.limit, color=canvas.INK, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.annotate("limit", (100 * data.limit, 1.0), (4, 1), xycoords=("data", "axes fraction"), size=9,
                      textcoords="offset points", va="bottom", bbox=HALO)  # fmt: skip
    axes.set_xlabel(f"{data.of[0].upper()}{data.of[1:]}, in percent")
