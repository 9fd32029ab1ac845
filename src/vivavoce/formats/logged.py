"""Logs of other programs: a candidate's reply to each sample, with its score.

The score is in the reply's last line, so a transcript holds both, and a scope can score a reply without knowing its origin.
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
    """The repetition of the sample, from 1."""
    asked: str
    """The input in words."""
    target: str
    """The expected answer."""
    reply: str
    score: float | None
    """In [0, 1]; None without a score, such as after an error."""


@dataclass(frozen=True, slots=True)
class Log:
    """All replies of one candidate to the samples of one task."""

    file: str
    """The file's name, without folders."""
    digest: str
    """SHA-256 in hex of the file."""
    model: str
    task: str
    scorer: str
    """The name of the scorer."""
    answers: tuple[LoggedAnswer, ...]
    """At most one for each sample and epoch."""
    others: bool = False
    """Whether the log also holds scores of other scorers."""


def with_score(reply: str, score: float | None) -> str:
    """A reply with its score.

    >>> with_score("Paris", 0.5)
    'Paris\\n\\nScore in the log: 0.5'
    """
    return f"{reply}\n\n{_SAYS}{_NONE if score is None else repr(float(score))}"


def score_of(reply: str) -> float | None:
    """The score in the last line of a reply; None if there is none, or it is outside [0, 1].

    >>> score_of(with_score("Score in the log: 1.0", 0.25)), score_of(with_score("", None)), score_of("Score in the log: 7")
    (0.25, None, None)
    """
    match = _LAST.search(reply)
    try:
        value = float(match[1]) if match and match[1] != _NONE else -1.0
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
