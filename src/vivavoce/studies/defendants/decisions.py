"""Decisions on bail: how replies are parsed, and the majority of several replies on one record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.words import Words


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
