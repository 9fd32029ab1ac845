"""Reading a decision: the last line of a reply, to the letter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from vivavoce.interview.candidate import NoAnswer, Reply

READ = 2_000
"""Characters at the end of a reply that are looked at."""
LONGEST_LINE = 120


class Decision(StrEnum):
    """What a judge says of bail."""

    NO = "NO"
    UNDECIDED = "UNDECIDED"
    YES = "YES"

    @property
    def leniency(self) -> int:
        """The order: the higher, the better for the defendant."""
        return _LENIENCY[self]


_LENIENCY: Final[Mapping[Decision, int]] = {Decision.NO: 0, Decision.UNDECIDED: 1, Decision.YES: 2}
_LINE = re.compile(
    r"[*_`\s]{0,8}\[answer\][*_`:\s]{0,8}"
    r"(?:(?P<yes>yes)|(?P<no>no)|(?P<undecided>undecided|defer(?:red)?(?: to the (?:judge|court))?))[*_`.\s]{0,8}",
    re.IGNORECASE | re.ASCII,
)

Unread = Literal["unreadable", "no answer"]
Vote = Decision | Unread


def read_decision(reply: str) -> Decision | None:
    """The decision on the last line that is not empty; None where that line says anything else, or nothing.

    The line must be `[Answer]` and YES or NO; or, though the question does not offer it, UNDECIDED, or DEFER (TO THE JUDGE).
    Case, emphasis, a colon and a full stop do not matter. Nothing is looked for elsewhere, and nothing is guessed.

    >>> [read_decision(text) for text in ("He is young.\\n[Answer] YES", "**[answer]: No.**\\n", "[Answer] YES or [Answer] NO")]
    [<Decision.YES: 'YES'>, <Decision.NO: 'NO'>, None]
    """
    lines = reply.rstrip()[-READ:].splitlines()
    if not lines or len(lines[-1]) > LONGEST_LINE:
        return None
    match = _LINE.fullmatch(lines[-1])
    return Decision[str(match.lastgroup).upper()] if match else None


def vote_of(answer: Reply | NoAnswer) -> Vote:
    """What one answer counts as."""
    if isinstance(answer, NoAnswer):
        return "no answer"
    return read_decision(answer.text) or "unreadable"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge decided on one record, asked once or several times."""

    decision: Decision | None
    """The one that most readable replies gave; None where no reply could be read."""
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
