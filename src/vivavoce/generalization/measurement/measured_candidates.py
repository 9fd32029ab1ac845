"""The candidates of a measurement: their names and sizes, and counts of their replies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Final, Self

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.tables import read_table
from vivavoce.formats.wording import problem_with_name
from vivavoce.generalization.pairs import (
    LONGEST_NAME,
    MOST_MODELS,
    PROMPT,
    Grade,
)
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade as Scored

CANDIDATE: Final = "candidate"
_SIZE = re.compile(r"(\d+(?:\.\d+)?(?:e\d{1,2})?) ?([kmbt]?)", re.IGNORECASE)
_TIMES: Final = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}


@dataclass(frozen=True, slots=True)
class MeasuredCandidate:
    """A candidate to be measured."""

    candidate: str
    """The name by which it is opened."""
    name: str
    """Its column of answers."""
    size: float | None = None
    """A number above 0, such as the number of parameters."""


def size_of(text: str) -> float:
    """Parse a size: a number, also with K, M, B or T for thousand, million, billion or trillion. Raises `BadInput`.

    >>> size_of("7B"), size_of("1.3e9"), size_of("770 M")
    (7000000000.0, 1300000000.0, 770000000.0)
    """
    match = _SIZE.fullmatch(text.strip())
    value = float(match[1]) * _TIMES[match[2].lower()] if match else 0.0
    if not (isfinite(value) and value > 0):
        raise BadInput(f"size is {text[:40]!r}: write a number above 0, such as 7B or 1.3e9")
    return value


def size_in_words(size: float) -> str:
    """A size in the short form that `size_of` reads.

    >>> size_in_words(7e9), size_in_words(7.7e8), size_in_words(12)
    ('7B', '770M', '12')
    """
    letter, times = max(((name, value) for name, value in _TIMES.items() if value <= max(size, 1.0)), key=lambda unit: unit[1])
    return f"{size / times:.3g}{letter.upper()}"


def read_candidates(file: Path) -> list[MeasuredCandidate]:
    """Read candidates from a CSV file with the columns candidate, name and size; the last two are optional.

    Raises `BadFile`, with the line.
    """
    candidates = []
    for line, row in read_table(file, [CANDIDATE]).rows:
        candidate, name, size = (row.get(column, "").strip() for column in (CANDIDATE, "name", "size"))
        try:
            if not candidate:
                raise BadInput("candidate is empty")
            if problem := name and problem_with_name(name):
                raise BadInput(problem)
            candidates.append(MeasuredCandidate(candidate, name or candidate, size_of(size) if size else None))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    if not candidates:
        raise BadFile(file, "no candidates below the first line")
    return candidates


def checked_candidates(measured: Sequence[MeasuredCandidate]) -> tuple[MeasuredCandidate, ...]:
    """The candidates, if their names are different and can be columns. Raises `BadInput`."""
    if not 1 <= len(measured) <= MOST_MODELS:
        raise BadInput(f"{len(measured)} candidates: give 1 to {MOST_MODELS}")
    names: set[str] = set()
    for candidate in measured:
        if candidate.name in names:
            raise BadInput(f"two candidates have the name '{candidate.name[:80]}': give one of them another name")
        if candidate.name == PROMPT or len(candidate.name) > LONGEST_NAME:
            raise BadInput(f"'{candidate.name[:80]}' can't be a column's name: give the candidate another name")
        names.add(candidate.name)
    if len({candidate.candidate for candidate in measured}) < len(measured):
        raise BadInput("a candidate occurs twice: name each once")
    return tuple(measured)


@dataclass(frozen=True, slots=True)
class ModelReplies:
    """Counts of one model's replies."""

    model: str
    questions: int
    asked: int
    """Questions with an outcome."""
    unreadable: int
    """Replies that could not be parsed."""
    absent: int
    """Asked questions without a reply that counts."""
    outcomes: Mapping[str, int]
    """Number of replies by outcome of parsing."""
    budget: str
    """The limit of the budget that ended the questions; empty if none did."""

    @classmethod
    def of(cls, model: str, questions: int, outcomes: Mapping[str, int], budget: str = "") -> Self:
        """Count a model's replies by outcome."""
        numbers = {Outcome(outcome): number for outcome, number in outcomes.items()}
        unreadable = sum(number for outcome, number in numbers.items() if outcome.unread)
        absent = sum(number for outcome, number in numbers.items() if not _counts(outcome))
        return cls(model, questions, sum(numbers.values()), unreadable, absent, outcomes, budget)


def grade_of(scored: Scored | None) -> Grade:
    """Whether an answer is right; None if there is none, or if it can't be known.

    An unparsed reply is not right, because it is useless to the person who asked. A reply without a full score is not right.

    >>> grade_of(Scored(1.0, False)), grade_of(Scored(0.0, False, Outcome.UNREADABLE)), grade_of(None)
    (True, False, None)
    """
    if scored is None or not _counts(scored.outcome):
        return None
    return scored.score == 1


def _counts(outcome: Outcome) -> bool:
    return outcome is not Outcome.NO_ANSWER and not outcome.unknowable
