"""The figures of an alignment: how beliefs fit each model, right answers where people use it, and by thirds of belief."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import name_of, percent
from vivavoce.generalization.alignment.calibration import THIRDS, Calibration
from vivavoce.generalization.alignment.deployment import rule_as_heading, rule_in_words
from vivavoce.generalization.alignment.figures import ModelAlignment
from vivavoce.report.figures import Axis, IntervalRow, IntervalRows, Kind, Line, Lines, Point

MOST_DRAWN: Final = 12
MOST_LINES: Final = 5
"""In a picture of thirds: more cannot be told from one another."""
MOST_RULES: Final = 2


def fit_rows(models: Sequence[ModelAlignment], thresholds: Sequence[float]) -> IntervalRows:
    """Weighted accuracy at the lowest and at the highest threshold, a line a model, who answers most right first."""
    models = _drawn(models)
    rows, told = [], []
    for t in dict.fromkeys((min(thresholds), max(thresholds))) if models else ():
        values = [model.accuracy[thresholds.index(t)] for model in models]
        rows += [
            _row(model, value, f"{value.value or 0.0:.3f}", f"Threshold {percent(t)}")
            for model, value in zip(models, values, strict=True)
        ]
        order = sorted(range(len(models)), key=lambda place: values[place].value or 0.0)
        ends = [f"{values[place].value or 0.0:.3f} for {name_of(models[place].model)}" for place in (order[0], order[-1])]
        told.append(f"at a threshold of {percent(t)} from {' to '.join(dict.fromkeys(ends))}")
    alt = f"Weighted accuracy of beliefs by model, in the order of right answers: {'; '.join(told)}."
    return IntervalRows("weighted accuracy", rows, alt=alt, unit="number", span=None)


def use_rows(models: Sequence[ModelAlignment], rules: Sequence[str]) -> IntervalRows:
    """Right answers to all questions, and to those that people use each model for."""
    models = _drawn(models)
    rows: list[IntervalRow] = []
    told: list[str] = []
    for place, rule in enumerate(rules):
        found = [model.deployment[place] for model in models]
        if not any(of.used is not None and 0 < of.used < 1 - 1e-9 for of in found):
            continue
        if len(told) < MOST_RULES:
            for model, of in zip(models, found, strict=True):
                rows.append(_row(model, of.performance, _percent(of.performance), rule_as_heading(rule)))
                rows.append(
                    IntervalRow.of("all questions", _percent(model.right), model.right, "reference", rule_as_heading(rule))
                )
        changes = [(of.performance.value or 0.0) - (model.right.value or 0.0) for of, model in zip(found, models, strict=True)]
        told.append(f"{rule_in_words(rule)}, from {100 * min(changes):+.0f} to {100 * max(changes):+.0f} points")
    alt = (
        "Right answers by model, to all questions and to those that people use it for. The second minus the first: "
        f"{'; '.join(told)}."
    ).replace("-", "\N{MINUS SIGN}")
    key: tuple[tuple[Kind, str], ...] = (("plain", "questions that people use it for"), ("reference", "all questions"))
    return IntervalRows("right answers", rows, alt=alt, span=None, key=key)


def thirds_lines(answerers: Sequence[Calibration]) -> Lines:
    """Right answers by thirds of belief (Figure 7 of `vafa2024`)."""
    shown = answerers[:MOST_LINES]
    told = "; ".join(f"{name_of(one.who)} {', '.join(_percent(third) for third in one.thirds)}" for one in shown)
    regions = ", ".join(third.name for third in THIRDS)
    step = min(0.12, 0.5 / max(1, len(shown)))
    lines = tuple(
        Line(name_of(one.who), Point.all_of((x + step * place for x in range(len(THIRDS))), one.thirds))
        for place, one in enumerate(shown, -(len(shown) // 2))
    )
    ticks = tuple((float(x), f"{third.name}\n{percent(third.lower)}–{percent(third.upper)}") for x, third in enumerate(THIRDS))
    across = Axis("What people believed", span=(-0.5, len(THIRDS) - 0.5), ticks=ticks)
    upwards = Axis("Right answers (%)", "percent", span=(0.0, 1.0))
    return Lines(across, upwards, lines, f"Right answers by what people believed ({regions}): {told}.")


def _drawn(models: Sequence[ModelAlignment]) -> list[ModelAlignment]:
    return [model for model in models if model.right.value is not None][:MOST_DRAWN]


def _percent(estimate: Estimate) -> str:
    return "none" if estimate.value is None else percent(estimate.value)


def _row(model: ModelAlignment, found: Estimate, text: str, group: str) -> IntervalRow:
    return IntervalRow.of(name_of(model.model), text, found, group=group)
