"""The plot of the paraphrase checks: probabilities before and after, as in Figure 4 of `fluri2024`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.consistency.legal.cases.report import BeforeAndAfter
from vivavoce.consistency.legal.cases.trials import Box, Trial
from vivavoce.formats.wording import count
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES: Final = {Box.BLACK: "A random fact", Box.WHITE: "The most important fact"}
MOST_POINTS: Final = 1_500
"""In one panel: a page must stay small."""
_TICKS: Final = (0.0, 0.5, 1.0)


def before_and_after_drawing(data: BeforeAndAfter) -> Drawing | None:
    """The probability before and after a paraphrase, one panel a box, flips as crosses; None where nothing was tried.

    Of too many trials, flips are shown first and the others at equal distances.
    """
    shown = [of for of in data.boxes if of.box in TITLES and of.trials]
    if not shown:
        return None
    trials = {of.box: [trial for trial in data.trials if trial.box is of.box] for of in shown}
    points = {box: thinned(of_box, data.threshold) for box, of_box in trials.items()}
    parts = [
        f"{TITLES[of.box].lower()}: {count(sum(trial.flips(data.threshold) for trial in trials[of.box]))} of "
        f"{count(of.trials)} flip the decision"
        + (f" ({count(len(points[of.box]))} are drawn)" if len(points[of.box]) < of.trials else "")
        for of in shown
    ]
    alt = (
        "The probability of a violation before and after one fact was paraphrased; on the diagonal nothing changes, "
        f"crosses are flips. Paraphrased: {'; '.join(parts)}."
    )
    return Drawing(partial(_draw, points=points, threshold=data.threshold), alt, 3.1 if len(shown) > 1 else 4.6)


def thinned(trials: Sequence[Trial], threshold: float) -> list[Trial]:
    """As many trials as a panel has room for: flips first, the rest at equal distances in their order."""
    flips = [trial for trial in trials if trial.flips(threshold)][:MOST_POINTS]
    others = [trial for trial in trials if not trial.flips(threshold)]
    room = MOST_POINTS - len(flips)
    if len(others) > room:
        others = [others[i * len(others) // room] for i in range(room)]
    return [*others, *flips]


def _draw(figure: Figure, *, points: dict[Box, list[Trial]], threshold: float) -> None:
    several = len(points) > 1
    for i, (box, trials) in enumerate(points.items()):
        left, width = (0.11 + 0.475 * i, 0.40) if several else (0.13, 0.8)
        axes = figure.add_axes((left, 0.16, width, 0.72 if several else 0.76))
        axes.set_title(TITLES[box], loc="left", size=11, pad=6)
        _draw_points(axes, trials, threshold)
        if i:
            axes.tick_params(labelleft=False)
        else:
            axes.set_ylabel("Probability after")
        axes.set_xlabel("Probability before")


def _draw_points(axes: Axes, trials: Sequence[Trial], threshold: float) -> None:
    axes.set_aspect("equal")
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    labels = [f"{tick:g}" for tick in _TICKS]
    axes.set_xticks(_TICKS, labels)
    axes.set_yticks(_TICKS, labels)
    axes.plot((0, 1), (0, 1), color=canvas.GREY, linewidth=0.8)
    for line in (axes.axhline, axes.axvline):
        line(threshold, color=canvas.INK, linewidth=1, linestyle=(0, (4, 3)))
    for flips, marker, colour, size in ((False, "o", canvas.BLUE, 3.2), (True, "x", canvas.VERMILION, 5.5)):
        chosen = [trial for trial in trials if trial.flips(threshold) is flips]
        axes.plot(
            [trial.before for trial in chosen],
            [trial.after for trial in chosen],
            marker,
            color=colour,
            markersize=size,
            markeredgewidth=1.4 if flips else 0,
            alpha=1.0 if flips else 0.55,
        )
