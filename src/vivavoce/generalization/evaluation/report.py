"""What an evaluation of a predictor reports: its numbers, how it ranks, whether its chances hold, tasks, and the method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from vivavoce.formats.interval import CONFIDENCE, Interval
from vivavoce.formats.wording import clipped, count, percent, score, score_interval, signed, signed_interval
from vivavoce.generalization.evaluation.figures import (
    BINS,
    FEWEST,
    CalibrationBin,
    EvaluationPart,
    MeasuredValue,
    RocCurve,
    TaskScore,
)
from vivavoce.report.blocks import Block, Column, Figure, Fold, InShort, Items, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.figures import Axis, Line, Lines, Point
from vivavoce.report.parts import method_of, notes

LEAD: Final = "Somebody sees how a model answers one question: does their belief about another change?"
SHOWN_TASKS: Final = 12
"""Rows of a table by task: the best and the worst."""
LONGEST_NOTE: Final = 600
"""Characters."""
_DIAGONAL: Final = (Point(0.0, 0.0), Point(1.0, 1.0))


def numbers_table(overall: EvaluationPart, right: EvaluationPart, wrong: EvaluationPart) -> Table:
    """What is counted, over all pairs and after a right and a wrong answer."""
    parts = (overall, right, wrong)
    columns = (Column("", short="measure"), Column("all pairs"), Column("after a right answer"), Column("after a wrong one"))
    rows = (
        (Cell("AUC"), [_scored(part.auc) for part in parts]),
        (Cell("NLL"), [_scored(part.nll) for part in parts]),
        (Cell("NLL of a constant", short="of a constant"), [_bare(part.nll_baseline) for part in parts]),
        (Cell("Gain over it"), [_cell(part.gain, signed, signed_interval) for part in parts]),
        (Cell("Beliefs that changed", short="Changed"), [_changed(part) for part in parts]),
        (Cell("Pairs"), [count_cell(part.n) for part in parts]),
    )
    return Table(columns, tuple(Row(what, tuple(cells)) for what, cells in rows))


def evaluation_figures(curve: RocCurve | None, auc: MeasuredValue, bins: tuple[CalibrationBin, ...]) -> tuple[Figure, ...]:
    """How well it ranks, where there are changed and unchanged beliefs, and whether its chances hold."""
    ranking = () if curve is None or auc.value is None else (Figure(_ranking(curve, auc.value)),)
    return (*ranking, Figure(_calibration(bins)))


def _ranking(curve: RocCurve, auc: float) -> Lines:
    """The ROC curve."""
    found = max(y for x, y in zip(curve.unchanged, curve.changed, strict=True) if x <= 0.2)
    alt = (
        f"Of the pairs whose belief changed, {percent(found)} rank above all but one fifth of those whose did not. "
        f"AUC {score(auc)}; chance is 0.50."
    )
    points = tuple(Point(x, y) for x, y in zip(curve.unchanged, curve.changed, strict=True))
    lines = (Line(f"predictor, AUC {score(auc)}", points, marked=False), Line("chance", _DIAGONAL, is_reference=True))
    across = Axis("Unchanged beliefs that are ranked as high (%)", "percent", span=(0.0, 1.0))
    return Lines(across, Axis("Changed beliefs that are found (%)", "percent", span=(0.0, 1.0)), lines, alt)


def _calibration(bins: Sequence[CalibrationBin]) -> Lines:
    """Predicted and observed shares of changes; a single group has no line."""
    alt = ""
    if bins:
        low, high = bins[0], bins[-1]
        alt = (
            f"Of the pairs given the least, {percent(low.predicted)} on average, {percent(low.changed.value or 0.0)} changed; "
            f"of those given the most, {percent(high.predicted)}, {percent(high.changed.value or 0.0)} did."
        )
    points = tuple(
        Point(one.predicted, one.changed.value, one.changed.interval) for one in bins if one.changed.value is not None
    )
    lines = (Line("pairs, by their chance", points, joined=False), Line("as predicted", _DIAGONAL, is_reference=True))
    across = Axis("Predicted chance of a change (%)", "percent", span=(0.0, 1.0))
    return Lines(across, Axis("Beliefs that changed (%)", "percent", span=(0.0, 1.0)), lines, alt)


def task_section(title: str, rows: Sequence[TaskScore]) -> tuple[Block, ...]:
    """AUC, NLL and pairs of each task; of many the best and the worst."""
    if not rows:
        return ()
    shown = _some(rows)
    columns = (Column("Task", percent=44), Column("AUC"), Column("NLL"), Column("Pairs"))
    left = len(rows) - len(shown)
    more = notes(f"and {count(left)} more between them: --json has all") if left else ()
    return (Section(title, (Table(columns, tuple(map(_task, shown))), InShort(more))),)


def how_obtained(sentences: Sequence[str]) -> InShort:
    """How the chances were obtained, where there is no room for the method."""
    items = Items(clipped_notes(sentences))
    return InShort((Section("How the chances were obtained", (items,)),) if sentences else ())


def evaluation_method(people: int, sentences: Sequence[str]) -> Fold:
    """How the numbers were found."""
    return method_of(
        (
            "AUC: the chance that a pair whose belief changed is ranked above one whose belief did not, a tie counting half; "
            "a coin gets 0.50. NLL: the mean negative log-likelihood of what happened; lower is better, and one half for every "
            "pair gets 0.69. The constant is the share of changes among these very pairs, which no other constant beats.",
            f"Intervals are at level {CONFIDENCE:.0%}. They allow for pairs that share a question"
            + (f", or one of {count(people)} people" if people else "")
            + ": the AUC's by DeLong's variance on the logit scale, the NLL's by Student's t.",
            f"The calibration has up to {BINS} groups of equally many pairs, in order of their chances; equal chances stay "
            f"together. Tasks with fewer than {FEWEST} pairs are left out.",
            *clipped_notes(sentences),
        )
    )


def clipped_notes(sentences: Sequence[str]) -> tuple[str, ...]:
    """How the chances were obtained; a stranger's words may be among it."""
    return tuple(clipped(note, LONGEST_NOTE) for note in sentences)


def _some(rows: Sequence[TaskScore]) -> list[TaskScore]:
    """The tasks that there is room for: the first and the last, then those without a ranking."""
    ranked = [row for row in rows if row.auc.value is not None]
    without = [row for row in rows if row.auc.value is None]
    if len(ranked) > SHOWN_TASKS:
        ranked = ranked[: SHOWN_TASKS // 2] + ranked[-SHOWN_TASKS // 2 :]
    return ranked + without[: max(0, SHOWN_TASKS - len(ranked))]


def _task(row: TaskScore) -> Row:
    name = " → ".join(clipped(task.replace("_", " "), 60) or "not named" for task in row.task)
    pairs = Cell(f"{count(row.n)}, {count(row.changed)} changed", row.n)
    return Row(Cell(name), (_scored(row.auc), Cell(score(row.nll), row.nll), pairs))


def _scored(measure: MeasuredValue) -> Cell:
    return _cell(measure, score, score_interval, without="no interval")


def _cell(
    measure: MeasuredValue, write: Callable[[float], str], write_interval: Callable[[Interval], str], *, without: str = ""
) -> Cell:
    """A number with its interval, or why there is none."""
    if measure.value is None:
        return Cell("none", interval=measure.reason, known=False)
    bounds = measure.interval
    return Cell(write(measure.value), measure.value, bounds, without if bounds is None else write_interval(bounds))


def _bare(measure: MeasuredValue) -> Cell:
    return Cell("none", known=False) if measure.value is None else Cell(score(measure.value), measure.value)


def _changed(part: EvaluationPart) -> Cell:
    """The share of changes, and how many these are."""
    return Cell("none", known=False) if part.share is None else Cell(f"{part.share:.0%}", part.share, n=count(part.changed))
