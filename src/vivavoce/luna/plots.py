"""Plots of a site's figures: ratings of people, how far guesses lie apart, and who is taken for a person."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from vivavoce.formats.wording import name_of
from vivavoce.luna.humanity import Humanity
from vivavoce.luna.identification import Bin
from vivavoce.luna.identification_finding import CalibrationFigure, share_in_words
from vivavoce.luna.identification_ladders import HumanityFigure, shown_name
from vivavoce.luna.spread import SpreadAt, SpreadFigure
from vivavoce.luna.stats_finding import RatingsFigure, in_words
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


ENDLESS = 1e6
"""An end of an interval that far away is none."""


def ratings_drawing(data: RatingsFigure) -> Drawing | None:
    if not any(data.people):
        return None
    told = ", ".join(f"{number} from {10 * place}" for place, number in enumerate(data.people) if number)
    return Drawing(partial(_draw_ratings, people=data.people), f"Ratings of people: {told}.", 2.4)


def spread_drawing(data: SpreadFigure) -> Drawing | None:
    if len(data.spread) < 2:
        return None
    first, last = data.spread[0], data.spread[-1]
    alt = (
        f"How far guesses about one person lie apart: {in_words(first.deviation)} with {first.games} guesses, "
        f"{in_words(last.deviation)} with {last.games}. Bars: 95% intervals."
    )
    return Drawing(partial(_draw_spread, spread=data.spread), alt, 2.6)


def calibration_drawing(data: CalibrationFigure) -> Drawing | None:
    known = [one for one in data.bins if one.right.value is not None]
    if len(known) < 2:
        return None
    told = "; ".join(f"{share_in_words(one.right)} of {one.right.n} at {one.lower} to {one.upper} percent" for one in known)
    alt = f"How often judgements of person or machine are right, by how sure they are: {told}. Bars: 95% intervals."
    return Drawing(partial(_draw_calibration, bins=known), alt, 3.0)


def _draw_calibration(figure: Figure, *, bins: list[Bin]) -> None:
    axes = figure.add_axes((0.1, 0.18, 0.86, 0.72))
    axes.plot([50, 100], [50, 100], linestyle=(0, (4, 2)), color=canvas.GREY)
    for one in bins:
        value, across = 100 * (one.right.value or 0.0), one.confidence or 0.0
        axes.plot([across] * 2, [100 * one.right.interval.lower, 100 * one.right.interval.upper], color=canvas.BLUE)
        axes.plot([across], [value], "o", color=canvas.BLUE, clip_on=False)
    axes.set_xlim(49, 101)
    axes.set_ylim(0, 100)
    axes.set_xlabel("How sure, percent")
    axes.set_title("Right, percent; dashed: as often right as sure", loc="left", size=11)


def _draw_ratings(figure: Figure, *, people: tuple[int, ...]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes = figure.add_axes((0.1, 0.22, 0.86, 0.66))
    axes.bar([10 * place + 5 for place in range(10)], people, width=9, color=canvas.BLUE)
    axes.set_xlim(0, 100)
    axes.set_xticks(range(0, 101, 10))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("Rating")
    axes.set_title("People", loc="left", size=11)


def _draw_spread(figure: Figure, *, spread: tuple[SpreadAt, ...]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes = figure.add_axes((0.1, 0.2, 0.86, 0.69))
    for one in spread:
        value, interval = one.deviation.value or 0.0, one.deviation.interval
        axes.plot([one.games], [value], "o", color=canvas.BLUE)
        if max(abs(interval.lower), abs(interval.upper)) < ENDLESS:
            axes.plot([one.games] * 2, [max(0.0, interval.lower), interval.upper], color=canvas.BLUE)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("Guesses that a person received")
    axes.set_title("Standard deviation of guesses, points", loc="left", size=11)
