"""The plot of a trained classifier: what it says about held-out cases with and without a violation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from vivavoce.consistency.legal.training.report import Probabilities
from vivavoce.formats.wording import count
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES: Final = {True: "A violation was found", False: "None was found"}
BINS: Final = 20
_TICKS: Final = (0.0, 0.5, 1.0)


def probabilities_drawing(data: Probabilities) -> Drawing | None:
    """How many held-out cases get which probability, a panel a label; wrong decisions in another colour."""
    by_label = {label: [one.probability for one in data.decided if one.violation is label] for label in TITLES}
    shown = {label: of for label, of in by_label.items() if of}
    if not shown:
        return None
    parts = [
        f"{TITLES[label].lower()}: {count(_wrong(of, label, data.threshold))} of {count(len(of))} decided wrongly"
        for label, of in shown.items()
    ]
    alt = f"How many held-out cases get which probability of a violation: {'; '.join(parts)}."
    return Drawing(partial(_draw, shown=shown, threshold=data.threshold), alt, 2.9 if len(shown) > 1 else 3.4)


def _wrong(probabilities: Sequence[float], violation: bool, threshold: float) -> int:
    return sum((one >= threshold) != violation for one in probabilities)


def _draw(figure: Figure, *, shown: dict[bool, list[float]], threshold: float) -> None:
    several = len(shown) > 1
    edges = np.linspace(0, 1, BINS + 1)
    tallest = max(int(np.histogram(of, edges)[0].max()) for of in shown.values())
    for i, (label, of) in enumerate(shown.items()):
        left, width = (0.11 + 0.475 * i, 0.40) if several else (0.13, 0.8)
        axes = figure.add_axes((left, 0.19, width, 0.67))
        axes.set_title(TITLES[label], loc="left", size=11, pad=6)
        _draw_bars(axes, of, label, edges, threshold)
        axes.set_ylim(0, tallest * 1.06)
        axes.set_xlabel("Probability of a violation")
        if i:
            axes.tick_params(labelleft=False)
        else:
            axes.set_ylabel("Cases")


def _draw_bars(axes: Axes, of: Sequence[float], violation: bool, edges: np.ndarray, threshold: float) -> None:
    axes.set_xlim(-0.01, 1.01)
    axes.set_xticks(_TICKS, [f"{tick:g}" for tick in _TICKS])
    bottom = np.zeros(BINS)
    for wrong, colour in ((False, canvas.BLUE), (True, canvas.VERMILION)):
        chosen = [one for one in of if ((one >= threshold) != violation) is wrong]
        heights = np.histogram(chosen, edges)[0]
        axes.bar(
            edges[:-1], heights, 1 / BINS, bottom=bottom, align="edge", color=colour, edgecolor=canvas.PAPER, linewidth=0.5
        )
        bottom = bottom + heights
    axes.axvline(threshold, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
