"""Plot of the ladder of humanity: how often people take each player for a person."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from vivavoce.formats.wording import name_of
from vivavoce.luna.humanity import Humanity
from vivavoce.luna.identification_finding import share_in_words
from vivavoce.luna.identification_ladders import HumanityFigure, shown_name
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW = 0.27
"""Inches for one row."""
_SIDE = 0.36
"""Of the width, what names take."""


def humanity_drawing(data: HumanityFigure) -> Drawing | None:
    if len(data.players) < 2:
        return None
    first, last = data.players[0], data.players[-1]
    alt = (
        f"How often people take players for people, of {len(data.players)} players: from {shown_name(first)}, "
        f"{share_in_words(first.share)}, to {shown_name(last)}, {share_in_words(last.share)}. Circles are people, squares "
        "machines; bars are 95% intervals."
    )
    height = 0.95 + _ROW * len(data.players)
    return Drawing(partial(_draw, players=data.players, height=height), alt, height)


def _draw(figure: Figure, *, players: Sequence[Humanity], height: float) -> None:
    axes = figure.add_axes((_SIDE, 0.55 / height, 0.96 - _SIDE, 1 - 0.9 / height))
    for row, one in enumerate(players):
        colour, mark = (canvas.BLUE, "o") if one.human else (canvas.ORANGE, "s")
        ends = [100 * one.share.interval.lower, 100 * one.share.interval.upper]
        axes.plot(ends, [row, row], color=colour, linewidth=5, alpha=0.4, solid_capstyle="butt")
        axes.plot([100 * (one.share.value or 0.0)], [row], mark, markersize=6, color=colour, clip_on=False)
    axes.set_ylim(len(players) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    names = [name_of(one.player) for one in players]  # its mark says what it is
    beside = [canvas.shortened(name, inches=canvas.WIDTH_INCHES * _SIDE, size=10) for name in names]
    axes.set_yticks(range(len(players)), beside, size=10)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("taken for a person, percent")
    axes.set_title("Circles: people, squares: machines", loc="left", size=11)
