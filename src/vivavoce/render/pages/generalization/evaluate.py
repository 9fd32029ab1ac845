"""What an evaluation of a predictor says on its page: everything the template needs, already in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from vivavoce.formats.wording import clipped, count, score, score_interval, signed, signed_interval
from vivavoce.generalization.evaluate import BINS, FEWEST
from vivavoce.generalization.evaluation import ByTask, Evaluation, Measure, Part
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.generalization.evaluate import calibration, ranking

SHOWN_TASKS: Final = 12
"""Rows of a table by task: the best and the worst."""
PARTS: Final = (("all pairs", "overall"), ("after a right answer", "right"), ("after a wrong one", "wrong"))

LONGEST_NOTE: Final = 600
"""Characters."""

Cell = tuple[str, str]
"""A number and its interval, or what belongs to it."""


def evaluation_title(finding: Evaluation) -> str:
    """What the page is."""
    return f"Belief changes predicted by {clipped(finding.predictor, 80) or 'a predictor'}"


def evaluation_body(finding: Evaluation, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    plots = [ranking(finding, f"{name}r"), calibration(finding, f"{name}c")]
    return {
        "finding": finding,
        "source": clipped(finding.source, 120) or "not named",
        "parts": [words for words, _ in PARTS],
        "numbers": numbers(finding),
        "plots": [figure(plot) for plot in plots if plot],
        "tables": [
            ("By the task of the question that was shown", by_task(finding.by_task_from)),
            ("By the task of the question that the belief is about", by_task(finding.by_task_to)),
            ("By both tasks", by_task(finding.by_task_pair)),
        ],
        "fewest": FEWEST,
        "method": method(finding),
    }


def numbers(finding: Evaluation) -> list[tuple[str, tuple[Cell, ...]]]:
    """The table: what is counted, and a number with its interval for each part."""
    parts = [finding.parts[part] for _, part in PARTS]
    return [
        ("AUC", tuple(_scored(part.auc) for part in parts)),
        ("NLL", tuple(_scored(part.nll) for part in parts)),
        ("NLL of a constant", tuple((_scored(part.nll_baseline)[0], "") for part in parts)),
        ("Gain over it", tuple(_gained(part.gain) for part in parts)),
        ("Beliefs that changed", tuple(_changed(part) for part in parts)),
        ("Pairs", tuple((count(part.n), "") for part in parts)),
    ]


def by_task(rows: Sequence[ByTask]) -> list[tuple[str, Cell, str, str]]:
    """Task, AUC, NLL and pairs of each row; of many rows the first and the last."""
    shown = [row for row in rows if row.auc.value is not None]
    without = [row for row in rows if row.auc.value is None]
    if len(shown) > SHOWN_TASKS:
        shown = shown[: SHOWN_TASKS // 2] + shown[-SHOWN_TASKS // 2 :]
    shown += without[: max(0, SHOWN_TASKS - len(shown))]
    return [
        (
            " → ".join(clipped(task.replace("_", " "), 60) or "not named" for task in row.task),
            _scored(row.auc) if row.auc.value is not None else ("none", row.auc.reason),
            score(row.nll),
            f"{count(row.n)}, {count(row.changed)} changed",
        )
        for row in shown
    ]


def left_out(rows: Sequence[ByTask]) -> int:
    """Tasks that a table has no room for."""
    return len(rows) - len(by_task(rows))


def method(finding: Evaluation) -> list[str]:
    """How the numbers were found, in sentences."""
    level = f"{finding.confidence:.0%}"
    return [
        "AUC: the chance that a pair whose belief changed is ranked above one whose belief did not, a tie counting half; a "
        "coin gets 0.50. NLL: the mean negative log-likelihood of what happened; lower is better, and one half for every pair "
        "gets 0.69. The constant is the share of changes among these very pairs, which no "
        "other constant beats.",
        f"Intervals are at level {level}. They allow for pairs that share a question"
        + (f", or one of {count(finding.people)} people" if finding.people else "")
        + ": the AUC's by DeLong's variance on the logit scale, the NLL's by Student's t.",
        f"The calibration has up to {BINS} groups of equally many pairs, in order of their chances; equal chances stay "
        f"together. Tasks with fewer than {FEWEST} pairs are left out.",
        *notes(finding.notes),
    ]


def notes(told: Sequence[str]) -> list[str]:
    """How the chances were obtained; a stranger's words may be among it."""
    return [clipped(note, LONGEST_NOTE) for note in told]


def _scored(measure: Measure) -> Cell:
    if measure.value is None:
        return ("none", measure.reason)
    return (score(measure.value), score_interval(measure.interval) if measure.interval else "no interval")


def _gained(measure: Measure) -> Cell:
    if measure.value is None:
        return ("none", measure.reason)
    return (signed(measure.value), signed_interval(measure.interval) if measure.interval else "")


def _changed(part: Part) -> Cell:
    return ("none", "") if part.share is None else (f"{part.share:.0%}", count(part.changed))
