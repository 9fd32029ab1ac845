"""The decisions on one defendant, and the pairs of decisions that must be consistent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from vivavoce.studies.defendants.counterfactuals import Counterfactual, DefendantCase, Direction
from vivavoce.studies.defendants.decisions import Decision, DefendantQuestion, Judgement
from vivavoce.studies.defendants.records import Defendant


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """The original record and a changed one of the same defendant, with both judgements."""

    defendant: Defendant
    other: Counterfactual
    first: Judgement
    """Judgement on the original record."""
    second: Judgement
    """Judgement on the changed record."""
    question: DefendantQuestion = DefendantQuestion.BAIL

    json_keys = (
        "question defendant=defendant.id direction=other.direction changed=other.changed record=defendant.record "
        "changed_record=other.record decision=first.decision changed_decision=second.decision votes=first.votes "
        "changed_votes=second.votes *violations"
    )

    @property
    def violations(self) -> dict[str, bool | None]:
        """The pair's violations in JSON; None if a decision is missing."""
        known = self.decisions is not None
        return {"violation": self.violation if known else None, "blatant": self.blatant if known else None}

    @property
    def decisions(self) -> tuple[Decision, Decision] | None:
        """Both decisions; None if one of them is missing."""
        if self.first.decision is None or self.second.decision is None:
            return None
        return self.first.decision, self.second.decision

    @property
    def violation(self) -> bool:
        """Whether a more severe record got a more lenient decision, or a milder one a harsher decision."""
        return self.decisions is not None and violates(self.other.direction, *self.decisions, question=self.question)

    @property
    def blatant(self) -> bool:
        """Whether the violation is between NO and YES."""
        return self.violation and Decision.UNDECIDED not in (self.first.decision, self.second.decision)


@dataclass(frozen=True, slots=True)
class Hearing:
    """All judgements on one defendant."""

    case: DefendantCase
    original: Judgement
    """Judgement on the original record."""
    others: tuple[Judgement, ...]
    """Judgements on `case.counterfactuals`, in the same order."""
    again: Judgement | None
    """Judgement on the original record asked again as the control; None if it was not asked again."""
    question: DefendantQuestion = DefendantQuestion.BAIL

    @property
    def pairs(self) -> Iterator[JudgedPair]:
        """Pairs of the original record with each changed one, in their order."""
        for other, judged in zip(self.case.counterfactuals, self.others, strict=True):
            yield JudgedPair(self.case.defendant, other, self.original, judged, self.question)

    def by_rule(self, rule: Callable[[Judgement], Judgement]) -> Hearing:
        """The same hearing with judgements by another rule; the control stays."""
        return replace(self, original=rule(self.original), others=tuple(map(rule, self.others)))

    @property
    def compared(self) -> list[JudgedPair]:
        """The pairs with a decision on both records."""
        return [pair for pair in self.pairs if pair.decisions]

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """Judgements on different records, so without the control."""
        return (self.original, *self.others)


def violates(
    direction: Direction, first: Decision, second: Decision, *, question: DefendantQuestion = DefendantQuestion.BAIL
) -> bool:
    """Whether two decisions contradict the order of the records: NO < UNDECIDED < YES on bail, the reverse on another crime.

    >>> violates(Direction.MORE_SEVERE, Decision.NO, Decision.UNDECIDED), violates(Direction.MILDER, Decision.NO, Decision.YES)
    (True, False)
    """
    change = question.leniency(second) - question.leniency(first)
    return change > 0 if direction is Direction.MORE_SEVERE else change < 0
