"""@@@
Who is measured: candidates with a name for readers and, where it is known, a size.
---
What became of the questions that were put to each model: read, unreadable, or never answered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.tables import read_table
from vivavoce.formats.wording import problem_with_name
from vivavoce.generalization.answers import LONGEST_NAME, MOST_MODELS, PROMPT, Grade
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade as Scored

CANDIDATE: Final = "candidate"
_SIZE = re.compile(r"(\d+(?:\.\d+)?(?:e\d{1,2})?) ?([kmbt]?)", re.IGNORECASE)
_TIMES: Final = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}


@dataclass(frozen=True, slots=True)
class MeasuredCandidate:
    """One candidate to be measured."""

    candidate: str
    """As it is opened by name."""
    name: str
    """A column of the answers."""
    size: float | None = None
    """Such as its number of parameters; above 0."""


def size_of(text: str) -> float:
    """A size as a number, or with K, M, B or T for a thousand and so on; raises `BadInput`.

    >>> size_of("7B"), size_of("1.3e9"), size_of("770 M")
    (7000000000.0, 1300000000.0, 770000000.0)
    """
    found = _SIZE.fullmatch(text.strip())
    value = float(found[1]) * _TIMES[found[2].lower()] if found else 0.0
    if not (isfinite(value) and value > 0):
        raise BadInput(f"size is {text[:40]!r}: it is a number above 0, such as 7B or 1.3e9")
    return value


def size_in_words(size: float) -> str:
    """A size as short as `size_of` reads it.

    >>> size_in_words(7e9), size_in_words(7.7e8), size_in_words(12)
    ('7B', '770M', '12')
    """
    letter, times = max(((name, value) for name, value in _TIMES.items() if value <= max(size, 1.0)), key=lambda one: one[1])
    return f"{size / times:.3g}{letter.upper()}"


def read_candidates(file: Path) -> list[MeasuredCandidate]:
    """The candidates of a CSV file with the columns candidate, name and size, of which the last two may be left out.

    Raises `BadFile`, with the line.
    """
    found = []
    for line, row in read_table(file, [CANDIDATE]).rows:
        candidate, name, size = (row.get(column, "").strip() for column in (CANDIDATE, "name", "size"))
        try:
            if not candidate:
                raise BadInput("candidate is empty")
            if problem := name and problem_with_name(name):
                raise BadInput(problem)
            found.append(MeasuredCandidate(candidate, name or candidate, size_of(size) if size else None))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    if not found:
        raise BadFile(file, "names no candidate below its first line")
    return found


def checked_candidates(measured: Sequence[MeasuredCandidate]) -> tuple[MeasuredCandidate, ...]:
    """These, if each has a name of its own that a column can bear; raises `BadInput`."""
    if not 1 <= len(measured) <= MOST_MODELS:
        raise BadInput(f"{len(measured)} candidates: give 1 to {MOST_MODELS}")
    names: set[str] = set()
    for one in measured:
        if one.name in names:
            raise BadInput(f"two candidates are called '{one.name[:80]}': give one of them another name")
        if one.name == PROMPT or len(one.name) > LONGEST_NAME:
            raise BadInput(f"'{one.name[:80]}' cannot name a column of answers: give the candidate another name")
        names.add(one.name)
    if len({one.candidate for one in measured}) < len(measured):
        raise BadInput("a candidate is named twice: its answers would stand in two columns")
    return tuple(measured)


@dataclass(frozen=True, slots=True)
class ModelReplies:
    """The replies of one model."""

    model: str
    questions: int
    """That were to be asked."""
    outcomes: Mapping[str, int]
    """How often a reply was read in which way."""
    exhausted: str = ""
    """Which limit of the budget ended the questions; empty while none has."""

    @property
    def asked(self) -> int:
        """Questions with an outcome."""
        return sum(self.outcomes.values())

    @property
    def unread(self) -> int:
        """Replies that came, and whose answer nobody knows."""
        return sum(number for outcome, number in self.outcomes.items() if Outcome(outcome).unread)

    @property
    def absent(self) -> int:
        """Questions without a reply that counts, among those asked."""
        return sum(number for outcome, number in self.outcomes.items() if not _counts(Outcome(outcome)))

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        told = {"questions": self.questions, "asked": self.asked, "unreadable": self.unread, "absent": self.absent}
        return told | {"outcomes": dict(self.outcomes), "budget": self.exhausted}


def grade_of(scored: Scored | None) -> Grade:
    """Whether an answer is right; None where there is none, or nobody can know.

    A reply that cannot be read is not right: whoever asked has nothing of it. Replies without a full score are not, either.

    >>> grade_of(Scored(1.0, False)), grade_of(Scored(0.0, False, Outcome.UNREADABLE)), grade_of(None)
    (True, False, None)
    """
    if scored is None or not _counts(scored.outcome):
        return None
    return scored.score == 1


def _counts(outcome: Outcome) -> bool:
    return outcome is not Outcome.NO_ANSWER and not outcome.unknowable
