"""The plots of matches between engines: wins, draws and losses by colour, and scores over nodes."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.consistency.chess.describe import share_in_words
from vivavoce.consistency.chess.match.report import MatchResults, Tally
from vivavoce.consistency.chess.match.strength import ScoresOverNodes
from vivavoce.consistency.chess.match.words import nodes_in_words
from vivavoce.formats.wording import count, percent
from vivavoce.render.drawing import HALO, Drawing, drawing_of
from vivavoce.render.plots import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = (("won", canvas.BLUE), ("drawn", canvas.GREY), ("lost", canvas.ORANGE))


@drawing_of.register
def _(data: MatchResults) -> Drawing | None:
    """Shares of games won, drawn and lost, one bar a colour, and the score with its interval; None without games."""
    whole = data.tallies[-1]
    if not whole.games:
        return None
    alt = (
        f"Of {count(whole.games)} games {count(whole.wins)} were won, {count(whole.draws)} drawn and {count(whole.losses)} "
        f"lost; the score is {share_in_words(whole.score)}."
    )
    return Drawing(partial(_draw_results, data=data), alt, 2.7)


@drawing_of.register
def _(data: ScoresOverNodes) -> Drawing:
    """The second engine's score over its nodes, with intervals, the fitted line, and where it is one half."""
    told = "; ".join(f"{share_in_words(score)} with {count(nodes)}" for nodes, score in data.scores)
    equal = None if data.equal is None else data.equal.nodes
    at = "" if equal is None or equal.value is None else f" Equal at {nodes_in_words(equal)} nodes."
    return Drawing(partial(_draw_scores, data=data), f"Score over nodes: {told}.{at}", 3.6)


def _draw_results(figure: Figure, *, data: MatchResults) -> None:
    axes = figure.add_axes((0.16, 0.20, 0.80, 0.64))
    places = list(range(len(data.tallies)))[::-1]
    for place, tally in zip(places, data.tallies, strict=True):
        _bar(axes, place, tally)
    score = data.tallies[-1].score
    axes.plot([score.interval.lower, score.interval.upper], [places[-1]] * 2, color=canvas.INK, linewidth=2.4)
    axes.plot([score.value or 0.0], [places[-1]], "o", color=canvas.INK, markersize=6, markerfacecolor=canvas.PAPER)
    axes.axvline(0.5, color=canvas.INK, linewidth=0.9, linestyle=(0, (4, 3)))
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], [percent(tick) for tick in (0, 0.25, 0.5, 0.75, 1)])
    axes.set_yticks(places, [tally.seat for tally in data.tallies])
    axes.grid(False)
    axes.set_xlabel("Share of games, and the score with its interval")
    for i, (name, colour) in enumerate(_COLOURS):
        axes.annotate(
            name,
            (0.02 + 0.2 * i, 1.1),
            xycoords="axes fraction",
            size=10,
            va="center",
            xytext=(14, 0),
            textcoords="offset points",
        )
        axes.plot([0.03 + 0.2 * i], [1.1], "s", color=colour, markersize=9, transform=axes.transAxes, clip_on=False)


def _bar(axes: Axes, place: int, tally: Tally) -> None:
    left = 0.0
    for number, (_, colour) in zip((tally.wins, tally.draws, tally.losses), _COLOURS, strict=True):
        width = number / max(tally.games, 1)
        axes.barh(place, width, left=left, height=0.55, color=colour, alpha=0.55, linewidth=0)
        left += width


def _draw_scores(figure: Figure, *, data: ScoresOverNodes) -> None:
    axes = figure.add_axes((0.13, 0.15, 0.83, 0.80))
    least, most = data.scores[0][0], data.scores[-1][0]
    axes.set_xscale("log")
    axes.set_xlim(least / 1.3, most * 1.3)
    axes.set_ylim(0, 1)
    axes.axhline(0.5, color=canvas.INK, linewidth=0.9, linestyle=(0, (4, 3)))
    for nodes, score in data.scores:
        axes.vlines(nodes, score.interval.lower, score.interval.upper, color=canvas.BLUE, linewidth=3, alpha=0.4)
        axes.plot([nodes], [score.value or 0.0], "o", color=canvas.BLUE, markersize=5)
    if data.equal is not None:
        _draw_line(axes, data)
    ticks = [nodes for nodes, _ in data.scores]
    axes.set_xticks(ticks, [count(nodes) for nodes in ticks])
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], [percent(tick) for tick in (0, 0.25, 0.5, 0.75, 1)])
    axes.minorticks_off()
    axes.set_xlabel("Nodes of the second engine")
    axes.set_ylabel("Its score")


def _draw_line(axes: Axes, data: ScoresOverNodes) -> None:
    assert data.equal is not None
    least, most = data.scores[0][0], data.scores[-1][0]
    nodes = np.geomspace(least, most, 100)
    axes.plot(nodes, [data.equal.score(float(n)) for n in nodes], color=canvas.BLUE, linewidth=1.4)
    equal = data.equal.nodes
    if equal.value is None:
        return
    lower = max(equal.interval.lower, least / 1.3)
    upper = min(equal.interval.upper, most * 1.3) if math.isfinite(equal.interval.upper) else most * 1.3
    axes.plot([lower, upper], [0.5, 0.5], color=canvas.VERMILION, linewidth=3.2)
    axes.plot([equal.value], [0.5], "D", color=canvas.VERMILION, markersize=6)
    right = equal.value > math.sqrt(least * most)
    place, side = ((-8, 18), "right") if right else ((8, -18), "left")
    axes.annotate(
        f"equal at {nodes_in_words(equal)}", (equal.value, 0.5), place, textcoords="offset points", size=10, ha=side, bbox=HALO
    )  # fmt: skip
