"""The finding of an evaluation of a predictor: its figures, statement, caveats, tables and JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.interval import CONFIDENCE, Interval
from vivavoce.formats.wording import (
    clipped,
    count,
    percent,
    score,
    score_interval,
    share,
    share_interval,
    signed,
    signed_interval,
)
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import (
    Block,
    Caveats,
    Column,
    Fold,
    InFull,
    InShort,
    Items,
    Report,
    ReportFigure,
    ReportRow,
    ReportSection,
    ReportTable,
    method_of,
    notes,
    paragraphs,
    tiles_of,
)
from vivavoce.report.cells import TableCell, count_cell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.report.reported import ReportedFinding

FEWEST: Final = 5
"""Fewest pairs of a task, as in Tables 3 and 4 of `vafa2024`."""
BINS: Final = 5
"""Bins of the calibration, with equally many pairs each."""


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A number with its interval, or the reason for having none."""

    value: float | None
    interval: Interval | None
    reason: str = ""
    """Why the number or its interval is missing."""

    @property
    def ends(self) -> list[float] | None:
        """The interval as JSON values."""
        return None if self.interval is None else [self.interval.lower, self.interval.upper]


@dataclass(frozen=True, slots=True)
class EvaluationPart:
    """Figures of all pairs, or of pairs after a right or a wrong answer."""

    n: int
    changed: int
    """Pairs whose belief changed."""
    share: float | None
    """Their share, by weight."""
    auc: MeasuredValue
    nll: MeasuredValue
    """In nats."""
    nll_baseline: MeasuredValue
    """NLL of a constant: the share of changes for every pair."""
    gain: MeasuredValue
    """NLL of the constant minus the predictor's."""


@dataclass(frozen=True, slots=True)
class TaskScore:
    """Figures of one task, or of one pair of tasks."""

    task: tuple[str, ...]
    n: int
    changed: int
    auc: MeasuredValue
    nll: float

    json_keys = "*tasks n changed auc=auc.value interval=auc.ends nll reason?=auc.reason"

    @property
    def tasks(self) -> dict[str, str]:
        """The task, or both tasks, by their keys in JSON."""
        return dict(zip(("from", "to") if len(self.task) > 1 else ("task",), self.task, strict=True))


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Pairs with similar chances."""

    predicted: float
    """Their mean chance."""
    n: int
    changed: MeasuredValue
    """The share whose belief changed."""

    json_keys = "predicted n changed=changed.value interval=changed.ends"


@dataclass(frozen=True, slots=True)
class RocCurve:
    """The ROC curve: for every limit, the shares of both kinds of pairs with a higher chance."""

    unchanged: tuple[float, ...]
    """Share of unchanged pairs above the limit."""
    changed: tuple[float, ...]


LEAD: Final = "A person sees a model's answer to one question: does their belief about another one change?"
SHOWN_TASKS: Final = 12
"""Rows of a table by task: the best and the worst."""
LONGEST_NOTE: Final = 600
"""Characters of a note that are shown."""
_DIAGONAL: Final = (LinePoint(0.0, 0.0), LinePoint(1.0, 1.0))


def numbers_table(overall: EvaluationPart, right: EvaluationPart, wrong: EvaluationPart) -> ReportTable:
    """All measures, over all pairs and after a right and a wrong answer."""
    parts = (overall, right, wrong)
    columns = (Column("", short="measure"), Column("all pairs"), Column("after a right answer"), Column("after a wrong one"))
    rows = (
        (TableCell("AUC"), [_scored(part.auc) for part in parts]),
        (TableCell("NLL"), [_scored(part.nll) for part in parts]),
        (TableCell("NLL of a constant", short="of a constant"), [_bare(part.nll_baseline) for part in parts]),
        (TableCell("Gain over it"), [_cell(part.gain, signed, signed_interval) for part in parts]),
        (TableCell("Beliefs that changed", short="Changed"), [_changed(part) for part in parts]),
        (TableCell("Pairs"), [count_cell(part.n) for part in parts]),
    )
    return ReportTable(columns, tuple(ReportRow(what, tuple(cells)) for what, cells in rows))


def _ranking(curve: RocCurve, auc: float) -> Lines:
    share_found = max(y for x, y in zip(curve.unchanged, curve.changed, strict=True) if x <= 0.2)
    alt = (
        f"Of the pairs whose belief changed, {percent(share_found)} rank above all but one fifth of those whose did not. "
        f"AUC {score(auc)}; chance is 0.50."
    )
    points = tuple(LinePoint(x, y) for x, y in zip(curve.unchanged, curve.changed, strict=True))
    lines = (Line(f"predictor, AUC {score(auc)}", points, marked=False), Line("chance", _DIAGONAL, is_reference=True))
    across = Axis("Unchanged beliefs that are ranked as high (%)", "percent", span=(0.0, 1.0))
    return Lines(across, Axis("Changed beliefs that are found (%)", "percent", span=(0.0, 1.0)), lines, alt)


def _calibration(bins: Sequence[CalibrationBin]) -> Lines:
    alt = ""
    if bins:
        low, high = bins[0], bins[-1]
        alt = (
            f"Of the pairs given the least, {percent(low.predicted)} on average, {percent(low.changed.value or 0.0)} changed; "
            f"of those given the most, {percent(high.predicted)}, {percent(high.changed.value or 0.0)} did."
        )
    points = tuple(
        LinePoint(bin_.predicted, bin_.changed.value, bin_.changed.interval) for bin_ in bins if bin_.changed.value is not None
    )
    lines = (Line("pairs, by their chance", points, joined=False), Line("as predicted", _DIAGONAL, is_reference=True))
    across = Axis("Predicted chance of a change (%)", "percent", span=(0.0, 1.0))
    return Lines(across, Axis("Beliefs that changed (%)", "percent", span=(0.0, 1.0)), lines, alt)


def task_section(title: str, rows: Sequence[TaskScore]) -> tuple[Block, ...]:
    """AUC, NLL and pairs of each task; the best and the worst if there are many."""
    if not rows:
        return ()
    shown = _some(rows)
    columns = (Column("Task", percent=44), Column("AUC"), Column("NLL"), Column("Pairs"))
    left = len(rows) - len(shown)
    more = notes(f"and {count(left)} more between them: --json has all") if left else ()
    return (ReportSection(title, (ReportTable(columns, tuple(map(_task, shown))), InShort(more))),)


def how_obtained(sentences: Sequence[str]) -> InShort:
    """How the chances were obtained, for output without the method."""
    items = Items(clipped_notes(sentences))
    return InShort((ReportSection("How the chances were obtained", (items,)),) if sentences else ())


def evaluation_method(people: int, sentences: Sequence[str]) -> Fold:
    """How the numbers were computed."""
    return method_of(
        (
            "AUC: the probability that a changed belief is ranked above an unchanged one, with ties counting half; guessing "
            "has 0.50. NLL: the mean negative log-likelihood; lower is better, and a chance of one half for every pair has "
            "0.69. The constant is the share of changes among these pairs, the best constant for them.",
            f"Intervals are at level {CONFIDENCE:.0%}. They allow for pairs that share a question"
            + (f", or one of {count(people)} people" if people else "")
            + ": the AUC's by DeLong's variance on the logit scale, the NLL's by Student's t.",
            f"The calibration has up to {BINS} groups of equally many pairs, in order of their chances; equal chances are in "
            f"one group. Tasks with fewer than {FEWEST} pairs are left out.",
            *clipped_notes(sentences),
        )
    )


def clipped_notes(sentences: Sequence[str]) -> tuple[str, ...]:
    """How the chances were obtained, clipped because the words may come from an untrusted file."""
    return tuple(clipped(note, LONGEST_NOTE) for note in sentences)


def _some(rows: Sequence[TaskScore]) -> list[TaskScore]:
    """The tasks that are shown: the first and the last, then those without a ranking."""
    ranked = [row for row in rows if row.auc.value is not None]
    without = [row for row in rows if row.auc.value is None]
    if len(ranked) > SHOWN_TASKS:
        ranked = ranked[: SHOWN_TASKS // 2] + ranked[-SHOWN_TASKS // 2 :]
    return ranked + without[: max(0, SHOWN_TASKS - len(ranked))]


def _task(row: TaskScore) -> ReportRow:
    name = " → ".join(clipped(task.replace("_", " "), 60) or "not named" for task in row.task)
    pairs = TableCell(f"{count(row.n)}, {count(row.changed)} changed", row.n)
    return ReportRow(TableCell(name), (_scored(row.auc), TableCell(score(row.nll), row.nll), pairs))


def _scored(measure: MeasuredValue) -> TableCell:
    return _cell(measure, score, score_interval, without="no interval")


def _cell(
    measure: MeasuredValue, write: Callable[[float], str], write_interval: Callable[[Interval], str], *, without: str = ""
) -> TableCell:
    if measure.value is None:
        return TableCell("none", interval=measure.reason, known=False)
    bounds = measure.interval
    return TableCell(write(measure.value), measure.value, bounds, without if bounds is None else write_interval(bounds))


def _bare(measure: MeasuredValue) -> TableCell:
    return TableCell("none", known=False) if measure.value is None else TableCell(score(measure.value), measure.value)


def _changed(part: EvaluationPart) -> TableCell:
    if part.share is None:
        return TableCell("none", known=False)
    return TableCell(f"{part.share:.0%}", part.share, n=count(part.changed))


@dataclass(frozen=True, slots=True, repr=False)
class PredictorEvaluation(ReportedFinding):
    """The finding of `evaluate`."""

    predictor: str
    source: str
    overall: EvaluationPart
    right: EvaluationPart
    """After a right answer."""
    wrong: EvaluationPart
    by_task_from: tuple[TaskScore, ...]
    """Results by the task of the first question, with the highest AUC first."""
    by_task_to: tuple[TaskScore, ...]
    by_task_pair: tuple[TaskScore, ...]
    bins: tuple[CalibrationBin, ...]
    """In order of the predicted chance, from the lowest."""
    curve: RocCurve | None
    in_sample: bool
    """Whether the predictor was fitted to these same pairs."""
    notes: tuple[str, ...]
    """How the chances were obtained, a sentence each."""
    unlabelled: int
    """Pairs that were left out."""
    people: int
    """Number of people; 0 if unknown."""
    weighted: bool
    """Whether some pairs count more than others."""
    signature: Signature

    @property
    def parts(self) -> Mapping[str, EvaluationPart]:
        """Parts by their names in the JSON."""
        return {"overall": self.overall, "right": self.right, "wrong": self.wrong}

    @property
    def name(self) -> str:
        """The predictor's name at the start of a sentence."""
        return f"The predictor “{clipped(self.predictor, 80)}”" if self.predictor else "The predictor"

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.likelihood}"

    @property
    def headline(self) -> str:
        """How well it ranks changed beliefs above unchanged ones, in one sentence."""
        part, auc = self.overall, self.overall.auc
        if auc.value is None:
            return f"{self.name} has an unknown ranking: {auc.reason} in {count(part.n)} pairs."
        ends = f" {share_interval(auc.interval)}" if auc.interval else ""
        judged = "better than chance" if auc.interval and auc.interval.lower > 0.5 else "not shown to be better than chance"
        if auc.interval and auc.interval.upper < 0.5:
            judged = "worse than chance"
        where = " of training pairs" if self.in_sample else ""
        ranked = f"{self.name} ranks changed beliefs above unchanged ones in {share(auc.value)}{ends} of comparisons"
        return f"{ranked}{where}: {judged}."

    @property
    def likelihood(self) -> str:
        """Whether its chances improve on a constant, in one sentence."""
        gain = self.overall.gain
        by = f"{signed(gain.value or 0.0)}{f' {signed_interval(gain.interval)}' if gain.interval else ''}"
        if gain.interval and gain.interval.lower > 0:
            judged = "better than the share of changes alone"
        elif gain.interval and gain.interval.upper < 0:
            judged = "worse than the share of changes alone"
        else:
            judged = "not shown to differ from the share of changes alone"
        return f"Its NLL is {score(self.overall.nll.value or 0.0)}, a gain of {by} over a constant: {judged}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the numbers, the most important first."""
        sentences = {
            IN_SAMPLE: self.in_sample,
            SAME_PAIRS: not self.in_sample,
            WHETHER: True,
            OTHERS: True,
            TARGETED: True,
            LABELS: not self.people,
            WEIGHTED: self.weighted,
            _left_out(self.unlabelled): bool(self.unlabelled),
            ROUGH: self.overall.n < FEW,
            TASKS: len(self.by_task_from) + len(self.by_task_to) + len(self.by_task_pair) > 1,
        }
        return tuple(sentence for sentence, applies in sentences.items() if applies)

    def report(self) -> Report:
        """The whole finding as blocks."""
        auc = self.overall.auc.value
        return self.reported(
            "Predictor of belief changes",
            f"Belief changes predicted by {clipped(self.predictor, 80) or 'a predictor'}",
            tiles_of(numbers_table(self.overall, self.right, self.wrong), (0, 3, 4)),
            InFull(paragraphs(self.likelihood, f"{LEAD} Pairs: {clipped(self.source, 120) or 'not named'}.")),
            Caveats(self.caveats),
            numbers_table(self.overall, self.right, self.wrong),
            *((ReportFigure(_ranking(self.curve, auc)),) if self.curve is not None and auc is not None else ()),
            ReportFigure(_calibration(self.bins)),
            *task_section("By task of the first question", self.by_task_from),
            *task_section("By task of the second question", self.by_task_to),
            *task_section("By both tasks", self.by_task_pair),
            how_obtained(self.notes),
            evaluation_method(self.people, self.notes),
        )

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; unknown ones are null."""

        def each(value: Callable[[EvaluationPart], Any]) -> dict[str, Any]:
            return {name: value(part) for name, part in self.parts.items()}

        reasons = {
            f"{measure}/{name}": getattr(part, measure).reason
            for name, part in self.parts.items()
            for measure in ("auc", "nll")
            if getattr(part, measure).reason
        }
        return {
            "predictor": self.predictor,
            "source": self.source,
            "auc": each(lambda part: part.auc.value),
            "nll": each(lambda part: part.nll.value),
            "intervals": {
                "auc": each(lambda part: part.auc.ends),
                "nll": each(lambda part: part.nll.ends),
                "gain": each(lambda part: part.gain.ends),
            },
            "confidence": CONFIDENCE,
            "n": each(lambda part: part.n),
            "changed": each(lambda part: part.changed),
            "share": each(lambda part: part.share),
            "nll_baseline": each(lambda part: part.nll_baseline.value),
            "gain": each(lambda part: part.gain.value),
            "reasons": reasons,
            "by_task_from": self.by_task_from,
            "by_task_to": self.by_task_to,
            "by_task_pair": self.by_task_pair,
            "calibration": self.bins,
            "in_sample": self.in_sample,
            "notes": self.notes,
            "unlabelled": self.unlabelled,
            "people": self.people,
        }


FEW: Final = 100
"""The caveats mention a smaller number of pairs."""

WHETHER = (
    "The predictor predicts whether a belief changes, not its direction or size: a person may trust the model more after a "
    "wrong answer."
)
IN_SAMPLE = (
    "The predictor was fitted to these same pairs: the figures show its memory, not its predictions. Evaluate it on pairs that "
    "were held out."
)
SAME_PAIRS = (
    "Pairs that the predictor was fitted to are predicted better than others. This file is not its training file, but single "
    "pairs may be in both; that is not checked."
)
OTHERS = "Predictions may be worse for other questions, other people, and models that people hear of later."
LABELS = (
    "It is unknown who was asked. Labels of a single person are noisy, which limits any prediction of them; labels of a "
    "majority are less noisy."
)
TARGETED = "Pairs that a survey chose for their chance of a change may be easier or harder to predict than random pairs."
WEIGHTED = "Pairs count by their weights, so a few heavy ones can dominate the figures; the intervals allow for that."
ROUGH = f"Fewer than {FEW} pairs: all figures are rough, especially those by task."
TASKS = "Among many tasks some are high or low by chance alone: figures by task are not a ranking."


def _left_out(unlabelled: int) -> str:
    pairs = "1 pair does" if unlabelled == 1 else f"{count(unlabelled)} pairs do"
    return f"{pairs} not say whether the belief changed and {'is' if unlabelled == 1 else 'are'} left out."
