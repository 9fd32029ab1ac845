"""The plots of the alignment: how beliefs fit each model, right answers where people use it, and by thirds of belief."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import name_of, percent
from vivavoce.generalization.alignment.calibration import THIRDS, Calibration
from vivavoce.generalization.alignment.deployment import headed, rule_in_words
from vivavoce.generalization.alignment.figures import ModelAlignment
from vivavoce.generalization.alignment.report.cells import short
from vivavoce.generalization.alignment.report.figures import FitFigure, ThirdsFigure, UseFigure
from vivavoce.render import canvas
from vivavoce.render.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_DRAWN: Final = 12
MOST_LINES: Final = 5
"""In a picture of thirds: more cannot be told from one another."""
ROW_INCHES: Final = 0.25
HEAD_INCHES: Final = 0.42
FOOT_INCHES: Final = 0.5
LEFT: Final = 0.36
SERIES: Final[tuple[tuple[str, str], ...]] = (
    (canvas.BLUE, "o"), (canvas.VERMILION, "s"), (canvas.GREEN, "^"), (canvas.ORANGE, "D"), (canvas.GREY, "v"),
)  # fmt: skip
"""Colour and mark: either is enough to tell two apart."""

Mark = tuple[str, str, Sequence[Estimate]]
"""Colour and mark, and one estimate a model."""


def fit_drawing(data: FitFigure) -> Drawing | None:
    models = _drawn(data.models)
    if not models:
        return None
    panels, told = [], []
    for t in dict.fromkeys((min(data.thresholds), max(data.thresholds))):
        values = [model.accuracy[data.thresholds.index(t)] for model in models]
        panels.append((f"Threshold {percent(t)}", [(canvas.BLUE, "o", values)]))
        best = max(range(len(models)), key=lambda place: values[place].value or 0.0)
        told.append(f"at a threshold of {percent(t)} beliefs fit {name_of(models[best].model)} best, {values[best].value:.3f}")
    alt = f"Weighted accuracy of beliefs by model, who answers most right on top: {'; '.join(told)}."
    return _forest(panels, models, alt, "Weighted accuracy")


def use_drawing(data: UseFigure) -> Drawing | None:
    models = _drawn(data.models)
    panels, told = [], []
    for place, rule in enumerate(data.rules):
        found = [model.deployment[place] for model in models]
        if not any(of.used is not None and 0 < of.used < 1 - 1e-9 for of in found):
            continue
        marks = [(canvas.ORANGE, "D", [model.right for model in models]), (canvas.BLUE, "o", [of.performance for of in found])]
        panels.append((headed(rule), marks))
        changes = [(of.performance.value or 0.0) - (model.right.value or 0.0) for of, model in zip(found, models, strict=True)]
        told.append(f"{rule_in_words(rule)}, from {100 * min(changes):+.0f} to {100 * max(changes):+.0f} points")
    if not panels:
        return None
    alt = (
        "Right answers by model: diamonds to all questions, dots to those that people use it for. The second minus the first: "
        f"{'; '.join(told)}."
    ).replace("-", "−")
    return _forest(panels[:2], models, alt, "Right answers")


def thirds_drawing(data: ThirdsFigure) -> Drawing | None:
    answerers = data.answerers[:MOST_LINES]
    if not any(sum(third.value is not None for third in one.thirds) > 1 for one in answerers):
        return None
    told = "; ".join(f"{name_of(one.who)} {', '.join(_percent(third) for third in one.thirds)}" for one in answerers)
    regions = ", ".join(third.name for third in THIRDS)
    alt = f"Right answers by what people believed ({regions}): {told}."
    height = 2.9 + 0.24 * len(answerers)
    return Drawing(partial(_draw_thirds, answerers=answerers, height=height), alt, height)


def _drawn(models: Sequence[ModelAlignment]) -> list[ModelAlignment]:
    return [model for model in models if model.right.value is not None][:MOST_DRAWN]


def _percent(estimate: Estimate) -> str:
    return "none" if estimate.value is None else percent(estimate.value)


def _forest(panels: Sequence[tuple[str, Sequence[Mark]]], models: Sequence[ModelAlignment], alt: str, label: str) -> Drawing:
    height = len(panels) * (HEAD_INCHES + FOOT_INCHES + ROW_INCHES * len(models))
    names = [short(one.model) for one in models]
    draw = partial(_draw_forest, panels=panels, names=names, label=label)
    return Drawing(draw, alt, height)


def _draw_forest(figure: Figure, *, panels: Sequence[tuple[str, Sequence[Mark]]], names: Sequence[str], label: str) -> None:
    body = ROW_INCHES * len(names)
    part = HEAD_INCHES + FOOT_INCHES + body
    height = part * len(panels)
    for place, (title, marks) in enumerate(panels):
        axes = figure.add_axes((LEFT, (height - place * part - HEAD_INCHES - body) / height, 0.97 - LEFT, body / height))
        axes.set_title(title, loc="left", size=11, pad=6)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        axes.set_yticks(range(len(names)), names)
        for which, (colour, mark, values) in enumerate(marks):
            shift = (which - (len(marks) - 1) / 2) * 0.34
            for y, estimate in enumerate(values):
                _point(axes, (y + shift), estimate, colour, mark)
        _ticks(axes, label)
    axes.set_xlabel(label)


def _point(axes: Axes, y: float, estimate: Estimate, colour: str, mark: str) -> None:
    if estimate.value is None:
        return
    if isfinite(estimate.interval.lower) and isfinite(estimate.interval.upper):
        axes.hlines(y, estimate.interval.lower, estimate.interval.upper, color=colour, linewidth=3, alpha=0.4)
    axes.plot([estimate.value], [y], mark, color=colour, markersize=4.5)


def _ticks(axes: Axes, label: str) -> None:
    """At most five, in percent for shares."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.margins(x=0.06)
    write = percent if label == "Right answers" else lambda value: f"{value:.3f}"
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: write(round(value, 6))))


def _draw_thirds(figure: Figure, *, answerers: Sequence[Calibration], height: float) -> None:
    from matplotlib.lines import Line2D

    top = 0.24 * len(answerers) + 0.1
    axes = figure.add_axes((0.14, 0.6 / height, 0.83, (height - top - 0.7) / height))
    axes.set_ylim(0, 1)
    axes.set_xlim(-0.5, len(THIRDS) - 0.5)
    axes.grid(visible=False, axis="x")
    step = min(0.12, 0.5 / len(answerers))
    for place, one in enumerate(answerers):
        colour, mark = SERIES[place]
        shift = (place - (len(answerers) - 1) / 2) * step
        known = [(x + shift, third) for x, third in enumerate(one.thirds) if third.value is not None]
        for x, third in known:
            axes.vlines(x, third.interval.lower, third.interval.upper, color=colour, linewidth=3, alpha=0.4)
        axes.plot([x for x, _ in known], [third.value or 0.0 for _, third in known], color=colour, marker=mark, markersize=5)
        y = 1 - (0.16 + 0.24 * place) / height
        line: Any = Line2D([0.15, 0.19, 0.23], [y] * 3, color=colour, marker=mark, markersize=5, markevery=[1])
        figure.add_artist(line)
        figure.text(0.25, y, name_of(one.who)[:48], size=10, va="center_baseline")
    axes.set_xticks(range(len(THIRDS)), [f"{third.name}\n{percent(third.lower)} to {percent(third.upper)}" for third in THIRDS])
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    axes.tick_params(length=0)
    axes.set_ylabel("Right answers")
