"""Files of questions that `viva make questions` or `viva probe` wrote: further columns, and what a verdict on them covers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vivavoce.formats.wording import count, name_of

MADE: Final = "made"
COLUMNS: Final = ("passage", "document", "difficulty", MADE)
"""Columns that say where a question comes from; no question is asked or graded by them."""
UNCHECKED: Final = "none"
"""Stands for the checker if no model checked the questions."""

MOST_SAMPLED: Final = 100_000
"""Questions of a file of which a review may be a sample."""
_Number = Annotated[int, Field(ge=0, le=10**9)]
_Name = Annotated[str, Field(min_length=1, max_length=1_000)]
Kind = TypeVar("Kind", bound=BaseModel)


class ReviewSample(BaseModel):
    """A review in random order: how many questions were decided before the first gap, and how many of these had a fault."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    questions: Annotated[int, Field(ge=1, le=MOST_SAMPLED)]
    """In the file before the review."""
    decided: _Number
    faults: _Number
    """Those that reviewers rejected or corrected."""

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if not self.faults <= self.decided <= self.questions:
            raise ValueError("more faults than decisions, or more decisions than questions")
        return self

    @property
    def faults_left(self) -> int:
        """At most this many of the other questions have a fault; wrong for at most 5 of 100 reviews, wherever they stop.

        >>> ReviewSample(questions=200, decided=60, faults=0).faults_left
        9
        """
        from vivavoce.statistics.confidence_sequences import rate_bounds

        bounds = rate_bounds(self.faults, self.decided, 0.05, limit=0.05, population=self.questions)
        return round(bounds.upper * self.questions) - self.faults


class MakingRecord(BaseModel):
    """How the questions of a file were made, the same on each of its rows."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    writer: _Name
    checker: _Name
    documents: _Number
    drawn: _Number
    kept: _Number
    reviewed: _Number
    """How many of those that were kept people have reviewed."""
    sample: ReviewSample | None = None
    """The part of the review that was in random order; None without any."""


class ProbeRecord(BaseModel):
    """Where the failures of a file were found, the same on each of its rows."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    candidate: _Name
    scope: _Name
    failures: _Number


_CLAIM: Final = "The result says nothing about other questions on these documents."


NOT_A_SAMPLE: Final = (
    "The questions are failures that 'viva probe' found. They are not a sample of users' questions: a score on them does not "
    "say how often a model fails."
)


def making_record(value: Any) -> MakingRecord | None:
    """The value of a row's `made`; None for anything else.

    >>> making_record({"writer": "bot"}) is None
    True
    """
    return _record(MakingRecord, value)


def _record(kind: type[Kind], value: Any) -> Kind | None:
    try:
        return kind.model_validate(json.loads(value) if isinstance(value, str) else value)
    except (ValueError, RecursionError):
        return None


def making_of(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> tuple[tuple[str, ...], str]:
    """The columns of made questions, and a sentence on how they were made; nothing unless each row has a valid `made`."""
    if all(_record(ProbeRecord, row.get(MADE)) for _, row in rows):
        return (MADE,), NOT_A_SAMPLE
    records = [making_record(row.get(MADE)) for _, row in rows]
    known = [record for record in records if record is not None]
    if not known or len(known) < len(records):
        return (), ""
    if any(record != known[0] for record in known):
        return COLUMNS, f"The questions come from several runs of 'viva make questions'. {_CLAIM}"
    record = known[0] if not any("weight" in row for _, row in rows) else known[0].model_copy(update={"sample": None})
    return COLUMNS, making_in_words(record, there=len(rows))


def making_in_words(record: MakingRecord, *, there: int) -> str:
    """What questions are about, how many answers may be wrong, and what a result on them does not cover.

    there: how many the file has.

    >>> made = MakingRecord(writer="bot", checker="none", documents=14, drawn=200, kept=60, reviewed=60)
    >>> print(making_in_words(made, there=60))  # doctest: +NORMALIZE_WHITESPACE
    Questions that bot wrote about 14 documents: 60 of 200 drawn were kept, 60 reviewed by people. No model checked them.
    The result says nothing about other questions on these documents.
    """
    documents = f"{count(record.documents)} document{'' if record.documents == 1 else 's'}"
    sentences = (
        f"Questions that {name_of(record.writer)} wrote about {documents}: {count(record.kept)} of "
        f"{count(record.drawn)} drawn were kept, {count(record.reviewed)} reviewed by people.",
        "" if there == record.kept else f"The file has {count(there)} of them.",
        "No model checked them." if record.checker == UNCHECKED else "",
        _faults_in_words(record, there),
        _CLAIM,
    )
    return " ".join(filter(None, sentences))


def _faults_in_words(record: MakingRecord, there: int) -> str:
    """How many answers may be wrong. A score S of all questions and its value T without f faulty ones differ by at most f / n.

    For S n = T (n - f) + s with 0 <= s <= f, the score of the faulty ones; so -f <= -T f <= (S - T) n <= s <= f.
    """
    sample = record.sample
    if record.reviewed >= record.kept:
        return ""
    if sample is None or there > record.kept:
        others = "the others" if record.reviewed else "them"
        return f"How many of {others} have a fault, and how much that changes a score, is unknown."
    left = sample.faults_left
    return (
        f"In random order, reviewers rejected or corrected {count(sample.faults)} of {count(sample.decided)}. At most "
        f"{count(left)} others have such a fault (95% confidence); without these, the share of right answers among all would "
        f"differ by at most {min(100, -(-100 * left // there))} points."
    )
