"""The plot of the checks of board games: how large differences are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.consistency.games.describe import NAME
from vivavoce.consistency.games.report import GameHistograms
from vivavoce.consistency.games.summary import Summary
from vivavoce.formats.wording import count
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
