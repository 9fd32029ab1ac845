"""Models compared with people's beliefs: how these fit, what they cost, where a model is used, whether trust is deserved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from vivavoce.formats.wording import count, name_of, percent
from vivavoce.generalization.alignment.calibration import THIRDS, Calibration
from vivavoce.generalization.alignment.deployment import ModelUse, rule_as_heading, rule_in_words
from vivavoce.generalization.alignment.figures import ModelAlignment, ModelDifference
from vivavoce.generalization.alignment.measures import alpha_of
from vivavoce.generalization.alignment.report.cells import difference_cell, fit_cell, model_cell, right_cell
from vivavoce.generalization.alignment.report.figures import fit_rows, thirds_lines, use_rows
from vivavoce.report.blocks import Block, Column, Figure, InFull, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import notes, paragraphs

MOST_MODELS: Final = 24
"""In a table."""


def ranked_models(models: Sequence[ModelAlignment]) -> tuple[ModelAlignment, ...]:
    """The models, who answers most right first, unknown ones last."""
    return tuple(sorted(models, key=lambda model: -(-1.0 if model.right.value is None else model.right.value)))


def models_left_out(models: int) -> str:
    """How many of so many models there is room for; empty for all."""
    if models <= MOST_MODELS:
        return ""
    return f"There is room for {count(MOST_MODELS)} of {count(models)} models; the JSON has all of them."


def fit_section(
    models: tuple[ModelAlignment, ...],
    thresholds: tuple[float, ...],
    best: str,
    comparisons: Sequence[ModelDifference],
    about_left_out: str,
) -> Section:
    """How well beliefs fit each model, and the best one compared with each other."""
    about = (
        "Weighted generalized accuracy, from 0 to 1; higher fits better. A threshold is the chance of being right that "
        f"somebody needs before trusting a model; the higher, the more a trusted mistake weighs. {about_left_out}"
    )
    return Section(
        "How well people's beliefs fit each model",
        (
            Figure(fit_rows(models, thresholds)),
            _by_threshold("Weighted accuracy by model and threshold", "accuracy", models, thresholds),
            *notes(about.strip()),
            InFull(differences_section(models, thresholds, best, comparisons)),
        ),
    )


def differences_section(
    models: Sequence[ModelAlignment], thresholds: Sequence[float], best: str, comparisons: Sequence[ModelDifference]
) -> tuple[Block, ...]:
    """Accuracy of the best model less that of each other, at every threshold; nothing for a single model."""
    rows = []
    for other in models[:MOST_MODELS]:
        cells = tuple(
            difference_cell(pair.difference, turned=pair.first != best)
            for pair in comparisons
            if pair.measure == "accuracy" and {pair.first, pair.second} == {best, other.model}
        )
        if cells:
            rows.append(Row(model_cell(other.model), cells))
    if not rows:
        return ()
    columns = (Column("Minus"), *(Column(f"At {percent(t)}") for t in thresholds))
    table = Table(columns, tuple(rows), name="Weighted accuracy of the best model minus that of each other")
    about = "Difference of weighted accuracy on the pairs that both answered. Below 0: beliefs fit the other model better."
    return (Section(f"{name_of(best)} minus each other model", (table, Paragraph(about, quiet=True))),)


def cost_section(models: Sequence[ModelAlignment], thresholds: Sequence[float]) -> Section:
    """What wrong beliefs about each model cost a question."""
    about = (
        "Cost per question, from 0 to 1; lower is better. Unlike the accuracy above it counts how many mistakes a model makes, "
        "not only how they were expected."
    )
    table = _by_threshold("Cost per question by model and threshold", "loss", models, thresholds)
    return Section("What wrong beliefs cost", (table, Paragraph(about, quiet=True)))


def cross_entropy_section(models: Sequence[ModelAlignment], thresholds: Sequence[float]) -> Section:
    """Cross-entropy of beliefs about each model."""
    about = "Weighted binary cross-entropy in nats; lower fits better."
    table = _by_threshold("Weighted cross-entropy by model and threshold", "cross_entropy", models, thresholds)
    return Section("Cross-entropy", (table, Paragraph(about, quiet=True)))


def use_section(models: tuple[ModelAlignment, ...], rules: tuple[str, ...]) -> Section:
    """Right answers where people use each model, by rule, after the share of all."""
    places = [rules.index(rule) for rule in used_rules(models, rules)]
    columns = (Column("Model"), Column("All questions"), *(Column(rule_as_heading(rules[place])) for place in places))
    rows = tuple(
        Row(model_cell(model.model), (right_cell(model.right), *(_used(model.deployment[place]) for place in places)))
        for model in models[:MOST_MODELS]
    )
    idle = [rule_in_words(rule) for place, rule in enumerate(rules) if place not in places]
    unused = f"By these rules nobody would use any model for anything: {'; '.join(idle)}." if idle else ""
    about = (
        "Share of right answers, with intervals, among the questions that people would use a model for after they saw it "
        f"answer another. “None”: by this rule they would use it for nothing. {unused}"
    )
    return Section(
        "Right answers where people use a model",
        (
            Figure(use_rows(models, rules)),
            Table(columns, rows, name="Right answers by model and rule of use"),
            Paragraph(about.strip(), quiet=True),
        ),
    )


def used_rules(models: Sequence[ModelAlignment], rules: Sequence[str]) -> list[str]:
    """Rules by which people would use at least one model for something."""
    return [
        rule
        for place, rule in enumerate(rules)
        if any(model.deployment[place].performance.value is not None for model in models)
    ]


def trust_section(models: Sequence[ModelAlignment], pooled: tuple[Calibration, ...]) -> Section:
    """Right answers by thirds of belief, people and machines together first; a sentence where all beliefs are in one third."""
    answerers = (*pooled, *(model.calibration for model in models[:MOST_MODELS]))
    filled = {place for answerer in answerers for place, third in enumerate(answerer.thirds) if third.value is not None}
    figure = Figure(thirds_lines(pooled or tuple(model.calibration for model in models if model.right.value is not None)))
    if len(filled) < 2:
        return Section("Are doubts and trust deserved?", (figure, *paragraphs(_one_third(models))))
    columns = (
        Column("Who"),
        *(Column(f"{third.name}, {percent(third.lower)} to {percent(third.upper)}", short=third.name) for third in THIRDS),
    )
    about = (
        "Share of right answers among the questions that people expected wrong, were uncertain about, and expected right. "
        "“None”: nobody had such a belief."
    )
    table = Table(columns, tuple(map(_calibrated, answerers)), name="Right answers by thirds of belief")
    return Section("Are doubts and trust deserved?", (figure, table, Paragraph(about, quiet=True)))


def _by_threshold(
    name: str,
    measure: Literal["accuracy", "loss", "cross_entropy"],
    models: Sequence[ModelAlignment],
    thresholds: Sequence[float],
) -> Table:
    """A measure at every threshold, a line a model; the accuracy after the share of right answers."""
    right = measure == "accuracy"
    columns = (
        Column("Model"),
        *((Column("Answers", below="right", detail=True),) if right else ()),
        *(Column(f"At {percent(t)}", below=f"mistakes × {alpha_of(t):.3g}") for t in thresholds),
    )
    rows = tuple(
        Row(
            model_cell(model.model),
            (*((right_cell(model.right),) if right else ()), *map(fit_cell, getattr(model, measure))),
        )
        for model in models[:MOST_MODELS]
    )
    return Table(columns, rows, name=name)


def _used(deployment: ModelUse) -> Cell:
    cell = right_cell(deployment.performance)
    below = () if deployment.used is None else (f"used for {percent(deployment.used)}",)
    return Cell(cell.text, cell.value, cell.bounds, cell.interval, below=below, known=cell.known)


def _calibrated(answerer: Calibration) -> Row:
    cells = []
    for third in answerer.thirds:
        cell = right_cell(third)
        below = (f"n {count(third.n)}",) if third.n else ()
        cells.append(Cell(cell.text, cell.value, cell.bounds, cell.interval, below=below, known=cell.known))
    return Row(model_cell(answerer.who), tuple(cells))


def _one_third(models: Sequence[ModelAlignment]) -> str:
    filled = {third.name for model in models for third, share in zip(THIRDS, model.calibration.thirds, strict=True) if share.n}
    where = f" (“{next(iter(filled))}”)" if filled else ""
    return f"All beliefs are in one third{where}: nothing can be said about the others. Raw beliefs from a survey spread out."
