"""The plots of an evaluation: does it rank, and can its chances be taken at their word?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from vivavoce.formats.wording import percent, score
from vivavoce.generalization.evaluation.figures import Bin, Curve
from vivavoce.generalization.evaluation.report import CalibrationFigure, RankingFigure
from vivavoce.render import canvas
from vivavoce.render.drawing import HALO, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE_INCHES: Final = 3.9
_DASHES: Final = (0, (4, 3))
_LABELS: Final = (0.62, 0.5, 0.38, 0.26, 0.14)
"""Where on the diagonal it may be said what it is."""
_LABEL_WIDTH: Final = 0.36
_LABEL_HEIGHT: Final = 0.1
_QUARTERS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


def ranking_drawing(data: RankingFigure) -> Drawing:
    curve, auc = data.curve, data.auc
    found = max(y for x, y in zip(curve.unchanged, curve.changed, strict=True) if x <= 0.2)
    alt = (
        f"Of the pairs whose belief changed, {percent(found)} rank above all but one fifth of those whose did not. "
        f"AUC {score(auc)}; chance is 0.50."
    )
    return Drawing(lambda figure: _draw_ranking(figure, curve, auc), alt, SIDE_INCHES)


def calibration_drawing(data: CalibrationFigure) -> Drawing | None:
    bins = data.bins
    if len(bins) < 2:  # the predictor says the same of all
        return None
    low, high = bins[0], bins[-1]
    alt = (
        f"Of the pairs given the least, {percent(low.predicted)} on average, {percent(low.changed.value or 0.0)} changed; "
        f"of those given the most, {percent(high.predicted)}, {percent(high.changed.value or 0.0)} did."
    )
    return Drawing(lambda figure: _draw_calibration(figure, bins), alt, SIDE_INCHES)


def _draw_ranking(figure: Figure, curve: Curve, value: float) -> None:
    axes = _square(figure, "Unchanged beliefs that are ranked as high", "Changed beliefs that are found")
    axes.plot((0, 1), (0, 1), color=canvas.INK, linewidth=1.2, linestyle=_DASHES)
    axes.annotate("chance", (0.62, 0.62), (6, -10), textcoords="offset points", size=10, va="top", bbox=HALO)
    axes.plot(curve.unchanged, curve.changed, color=canvas.BLUE, clip_on=False)
    middle = min(range(len(curve.unchanged)), key=lambda place: abs(curve.unchanged[place] + curve.changed[place] - 1))
    at = (curve.unchanged[middle], curve.changed[middle])
    above = value >= 0.5
    axes.annotate(
        f"predictor, AUC {score(value)}", at, (8, -12) if above else (-8, 12), textcoords="offset points", size=10,
        ha="left" if above else "right", va="top" if above else "bottom", color=canvas.BLUE, bbox=HALO,
    )  # fmt: skip


def _draw_calibration(figure: Figure, bins: tuple[Bin, ...]) -> None:
    axes = _square(figure, "Predicted chance of a change", "Beliefs that changed")
    axes.plot((0, 1), (0, 1), color=canvas.INK, linewidth=1.2, linestyle=_DASHES)
    at = clear_place(bins)
    axes.annotate("as predicted", (at, at), (6, -6), textcoords="offset points", size=10, va="top", bbox=HALO)
    for one in bins:
        if one.changed.interval is not None:
            ends = (one.changed.interval.lower, one.changed.interval.upper)
            axes.plot(
                (one.predicted, one.predicted), ends, color=canvas.BLUE, linewidth=5, alpha=0.5, marker="_", markersize=11
            )
    shown = [(one.predicted, one.changed.value) for one in bins if one.changed.value is not None]
    axes.plot([x for x, _ in shown], [y for _, y in shown], "o", markersize=6, color=canvas.BLUE, clip_on=False)


def clear_place(bins: Sequence[Bin]) -> float:
    """Where on the diagonal a label is farthest from what the bins show."""
    return max(_LABELS, key=lambda place: min(_clearance(place, one) for one in bins))


def _clearance(place: float, one: Bin) -> float:
    """How far a label below the diagonal at this place is from a bin's interval."""
    found = one.changed.interval
    lower, upper = (found.lower, found.upper) if found else (one.changed.value or 0.0,) * 2
    across = max(place - one.predicted, one.predicted - place - _LABEL_WIDTH, 0.0)
    return math.hypot(across, max(lower - place, place - _LABEL_HEIGHT - upper, 0.0))


def _square(figure: Figure, across: str, upwards: str) -> Axes:
    side = 0.72
    width = side * SIDE_INCHES / canvas.WIDTH_INCHES
    axes = figure.add_axes((0.16, 0.14, width + 0.14, side + 0.1))
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xticks(_QUARTERS, [percent(tick) for tick in _QUARTERS])
    axes.set_yticks(_QUARTERS, [percent(tick) for tick in _QUARTERS])
    axes.set_xlabel(across)
    axes.set_ylabel(upwards)
    return axes
