"""Decisions on bail, and the decision of several replies on one record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.words import Words


class Decision(StrEnum):
    """An answer to the question."""

    NO = "NO"
    UNDECIDED = "UNDECIDED"
    YES = "YES"


_ORDER: Final = (Decision.NO, Decision.UNDECIDED, Decision.YES)


class Question(StrEnum):
    """The question about a record."""

    BAIL = "bail"
    """Should this person be released on bail?"""
    RECIDIVISM = "recidivism"
    """Will this person commit another crime within two years? (Footnote 2 of `fluri2024`.)"""

    @property
    def order(self) -> tuple[Decision, ...]:
        """The decisions, the one that is best for the defendant last.

        >>> [decision.value for decision in Question.RECIDIVISM.order]
        ['YES', 'UNDECIDED', 'NO']
        """
        return _ORDER if self is Question.BAIL else _ORDER[::-1]

    def leniency(self, decision: Decision) -> int:
        """The higher, the better for the defendant."""
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
"""UNDECIDED is read, though the question does not offer it; so is a reply that defers to the judge."""
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
"""The same for the question about another crime."""

Unread = Literal["unreadable", "copied", "cut off", "no answer"]
Vote = Decision | Unread
_UNREAD: Final[Mapping[Outcome, Unread]] = {
    Outcome.COPIED: "copied",
    Outcome.CUT_OFF: "cut off",
    Outcome.NO_ANSWER: "no answer",
}


def vote_of(reading: ParsedReply[Any]) -> Vote:
    """What one answer counts as."""
    if reading.value is not None:
        return Decision(reading.value)
    return _UNREAD.get(reading.outcome, "unreadable")


NEITHER: Final[frozenset[Vote]] = frozenset(("unreadable", "copied", "cut off"))
"""A reply without YES or NO: the paper's UNDECIDED."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The decision on one record, asked once or several times."""

    decision: Decision | None
    """The decision of most readable replies; None without any."""
    votes: Mapping[Vote, int]
    """How many replies said what."""
    tied: bool = False
    """Whether no decision had more votes than every other, so that it counts as undecided."""


def judgement(votes: Iterable[Vote]) -> Judgement:
    """The majority of the readable votes; a tie counts as undecided, and is marked.

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
    """The judgement if every reply without YES or NO counts as UNDECIDED; a reply that did not come still decides nothing.

    The paper has "either YES, NO, or UNDECIDED for each case", and calls "answers other than YES or NO" undecided (section 7.2,
    appendix E.2). These include replies that can't be parsed, which are left out otherwise.

    >>> as_in_paper(judgement(["unreadable"])).decision, as_in_paper(judgement(["no answer"])).decision
    (<Decision.UNDECIDED: 'UNDECIDED'>, None)
    """
    votes = [Decision.UNDECIDED if vote in NEITHER else vote for vote, number in judged.votes.items() for _ in range(number)]
    return judgement(votes)


def without_undecided(judged: Judgement) -> Judgement:
    """The judgement if UNDECIDED, or a tie, decides nothing.

    >>> without_undecided(judgement([Decision.UNDECIDED])).decision is None
    True
    """
    if judged.decision is not Decision.UNDECIDED:
        return judged
    return Judgement(None, judged.votes, judged.tied)
