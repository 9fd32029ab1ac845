"""Models measured on pairs of questions (section 5 of `vafa2024`): alignment, misplaced trust, and the trend by size.

The paper reads the trend from the rows of Table 2. Here it is a least-squares slope over the logarithm of size, on the pairs
that all models answered. Its interval resamples pairs, so it is about these models only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

import numpy as np

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, name_of, percent, percent_interval
from vivavoce.generalization.alignment.alignment_report import fit_cell, model_cell, right_cell, signed_thousandths
from vivavoce.generalization.alignment.human_alignment import HumanAlignment, align
from vivavoce.generalization.alignment.measures import (
    BelievedPairs,
    GradedModel,
    alpha_of,
    believed_pairs,
    common_pairs,
    cost_per_question,
    graded_model,
    narrowed,
    right_share,
    weighted_accuracy,
)
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.config import AlignConfig, MeasureConfig
from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate, ModelReplies, size_in_words
from vivavoce.generalization.measurement.misplaced_trust import MisplacedPair, MisplacedTrust, ModelTrust, misplaced_trust
from vivavoce.generalization.pairs import BeliefPair, Floats, GradedAnswers, plain
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import (
    Block,
    CaseCard,
    Caveats,
    Column,
    Fold,
    InFull,
    InShort,
    Pairs,
    Paragraph,
    Report,
    ReportFigure,
    ReportRow,
    ReportSection,
    ReportTable,
    notes,
    paragraphs,
)
from vivavoce.report.cells import TableCell, count_cell
from vivavoce.report.figures import IntervalRow, IntervalRows
from vivavoce.report.reported import ReportedFinding

FEWEST: Final = 3
"""Fewest different sizes: two models always lie on a line."""


@dataclass(frozen=True, slots=True)
class SizeSlope:
    """The change of one measure per tenfold size."""

    measure: str
    """`right_share`, `weighted_accuracy` or `cost_per_question`."""
    threshold: float | None
    """None for `right_share`."""
    change: Estimate


@dataclass(frozen=True, slots=True)
class SizeTrend:
    """How measures change with size."""

    sizes: Mapping[str, float]
    """Sizes by model, the smallest first."""
    pairs: int
    """Pairs of questions that all these models answered."""
    per_tenfold: tuple[SizeSlope, ...]

    def of(self, measure: str, threshold: float | None = None) -> Estimate:
        """The change of a measure. Raises `StopIteration` for an unknown one."""
        return next(slope.change for slope in self.per_tenfold if (slope.measure, slope.threshold) == (measure, threshold))


def size_trend(
    believed: BelievedPairs,
    models: Sequence[GradedModel],
    sizes: Mapping[str, float],
    thresholds: Sequence[float],
    sets: IndependentSets,
) -> SizeTrend | None:
    """The trend over models with a known size; None for fewer than three sizes, or without a pair that all answered."""
    sized = sorted(
        (model for model in models if model.model in sizes and model.used.any()), key=lambda entry: sizes[entry.model]
    )
    if len({sizes[model.model] for model in sized}) < FEWEST:
        return None
    shared = np.logical_and.reduce([common_pairs(believed, sized[0], model) for model in sized])
    if not shared.any():
        return None
    narrow = [narrowed(believed, model, shared) for model in sized]
    logs = np.log10([sizes[model.model] for model in sized])
    factors = (logs - logs.mean()) / ((logs - logs.mean()) ** 2).sum()
    measures: list[tuple[str, float | None, Any]] = [("right", None, right_share)]
    for threshold in thresholds:
        alpha = alpha_of(threshold)
        measures += [
            ("accuracy", threshold, partial(weighted_accuracy, alpha=alpha)),
            ("loss", threshold, partial(cost_per_question, alpha=alpha)),
        ]
    slopes = tuple(
        SizeSlope(
            name,
            threshold,
            sets.combination([(float(k), measure(believed, model)) for k, model in zip(factors, narrow, strict=True)]),
        )
        for name, threshold, measure in measures
    )
    return SizeTrend({model.model: sizes[model.model] for model in sized}, int(shared.sum()), slopes)


SHOWN_QUESTION: Final = 600
SHOWN_TASK: Final = 60
MOST_IN_SHORT: Final = 3
"""Pairs in a terminal."""
MOST_OPEN: Final = 3
"""Pairs that a page shows unfolded."""
SHOWN_IN_SHORT: Final = 160
MOST_MODELS: Final = 24
"""Models in a table."""
_MEASURES: Final = {"right": "Right answers", "accuracy": "Weighted accuracy", "loss": "Cost per question"}


def misplaced_section(trust: MisplacedTrust) -> ReportSection:
    """How often trust is misplaced, by model, and the costliest pairs with their texts."""
    columns = (
        Column("Model"),
        Column("Wrong where trusted more", short="Wrong, trusted"),
        Column("Of all pairs"),
        Column("Cost", below=f"at {percent(trust.threshold)}"),
    )
    rows = tuple(
        ReportRow(model_cell(name), (right_cell(model.of_trusted), right_cell(model.of_pairs), fit_cell(model.cost)))
        for name, model in islice(trust.models.items(), MOST_MODELS)
    )
    about = (
        "A right answer raised the belief in the next answer, which was wrong. The cost is the threshold times the belief in "
        f"such a mistake, averaged over all pairs. There are {count(trust.found)} such pairs; the costliest are listed."
    )
    table = (ReportTable(columns, rows, name="Misplaced trust by model"),) if rows else ()
    lines = tuple(line for pair in trust.pairs[:MOST_IN_SHORT] for line in _lines(pair))
    first, others = (tuple(map(_card, part)) for part in (trust.pairs[:MOST_OPEN], trust.pairs[MOST_OPEN:]))
    more = (Fold(f"{count(len(others))} more pairs", others, main=True),) if others else ()
    listed: tuple[Block, ...] = (InFull((*first, *more)), InShort(lines))
    return ReportSection("Misplaced trust", (*table, *notes(about), *(listed if trust.pairs else ())))


def trend_section(trend: SizeTrend | None) -> tuple[Block, ...]:
    """The slopes over size; nothing without a trend."""
    if trend is None:
        return ()
    rows = tuple(
        ReportRow(TableCell(_named(slope)), (TableCell(
             signed_thousandths(slope.change.value or 0.0), slope.change.value, slope.change.interval,
             f"[{signed_thousandths(slope.change.interval.lower)}, {signed_thousandths(slope.change.interval.upper)}]"),))
        for slope in trend.per_tenfold
    )  # fmt: skip
    sizes = ", ".join(f"{name_of(model)} {size_in_words(size)}" for model, size in list(trend.sizes.items())[:MOST_MODELS])
    about = f"Least-squares slope over the logarithm of size, on {count(trend.pairs)} pairs that all answered. Sizes: {sizes}."
    table = ReportTable((Column("Measure"), Column("Change a tenfold size")), rows, name="Change of each measure with size")
    return (ReportSection("Trend by size", (ReportFigure(trend_rows(trend.per_tenfold)), table, *notes(about))),)


def trend_rows(slopes: Sequence[SizeSlope]) -> IntervalRows:
    """How weighted accuracy changes with a tenfold size, by threshold."""
    shown = [slope for slope in slopes if slope.measure == "accuracy" and slope.change.value is not None]
    values = "; ".join(
        f"at a threshold of {percent(slope.threshold or 0.0)} {signed_thousandths(slope.change.value or 0.0)}"
        for slope in shown
    )
    rows = [
        IntervalRow.of(
            f"Threshold {percent(slope.threshold or 0.0)}", signed_thousandths(slope.change.value or 0.0), slope.change
        )
        for slope in shown
    ]
    what = "change of weighted accuracy with a tenfold size"
    alt = f"{what.capitalize()}: {values}."
    return IntervalRows(what, rows, 0.0, "no change", alt, "number", span=None)


def replies_table(replies: Sequence[ModelReplies]) -> tuple[Block, ...]:
    """How many questions each model was asked, with the outcomes."""
    if not replies:
        return ()
    columns = (Column("Model"), Column("Asked"), Column("Unparsed"), Column("Without answer"), Column("Not asked"))
    rows = tuple(
        ReportRow(
            model_cell(reply.model),
            (
                count_cell(reply.asked),
                count_cell(reply.unreadable),
                count_cell(reply.absent),
                count_cell(reply.questions - reply.asked),
            ),
        )
        for reply in replies[:MOST_MODELS]
    )
    about = "Unparsed replies count as not right; questions without an answer are left out, with their pairs."
    return (ReportSection("Replies", (ReportTable(columns, rows, name="Replies by model"), *notes(about))),)


def _named(slope: SizeSlope) -> str:
    at = "" if slope.threshold is None else f" at {percent(slope.threshold)}"
    return f"{_MEASURES[slope.measure]}{at}"


def _card(misplaced: MisplacedPair) -> CaseCard:
    pair = misplaced.pair
    tasks = " → ".join(clipped(task.replace("_", " "), SHOWN_TASK) for task in (pair.source1, pair.source2) if task)
    words = (
        ("Right", clipped(plain(pair.q1), SHOWN_QUESTION)),
        ("Wrong", clipped(plain(pair.q2), SHOWN_QUESTION)),
        ("Belief", _belief(misplaced)),
    )
    return CaseCard((Pairs(words),), name_of(misplaced.model), tasks)


def _lines(misplaced: MisplacedPair) -> tuple[Paragraph, ...]:
    first, second = (clipped(" ".join(plain(text).split()), SHOWN_IN_SHORT) for text in (misplaced.pair.q1, misplaced.pair.q2))
    return (
        Paragraph(f"{name_of(misplaced.model)}: belief {_belief(misplaced)}"),
        Paragraph(f"  right:  {first}"),
        Paragraph(f"  wrong:  {second}"),
    )


def _belief(misplaced: MisplacedPair) -> str:
    """The belief before and after, and the number of people."""
    moved = f"from {percent(misplaced.before)} to {percent(misplaced.after.value or 0.0)}"
    if misplaced.people > 1:
        return f"{moved} {percent_interval(misplaced.after.interval)}, {count(misplaced.people)} people"
    return f"{moved}, {'one person: no interval' if misplaced.people else 'predicted: no interval'}"


MANY_UNREAD = 0.2
"""Share of a model's replies; the statement mentions a larger one."""


@dataclass(frozen=True, slots=True, repr=False)
class Measurement(ReportedFinding):
    """The finding of `measure`."""

    alignment: HumanAlignment
    trust: MisplacedTrust
    trend: SizeTrend | None
    """None with too few known sizes."""
    sized: int
    """Models with a known size."""
    replies: tuple[ModelReplies, ...]
    pool: int
    """Questions that pairs are drawn from."""
    left_out: int
    """Questions of the scopes that are not in the pool."""
    missing: int
    """Questions of the pairs that no scope holds."""

    @property
    def signature(self) -> Signature:
        """The signature of the alignment."""
        return self.alignment.signature

    @property
    def headline(self) -> str:
        """The verdict in one sentence: of one model, how often it fails those who trust it."""
        return self._of_trust if len(self.trust.models) == 1 else self.alignment.headline

    @property
    def statement(self) -> str:
        """The result in plain words, the verdict first."""
        return " ".join((self.headline, *self._details))

    @property
    def _details(self) -> tuple[str, ...]:
        alone = len(self.trust.models) == 1
        aligned = (self.alignment.statement,) if alone else (self.alignment.rest, self._of_trust)
        return tuple(filter(None, (*aligned, self._of_size, self._of_replies)))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the finding."""
        own = (
            "An unparsed reply counts as not right, because it is useless to the person who asked. A model that was not "
            "understood here may know more.",
            f"{count(self.left_out)} questions of the scopes are not in the pool: too long, with graders, or repeated."
            if self.left_out
            else "",
            f"{count(self.missing)} questions of the pairs are in no scope, and were not asked." if self.missing else "",
            "The slope over sizes is about these models only: other models of these sizes may differ."
            if self.trend
            else f"There is no trend by size: it needs {FEWEST} different sizes, and {count(self.sized)} are known.",
            "The listed pairs are the costliest of many: they do not show how often a model is wrong.",
        )
        return (*filter(None, own), *self.alignment.caveats)

    def report(self) -> Report:
        """The whole finding as blocks."""
        models = self.alignment.models
        whom = f"{count(len(models))} models" if len(models) > 1 else name_of(models[0].model)
        costliest = [ReportSection("Misplaced trust: the costliest pair", (_card(pair),)) for pair in self.trust.pairs[:1]]
        return self.reported(
            "Human generalization: measured models",
            f"Will people rely on {whom} where {'they fail' if len(models) > 1 else 'it fails'}?",
            InFull((*self.alignment.first_figure(), *costliest)),
            Caveats(self.caveats),
            InFull(paragraphs(*self._details)),
            misplaced_section(self.trust),
            *self.alignment.sections(),
            *trend_section(self.trend),
            *replies_table(self.replies),
            self.alignment.method,
        )

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return tuple(reply.model for reply in self.replies)

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; unknown ones are null."""
        return {
            "replies": {reply.model: reply for reply in self.replies},
            "pool": self.pool,
            "left_out": self.left_out,
            "missing": self.missing,
            "misplaced_trust": self.trust,
            "trend": self.trend,
            "alignment": self.alignment,
        }

    @property
    def _of_trust(self) -> str:
        trusted = {name: model for name, model in self.trust.models.items() if model.of_trusted.value is not None}
        if not trusted:
            return "No right answer raised a belief, so there is no trust to be misplaced."
        if not self.trust.found:
            least_known = max(trusted, key=lambda name: trusted[name].of_trusted.interval.upper)
            which = f" for {name_of(least_known)}, with the widest interval" if len(trusted) > 1 else ""
            mistakes = _mistakes(trusted[least_known])
            return f"Where a right answer raised people's beliefs, no model was wrong: {mistakes}{which}."
        name, worst = next(iter(trusted.items()))
        whose, whom = "", name_of(name)
        if len(self.trust.models) > 1:
            most = worst.cost.is_largest(model.cost for model in self.trust.models.values() if model is not worst)
            whose = f"Misplaced trust {'costs' if most else 'is not shown to cost'} most for {whom}. "
            whom = "it"
        return f"{whose}Where a right answer raised people's beliefs in {whom}, it was wrong in {_mistakes(worst)}."

    @property
    def _of_size(self) -> str:
        if self.trend is None:
            return ""
        low, high = min(self.alignment.thresholds), max(self.alignment.thresholds)
        name, other = (_direction(self.trend, t) for t in (low, high))
        if name == other:
            ends = f"a threshold of {percent(low)}" if low == high else f"thresholds of {percent(low)} and {percent(high)}"
            return f"Beliefs fit larger models {name} at {ends}."
        return f"Beliefs fit larger models {name} at a threshold of {percent(low)}, and {other} at {percent(high)}."

    @property
    def _of_replies(self) -> str:
        unread = [reply for reply in self.replies if reply.asked and reply.unreadable / reply.asked > MANY_UNREAD]
        ended = [reply for reply in self.replies if reply.budget]
        names = ", ".join(f"{name_of(reply.model)} {count(reply.unreadable)} of {count(reply.asked)}" for reply in unread[:4])
        of_unread = f"Many replies could not be parsed: {names}." if unread else ""
        of_budget = f"The budget of {ended[0].budget} ended the questions before all were asked." if ended else ""
        return " ".join(filter(None, (of_unread, of_budget)))


def _mistakes(model: ModelTrust) -> str:
    return f"{percent(model.of_trusted.value or 0.0)} {percent_interval(model.of_trusted.interval)} of cases"


def _direction(trend: SizeTrend, threshold: float) -> str:
    interval = trend.of("accuracy", threshold).interval
    if interval.lower > 0:
        return "better"
    return "worse" if interval.upper < 0 else "not significantly better or worse"


@dataclass(frozen=True, slots=True)
class MeasurementOrigin:
    """The scopes and beliefs of a measurement, for its signature."""

    scopes: tuple[str, ...] = ()
    beliefs: str = ""
    digest: str = ""
    """SHA-256 in hex of scopes and beliefs."""
    questions: int = 0
    """Number of questions in the pool."""
    left_out: int = 0
    """Questions of the scopes that are not in the pool."""
    missing: int = 0
    """Questions of the pairs that no scope holds."""


def measure(
    pairs: Sequence[BeliefPair],
    answers: GradedAnswers,
    measured: Sequence[MeasuredCandidate],
    config: MeasureConfig,
    how: AlignConfig,
    *,
    replies: Sequence[ModelReplies] = (),
    origins: MeasurementOrigin = MeasurementOrigin(),
    drawn: Floats | None = None,
) -> Measurement:
    """Measure models as in section 5 of `vafa2024`, from beliefs about pairs of questions and graded answers.

    drawn: as in `align`.

    Raises `NotEnoughEvidence` if no pair shows a model's actual result and holds a belief.
    """
    source = ", ".join(filter(None, (origins.beliefs, *origins.scopes)))
    aligned = align(pairs, answers, how, source=source, digest=origins.digest, drawn=drawn)
    people = believed_pairs(pairs, aligned.beliefs, drawn)
    sets = IndependentSets(people.groups, rng=np.random.default_rng([config.seed, 1]), confidence=how.confidence)
    models = [graded_model(people, answers.of(model.model), model.model) for model in aligned.models]
    sizes = {candidate.name: candidate.size for candidate in measured if candidate.size is not None}
    strictest = max(how.thresholds)
    return Measurement(
        alignment=aligned,
        trust=misplaced_trust(people, models, aligned.beliefs, sets, threshold=strictest, most=config.most),
        trend=size_trend(people, models, sizes, how.thresholds, sets),
        sized=len(sizes),
        replies=tuple(replies),
        pool=origins.questions,
        left_out=origins.left_out,
        missing=origins.missing,
    )
