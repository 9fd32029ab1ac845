"""The figures of an evaluation: of all pairs, of some, by task, by chance, and as a curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.interval import Interval

FEWEST: Final = 5
"""Pairs of a task, as in Tables 3 and 4 of `vafa2024`."""
BINS: Final = 5
"""Of the calibration, equally many pairs each."""


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A number with its interval, or why there is none."""

    value: float | None
    interval: Interval | None
    reason: str = ""
    """Why the number, or its interval, is not there."""

    @property
    def ends(self) -> list[float] | None:
        """The interval as JSON values."""
        return None if self.interval is None else [self.interval.lower, self.interval.upper]


@dataclass(frozen=True, slots=True)
class EvaluationPart:
    """All pairs, or those after a right or a wrong answer."""

    n: int
    changed: int
    """Pairs whose belief changed."""
    share: float | None
    """Of them, by weight."""
    auc: MeasuredValue
    nll: MeasuredValue
    """In nats."""
    nll_baseline: MeasuredValue
    """The same if every pair of this part were given its share of changes."""
    gain: MeasuredValue
    """By this much the predictor's NLL is smaller than that."""


@dataclass(frozen=True, slots=True)
class TaskScore:
    """The pairs of one task, or of one pair of tasks."""

    task: tuple[str, ...]
    n: int
    changed: int
    auc: MeasuredValue
    nll: float

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        named = {"task": self.task[0]} if len(self.task) == 1 else {"from": self.task[0], "to": self.task[1]}
        return {
            **named,
            "n": self.n,
            "changed": self.changed,
            "auc": self.auc.value,
            "interval": self.auc.ends,
            "nll": self.nll,
            **({"reason": self.auc.reason} if self.auc.reason else {}),
        }


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Pairs with chances near each other."""

    predicted: float
    """Their mean chance."""
    n: int
    changed: MeasuredValue
    """The share whose belief changed."""


@dataclass(frozen=True, slots=True)
class RocCurve:
    """For every limit, which pairs are given more: the ROC curve."""

    unchanged: tuple[float, ...]
    """Share of pairs that did not change, among those above the limit."""
    changed: tuple[float, ...]
