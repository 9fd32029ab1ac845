"""Pictures of the checks of board games: how large differences are, and two positions that should be worth the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np

from vivavoce.consistency.games.board import Diagram
from vivavoce.consistency.games.describe import NAME, in_words, titles
from vivavoce.consistency.games.report import BoardPair, GameHistograms
from vivavoce.consistency.games.summary import Summary
from vivavoce.formats.wording import count, signed
from vivavoce.render import canvas
from vivavoce.render.colours import LIGHT
from vivavoce.render.drawing import HALO, Drawing, Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_BOARD: Final = 170
_GAP: Final = 16
_TITLE: Final = 16
_WORDS: Final = 40
"""Below a board."""

_INK, _QUIET, _HAIRLINE, _RED, _PAPER = (
    f"var({name}, {LIGHT.variables[name]})" for name in ("--ink", "--quiet", "--hairline", "--vermilion", "--paper")
)


def board_pair_drawing(data: BoardPair) -> Picture:
    """Both positions on boards."""
    return Picture(lambda _: _pair(data), in_words(data.comparison))


def _pair(data: BoardPair) -> str:
    """Colours are the page's CSS variables, with colours for a light page in their absence; nothing is fetched."""
    sides = zip(
        (data.comparison.first, data.comparison.second), data.diagrams, data.to_move, titles(data.comparison), strict=True
    )
    boards = []
    for i, (judged, diagram, to_move, title) in enumerate(sides):
        lower = _TITLE + _height(diagram)
        value = f"{signed(judged.value)} for {judged.viewpoint}"
        words = (value, " · ".join(filter(None, (f"{to_move} to move", diagram.below))))
        lines = "".join(
            f'<text y="{lower + 12 + 13 * line}" fill="{(_INK, _QUIET)[line]}">{escape(text)}</text>'
            for line, text in enumerate(words)
        )
        boards.append(
            f'<g transform="translate({i * (_BOARD + _GAP)},0)"><text y="10" fill="{_INK}">{escape(title)}</text>'
            f'<g transform="translate(0,{_TITLE})">{"".join(_drawn(diagram))}</g>{lines}</g>'
        )
    height = _TITLE + max(map(_height, data.diagrams)) + _WORDS
    return (
        f'<svg viewBox="0 0 {2 * _BOARD + _GAP} {height:g}" role="img" '
        f'aria-label="{escape(in_words(data.comparison))}" xmlns="http://www.w3.org/2000/svg" '
        f'font-family="var(--font, sans-serif)" font-size="9">{"".join(boards)}</svg>'
    )


def _cell(diagram: Diagram) -> float:
    return _BOARD / len(diagram.rows[0])


def _height(diagram: Diagram) -> float:
    return _cell(diagram) * len(diagram.rows)


def _drawn(diagram: Diagram) -> Iterator[str]:
    """Lines through the middles of the cells, or around them; then the pieces."""
    cell, columns, rows = _cell(diagram), len(diagram.rows[0]), len(diagram.rows)
    inset, more = (0.0, 1) if diagram.pieces == "wedges" else (cell / 2, 0)
    right, bottom = inset + (columns - 1 + more) * cell, inset + (rows - 1 + more) * cell
    across = "".join(f"M{inset:.1f} {inset + i * cell:.1f}H{right:.1f}" for i in range(rows + more))
    down = "".join(f"M{inset + i * cell:.1f} {inset:.1f}V{bottom:.1f}" for i in range(columns + more))
    yield f'<path d="{across}{down}" fill="none" stroke="{_HAIRLINE}" stroke-width="0.8"/>'
    for row, pieces in enumerate(diagram.rows):
        for column, piece in enumerate(pieces):
            if piece:
                yield _piece(piece, (column + 0.5) * cell, (row + 0.5) * cell, cell, diagram.pieces)


def _piece(piece: str, x: float, y: float, cell: float, kind: str) -> str:
    """A piece by its letter."""
    begins = piece.lstrip("+").isupper()
    radius = 0.45 * cell
    place = f'<g transform="translate({x:.1f},{y:.1f})'
    letter = f'<text text-anchor="middle" y="3.2" font-size="{0.52 * cell:.1f}"'
    name = escape(piece.upper())
    if kind == "discs":
        colour = _RED if begins else _INK
        disc = f'<circle r="{radius:.1f}" fill="{_PAPER}" stroke="{colour}" stroke-width="1.2"/>'
        return f'{place}">{disc}{letter} fill="{colour}">{name}</text></g>'
    turned = "" if begins else " rotate(180)"
    shape = " ".join(
        f"{radius * dx:.1f},{radius * dy:.1f}" for dx, dy in ((0, -1), (0.8, -0.6), (0.95, 0.95), (-0.95, 0.95), (-0.8, -0.6))
    )
    colour = _RED if piece.startswith("+") else _INK
    wedge = f'<polygon points="{shape}" fill="{_PAPER}" stroke="{_INK}" stroke-width="0.8"/>'
    return f'{place}{turned}">{wedge}{letter} fill="{colour}">{name}</text></g>'


_PANEL_INCHES = 1.5
_BINS = 60
_FLOOR = 0.6
"""Where bars begin on the logarithmic axis: below one position."""


def game_histograms_drawing(data: GameHistograms) -> Drawing | None:
    """How many positions have how large a difference, one panel a check, on a logarithmic axis; None where all are 0."""
    shown = [row for row in data.summaries if row.n]
    if not any(row.largest for row in shown):
        return None
    said = "; ".join(f"{NAME[row.check].lower()} {row.largest or 0.0:.2f}" for row in shown)
    alt = f"How many positions have how large a difference, on a logarithmic scale. The largest: {said}."
    height = 0.5 + _PANEL_INCHES * len(shown)
    return Drawing(partial(_draw, rows=shown, height=height), alt, height)


def _draw(figure: Figure, *, rows: Sequence[Summary], height: float) -> None:
    end = max(row.largest or 0.0 for row in rows) * 1.08
    edges = np.linspace(0, end, _BINS + 1)
    for i, row in enumerate(rows):
        bottom = (0.5 + _PANEL_INCHES * (len(rows) - 1 - i)) / height
        axes = figure.add_axes((0.13, bottom, 0.84, (_PANEL_INCHES - 0.42) / height))
        axes.set_title(NAME[row.check], loc="left", size=11, pad=5)
        numbers, _ = np.histogram([one.difference for one in row.comparisons], edges)
        most = int(numbers.max())
        axes.set_yscale("log")
        axes.set_xlim(0, end)
        axes.set_ylim(_FLOOR, most * 2)
        axes.stairs(numbers, edges, baseline=_FLOOR, fill=True, color=canvas.BLUE, linewidth=0)
        place = row.largest or 0.0
        side = "right" if place > end / 3 else "left"
        axes.axvline(place, color=canvas.VERMILION, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.annotate(
            f"largest {place:.2f}", (place, 0.84), (-5 if side == "right" else 5, 0),
            xycoords=("data", "axes fraction"), textcoords="offset points", size=10, va="center", ha=side, bbox=HALO,
        )  # fmt: skip
        powers = [10**power for power in range(7) if 10**power <= most]
        axes.set_yticks(powers, [count(power) for power in powers])
        axes.minorticks_off()
        if i < len(rows) - 1:
            axes.tick_params(labelbottom=False)
    axes.set_xlabel("Difference between the two values")
    figure.text(0.0, 0.5, "Positions", rotation=90, va="center", ha="left", size=11)
