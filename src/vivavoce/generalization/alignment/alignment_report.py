"""Tables, figures and sections of the page on human alignment: fit, cost, use, reversals and calibration of beliefs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, isfinite
from typing import Final, Literal

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, name_of, percent
from vivavoce.generalization.alignment.deployment import ModelUse, rule_as_heading, rule_in_words
from vivavoce.generalization.alignment.measures import alpha_of
from vivavoce.generalization.alignment.model_alignment import (
    THIRDS,
    Calibration,
    Dominance,
    ModelAlignment,
    ModelDifference,
    Reversal,
    ReversalEvidence,
)
from vivavoce.generalization.alignment.resampling import RatioDifference
from vivavoce.generalization.pairs import plain
from vivavoce.report.blocks import (
    Block,
    CaseCard,
    Column,
    Fold,
    InFull,
    Pairs,
    Paragraph,
    ReportFigure,
    ReportRow,
    ReportSection,
    ReportTable,
    method_of,
    notes,
    paragraphs,
)
from vivavoce.report.cells import TableCell, p_in_words, share_cell
from vivavoce.report.figures import Axis, IntervalRow, IntervalRows, Kind, Line, LinePoint, Lines

LONGEST: Final = 20
"""Characters of a model's name in narrow columns."""


def model_cell(name: str) -> TableCell:
    """The name of a row's model."""
    return TableCell(name_of(name), name, short=short_name(name))


def right_cell(estimate: Estimate) -> TableCell:
    """A share of right answers."""
    return share_cell(estimate) if estimate.value is not None else TableCell("none", known=False)


def fit_cell(estimate: Estimate) -> TableCell:
    """A score to three digits, because models differ in the third.

    >>> fit_cell(Estimate(0.3789, Interval(0.3751, 0.383), 9)).words, fit_cell(Estimate(None, Interval(0, 1), 0)).words
    ('0.379 [0.375, 0.383]', 'unknown')
    """
    if estimate.value is None:
        return TableCell("unknown", known=False)
    return TableCell(f"{estimate.value:.3f}", estimate.value, estimate.interval, rounded_ends(estimate.interval))


def difference_cell(difference: RatioDifference, *, turned: bool) -> TableCell:
    """The difference of two models with its p-value; `turned`: the second minus the first."""
    if difference.value is None:
        return TableCell("unknown", known=False)
    sign = -1 if turned else 1
    value = sign * difference.value
    lower, upper = sorted((sign * difference.interval.lower, sign * difference.interval.upper))
    p = "p unknown" if difference.p is None else p_in_words(difference.p)
    return TableCell(
        signed_thousandths(value),
        value,
        Interval(lower, upper),
        below=(f"[{signed_thousandths(lower)}, {signed_thousandths(upper)}]", p),
    )


def rounded_ends(interval: Interval) -> str:
    """An interval to three digits, each end rounded outwards.

    >>> rounded_ends(Interval(0.37501, 0.38291)), rounded_ends(Interval(float("-inf"), float("inf")))
    ('[0.375, 0.383]', '(too little for an interval)')
    """
    if not (isfinite(interval.lower) and isfinite(interval.upper)):
        return "(too little for an interval)"
    lower, upper = floor(round(interval.lower * 1000, 6)) / 1000, ceil(round(interval.upper * 1000, 6)) / 1000
    return f"[{lower:.3f}, {upper:.3f}]"


def signed_thousandths(value: float) -> str:
    """A difference with its sign, to three digits.

    >>> signed_thousandths(-0.01331), signed_thousandths(0.0), signed_thousandths(float("inf"))
    ('−0.013', '0.000', 'unbounded')
    """
    if abs(value) == float("inf"):
        return "unbounded"
    text = f"{abs(value):.3f}"
    return text if text == "0.000" else f"{'+' if value > 0 else '−'}{text}"


def points(value: float) -> str:
    """A share in percentage points.

    >>> points(0.42)
    '42'
    """
    return f"{100 * value:.0f}".replace("-", "−")


def short_name(name: str) -> str:
    """A model's name for narrow columns: the part after the last slash, cut at its end.

    >>> short_name("mistralai/Mistral-7B-Instruct-v0.2"), short_name("gpt-4")
    ('Mistral-7B-Instruct…', 'gpt-4')
    """
    shown = clipped(name.rsplit("/", 1)[-1] or name, 10_000)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


MOST_DRAWN: Final = 12
MOST_LINES: Final = 5
"""Lines in the figure of thirds; more are hard to distinguish."""
MOST_RULES: Final = 2


def fit_rows(models: Sequence[ModelAlignment], thresholds: Sequence[float]) -> IntervalRows:
    """Weighted accuracy at the lowest and at the highest threshold, a row per model, most right answers first."""
    models = _drawn(models)
    rows, descriptions = [], []
    for t in dict.fromkeys((min(thresholds), max(thresholds))) if models else ():
        values = [model.accuracy[t] for model in models]
        rows += [
            _row(model, value, f"{value.value or 0.0:.3f}", f"Threshold {percent(t)}")
            for model, value in zip(models, values, strict=True)
        ]
        order = sorted(range(len(models)), key=lambda index: values[index].value or 0.0)
        ends = [f"{values[index].value or 0.0:.3f} for {name_of(models[index].model)}" for index in (order[0], order[-1])]
        descriptions.append(f"at a threshold of {percent(t)} from {' to '.join(dict.fromkeys(ends))}")
    alt = f"Weighted accuracy of beliefs by model, in the order of right answers: {'; '.join(descriptions)}."
    return IntervalRows("weighted accuracy", rows, alt=alt, unit="number", span=None)


def use_rows(models: Sequence[ModelAlignment], rules: Sequence[str]) -> IntervalRows:
    """Right answers to all questions, and to those that people use each model for."""
    models = _drawn(models)
    rows: list[IntervalRow] = []
    descriptions: list[str] = []
    for rule in rules:
        uses = [model.deployment[rule] for model in models]
        if not any(use.used_for is not None and 0 < use.used_for < 1 - 1e-9 for use in uses):
            continue
        if len(descriptions) < MOST_RULES:
            for model, use in zip(models, uses, strict=True):
                rows.append(_row(model, use.performance, _percent(use.performance), rule_as_heading(rule)))
                rows.append(
                    IntervalRow.of("all questions", _percent(model.right), model.right, "reference", rule_as_heading(rule))
                )
        changes = [(use.performance.value or 0.0) - (model.right.value or 0.0) for use, model in zip(uses, models, strict=True)]
        descriptions.append(f"{rule_in_words(rule)}, from {100 * min(changes):+.0f} to {100 * max(changes):+.0f} points")
    alt = (
        "Right answers by model, to all questions and to those that people use it for. The second minus the first: "
        f"{'; '.join(descriptions)}."
    ).replace("-", "\N{MINUS SIGN}")
    key: tuple[tuple[Kind, str], ...] = (("plain", "questions that people use it for"), ("reference", "all questions"))
    return IntervalRows("right answers", rows, alt=alt, span=None, key=key)


def thirds_lines(answerers: Sequence[Calibration]) -> Lines:
    """Right answers by thirds of belief (Figure 7 of `vafa2024`)."""
    shown = answerers[:MOST_LINES]
    shares = "; ".join(f"{name_of(line.who)} {', '.join(map(_percent, line.shares))}" for line in shown)
    regions = ", ".join(third.name for third in THIRDS)
    step = min(0.12, 0.5 / max(1, len(shown)))
    lines = tuple(
        Line(name_of(line.who), LinePoint.all_of((x + step * offset for x in range(len(THIRDS))), line.shares))
        for offset, line in enumerate(shown, -(len(shown) // 2))
    )
    ticks = tuple((float(x), f"{third.name}\n{percent(third.lower)}–{percent(third.upper)}") for x, third in enumerate(THIRDS))
    across = Axis("What people believed", span=(-0.5, len(THIRDS) - 0.5), ticks=ticks)
    upwards = Axis("Right answers (%)", "percent", span=(0.0, 1.0))
    return Lines(across, upwards, lines, f"Right answers by what people believed ({regions}): {shares}.")


def _drawn(models: Sequence[ModelAlignment]) -> list[ModelAlignment]:
    return [model for model in models if model.right.value is not None][:MOST_DRAWN]


def _percent(estimate: Estimate) -> str:
    return "none" if estimate.value is None else percent(estimate.value)


def _row(model: ModelAlignment, estimate: Estimate, text: str, group: str) -> IntervalRow:
    return IntervalRow.of(name_of(model.model), text, estimate, group=group)


MOST_MODELS: Final = 24
"""Models in a table."""


def ranked_models(models: Sequence[ModelAlignment]) -> tuple[ModelAlignment, ...]:
    """The models with most right answers first, and unknown ones last."""
    return tuple(sorted(models, key=lambda model: -(-1.0 if model.right.value is None else model.right.value)))


def fit_section(
    models: tuple[ModelAlignment, ...], thresholds: tuple[float, ...], best: str, comparisons: Sequence[ModelDifference]
) -> ReportSection:
    """How well beliefs fit each model, and the best model compared with each other one."""
    about = (
        "Weighted generalized accuracy, from 0 to 1; higher fits better. The threshold is the chance of being right that "
        "a person needs to trust a model. The higher it is, the more a trusted mistake weighs."
    )
    shown = f"{count(MOST_MODELS)} of {count(len(models))} models are shown; the JSON has all of them."
    return ReportSection(
        "Fit of beliefs",
        (
            _by_threshold("Weighted accuracy by model and threshold", "accuracy", models, thresholds),
            *notes(f"{about} {shown}" if len(models) > MOST_MODELS else about),
            InFull(differences_section(models, thresholds, best, comparisons)),
        ),
    )


def differences_section(
    models: Sequence[ModelAlignment], thresholds: Sequence[float], best: str, comparisons: Sequence[ModelDifference]
) -> tuple[Block, ...]:
    """Accuracy of the best model minus each other model's, at every threshold; nothing for a single model."""
    rows = []
    for other in models[:MOST_MODELS]:
        cells = tuple(
            difference_cell(pair.difference, turned=pair.first != best)
            for pair in comparisons
            if pair.measure == "accuracy" and {pair.first, pair.second} == {best, other.model}
        )
        if cells:
            rows.append(ReportRow(model_cell(other.model), cells))
    if not rows:
        return ()
    columns = (Column("Minus"), *(Column(f"At {percent(t)}") for t in thresholds))
    table = ReportTable(columns, tuple(rows), name="Weighted accuracy of the best model minus each other model's")
    about = "Difference of weighted accuracy on the pairs that both answered. Below 0: beliefs fit the other model better."
    return (ReportSection(f"{name_of(best)} minus each other model", (table, Paragraph(about, quiet=True))),)


def cost_section(models: Sequence[ModelAlignment], thresholds: Sequence[float]) -> ReportSection:
    """What wrong beliefs about each model cost per question."""
    about = (
        "Cost per question, from 0 to 1; lower is better. Unlike the accuracy above, it depends on the number of a model's "
        "mistakes, not only on whether people expected them."
    )
    table = _by_threshold("Cost per question by model and threshold", "loss", models, thresholds)
    return ReportSection("Cost of wrong beliefs", (table, Paragraph(about, quiet=True)))


def cross_entropy_section(models: Sequence[ModelAlignment], thresholds: Sequence[float]) -> ReportSection:
    """Cross-entropy of beliefs about each model."""
    about = "Weighted binary cross-entropy in nats; lower fits better."
    table = _by_threshold("Weighted cross-entropy by model and threshold", "cross_entropy", models, thresholds)
    return ReportSection("Cross-entropy", (table, Paragraph(about, quiet=True)))


def use_section(models: tuple[ModelAlignment, ...], rules: tuple[str, ...]) -> ReportSection:
    """Right answers where people use each model, by rule, after the share of all."""
    in_use = used_rules(models, rules)
    columns = (Column("Model"), Column("All questions"), *(Column(rule_as_heading(rule)) for rule in in_use))
    rows = tuple(
        ReportRow(model_cell(model.model), (right_cell(model.right), *(_used(model.deployment[rule]) for rule in in_use)))
        for model in models[:MOST_MODELS]
    )
    idle = [rule_in_words(rule) for rule in rules if rule not in in_use]
    unused = f"By these rules people would use no model for anything: {'; '.join(idle)}." if idle else ""
    about = (
        "Share of right answers, with intervals, among the questions that people would use a model for after they saw it "
        f"answer another one. “None”: by this rule they would use it for nothing. {unused}"
    )
    return ReportSection(
        "Right answers where people use a model",
        (
            ReportFigure(use_rows(models, rules)),
            ReportTable(columns, rows, name="Right answers by model and rule of use"),
            Paragraph(about.strip(), quiet=True),
        ),
    )


def used_rules(models: Sequence[ModelAlignment], rules: Sequence[str]) -> list[str]:
    """Rules by which people would use at least one model for something."""
    return [rule for rule in rules if any(model.deployment[rule].performance.value is not None for model in models)]


def trust_section(models: Sequence[ModelAlignment], pooled: tuple[Calibration, ...]) -> ReportSection:
    """Right answers by thirds of belief, pooled ones first; a sentence if all beliefs are in one third."""
    answerers = (*pooled, *(model.calibration for model in models[:MOST_MODELS]))
    filled = {index for answerer in answerers for index, third in enumerate(answerer.shares) if third.value is not None}
    figure = ReportFigure(thirds_lines(pooled or tuple(model.calibration for model in models if model.right.value is not None)))
    if len(filled) < 2:
        return ReportSection("Calibration of beliefs", (figure, *paragraphs(_one_third(models))))
    columns = (
        Column("Answered by"),
        *(Column(f"{third.name}, {percent(third.lower)} to {percent(third.upper)}", short=third.name) for third in THIRDS),
    )
    about = (
        "Share of right answers among the questions that people expected wrong, were uncertain about, and expected right. "
        "“None”: there was no such belief."
    )
    table = ReportTable(columns, tuple(map(_calibrated, answerers)), name="Right answers by thirds of belief")
    return ReportSection("Calibration of beliefs", (figure, table, Paragraph(about, quiet=True)))


def _by_threshold(
    name: str,
    measure: Literal["accuracy", "loss", "cross_entropy"],
    models: Sequence[ModelAlignment],
    thresholds: Sequence[float],
) -> ReportTable:
    """A measure at every threshold, a row per model; for the accuracy also the share of right answers."""
    right = measure == "accuracy"
    columns = (
        Column("Model"),
        *((Column("Answers", below="right", detail=True),) if right else ()),
        *(Column(f"At {percent(t)}", below=f"mistakes × {alpha_of(t):.3g}") for t in thresholds),
    )
    rows = tuple(
        ReportRow(
            model_cell(model.model),
            (*((right_cell(model.right),) if right else ()), *map(fit_cell, getattr(model, measure).values())),
        )
        for model in models[:MOST_MODELS]
    )
    return ReportTable(columns, rows, name=name)


def _used(deployment: ModelUse) -> TableCell:
    below = () if deployment.used_for is None else (f"used for {percent(deployment.used_for)}",)
    return replace(right_cell(deployment.performance), below=below)


def _calibrated(answerer: Calibration) -> ReportRow:
    cells = (replace(right_cell(third), below=(f"n {count(third.n)}",) if third.n else ()) for third in answerer.shares)
    return ReportRow(model_cell(answerer.who), tuple(cells))


def _one_third(models: Sequence[ModelAlignment]) -> str:
    filled = {third.name for model in models for third, share in zip(THIRDS, model.calibration.shares, strict=True) if share.n}
    where = f" (“{next(iter(filled))}”)" if filled else ""
    return f"All beliefs are in one third{where}, so the others are unknown. Raw beliefs from a survey are spread out."


MOST: Final = 6
SHOWN_EVIDENCE: Final = 3
SHOWN_QUESTION: Final = 600


def reversals_section(dominance: Dominance) -> ReportSection:
    """How often the better model does worse on the questions that people choose, and the clearest cases."""
    cards = tuple(map(_card, clearest_reversals(dominance.reversals)))
    return ReportSection("Reversals", (Paragraph(dominance_in_words(dominance)), *cards))


def clearest_reversals(reversals: Sequence[Reversal]) -> list[Reversal]:
    """The significant reversals, one for each two models, the clearest first."""
    first: dict[tuple[str, str], Reversal] = {}
    for reversal in reversals:
        if reversal.beyond_chance:
            first.setdefault((reversal.better, reversal.worse), reversal)
    return list(first.values())[:MOST]


def dominance_in_words(dominance: Dominance) -> str:
    """In how many pairs of models one is better, and how many of these are reversed."""
    if not dominance.compared:
        return "There are no two models to compare."
    turned = len({(case.better, case.worse) for case in dominance.reversals if case.beyond_chance})
    strict = "none of them by answering everything right that the other does" if not dominance.dominating else (
        f"in {count(len(dominance.dominating))} because it answers everything right that the other does"
    )  # fmt: skip
    return (
        f"In {count(dominance.ordered)} of {count(dominance.compared)} pairs of models one is better, {strict}. In "
        f"{count(turned)} the better one does significantly worse by some measure once people choose."
    )


def _card(reversal: Reversal) -> CaseCard:
    gap, chosen = reversal.overall, reversal.chosen
    better, worse = name_of(reversal.better), name_of(reversal.worse)
    how = f"answers everything right that {worse} does, and more" if reversal.dominates else (
        f"answers {points(gap.value or 0.0)} points more of the same questions right than {worse} "
        f"[{points(gap.interval.lower)}, {points(gap.interval.upper)}]"
    )  # fmt: skip
    kind, _, value = reversal.by.partition(":")
    by = f"weighted accuracy at a threshold of {percent(float(value))}" if kind == "accuracy" else rule_in_words(reversal.by)
    sentence = (
        f"{better} {how}. Once people choose it does worse: {by}, {signed_thousandths(chosen.value or 0.0)} "
        f"[{signed_thousandths(chosen.interval.lower)}, {signed_thousandths(chosen.interval.upper)}]."
    )
    evidence = tuple(CaseCard((_evidence(instance, better, worse),)) for instance in reversal.evidence[:SHOWN_EVIDENCE])
    return CaseCard((Paragraph(sentence), Fold("Questions that show it", evidence)), f"{better} and {worse}")


def _evidence(instance: ReversalEvidence, better: str, worse: str) -> Pairs:
    """A pair of questions with people's beliefs and the models' answers."""
    first, second = (clipped(plain(text), SHOWN_QUESTION) for text in (instance.q1, instance.q2))
    beliefs = f"{percent(instance.beliefs[0])} that {better} gets it right, {percent(instance.beliefs[1])} that {worse} does"
    answers = f"{better} {'right' if instance.right[0] else 'wrong'}, {worse} {'right' if instance.right[1] else 'wrong'}"
    return Pairs((("Seen", first), ("Expected", second), ("Belief", beliefs), ("Answers", answers)))


def alignment_method(pairs: int, sources: Mapping[str, int]) -> Fold:
    """How the numbers were computed."""
    beliefs = ", ".join(f"{count(number)} {source}" for source, number in sources.items())
    return method_of(
        (
            f"{count(pairs)} pairs of questions. A person saw the answer to the first, right or wrong, and believes with some "
            "chance that the second will be answered right. Each model counts by its actual answers: beliefs after a right "
            f"answer where it was right, after a wrong one where it was wrong. Beliefs: {beliefs}.",
            "The threshold is the chance of being right above which a person trusts a model. At a threshold of 90% a trusted "
            "mistake weighs nine times as much as an unused right answer (vafa2024). This holds for weighted accuracy and for "
            "cross-entropy.",
            "The cost per question is not in the paper. A right answer costs (1 - threshold) times the disbelief, and a "
            "mistake costs the threshold times the belief. It is not normalised by the model's mistakes.",
            "A model dominates another if it answers every question right that the other does, and more. It also counts as "
            "better if it answers more of the same questions right, with an interval above 0.",
            "Differences are paired: they use the pairs that both models answered. Their p-values come from a bootstrap of "
            "Student's t over sets of pairs with nothing in common, or from betting with fewer than twenty sets. They are not "
            "adjusted for multiple comparisons.",
        )
    )
