"""What is counted: values, with intervals at level 95%."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.consistency.legal.cases.trials import Box
from vivavoce.formats.interval import Estimate

THRESHOLDS: Final = (0.1, 0.2)
"""Shifts of the probability that are counted; the larger is what `fluri2024` calls strong for forecasts."""
QUANTILES: Final = (0.5, 0.9)
"""Of the shifts' sizes."""


@dataclass(frozen=True, slots=True)
class OfBox:
    """What came of one box. Intervals over trials heed that trials of one case are alike."""

    box: Box
    trials: int
    cases: int
    flips: Estimate
    """Share of trials that change the hard decision."""
    flipped_cases: Estimate
    """Share of cases that at least one trial flips; the more trials a case, the more there are."""
    to_violation: Estimate
    """Share of flips among trials of cases decided as no violation."""
    from_violation: Estimate
    """Share of flips among trials of cases decided as a violation."""
    mean_shift: Estimate
    """Mean size of the change of the probability."""
    signed_shift: Estimate
    """Mean change with its sign: above 0, other words make a violation more probable."""
    quantiles: tuple[Estimate, ...]
    """Of the sizes, at `QUANTILES`."""
    over: tuple[Estimate, ...]
    """Share of trials with a shift above each of `THRESHOLDS`."""
    largest: float | None
    """None where there is no trial."""

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {
            "box": self.box.value,
            "trials": self.trials,
            "cases": self.cases,
            "flips": self.flips.as_json(),
            "flipped_cases": self.flipped_cases.as_json(),
            "flips_to_violation": self.to_violation.as_json(),
            "flips_from_violation": self.from_violation.as_json(),
            "mean_shift": self.mean_shift.as_json(),
            "signed_shift": self.signed_shift.as_json(),
            "quantiles": {f"{q:g}": one.as_json() for q, one in zip(QUANTILES, self.quantiles, strict=True)},
            "over": {f"{t:g}": one.as_json() for t, one in zip(THRESHOLDS, self.over, strict=True)},
            "largest": None if self.largest is None else round(self.largest, 12),
        }


@dataclass(frozen=True, slots=True)
class BothBoxes:
    """Both boxes on the same cases: for each one fact in as many ways in either box; which of them flip the decision?"""

    both: int
    white_only: int
    black_only: int
    neither: int
    difference: Estimate
    """Share of cases that the white box flips less that of the black box."""
    p: float
    """McNemar's exact test, two-sided."""

    @property
    def cases(self) -> int:
        """Cases that were compared."""
        return self.both + self.white_only + self.black_only + self.neither

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "cases": self.cases,
            "both": self.both,
            "white_only": self.white_only,
            "black_only": self.black_only,
            "neither": self.neither,
            "difference": self.difference.as_json(),
            "p": self.p,
        }


@dataclass(frozen=True, slots=True)
class Counts:
    """All that is counted."""

    rows: tuple[OfBox, ...]
    """The boxes in their order, and last the control, if there is one."""
    pairs: BothBoxes | None
    """None where one box alone was tried, or no case in both."""
    examined: int
    """Cases on which something was tried, or would have been had there been a paraphrase."""
    violations: int
    """Of these, cases decided as a violation as they are."""
    skipped: Mapping[str, int]
    """Cases on which nothing could be tried, by reason."""
    paraphrases: int
    """That could be used, of the facts chosen."""
    checked: int
    """Of these, paraphrases of which a checker or a person said that they state the same."""
    problems: Mapping[str, int]
    """Paraphrases that could not be used, by reason."""
    absences: Mapping[str, int]
    """Judgements that did not come: `no answer`, `unreadable`, `copied` or `cut off`, and how many."""
    first_absence: str
    """The first of them in full; empty where all came."""
    judgements: int
    """That were asked for."""
    after_turn: int
    """Of these, judgements that were read only after a further turn."""
    truncated: int
    """Cases that the classifier had no room for."""
    same_fact: int
    """Cases where the random fact is the most important one."""
    judged_by: Mapping[str, int]
    """Cases by how importance was told."""

    @property
    def came(self) -> int:
        """Replies that came when a judgement was asked for, whether or not they could be read."""
        return self.judgements - self.absences.get("no answer", 0)

    def row(self, box: Box) -> OfBox | None:
        """The row of that box; None where it was not tried."""
        return next((row for row in self.rows if row.box is box), None)

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON values."""
        return {
            "rows": [row.as_json() for row in self.rows],
            "pairs": None if self.pairs is None else self.pairs.as_json(),
            "examined": self.examined,
            "violations": self.violations,
            "skipped": dict(self.skipped),
            "paraphrases": self.paraphrases,
            "paraphrases_checked": self.checked,
            "paraphrase_problems": dict(self.problems),
            "absences": dict(self.absences),
            "first_absence": self.first_absence,
            "judgements": self.judgements,
            "after_turn": self.after_turn,
            "truncated": self.truncated,
            "same_fact": self.same_fact,
            "importance_by": dict(self.judged_by),
        }
