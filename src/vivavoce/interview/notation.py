"""The outcome of a question, and how questions and answers are written to the record as JSON and read from it."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from vivavoce.errors import BadInput, TranscriptDamaged
from vivavoce.interview.candidate import OMITTED_AT_DEFAULT, UNWRITTEN, NoAnswer, Usage
from vivavoce.interview.record import Entry, Key, Record, canonical_json

A = TypeVar("A")

LONGEST_REASON: Final = 300
"""Maximal characters of a recorded reason."""

_LARGEST_COUNT: Final = 2**63 - 1  # the largest integer of a database
_ANYTHING: Final[TypeAdapter[Any]] = TypeAdapter(Any)
_ABSENCE: Final = TypeAdapter(NoAnswer)


_adapter = lru_cache(maxsize=16)(TypeAdapter)
"""Creating an adapter takes as long as three questions."""


@dataclass(frozen=True, slots=True)
class QuestionOutcome(Generic[A]):
    """The outcome of a question: its answer, or why there is none, with its cost."""

    answer: A | NoAnswer
    usage: Usage
    seq: int = 0
    """Number of its record; 0 before it has one."""
    missing: str = ""
    """The question as JSON, if only the record is read and it has no answer."""
    on_record: bool = False
    """Whether it was on record before it was needed, so that the candidate was not asked."""
    again: bool = False
    """Whether an earlier run had asked it, and ended before an answer came."""
    seconds: float = 0.0
    """From the first attempt to the outcome, by its record; includes a follow-up."""
    put: object = None
    """The question as sent, if a listener needs it."""


def missing_on_record(question: str) -> QuestionOutcome[Any]:
    """The outcome of a question, given as JSON, if only the record is read and it is not there."""
    return QuestionOutcome(NoAnswer("not on record"), Usage(), missing=question)


class Notation(Generic[A]):
    """Writes answers of one type as canonical JSON, and reads them."""

    def __init__(self, answers: type[A]) -> None:
        self._answers: TypeAdapter[A] = _adapter(answers)  # type: ignore[arg-type]  # types can be hashed

    def write(self, answer: A | NoAnswer) -> tuple[QuestionOutcome[A], str]:
        """The outcome with its JSON, exactly as it will be read; an answer that JSON cannot hold becomes a `NoAnswer`."""
        if not isinstance(answer, NoAnswer):
            try:
                written = self._answers.dump_python(answer, mode="json", warnings="error", exclude=_unwritten(answer))
                text = canonical_json(written)
                return QuestionOutcome(self._answers.validate_json(text), _checked(getattr(answer, "usage", None))), text
            except (TypeError, ValueError, RecursionError) as error:
                answer = NoAnswer(bounded(f"the answer cannot be recorded: {error}"))
        return QuestionOutcome(answer, Usage()), canonical_json(
            _ABSENCE.dump_python(answer, mode="json", exclude=_unwritten(answer))
        )

    def read(self, record: Record, *, on_record: bool = False, again: bool = False) -> QuestionOutcome[A]:
        """The outcome of this record. Raises `TranscriptDamaged` if it has another type."""
        usage = Usage(record.tokens_in, record.tokens_out, record.money)
        adapter: TypeAdapter[Any] = _ABSENCE if record.kind == "no answer" else self._answers
        try:
            answer = adapter.validate_json(record.answer)
        except ValidationError:
            raise TranscriptDamaged(f"{record} has no answer of the kind that {record.candidate} gives") from None
        return QuestionOutcome(answer, usage, record.seq, on_record=on_record, again=again, seconds=record.seconds)

    def entry(
        self, key: Key, answer: A | NoAnswer, *, topic: str, question: str, asked_at: str, seconds: float = 0.0
    ) -> tuple[QuestionOutcome[A], Entry]:
        """The outcome with its record entry; `question` as canonical JSON."""
        outcome, written = self.write(answer)
        usage = outcome.usage
        return outcome, Entry(
            *key,
            topic=topic,
            question=question,
            answer=written,
            kind="no answer" if isinstance(outcome.answer, NoAnswer) else "answer",
            asked_at=asked_at,
            seconds=float(seconds),
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            money=usage.money,
        )

    def recorded(self, outcome: QuestionOutcome[A], entry: Entry, record: Record) -> QuestionOutcome[A]:
        """The outcome by the record that counts for its entry: this one, or an earlier one of another program."""
        if record.answer == entry.answer and record.asked_at == entry.asked_at:
            return replace(outcome, seq=record.seq, seconds=record.seconds)
        return self.read(record)


def question_text(question: object) -> str:
    """A question as canonical JSON, whose digest is part of the record's key.

    Fields marked as `OMITTED_AT_DEFAULT` are left out at their default, those marked as `UNWRITTEN` always. Raises `BadInput`
    for values that JSON cannot hold.

    >>> question_text(("which?", [1, 2]))
    '["which?",[1,2]]'
    """
    try:
        return canonical_json(_ANYTHING.dump_python(question, mode="json", exclude=_unwritten(question)))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"a question of type {type(question).__name__} cannot be recorded: {error}") from None


def _unwritten(value: object) -> set[str] | None:
    """Names of the fields of this value that are not written."""
    kind: Any = type(value)
    left_out = {name for name, never, default in _optional(kind) if never or getattr(value, name) == default}
    return left_out or None


@cache
def _optional(kind: Any) -> tuple[tuple[str, bool, object], ...]:
    """Fields of this type that may be left out: their names, whether they always are, and their defaults."""
    if not is_dataclass(kind):
        return ()
    marked = (field for field in fields(kind) if OMITTED_AT_DEFAULT in field.metadata or UNWRITTEN in field.metadata)
    return tuple((field.name, UNWRITTEN in field.metadata, field.default) for field in marked)


def bounded(reason: str) -> str:
    """A reason that fits the record, whatever text came from outside."""
    return reason[:LONGEST_REASON].encode("utf-8", "replace").decode()


def _checked(usage: object) -> Usage:
    """The cost by the answer's account. Raises `TypeError` or `ValueError` if it is impossible."""
    if not isinstance(usage, Usage):
        return Usage()
    tokens_in, tokens_out, money = operator.index(usage.tokens_in), operator.index(usage.tokens_out), float(usage.money)
    if not (0 <= tokens_in <= _LARGEST_COUNT and 0 <= tokens_out <= _LARGEST_COUNT and 0 <= money < math.inf):
        raise ValueError(f"it cannot have cost {tokens_in} and {tokens_out} tokens and {money} of money")
    return Usage(tokens_in, tokens_out, money)
