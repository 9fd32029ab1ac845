"""What stands in a transcript: entries, chained into records by their digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Final, Literal, NamedTuple, Protocol

Kind = Literal["answer", "no answer"]

GENESIS: Final = "0" * 64
"""What the first record has in place of the digest of the one before it."""

_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
# How `json` writes these; each raises TypeError for anything else. By hand it takes half the time, and each opening verifies.
_text: Final = json.encoder.encode_basestring_ascii
_whole: Final = int.__repr__
_real: Final = float.__repr__
_WRITERS: Final[dict[type, Callable[[Any], str]]] = {str: _text, int: _whole, float: _real}


RUNS: Final = 3
"""How many runs may put a question that each time meets a fault of the service."""


class Key(NamedTuple):
    """What a record is found by: two draws of one question are two records, never one answer served twice.

    So are a draw that met a fault of the service and the same draw asked anew in a later run: that one has a number below 0.
    """

    candidate: str
    question_digest: str
    draw: int

    @property
    def each_run(self) -> tuple[Key, ...]:
        """The keys under which a draw is on record, from the first run that put it.

        >>> [key.draw for key in Key("bot:x", "ab", 1).each_run]
        [1, -3, -4]
        """
        return (self, *(self._replace(draw=-(self.draw * (RUNS - 1) + run)) for run in range(1, RUNS)))

    @property
    def first(self) -> Key:
        """The key of the same draw in the first run that put it.

        >>> {key.first.draw for key in Key("bot:x", "ab", 1).each_run}
        {1}
        """
        return self if self.draw >= 0 else self._replace(draw=(-self.draw - 1) // (RUNS - 1))


@dataclass(frozen=True, slots=True)
class Head:
    """How long a transcript is and what it ends with: with it anyone can show later that nothing was changed."""

    count: int = 0
    digest: str = GENESIS

    def __str__(self) -> str:
        return f"{self.count}:{self.digest}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One question with its answer, before it has its place in a transcript."""

    candidate: str
    question_digest: str
    """SHA-256 in hex of `question`."""
    draw: int
    """Which of several independent draws of the same question this is, from 0; below 0 one that was asked anew (`Key`)."""
    topic: str
    """Where in the examination it was asked, as a path: `eqt/Graph Theory/question 3`."""
    question: str
    """Canonical JSON."""
    answer: str
    """Canonical JSON; of a `NoAnswer` where `kind` says so."""
    kind: Kind
    asked_at: str
    """UTC, ISO 8601."""
    seconds: float
    """From the first attempt to the outcome, pauses between attempts included."""
    tokens_in: int
    tokens_out: int
    money: float

    @property
    def key(self) -> Key:
        """What this is found by."""
        return Key(self.candidate, self.question_digest, self.draw)


@dataclass(frozen=True, slots=True)
class Record(Entry):
    """An entry with its place in the chain."""

    seq: int
    """1, 2, 3 and so on, without gaps."""
    previous: str
    """Digest of the record before this one; of the first, `GENESIS`."""
    digest: str
    """SHA-256 in hex over all other fields, `previous` included."""
    askings: str
    """The head of the askings when this was written, COUNT:DIGEST."""

    def __str__(self) -> str:
        return f"record {self.seq}"


class Records(Protocol):
    """Records that can be read one by one."""

    @property
    def name(self) -> str:
        """Of the file, or the database's address without its password."""
        ...

    def records(self, *, candidate: str | None = None, topic: str | None = None) -> Iterator[Record]:
        """All in order; only those of one candidate, or at and under one topic, if it is given."""
        ...

    def find_all(self, keys: Iterable[Key]) -> list[Record | None]:
        """For each key its record, or None."""
        ...


ENTRY_FIELDS: Final = tuple(field.name for field in fields(Entry))
RECORD_FIELDS: Final = tuple(field.name for field in fields(Record))


def canonical_json(value: Any) -> str:
    """JSON values as text, the same for equal values: keys sorted, no blanks, no NaN.

    Raises `ValueError` for what is no JSON value and for text that is no Unicode.

    >>> canonical_json({"b": [1, 2.5], "a": "é"})
    '{"a":"é","b":[1,2.5]}'
    """
    text = _canonical(value)
    text.encode()  # a lone surrogate could be digested by nobody and stored by no database
    return text


def digest_of(text: str) -> str:
    """SHA-256 in hex of text in UTF-8.

    >>> digest_of("abc")[:16]
    'ba7816bf8f01cfea'
    """
    return hashlib.sha256(text.encode()).hexdigest()


def chained(entry: Entry, head: Head, *, askings: Head = Head()) -> Record:
    """The entry as the record that follows `head`, written after these askings.

    Raises `TypeError` where seconds or money are no floats: a database would give 1.0 back for 1, and the digest would differ.
    Raises `ValueError` where they are no finite numbers.

    >>> entry = Entry("bot:x", digest_of('"2+2"'), 0, "", '"2+2"', '"4"', "answer", "2025-01-01T00:00:00+00:00", 0.1, 0, 0, 0.0)
    >>> first = chained(entry, Head())
    >>> first.seq, first.previous == GENESIS, first.digest == record_digest(first)
    (1, True, True)
    """
    if not (type(entry.seconds) is float and type(entry.money) is float):
        raise TypeError("seconds and money of an entry must be floats")
    if not (isfinite(entry.seconds) and isfinite(entry.money)):
        raise ValueError("seconds and money of an entry must be finite")
    values = [*(getattr(entry, name) for name in ENTRY_FIELDS), head.count + 1, head.digest]
    digest = _digest_by(entry, head.count + 1, head.digest, str(askings))
    return Record(*[*values, digest, str(askings)])


def record_digest(record: Record) -> str:
    """The digest that the record must have.

    It is over a JSON array: a name, and all other fields in the order in which they are declared.

    Raises `TypeError` where a field holds what no transcript ever wrote, such as bytes.
    """
    return _digest_by(record, record.seq, record.previous, record.askings)


def _digest_by(entry: Entry, seq: int, previous: str, askings: str) -> str:
    # the same as `digest_of_values` gives, in a third of the time
    fields = (
        f'"record 3",{_text(entry.candidate)},{_text(entry.question_digest)},{_whole(entry.draw)},{_text(entry.topic)},'
        f"{_text(entry.question)},{_text(entry.answer)},{_text(entry.kind)},{_text(entry.asked_at)},{_real(entry.seconds)},"
        f"{_whole(entry.tokens_in)},{_whole(entry.tokens_out)},{_real(entry.money)},{_whole(seq)},{_text(previous)},"
        f"{_text(askings)}"
    )
    return hashlib.sha256(f"[{fields}]".encode("ascii")).hexdigest()


def problem_with(record: Record) -> str:
    """What is wrong with a record by itself, wherever it stands; empty where nothing is.

    >>> entry = Entry("bot:x", digest_of('"2+2"'), 0, "", '"2+2"', '"4"', "answer", "2025-01-01T00:00:00+00:00", 0.1, 0, 0, 0.0)
    >>> problem_with(chained(entry, Head()))
    ''
    """
    try:
        digest = record_digest(record)
    except TypeError:
        digest = ""  # a field holds what no transcript writes
    if digest != record.digest:
        return "its fields do not give its digest"
    return "" if digest_of(record.question) == record.question_digest else "its question does not give the question's digest"


def digest_of_values(values: Sequence[Any]) -> str:
    """SHA-256 in hex of texts and numbers as a JSON array, without blanks and in ASCII. Raises `TypeError` for other values.

    >>> digest_of_values(["a", 1, 0.5]) == digest_of('["a",1,0.5]')
    True
    """
    try:
        fields = ",".join([_WRITERS[type(value)](value) for value in values])
    except KeyError as error:
        raise TypeError(f"no field of a record is of type {error}") from None
    return hashlib.sha256(f"[{fields}]".encode("ascii")).hexdigest()
