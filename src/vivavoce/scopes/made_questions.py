"""Files of questions that `viva make questions` or `viva probe` wrote: further columns, and what a verdict on them covers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.formats.wording import count, name_of

MADE: Final = "made"
COLUMNS: Final = ("passage", "document", "difficulty", MADE)
"""Columns that say where a question comes from; no question is asked or graded by them."""
UNCHECKED: Final = "none"
"""Stands for the checker if no model checked the questions."""

_Number = Annotated[int, Field(ge=0, le=10**9)]
_Name = Annotated[str, Field(min_length=1, max_length=1_000)]


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
    try:
        return MakingRecord.model_validate(json.loads(value) if isinstance(value, str) else value)
    except (ValidationError, ValueError, RecursionError):
        return None


def _is_failure(value: Any) -> bool:
    try:
        ProbeRecord.model_validate(json.loads(value) if isinstance(value, str) else value)
    except (ValidationError, ValueError, RecursionError):
        return False
    return True


def making_of(rows: Sequence[tuple[int, Mapping[str, Any]]]) -> tuple[tuple[str, ...], str]:
    """The columns of made questions, and a sentence on how they were made; nothing unless each row has a valid `made`."""
    if all(_is_failure(row.get(MADE)) for _, row in rows):
        return (MADE,), NOT_A_SAMPLE
    records = [making_record(row.get(MADE)) for _, row in rows]
    known = [record for record in records if record is not None]
    if not known or len(known) < len(records):
        return (), ""
    if any(record != known[0] for record in known):
        return COLUMNS, f"The questions come from several runs of 'viva make questions'. {_CLAIM}"
    return COLUMNS, making_in_words(known[0], there=len(rows))


def making_in_words(record: MakingRecord, *, there: int) -> str:
    """What questions are about, and what a result on them does not cover.

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
        _CLAIM,
    )
    return " ".join(filter(None, sentences))
