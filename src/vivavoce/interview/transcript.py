"""The transcript: the append-only record of all that was asked and answered."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from sqlalchemy import Connection, Engine, bindparam, func, insert, inspect, or_, select, text, update
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import BadInput, TranscriptDamaged, TranscriptError
from vivavoce.interview.record import GENESIS, RECORD_FIELDS, Entry, Head, Key, Record, canonical_json, chained, record_digest
from vivavoce.interview.record_key import InMemory, KeyPlace, key_place
from vivavoce.interview.storage import FORMAT, HEAD, RECORDS, TABLES, open_engine, plain_errors
from vivavoce.interview.write_ahead import use_write_ahead_log

PAGE: Final = 1_000
"""Records that are read at once: memory stays the same however long a transcript is."""

_COLUMNS = [RECORDS.c[name] for name in RECORD_FIELDS]
_READ = select(*_COLUMNS).where(RECORDS.c.seq > bindparam("last")).order_by(RECORDS.c.seq).limit(bindparam("size"))
_FIND = select(*_COLUMNS).where(*(RECORDS.c[name] == bindparam(name) for name in Key._fields))
_CREATION_LOCK = 7_226_519  # any number, the same in every process


class Transcript:
    """All questions and answers in the order in which they were written, each record chained to the one before it.

    Resuming a run, auditing it and replaying it are one thing: reading its transcript. Several processes may append to the
    same one. What `append` has returned survives the death of the process (of a PostgreSQL server, also that of the machine).

    >>> with Transcript.open(None) as transcript:
    ...     transcript.head.count
    0
    """

    def __init__(self, engine: Engine, name: str, *, hasty: Engine | None = None, key: KeyPlace | None = None) -> None:
        self._engine = engine
        self._hasty = hasty
        self._key = InMemory() if key is None else key
        self.name = name
        """The file, or the database's address without its password."""
        for used in (engine, hasty):
            if used is not None:
                weakref.finalize(self, used.dispose)

    @classmethod
    def open(cls, where: str | Path | None, *, must_exist: bool = False, patience: float = 5.0) -> Self:
        """Open a transcript, or begin one where there is none yet.

        Parameters
        ----------
        where: a file (SQLite), `postgresql://USER@HOST/DATABASE`, or None: in memory, gone when it is closed.
        must_exist: for whoever only reads; nothing is created.
        patience: seconds to wait for another program that holds the transcript locked.

        Raises `BadInput` (no such transcript, no such address), `MissingExtra`, `TranscriptDamaged` (a file that is no
        database, or a database of something else, which is left as it is), `TranscriptBusy`, `TranscriptError`.
        """
        if must_exist and where is not None and "://" not in str(where) and not Path(where).exists():
            raise BadInput(f"no such transcript: {where}")
        engine, name = open_engine(where, patience=patience)
        local = engine.dialect.name == "sqlite"
        hasty = engine if where is None else open_engine(where, patience=0)[0] if local else None
        transcript = cls(engine, name, hasty=hasty, key=key_place(where))
        try:
            with plain_errors(name):
                transcript._begin_if_new(must_exist, patience)
        except BaseException:
            engine.dispose()
            raise
        return transcript

    def __repr__(self) -> str:
        return f"Transcript({self.name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file or the server."""
        self._engine.dispose()
        if self._hasty is not None:
            self._hasty.dispose()

    @property
    def local(self) -> bool:
        """Whether `append` without waiting is possible: in memory and for a file, not over a network."""
        return self._hasty is not None

    @property
    def head(self) -> Head:
        """Number of records, and the digest of the last one."""
        with plain_errors(self.name), self._engine.connect() as connection:
            return self._head(connection)

    @property
    def key_place(self) -> str:
        """Where its secret key is, or would be."""
        return self._key.name

    def secret_key(self, *, make: bool) -> bytes | None:
        """The key that is kept beside the record, made now if it may be; else None where there is none.

        For `commitment` alone, which says what may be done with it. Raises `TranscriptError`.
        """
        with plain_errors(self.name), self._engine.connect().execution_options(writes=True) as connection, connection.begin():
            self._head(connection, lock=True)
            key = self._key.read(connection)
            return self._key.make(connection) if key is None and make else key

    def find_all(self, keys: Iterable[Key]) -> list[Record | None]:
        """For each key its record, or None."""
        with plain_errors(self.name), self._engine.connect() as connection:
            return [_find(connection, key) for key in keys]

    def answers(self, candidate: str) -> int:
        """How many questions this candidate has answered; absences do not count."""
        query = select(func.count()).where(RECORDS.c.candidate == candidate, RECORDS.c.kind == "answer")
        with plain_errors(self.name), self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def knows(self, candidate: str) -> bool:
        """Whether anything of this candidate is on record."""
        query = select(RECORDS.c.draw).where(RECORDS.c.candidate == candidate).limit(1)
        with plain_errors(self.name), self._engine.connect() as connection:
            return connection.execute(query).first() is not None

    def knows_topic(self, candidate: str, topic: str) -> bool:
        """Whether anything of this candidate is on record at or under this topic."""
        return next(self.records(candidate=candidate, topic=topic), None) is not None

    def knows_in_other_words(self, entry: Key, *, topic: str, id: str) -> bool:  # noqa: A002 -- the prompt's own word
        """Whether a question of this id is on record at this topic under another key: worded, or asked, otherwise."""
        query = (
            select(RECORDS.c.draw)
            .where(RECORDS.c.candidate == entry.candidate, RECORDS.c.topic == topic)
            .where(RECORDS.c.question_digest != entry.question_digest)
            .where(RECORDS.c.question.contains(f'"id":{canonical_json(id)},', autoescape=True))
            .limit(1)
        )
        with plain_errors(self.name), self._engine.connect() as connection:
            return connection.execute(query).first() is not None

    def append(self, entries: Sequence[Entry], *, wait: bool = True) -> list[Record]:
        """Write the entries in one transaction and return the record that stands for each of them.

        Without `wait`, which only a `local` one can do, it raises `TranscriptBusy` at once where another program holds it
        locked. Where a record of the same key is there already, written by another process perhaps, that one stays, is
        returned, and the new entry is dropped.

        Raises `TranscriptBusy` and `TranscriptFull`: nothing of `entries` was written, all before is kept.
        """
        engine = self._engine if wait or self._hasty is None else self._hasty
        with plain_errors(self.name):
            try:
                return self._append(engine, entries, known={})
            except IntegrityError:
                pass  # rare, so only now is it worth asking which of them are there
            try:
                return self._append(engine, entries, known=None)
            except IntegrityError:
                raise self._damage("it has more records than its head says") from None

    def _append(self, engine: Engine, entries: Sequence[Entry], known: dict[Key, Record] | None) -> list[Record]:
        with engine.connect().execution_options(writes=True) as connection, connection.begin():
            head = self._head(connection, lock=True)
            if known is None:
                found = (_find(connection, entry.key) for entry in entries)
                known = {record.key: record for record in found if record is not None}
            standing, new = [], []
            for entry in entries:
                record = known.get(entry.key)
                if record is None:
                    record = known[entry.key] = chained(entry, head)
                    head = Head(record.seq, record.digest)
                    new.append({name: getattr(record, name) for name in RECORD_FIELDS})
                standing.append(record)
            if new:
                connection.execute(insert(RECORDS), new)
                connection.execute(update(HEAD).values(count=head.count, digest=head.digest))
        return standing

    def records(self, *, candidate: str | None = None, topic: str | None = None) -> Iterator[Record]:
        """All records in order, in constant memory; only those of one candidate, or at and under one topic, if it is given."""
        query = _READ
        if candidate is not None:
            query = query.where(RECORDS.c.candidate == candidate)
        if topic is not None:
            under = topic.rstrip("/") + "/"
            query = query.where(or_(RECORDS.c.topic == topic, func.substr(RECORDS.c.topic, 1, len(under)) == under))
        last, size = 0, PAGE
        while True:
            try:
                with plain_errors(self.name), self._engine.connect() as connection:
                    page = [Record(*row) for row in connection.execute(query, {"last": last, "size": size})]
            except TranscriptDamaged:
                if size == 1:
                    raise
                size = 1  # all that can be read before the damage is handed out
                continue
            yield from page
            if len(page) < size:
                return
            last = page[-1].seq

    def verify(self, expected: Head | None = None) -> Head:
        """Read everything once and check that it is whole and unaltered; returns the head.

        The chain tells an alteration of any field, a record that is missing and an end that was cut off. It cannot tell
        that somebody rewrote all records *and* the head: against that give `expected`, a head that was kept elsewhere, such
        as the one printed in a certificate. The transcript may have grown since.

        Raises `TranscriptDamaged` naming the record and what is wrong with it.
        """
        with plain_errors(self.name), self._engine.connect() as connection:
            head = self._head(connection)
        if expected is not None and expected.count > head.count:
            raise self._damage(f"it is cut off: {expected.count} records are expected, there are {head.count}")
        last = Head()
        for record in self._readable_records():
            if last.count == head.count:
                break  # written by another program since the head was read
            last = self._follows(record, last)
            if expected is not None and last.count == expected.count and last.digest != expected.digest:
                raise self._damage(f"record {last.count} is not the expected one: it, or one before it, was rewritten")
        if last.count < head.count:
            raise self._damage(f"it is cut off: by its head it ends with record {head.count}, but with {last.count} in fact")
        if last.digest != head.digest:
            raise self._damage(f"record {last.count} was rewritten: by its head it ends with another one")
        self._check_nothing_beyond_head()
        self._check_file()
        return head

    def _check_nothing_beyond_head(self) -> None:
        longest = select(func.max(RECORDS.c.seq)).scalar_subquery()
        beyond = select(longest).where(longest > HEAD.c.count)  # one statement sees one moment, whoever is writing
        with plain_errors(self.name), self._engine.connect() as connection:
            seq = connection.execute(beyond).scalar()
        if seq is not None:
            raise self._damage(f"it has more records than its head says, such as record {seq}")

    def _follows(self, record: Record, last: Head) -> Head:
        """Check one record against the one before it."""
        seq = last.count + 1
        if record.seq != seq:
            raise self._damage(f"record {seq} is missing")
        try:
            digest = record_digest(record)
        except (TypeError, ValueError):
            digest = "none: a field holds what no transcript writes"
        if digest != record.digest:
            raise self._damage(f"record {seq} was altered: its fields do not give its digest")
        if record.previous != last.digest:
            raise self._damage(f"record {seq} is not chained to the one before it: one of the two was rewritten")
        return Head(seq, digest)

    def _readable_records(self) -> Iterator[Record]:
        read = 0
        try:
            for record in self.records():
                yield record
                read = record.seq
        except TranscriptDamaged as error:
            raise self._damage(f"record {read + 1} cannot be read ({error})") from None

    def _check_file(self) -> None:
        """SQLite's own check: damage where no record lies, such as an index that would not find one."""
        if self._engine.dialect.name != "sqlite":
            return
        with plain_errors(self.name), self._engine.connect() as connection:
            problem = str(connection.execute(text("PRAGMA integrity_check(1)")).scalar_one())
        if problem != "ok":
            raise self._damage(f"the file's structure is broken ({' '.join(problem.split())})")

    def _damage(self, problem: str) -> TranscriptDamaged:
        return TranscriptDamaged(f"transcript {self.name} is damaged: {problem}")

    def _head(self, connection: Connection, *, lock: bool = False) -> Head:
        query = select(HEAD.c.format, HEAD.c.count, HEAD.c.digest)
        version, count, digest = connection.execute(query.with_for_update() if lock else query).first() or (None, None, None)
        if not (isinstance(count, int) and isinstance(digest, str)):
            raise self._damage("its head is missing or unreadable")
        if version != FORMAT:
            raise TranscriptError(f"transcript {self.name} has format {version}; this program reads format {FORMAT}")
        return Head(count, digest)

    def _begin_if_new(self, must_exist: bool, patience: float) -> None:
        with self._engine.connect() as connection:
            present = set(inspect(connection).get_table_names())
        own = set(TABLES.tables)
        if present >= own:
            _ = self.head  # a format of another time must be told before anything is asked
        elif present & own or (present and self._engine.dialect.name == "sqlite"):
            raise TranscriptDamaged(f"{self.name} is a database, but no transcript; it was left as it is")
        elif must_exist:
            raise BadInput(f"no such transcript: {self.name} is empty")
        else:
            self._begin(patience)

    def _begin(self, patience: float) -> None:
        """Make the tables; of several processes that come at once, one does."""
        sqlite = self._engine.dialect.name == "sqlite"
        if sqlite:
            self._switch_to_wal(patience)
        with self._engine.connect().execution_options(writes=True) as connection, connection.begin():
            if not sqlite:
                connection.execute(select(func.pg_advisory_xact_lock(_CREATION_LOCK)))
            TABLES.create_all(connection)
            if connection.execute(select(HEAD.c.count)).first() is None:
                connection.execute(insert(HEAD).values(format=FORMAT, count=0, digest=GENESIS))

    def _switch_to_wal(self, patience: float) -> None:
        raw: Any = self._engine.raw_connection()
        try:
            use_write_ahead_log(raw.driver_connection, seconds=patience)
        finally:
            raw.close()


def _find(connection: Connection, key: Key) -> Record | None:
    row = connection.execute(_FIND, key._asdict()).first()
    return None if row is None else Record(*row)
