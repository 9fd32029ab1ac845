"""How questions and answers are written down, and read again."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, lru_cache
from typing import Any, Final, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from vivavoce.errors import BadInput, TranscriptDamaged
from vivavoce.interview.candidate import OMITTED_AT_DEFAULT, UNWRITTEN, NoAnswer, Usage
from vivavoce.interview.record import Entry, Key, Record, canonical_json

A = TypeVar("A")

LONGEST_REASON: Final = 300
"""Characters of a reason that are kept."""

_LARGEST_COUNT: Final = 2**63 - 1  # what a database holds
_ANYTHING: Final[TypeAdapter[Any]] = TypeAdapter(Any)
_ABSENCE: Final = TypeAdapter(NoAnswer)


_adapter = lru_cache(maxsize=16)(TypeAdapter)
"""To make one takes as long as three questions."""


@dataclass(frozen=True, slots=True)
class Settled(Generic[A]):
    """What came of a question, and what it cost."""

    answer: A | NoAnswer
    usage: Usage
    seq: int = 0
    """Number of its record; 0 before it has one."""
    missing: str = ""
    """The question as JSON, where the record alone is read and holds no answer to it."""
    again: bool = False
    """Whether it had been asked before, by a run that ended before an answer came."""
    seconds: float = 0.0
    """From the first attempt to the outcome, by its record; of a further turn as well."""
    put: object = None
    """The question as it was put, where somebody wants to hear it."""


class Notation(Generic[A]):
    """Writes answers of one type as canonical JSON, and reads them."""

    def __init__(self, answers: type[A]) -> None:
        self._answers: TypeAdapter[A] = _adapter(answers)  # type: ignore[arg-type]  # types can be hashed

    def write(self, answer: A | NoAnswer) -> tuple[Settled[A], str]:
        """The outcome with its JSON, just as it will be read; an answer that cannot be written and read again is none."""
        if not isinstance(answer, NoAnswer):
            try:
                written = self._answers.dump_python(answer, mode="json", warnings="error", exclude=_unwritten(answer))
                text = canonical_json(written)
                return Settled(self._answers.validate_json(text), _checked(getattr(answer, "usage", None))), text
            except (TypeError, ValueError, RecursionError) as error:
                answer = NoAnswer(bounded(f"the answer cannot be recorded: {error}"))
        return Settled(answer, Usage()), canonical_json(_ABSENCE.dump_python(answer, mode="json", exclude=_unwritten(answer)))

    def read(self, record: Record) -> Settled[A]:
        """The outcome on record. Raises `TranscriptDamaged` where that is of another type."""
        usage = Usage(record.tokens_in, record.tokens_out, record.money)
        adapter: TypeAdapter[Any] = _ABSENCE if record.kind == "no answer" else self._answers
        try:
            return Settled(adapter.validate_json(record.answer), usage, record.seq, seconds=record.seconds)
        except ValidationError:
            raise TranscriptDamaged(f"{record} holds no answer of the kind that {record.candidate} gives") from None


def entry(key: Key, *, topic: str, question: str, answer: str, outcome: Settled[Any], asked_at: str, seconds: float) -> Entry:
    """What goes on record of an outcome; `question` and `answer` as canonical JSON."""
    return Entry(
        *key,
        topic=topic,
        question=question,
        answer=answer,
        kind="no answer" if isinstance(outcome.answer, NoAnswer) else "answer",
        asked_at=asked_at,
        seconds=float(seconds),
        tokens_in=outcome.usage.tokens_in,
        tokens_out=outcome.usage.tokens_out,
        money=outcome.usage.money,
    )


def question_text(question: object) -> str:
    """A question as canonical JSON: by its digest the record is found.

    Fields marked as `OMITTED_AT_DEFAULT` are left out at their default, those marked as `UNWRITTEN` always. Raises `BadInput`
    for what is no JSON value.

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
    """Names of the fields of such values that may be left out, whether they always are, and their defaults."""
    if not is_dataclass(kind):
        return ()
    marked = (field for field in fields(kind) if OMITTED_AT_DEFAULT in field.metadata or UNWRITTEN in field.metadata)
    return tuple((field.name, UNWRITTEN in field.metadata, field.default) for field in marked)


def bounded(reason: str) -> str:
    """A reason that is fit for the record, however long and odd the text is that came from outside."""
    return reason[:LONGEST_REASON].encode("utf-8", "replace").decode()


def _checked(usage: object) -> Usage:
    """What an answer says that it cost, if that is possible at all. Raises `TypeError` or `ValueError`."""
    if not isinstance(usage, Usage):
        return Usage()
    tokens_in, tokens_out, money = operator.index(usage.tokens_in), operator.index(usage.tokens_out), float(usage.money)
    if not (0 <= tokens_in <= _LARGEST_COUNT and 0 <= tokens_out <= _LARGEST_COUNT and 0 <= money < math.inf):
        raise ValueError(f"it cannot have cost {tokens_in} and {tokens_out} tokens and {money} of money")
    return Usage(tokens_in, tokens_out, money)
