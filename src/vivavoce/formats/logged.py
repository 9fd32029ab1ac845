"""Logs of other programs: what one candidate replied to each sample, and what a scorer gave for it.

A score travels with its reply, in the reply's last line, so that a transcript holds both, and no scope need know whose reply it
scores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_SAYS: Final = "Score in the log: "
_NONE: Final = "none"
_LAST: Final = re.compile(rf"(?:\A|\n){_SAYS}([0-9.e+-]{{1,30}}|{_NONE})\Z")


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One reply to one sample."""

    sample: str
    """The sample's id."""
    epoch: int
    """Which of the repetitions of the sample, from 1."""
    asked: str
    """The input in words."""
    target: str
    """What the scorer held the reply against."""
    reply: str
    score: float | None
    """In [0, 1]; None where there is none, such as after an error."""


@dataclass(frozen=True, slots=True)
class Log:
    """All replies of one candidate to the samples of one task."""

    file: str
    """Its name, without folders."""
    digest: str
    """SHA-256 in hex of the file."""
    model: str
    task: str
    scorer: str
    """Whose scores these are."""
    answers: tuple[LoggedAnswer, ...]
    """At most one for each sample and epoch."""
    others: bool = False
    """Whether the log holds scores of other scorers as well."""


def with_score(reply: str, score: float | None) -> str:
    """A reply with its score.

    >>> with_score("Paris", 0.5)
    'Paris\\n\\nScore in the log: 0.5'
    """
    return f"{reply}\n\n{_SAYS}{_NONE if score is None else repr(float(score))}"


def score_of(reply: str) -> float | None:
    """The score that a reply travels with; None where there is none, or none that is in [0, 1].

    >>> score_of(with_score("Score in the log: 1.0", 0.25)), score_of(with_score("", None)), score_of("Score in the log: 7")
    (0.25, None, None)
    """
    found = _LAST.search(reply)
    try:
        value = float(found[1]) if found and found[1] != _NONE else -1.0
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
