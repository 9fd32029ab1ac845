"""Rows of a transcript: records of answers, rows of questions sent, and the chain of digests over both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from math import isfinite
from typing import Any, Final, Literal, NamedTuple, Protocol, get_args

from vivavoce.errors import TranscriptDamaged

Kind = Literal["answer", "no answer"]

GENESIS: Final = "0" * 64
"""The first record has this as the digest of its predecessor."""

_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
# As `json` writes these types; each raises TypeError for other types. It takes half the time, and each opening verifies.
_text: Final = json.encoder.encode_basestring_ascii
_whole: Final = int.__repr__
_real: Final = float.__repr__
_WRITERS: Final[dict[type, Callable[[Any], str]]] = {str: _text, int: _whole, float: _real}


RUNS: Final = 3
"""How many runs may ask a question that meets a fault of the service each time."""


class Key(NamedTuple):
    """The key of a record: two draws of one question are two records, never one answer served twice.

    A draw that met a fault of the service and is asked again in a later run has a second record, with a number below 0.
    """

    candidate: str
    question_digest: str
    draw: int

    @property
    def each_run(self) -> Iterator[Key]:
        """The keys under which a draw is on record, from the first run that asked it.

        >>> [key.draw for key in Key("bot:x", "ab", 1).each_run]
        [1, -3, -4]
        """
        yield self
        for run in range(1, RUNS):
            yield self._replace(draw=-(self.draw * (RUNS - 1) + run))

    @property
    def first(self) -> Key:
        """The key of the same draw in the first run that asked it.

        >>> {key.first.draw for key in Key("bot:x", "ab", 1).each_run}
        {1}
        """
        return self if self.draw >= 0 else self._replace(draw=(-self.draw - 1) // (RUNS - 1))


@dataclass(frozen=True, slots=True)
class Head:
    """The length and the last digest of a transcript, which later prove that nothing was changed."""

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
    """The number of this draw among independent draws of the same question, from 0; below 0: asked again (`Key`)."""
    topic: str
    """The place within the examination, as a path: `eqt/Graph Theory/question 3`."""
    question: str
    """Canonical JSON."""
    answer: str
    """Canonical JSON; of a `NoAnswer` if `kind` says so."""
    kind: Kind
    asked_at: str
    """UTC, ISO 8601."""
    seconds: float
    """From the first attempt to the outcome, including pauses between attempts."""
    tokens_in: int
    tokens_out: int
    money: float

    @property
    def key(self) -> Key:
        """The key of its record."""
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


class RecordReader(Protocol):
    """Records that can be read one by one."""

    @property
    def name(self) -> str:
        """Name of the file, or the database's address without its password."""
        ...

    def records(self, *, candidate: str | None = None, topic: str | None = None) -> Iterator[Record]:
        """All records in order, optionally of one candidate only, or at and under one topic."""
        ...

    def find_all(self, keys: Iterable[Key]) -> list[Record | None]:
        """For each key its record, or None."""
        ...


ENTRY_FIELDS: Final = tuple(field.name for field in fields(Entry))
RECORD_FIELDS: Final = tuple(field.name for field in fields(Record))


def canonical_json(value: Any) -> str:
    """JSON values as text, the same for equal values: keys sorted, no blanks, no NaN.

    Raises `ValueError` for values that JSON cannot hold and for text that is not Unicode.

    >>> canonical_json({"b": [1, 2.5], "a": "é"})
    '{"a":"é","b":[1,2.5]}'
    """
    text = _canonical(value)
    text.encode()  # a lone surrogate has no digest, and no database stores it
    return text


def digest_of(text: str) -> str:
    """SHA-256 in hex of text in UTF-8.

    >>> digest_of("abc")[:16]
    'ba7816bf8f01cfea'
    """
    return hashlib.sha256(text.encode()).hexdigest()


def chained(entry: Entry, head: Head, *, askings: Head = Head()) -> Record:
    """The entry as the record that follows `head`, written after these askings.

    Raises `TypeError` if seconds or money are not floats: a database would return 1.0 for 1, and the digest would differ.
    Raises `ValueError` if they are not finite.

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

    It covers a JSON array: a name, and all other fields in the order of their declaration.

    Raises `TypeError` if a field has a type that no transcript writes, such as bytes.
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
    """The problem with a single record, regardless of its place in the chain; empty if it is intact.

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


AskingKind = Literal["asked", "batched", "withdrawn", "fault", "turned away"]
"""Sent; about to be sent in one batch (see `vendor_batches`); withdrawn by the examiner before an answer came (a verdict, a
budget, an interrupt), or certainly never heard; met a fault of a candidate that may have heard it; turned away, by assumption
unheard, and still open (see `faults`)."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """The state of one question that has no answer yet."""

    kind: AskingKind
    key: Key
    at: str
    """UTC, ISO 8601."""


@dataclass(frozen=True, slots=True)
class AskingRow:
    """Questions to one candidate that were sent together, or closed together, with their place in the chain.

    Without such rows, a question that was asked and never answered would leave no trace: a candidate that ends the program
    whenever it would be wrong would be asked until it is right. So each group of questions that are sent together is a row of
    its own, chained like records. A later row closes the questions that the examiner withdrew, and a recorded answer closes its
    own asking. A question that is still open when the program has ended is an orphan.
    """

    candidate: str
    kind: AskingKind
    at: str
    keys: str
    """JSON array of each question's digest and draw, which identify its record."""
    seq: int
    previous: str
    digest: str
    """SHA-256 in hex over all other fields."""

    def __str__(self) -> str:
        return f"asking {self.seq}"

    @property
    def of(self) -> list[Key]:
        """The keys. Raises `ValueError` if the row holds none."""
        pairs = json.loads(self.keys)
        if not (isinstance(pairs, list) and pairs and all(isinstance(pair, list) for pair in pairs)):
            raise ValueError(self.keys[:80])
        keys = [Key(self.candidate, digest, draw) for digest, draw in pairs]
        if not all(type(key.question_digest) is str and type(key.draw) is int for key in keys):
            raise ValueError(self.keys[:80])
        return keys


ROW_FIELDS: Final = tuple(field.name for field in fields(AskingRow))


def values_of(row: Record | AskingRow) -> dict[str, Any]:
    """The fields of a row by their names."""
    return {name: getattr(row, name) for name in (RECORD_FIELDS if isinstance(row, Record) else ROW_FIELDS)}


def rows(askings: Sequence[OpenQuestion], head: Head) -> Iterator[AskingRow]:
    """The rows for these askings after this head, as few as their order allows."""
    for (candidate, kind), group in groupby(askings, key=lambda asking: (asking.key.candidate, asking.kind)):
        batch = list(group)
        texts = candidate, kind, batch[0].at, _keys_of(batch)
        row = AskingRow(*texts, head.count + 1, head.digest, _row_digest_by(texts, head))
        head = Head(row.seq, row.digest)
        yield row


def batch_id(candidate: str, at: str, keys: str) -> str:
    """The id of a batch at the server, known before the batch is sent, and derived from its row.

    keys: of its questions, as in the row.
    """
    return digest_of_values(["batch", candidate, at, keys])


def id_of_batch(askings: Sequence[OpenQuestion]) -> str:
    """The same for questions that are about to go on record as one batch."""
    first = askings[0]
    return batch_id(first.key.candidate, first.at, _keys_of(askings))


def _keys_of(askings: Sequence[OpenQuestion]) -> str:
    return canonical_json([[asking.key.question_digest, asking.key.draw] for asking in askings])


def row_digest(row: AskingRow) -> str:
    """The digest that the row must have. Raises `TypeError` if a field has a type that no transcript writes."""
    return _row_digest_by((row.candidate, row.kind, row.at, row.keys), Head(row.seq - 1, row.previous))


def _row_digest_by(texts: tuple[str, str, str, str], head: Head) -> str:
    return digest_of_values(["askings 3", *texts, head.count + 1, head.digest])


def problem_with_row(row: AskingRow) -> str:
    """The problem with a single row; empty if it is intact."""
    try:
        same = row_digest(row) == row.digest
    except TypeError:
        same = False
    if not same:
        return "its fields do not give its digest"
    return "" if row.kind in get_args(AskingKind) else "it is of no known kind"


class OpenAskings:
    """The questions that are sent but not yet answered or withdrawn, while a transcript is read from its beginning."""

    def __init__(self) -> None:
        self._open: set[Key] = set()
        self._batches: dict[Key, str] = {}
        self.faults: set[Key] = set()
        """Questions that met a fault of a candidate that may have heard them, answered since or not."""
        self.turned_away: set[Key] = set()
        """Questions that were turned away, answered since or not."""
        self.again: set[Key] = set()
        """Questions that were asked again while they were open."""

    def take(self, row: AskingRow) -> None:
        """Add one more row. Raises `ValueError` if it holds no keys."""
        keys = row.of
        if row.kind in ("asked", "batched"):
            self.again |= self._open.intersection(keys)
            self._open.update(keys)
            batch = batch_id(row.candidate, row.at, row.keys) if row.kind == "batched" else ""
            self._batches.update(dict.fromkeys(keys, batch))
        elif row.kind == "turned away":
            self.turned_away.update(keys)
        else:
            self._open.difference_update(keys)
        if row.kind == "fault":
            self.faults.update(keys)

    @property
    def batches(self) -> dict[Key, str]:
        """The batch id of each open question that was sent in a batch."""
        return {key: self._batches[key] for key in self._open if self._batches.get(key)}

    @property
    def pending(self) -> bool:
        """Whether any question is open."""
        return bool(self._open)

    def answered(self, key: Key) -> None:
        """Note that a record of this key has been read."""
        self._open.discard(key)
        self._batches.pop(key, None)

    @property
    def orphans(self) -> frozenset[Key]:
        """Questions that were asked, and have no later row."""
        return frozenset(self._open)


START: Final = Head()


@dataclass(frozen=True, slots=True)
class ChainHeads:
    """The heads of the two chains, of records and of askings."""

    records: Head = START
    askings: Head = START


class Chain:
    """Verifies both chains from given heads on; each record says how many askings existed when it was written.

    So the two chains are read as one, in the order of writing, and nothing can remove askings before later records. It keeps
    only the questions that are open at one moment in memory.

    Parameters
    ----------
    damage: makes the error for a problem.
    """

    def __init__(self, heads: ChainHeads, *, damage: Callable[[str], TranscriptDamaged]) -> None:
        self.open = OpenAskings()
        # plain values, since they change with every record of a long transcript
        self._count, self._digest = heads.records.count, heads.records.digest
        self._asked = heads.askings
        self._asked_so_far = str(heads.askings)
        self._damage = damage

    @property
    def heads(self) -> ChainHeads:
        """The heads reached so far."""
        return ChainHeads(Head(self._count, self._digest), self._asked)

    def follow(
        self,
        records: Iterable[Record],
        askings: Iterator[AskingRow],
        *,
        until: ChainHeads,
        expected: Head | None = None,
    ) -> None:
        """Read up to these heads, and check that they are reached; `expected` is a head that must occur on the way.

        Raises `TranscriptDamaged` naming the record, or the asking, and what is wrong with it.
        """
        for record in records:
            if self._count == until.records.count:
                break  # written by another program since the head was read
            self._take(record, askings)
            if expected is not None and self._count == expected.count and self._digest != expected.digest:
                raise self._damage(f"record {self._count} is not the expected one: it, or one before it, was rewritten")
        self._follow_askings(askings, until.askings.count)
        for last, end, what in (
            (self.heads.records, until.records, "record"),
            (self.heads.askings, until.askings, "asking"),
        ):
            if last.count < end.count:
                raise self._damage(f"it is cut off: its head ends with {what} {end.count}, but it ends with {last.count}")
            if last.digest != end.digest:
                raise self._damage(f"{what} {last.count} was rewritten: its head lists another one as the last")

    def _take(self, record: Record, askings: Iterator[AskingRow]) -> None:
        seq = self._count + 1
        if record.seq != seq:
            raise self._damage(f"record {seq} is missing")
        problem = problem_with(record)
        if problem:
            raise self._damage(f"{record} was altered: {problem}")
        if record.previous != self._digest:
            raise self._damage(f"record {seq} is not chained to the one before it: one of the two was rewritten")
        if record.askings != self._asked_so_far:
            count = record.askings.partition(":")[0]
            self._follow_askings(askings, int(count) if count.isdecimal() else 0)
        if record.askings != self._asked_so_far:
            raise self._damage(f"record {seq} is not chained to the askings before it: one of these was rewritten")
        if self.open.pending:
            self.open.answered(record.key)
        self._count, self._digest = seq, record.digest

    def _follow_askings(self, askings: Iterator[AskingRow], count: int) -> None:
        while self._asked.count < count and (row := next(askings, None)) is not None:
            seq = self._asked.count + 1
            if row.seq != seq:
                raise self._damage(f"asking {seq} is missing")
            problem = problem_with_row(row)
            if problem:
                raise self._damage(f"{row} was altered: {problem}")
            if row.previous != self._asked.digest:
                raise self._damage(f"asking {seq} is not chained to the one before it: one of the two was rewritten")
            try:
                self.open.take(row)
            except (ValueError, TypeError, RecursionError):
                raise self._damage(f"{row} holds no keys") from None
            self._asked = Head(seq, row.digest)
            self._asked_so_far = str(self._asked)
