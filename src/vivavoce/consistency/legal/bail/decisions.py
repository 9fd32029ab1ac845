"""What a judge decides, and what several replies on one record come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

from vivavoce.interview.forms.form import Outcome, Reading
from vivavoce.interview.forms.words import Words


class Decision(StrEnum):
    """What a judge says about bail."""

    NO = "NO"
    UNDECIDED = "UNDECIDED"
    YES = "YES"

    @property
    def leniency(self) -> int:
        """The order: the higher, the better for the defendant."""
        return _LENIENCY[self]


_LENIENCY: Final[Mapping[Decision, int]] = {Decision.NO: 0, Decision.UNDECIDED: 1, Decision.YES: 2}
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
"""Reads as undecided, though the question does not offer it, also who defers to the judge."""

Unread = Literal["unreadable", "copied", "cut off", "no answer"]
Vote = Decision | Unread
_UNREAD: Final[Mapping[Outcome, Unread]] = {
    Outcome.COPIED: "copied",
    Outcome.CUT_OFF: "cut off",
    Outcome.NO_ANSWER: "no answer",
}


def vote_of(reading: Reading[Any]) -> Vote:
    """What one answer counts as."""
    if reading.value is not None:
        return Decision(reading.value)
    return _UNREAD.get(reading.outcome, "unreadable")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge decided on one record, asked once or several times."""

    decision: Decision | None
    """The one that most readable replies gave; None where no reply could be read."""
    votes: Mapping[Vote, int]
    """How many replies said what."""
    tied: bool = False
    """Whether no decision had more votes than every other, so that it counts as undecided."""
    after_turn: int = 0
    """Votes that were read only after a further turn."""


def judgement(votes: Iterable[Vote], *, after_turn: int = 0) -> Judgement:
    """The majority of the readable votes; a tie counts as undecided, and is marked.

    Parameters
    ----------
    after_turn: how many of the votes were read only after a further turn.

    >>> judgement([Decision.YES, Decision.NO, "unreadable"]).decision, judgement(["no answer"]).decision
    (<Decision.UNDECIDED: 'UNDECIDED'>, None)
    """
    counted = Counter(votes)
    readable = Counter({decision: counted[decision] for decision in Decision if counted[decision]}).most_common()
    if not readable:
        return Judgement(None, dict(counted), after_turn=after_turn)
    tied = len(readable) > 1 and readable[0][1] == readable[1][1]
    return Judgement(Decision.UNDECIDED if tied else readable[0][0], dict(counted), tied, after_turn)
