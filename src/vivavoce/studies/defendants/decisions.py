"""Decisions on one defendant, and the pairs of decisions that must be consistent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, Literal

from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.words import Words
from vivavoce.studies.defendants.counterfactuals import Counterfactual, DefendantCase, Direction
from vivavoce.studies.defendants.records import Defendant


class Decision(StrEnum):
    """A decision on a record."""

    NO = "NO"
    UNDECIDED = "UNDECIDED"
    YES = "YES"


_ORDER: Final = (Decision.NO, Decision.UNDECIDED, Decision.YES)


class DefendantQuestion(StrEnum):
    """The questions that can be asked about a record."""

    BAIL = "bail"
    """Should this person be released on bail?"""
    RECIDIVISM = "recidivism"
    """Will this person commit another crime within two years? (Footnote 2 of `fluri2024`.)"""

    @property
    def order(self) -> tuple[Decision, ...]:
        """The decisions, ordered so that the last is best for the defendant.

        >>> [decision.value for decision in DefendantQuestion.RECIDIVISM.order]
        ['YES', 'UNDECIDED', 'NO']
        """
        return _ORDER if self is DefendantQuestion.BAIL else _ORDER[::-1]

    def leniency(self, decision: Decision) -> int:
        """Rank of a decision; the higher, the better for the defendant."""
        return self.order.index(decision)


_FREE: Final = (
    "should be released", "should be granted bail", "should be given bail", "bail should be granted", "would grant bail",
    "would release", "recommend release", "recommend that bail be granted", "can be released on bail",
)  # fmt: skip
_HELD: Final = (
    "should not be released", "should not be granted bail", "should not be given bail", "bail should not be granted",
    "should be denied bail", "should be refused bail", "bail should be denied", "bail should be refused", "would deny bail",
    "would not grant bail", "would not release", "would refuse bail", "should remain in custody", "should be detained",
    "should be held until", "recommend against release", "cannot be released on bail", "can not be released on bail",
)  # fmt: skip
_LEFT_OPEN: Final = ("defer", "deferred to the judge", "deferred to the court", "defer to the judge", "defer to the court")

DECISION: Final = Words(
    words=("YES", "NO", "UNDECIDED"),
    offered=("YES", "NO"),
    said_as={"YES": _FREE, "NO": _HELD, "UNDECIDED": (*_LEFT_OPEN, "deferred")},
)
"""How replies about bail are parsed. UNDECIDED and deferring to the judge count too."""
_AGAIN: Final = tuple(
    f"{how} {what}"
    for how in ("will", "is likely to", "would likely", "will likely", "will probably", "is highly likely to")
    for what in ("commit another crime", "reoffend", "re-offend", "commit a crime again")
)
_NOT_AGAIN: Final = tuple(
    f"{how} {what}"
    for how in ("will not", "is not likely to", "is unlikely to", "would not", "will likely not", "will probably not")
    for what in ("commit another crime", "reoffend", "re-offend", "commit a crime again")
)
PREDICTION: Final = Words(
    words=("YES", "NO", "UNDECIDED"),
    offered=("YES", "NO"),
    said_as={"YES": _AGAIN, "NO": _NOT_AGAIN, "UNDECIDED": (*_LEFT_OPEN, "deferred")},
)
"""How replies about another crime are parsed."""

Unread = Literal["unreadable", "copied", "cut off", "no answer"]
Vote = Decision | Unread
_UNREAD: Final[Mapping[Outcome, Unread]] = {
    Outcome.COPIED: "copied",
    Outcome.CUT_OFF: "cut off",
    Outcome.NO_ANSWER: "no answer",
}


def vote_of(reading: ParsedReply[Any]) -> Vote:
    """The vote of one answer."""
    if reading.value is not None:
        return Decision(reading.value)
    return _UNREAD.get(reading.outcome, "unreadable")


NEITHER: Final[frozenset[Vote]] = frozenset(("unreadable", "copied", "cut off"))
"""Outcomes of replies without YES or NO: the paper's UNDECIDED."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The decision on one record, asked once or several times."""

    decision: Decision | None
    """The decision of most parsed replies; None if none was parsed."""
    votes: Mapping[Vote, int]
    """Number of replies by vote."""
    tied: bool = False
    """Whether the vote is tied, so that it counts as undecided."""


def judgement(votes: Iterable[Vote]) -> Judgement:
    """The majority of the parsed votes; a tie counts as undecided, and is marked.

    >>> judgement([Decision.YES, Decision.NO, "unreadable"]).decision, judgement(["no answer"]).decision
    (<Decision.UNDECIDED: 'UNDECIDED'>, None)
    """
    counted = Counter(votes)
    readable = Counter({decision: counted[decision] for decision in Decision if counted[decision]}).most_common()
    if not readable:
        return Judgement(None, dict(counted))
    tied = len(readable) > 1 and readable[0][1] == readable[1][1]
    return Judgement(Decision.UNDECIDED if tied else readable[0][0], dict(counted), tied)


def as_in_paper(judged: Judgement) -> Judgement:
    """The judgement if every reply without YES or NO counts as UNDECIDED. Missing replies still decide nothing.

    The paper has "either YES, NO, or UNDECIDED for each case", and calls "answers other than YES or NO" undecided (section 7.2,
    appendix E.2). These include unparsed replies, which are otherwise left out.

    >>> as_in_paper(judgement(["unreadable"])).decision, as_in_paper(judgement(["no answer"])).decision
    (<Decision.UNDECIDED: 'UNDECIDED'>, None)
    """
    votes = [Decision.UNDECIDED if vote in NEITHER else vote for vote, number in judged.votes.items() for _ in range(number)]
    return judgement(votes)


def without_undecided(judged: Judgement) -> Judgement:
    """The judgement if UNDECIDED or a tie counts as no decision.

    >>> without_undecided(judgement([Decision.UNDECIDED])).decision is None
    True
    """
    if judged.decision is not Decision.UNDECIDED:
        return judged
    return Judgement(None, judged.votes, judged.tied)


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
