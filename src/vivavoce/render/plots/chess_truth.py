"""The plot of an engine against the truth: mates announced and results mistaken by the moves to mate."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from vivavoce.consistency.chess.describe import share_in_words
from vivavoce.consistency.chess.truth.checked import WIDTH, Distance, EndingRow
from vivavoce.consistency.chess.truth.report import TruthByDistance
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import percent
from vivavoce.render.drawing import Drawing, drawing_of
from vivavoce.render.plots import canvas

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL_INCHES = 1.75
_FOOT_INCHES = 0.55
_LINES = (("mate announced", canvas.BLUE, "o"), ("wrong result", canvas.VERMILION, "s"))


@drawing_of.register
def _(data: TruthByDistance) -> Drawing:
    """One panel an ending: shares of decided positions over the moves to mate, with intervals."""
    told = "; ".join(f"{row.ending} {_in_words(row)}" for row in data.rows)
    height = _FOOT_INCHES + 0.3 + _PANEL_INCHES * len(data.rows)
    alt = f"Shares of decided positions by the moves to mate. Mate announced: {told}."
    return Drawing(partial(_draw, rows=data.rows, height=height), alt, height)


def _in_words(row: EndingRow) -> str:
    first, last = row.distances[0], row.distances[-1]
    near = f"{share_in_words(first.announced)} up to {first.most} moves"
    return near if first is last else f"{near}, {share_in_words(last.announced)} from {last.least}"


def _draw(figure: Figure, *, rows: tuple[EndingRow, ...], height: float) -> None:
    most = max(row.distances[-1].most for row in rows)
    bins = range(1, most + 1, WIDTH)
    for i, row in enumerate(rows):
        bottom = (_FOOT_INCHES + _PANEL_INCHES * (len(rows) - 1 - i)) / height
        axes = figure.add_axes((0.13, bottom, 0.84, (_PANEL_INCHES - 0.42) / height))
        axes.set_title(row.ending, loc="left", size=11, pad=5)
        axes.set_xlim(0, most + 1)
        axes.set_xticks([least + (WIDTH - 1) / 2 for least in bins], [f"{least}–{least + WIDTH - 1}" for least in bins])
        axes.set_ylim(-0.04, 1.04)
        axes.set_yticks([0, 0.5, 1], [percent(tick) for tick in (0, 0.5, 1)])
        for shift, (_, colour, mark) in zip((-0.25, 0.25), _LINES, strict=True):
            _draw_shares(axes, row.distances, shift, colour, mark)
        if i < len(rows) - 1:
            axes.tick_params(labelbottom=False)
    axes.set_xlabel("Moves to mate")
    for i, (name, colour, mark) in enumerate(_LINES):
        figure.text(0.44 + 0.31 * i, 1 - 0.16 / height, name, size=10, va="center", ha="left")
        x = 0.42 + 0.31 * i
        figure.add_artist(_mark(x, 1 - 0.16 / height, colour, mark, figure))


def _mark(x: float, y: float, colour: str, mark: str, figure: Figure) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([x], [y], color=colour, marker=mark, markersize=6, linestyle="", transform=figure.transFigure)


def _draw_shares(axes: Axes, distances: tuple[Distance, ...], shift: float, colour: str, mark: str) -> None:
    told: list[tuple[float, Estimate]] = [
        ((one.least + one.most) / 2 + shift, one.announced if mark == "o" else one.wrong) for one in distances
    ]
    for place, share in told:
        axes.vlines(place, share.interval.lower, share.interval.upper, color=colour, linewidth=2.4, alpha=0.4)
    axes.plot([place for place, _ in told], [share.value or 0.0 for _, share in told], mark, color=colour, markersize=4.5)
