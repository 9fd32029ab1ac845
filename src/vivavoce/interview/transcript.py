"""The transcript: the append-only record of all questions and answers."""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from sqlalchemy import Connection, Engine, Select, func, select
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import BadInput, TranscriptBusy, TranscriptDamaged
from vivavoce.interview import storage, transcript_opening
from vivavoce.interview.progress import BatchAccount
from vivavoce.interview.record import (
    AskingRow,
    Chain,
    ChainHeads,
    Entry,
    Head,
    Key,
    OpenQuestion,
    Record,
    chained,
    problem_with,
    rows,
    values_of,
)

Row = TypeVar("Row", Record, AskingRow)

PAGE: Final = 1_000
"""Records that are read at once: memory stays the same however long a transcript is."""


class Transcript:
    """All questions and answers in order of writing, each record chained to the one before it.

    Resuming, auditing and replaying a run all mean reading its transcript. Several processes may append to the same one.
    Records that `append` returned survive the death of the process (with PostgreSQL, also of the machine).

    Everything is checked. Opening reads the whole chain once. Each later record is compared with its digest, its question and
    its key, and the records of other programs must continue the chain.

    >>> with Transcript.open(None) as transcript:
    ...     transcript.head.count
    0
    """

    def __init__(
        self,
        engine: Engine,
        name: str,
        *,
        hasty: Engine | None = None,
        key: transcript_opening.KeyStore | None = None,
        lease: transcript_opening.Lease | None = None,
    ) -> None:
        self._engine = engine
        self._lease = transcript_opening.Lease() if lease is None else lease
        self._claiming, self._claimed = threading.Lock(), set[str]()
        """Candidates that only this run asks."""
        weakref.finalize(self, self._lease.close)
        self._hasty = hasty
        self._key = transcript_opening.KeyStore() if key is None else key
        self._checked: ChainHeads | None = None
        """The heads up to which the chains were verified; None: records are read without checks."""
        self.orphans: frozenset[Key] = frozenset()
        """Questions sent before this was opened, without an answer or withdrawal. Known if verified."""
        self.batches: dict[Key, str] = {}
        """The ids of the batches of orphans; orphans that were sent alone have none."""
        self.faults: set[Key] = set()
        """Questions with a fault of a candidate that may have heard them, so that every answer is a second try (`faults`)."""
        self.turned_away: set[Key] = set()
        """Questions that were turned away, by assumption unheard."""
        self.asked_again: set[Key] = set()
        """Questions that were asked again while they were orphans."""
        self.origins: Counter[str] = Counter()
        """Outcomes of interviews since it was opened: `from record`, and `new`."""
        self.by_batch: BatchAccount | None = None
        """Questions and costs by batch; None without batches."""
        self.name = name
        """The file, or the database's address without its password."""
        for used in (engine, hasty):
            if used is not None:
                weakref.finalize(self, used.dispose)

    @classmethod
    def open(
        cls,
        where: str | Path | None,
        *,
        must_exist: bool = False,
        patience: float = 5.0,
        verified: bool = True,
        expected: Head | None = None,
    ) -> Self:
        """Open a transcript, or create it.

        Parameters
        ----------
        where: a file (SQLite), `postgresql://USER@HOST/DATABASE`, or None: in memory, gone when it is closed.
        must_exist: for a caller that only reads: nothing is created or written, and a file need not be writable.
        patience: seconds to wait for another program that locks the transcript.
        verified: whether to verify it, now and record by record while reading. Without, a damaged record can be inspected.
        expected: a head from elsewhere that a verified transcript must contain; implies that the transcript must exist.

        Raises `BadInput` (no such transcript, no such address), `MissingExtra`, `TranscriptDamaged` (altered; or a file that
        is not a database, or another kind of database, which is left unchanged), `TranscriptBusy`, `TranscriptError`.
        """
        begins = not must_exist and expected is None
        if not begins and where is not None and "://" not in str(where) and not Path(where).exists():
            raise BadInput(f"no such transcript: {where}; check the path")
        engine, name = storage.open_engine(where, patience=patience, writes=not must_exist)
        hasty: Engine | None = engine
        if where is not None:
            is_local = engine.dialect.name == "sqlite"
            hasty = storage.open_engine(where, patience=0, writes=not must_exist)[0] if is_local else None
        transcript = cls(
            engine,
            name,
            hasty=hasty,
            key=transcript_opening.key_store(where),
            lease=transcript_opening.lease_for(where, engine),
        )
        try:
            with storage.plain_errors(name):
                transcript_opening.begin_or_check(engine, name, must_exist=not begins, patience=patience)
            if verified:
                transcript._take_checked(transcript._followed(expected))
        except BaseException:
            engine.dispose()
            raise
        return transcript

    @classmethod
    def copied(cls, records: Iterable[Record], askings: Iterable[AskingRow], chain: Chain, *, name: str) -> Self:
        """A transcript in memory with rows from elsewhere.

        chain: has verified these records and askings to their end; no two records have one key.
        """
        transcript = cls._in_memory(name)
        transcript_opening.fill(transcript._engine, records, askings)
        transcript._take_checked(chain)
        return transcript

    @classmethod
    def _in_memory(cls, name: str) -> Self:
        engine, _ = storage.open_engine(None, patience=0)
        return cls(engine, name, hasty=engine)

    def __repr__(self) -> str:
        return f"Transcript({self.name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file or the connection to the server."""
        self._lease.close()
        self._engine.dispose()
        if self._hasty is not None:
            self._hasty.dispose()

    @contextmanager
    def _connection(self, *, wait: bool = True) -> Iterator[Connection]:
        with storage.plain_errors(self.name), self._engine_for(wait=wait).connect() as connection:
            yield connection

    def _engine_for(self, *, wait: bool) -> Engine:
        return self._engine if wait or self._hasty is None else self._hasty

    @cached_property
    def _statements(self) -> storage.Statements:
        return storage.statements_for(self._engine.dialect)

    @property
    def _taken(self) -> tuple[type[Exception], ...]:
        """The errors if a record with the same key, or the same number, exists."""
        return IntegrityError, self._engine.dialect.loaded_dbapi.IntegrityError

    @property
    def outlasts_the_program(self) -> bool:
        """Whether it is not only in memory, so that questions must be on record before they are sent."""
        return self._hasty is not self._engine

    @property
    def local(self) -> bool:
        """Whether `append` can work without waiting: in memory and for a file, not over a network."""
        return self._hasty is not None

    @property
    def head(self) -> Head:
        """Number of records, and the digest of the last one."""
        return self.heads.records

    @property
    def heads(self) -> ChainHeads:
        """The heads of records and askings."""
        with self._connection() as connection:
            return self._heads(connection)

    @property
    def key_location(self) -> str:
        """The place of its secret key, existing or not."""
        return self._key.name

    def secret_key(self, *, make: bool) -> bytes | None:
        """The key next to the record, created if `make`; None if there is none.

        Only `commitment` uses it, and says for what. Raises `TranscriptError`.
        """
        with (
            storage.plain_errors(self.name),
            self._engine.connect().execution_options(writes=make) as connection,
            connection.begin(),
        ):
            self._heads(connection, lock=make)
            key = self._key.read(connection)
            return self._key.make(connection) if key is None and make else key

    def claim(self, candidate: str) -> None:
        """Become the only run that asks this candidate, and update its orphans. Raises `TranscriptBusy`."""
        with self._claiming:  # each interview claims its candidate in its own thread
            if candidate in self._claimed or not self.outlasts_the_program:
                return
            with storage.plain_errors(self.name):
                if not self._lease.take(candidate):
                    raise TranscriptBusy(
                        f"transcript {self.name} is in use: another run asks {candidate} with it; wait until that has ended, "
                        "or give another transcript"
                    )
            if self._checked not in (None, self.heads):  # others have asked since this was opened
                chain = self._followed(None)
                self._take_faults(chain)
                still_open = {key for key in chain.open.orphans if key.candidate == candidate}
                self.orphans = frozenset(still_open | {key for key in self.orphans if key.candidate != candidate})
            self._claimed.add(candidate)

    def find_all(self, keys: Iterable[Key], *, wait: bool = True) -> list[Record | None]:
        """For each key its record, or None. Without `wait` (if it is `local`): `TranscriptBusy` while another has the lock."""
        with self._connection(wait=wait) as connection:
            return [self._find(connection, key) for key in keys]

    def _find(self, connection: Connection, key: Key) -> Record | None:
        rows = storage.carry_out(connection, self._statements.find, key._asdict()).fetchall()
        if not rows:
            return None
        record = Record(*rows[0])
        if self._checked is not None:
            self._check(record)
            if record.key != key:  # a database whose comparison ignores differences
                raise self._damage(f"{record} does not belong to the key that it is stored under")
        return record

    def answers(self, candidate: str) -> int:
        """How many questions this candidate has answered; missing answers do not count."""
        query = select(func.count()).where(storage.RECORDS.c.candidate == candidate, storage.RECORDS.c.kind == "answer")
        return int(self._all(query)[0][0])

    def knows(self, candidate: str) -> bool:
        """Whether any record of this candidate exists."""
        return bool(self._all(select(storage.RECORDS.c.draw).where(storage.RECORDS.c.candidate == candidate).limit(1)))

    def last_draws(self, candidate: str) -> dict[str, int]:
        """The highest recorded draw of each question to this candidate, by the question's digest."""
        columns = storage.RECORDS.c
        query = select(columns.question_digest, func.max(columns.draw)).where(columns.candidate == candidate)
        return {str(digest): int(draw) for digest, draw in self._all(query.group_by(columns.question_digest))}

    def knows_in_other_words(self, entry: Key, *, topic: str, id: str) -> bool:  # noqa: A002 -- the prompt's own word
        """Whether a question with this id is on record at this topic under another key: with other words or settings."""
        return bool(self._all(storage.in_other_words(entry, topic=topic, id=id)))

    def _all(self, query: Select[Any]) -> Sequence[Any]:
        with self._connection() as connection:
            return connection.execute(query).all()

    def append(self, entries: Sequence[Entry], *, askings: Sequence[OpenQuestion] = (), wait: bool = True) -> list[Record]:
        """Write the entries in one transaction, and return the record that counts for each of them.

        Askings are written before them, in the same transaction.

        Without `wait`, which needs a `local` transcript, it raises `TranscriptBusy` at once if another program has the lock. If
        a record with the same key exists, perhaps from another process, that record is returned, and the new entry is dropped.

        Raises `TranscriptBusy` and `TranscriptFull`: then no entry was written, and all earlier records are kept.
        """
        engine = self._engine_for(wait=wait)
        with storage.plain_errors(self.name):
            try:
                return self._append(engine, entries, askings, known={})
            except self._taken:
                pass  # rare, so existing records are looked up only now
            try:
                return self._append(engine, entries, askings, known=None)
            except self._taken:
                raise self._damage("it has more records than its head says") from None

    def _append(
        self, engine: Engine, entries: Sequence[Entry], askings: Sequence[OpenQuestion], known: dict[Key, Record] | None
    ) -> list[Record]:
        statements = self._statements
        with engine.connect().execution_options(writes=True) as connection, connection.begin():
            heads = before = self._heads(connection, lock=True)
            self._check_since(connection, heads)
            if askings:
                asked = list(rows(askings, heads.askings))
                heads = ChainHeads(heads.records, Head(asked[-1].seq, asked[-1].digest))
                storage.carry_out(connection, statements.add_askings, [values_of(row) for row in asked])
            if known is None:
                records = (self._find(connection, entry.key) for entry in entries)
                known = {record.key: record for record in records if record is not None}
            standing, new = [], []
            for entry in entries:
                record = known.get(entry.key)
                if record is None:
                    record = known[entry.key] = chained(entry, heads.records, askings=heads.askings)
                    heads = ChainHeads(Head(record.seq, record.digest), heads.askings)
                    new.append(record)
                standing.append(record)
            if new:
                storage.carry_out(connection, statements.add, [values_of(record) for record in new])
            if heads != before:
                storage.carry_out(connection, statements.move_head, transcript_opening.moved_head(heads.records, heads.askings))
        if self._checked is not None:
            self._checked = heads
        return standing

    def _check_since(self, connection: Connection, heads: ChainHeads) -> None:
        """Check that rows of other programs continue the chain from the last known heads."""
        if self._checked is None or self._checked == heads:
            return
        if self._checked.records.count > heads.records.count or self._checked.askings.count > heads.askings.count:
            raise self._damage(f"records after {heads.records.count} were removed while it was in use")
        chain = self._chain(self._checked)
        chain.follow(
            self._records_after(self._checked, connection), self._askings_after(self._checked, connection), until=heads
        )
        self._take_faults(chain)

    def _take_faults(self, chain: Chain) -> None:
        self.batches.update(chain.open.batches)
        self.faults |= chain.open.faults
        self.turned_away |= chain.open.turned_away

    def records(self, *, candidate: str | None = None, topic: str | None = None) -> Iterator[Record]:
        """All records in order, in constant memory, optionally of one candidate only, or at and under one topic."""
        everything = candidate is None and topic is None
        query = self._statements.read if everything else storage.records_of(candidate, topic)
        for record in self._read(query, Record):
            if self._checked is not None:
                self._check(record)
            yield record

    def askings(self) -> Iterator[AskingRow]:
        """All askings in order, in constant memory."""
        return self._askings_after(ChainHeads())

    def _records_after(self, heads: ChainHeads, connection: Connection | None = None) -> Iterator[Record]:
        return self._read(self._statements.read, Record, last=heads.records.count, connection=connection)

    def _askings_after(self, heads: ChainHeads, connection: Connection | None = None) -> Iterator[AskingRow]:
        return self._read(self._statements.read_askings, AskingRow, last=heads.askings.count, connection=connection)

    def _read(
        self, query: Select[Any] | str, kind: Callable[..., Row], *, last: int = 0, connection: Connection | None = None
    ) -> Iterator[Row]:
        """Read page by page, each with a new connection unless one is given."""
        size = PAGE
        while True:
            try:
                page = [kind(*row) for row in self._page(query, {"last": last, "size": size}, connection)]
            except TranscriptDamaged:
                if size == 1:
                    raise
                size = 1  # yields every readable row before the damage
                continue
            yield from page
            if len(page) < size:
                return
            last = page[-1].seq

    def _page(self, query: Select[Any] | str, bounds: dict[str, int], connection: Connection | None) -> Sequence[Any]:
        with self._connection() if connection is None else nullcontext(connection) as used:
            if not isinstance(query, str):
                return used.execute(query, bounds).all()
            rows: Sequence[Any] = storage.carry_out(used, query, bounds).fetchall()
            return rows

    def copy(self, *, records: int | None = None) -> Transcript:
        """The same chains in memory, or their beginning: this many records with the askings before the last of them.

        Changes of the copy stay in memory. It has no key, so no secret can be derived from it.

        Raises `BadInput` for more records than there are, and `TranscriptDamaged`.
        """
        heads = self.heads
        if records is not None and records > heads.records.count:
            raise BadInput(f"a copy of {records} records: transcript {self.name} has {heads.records.count}")
        number, asked = heads.records.count, heads.askings.count
        if records is not None:
            last = next(self._records_after(ChainHeads(Head(records - 1))), None) if records else None
            number, asked = records, 0 if last is None else int(last.askings.partition(":")[0] or 0)
        copy = Transcript._in_memory(self.name)
        transcript_opening.fill(copy._engine, islice(self._records_after(ChainHeads()), number), islice(self.askings(), asked))
        copy._take_checked(copy._followed(None))
        return copy

    def verify(self, expected: Head | None = None) -> Head:
        """Read everything once and check that it is complete and unaltered; returns the head.

        The chain reveals a changed field, a missing record, and a removed end. It cannot reveal that all records *and* the head
        were rewritten. Against that give `expected`, a head from elsewhere, such as the one printed in a certificate. The
        transcript may have grown since.

        Raises `TranscriptDamaged` naming the record and what is wrong with it.
        """
        return self._followed(expected).heads.records

    def _take_checked(self, chain: Chain) -> None:
        self._checked = chain.heads
        self.orphans, self.asked_again = chain.open.orphans, chain.open.again
        self._take_faults(chain)

    def _followed(self, expected: Head | None) -> Chain:
        self._check_by(storage.altered_tables)
        heads = self.heads
        if expected is not None and expected.count > heads.records.count:
            raise self._damage(f"it is cut off: {expected.count} records are expected, there are {heads.records.count}")
        chain = self._chain(ChainHeads())
        records = self._readable(self._records_after(ChainHeads()), "record")
        with ThreadPoolExecutor(1) as meanwhile:
            file_checked = meanwhile.submit(self._check_by, storage.broken_file) if storage.is_file(self._engine) else None
            chain.follow(records, self._readable(self._askings_after(ChainHeads()), "asking"), until=heads, expected=expected)
            self._check_by(storage.beyond_head)
        if file_checked is not None:
            file_checked.result()
        return chain

    def _chain(self, heads: ChainHeads) -> Chain:
        return Chain(heads, damage=self._damage)

    def _check(self, record: Record) -> None:
        problem = problem_with(record)
        if problem:
            raise self._damage(f"{record} was altered: {problem}")

    def _readable(self, unread: Iterator[Row], what: str) -> Iterator[Row]:
        """The same rows in order; an error names the row that cannot be read."""
        read = 0
        try:
            for row in unread:
                yield row
                read = row.seq
        except TranscriptDamaged as error:
            raise self._damage(f"{what} {read + 1} cannot be read ({error})") from None

    def _check_by(self, problem_with_it: Callable[[Connection], str]) -> None:
        with self._connection() as connection:
            problem = problem_with_it(connection)
        if problem:
            raise self._damage(problem)

    def _damage(self, problem: str) -> TranscriptDamaged:
        return TranscriptDamaged(f"transcript {self.name} is damaged: {problem}")

    def _heads(self, connection: Connection, *, lock: bool = False) -> ChainHeads:
        query = self._statements.lock_head if lock else self._statements.read_head
        row = transcript_opening.heads_of(storage.carry_out(connection, query).fetchall())
        if row is None:
            raise self._damage("its head is missing or unreadable")
        heads, format_now = row
        if format_now != storage.FORMAT:
            raise self._damage(f"its format was {storage.FORMAT} when it was opened, and is {format_now} now")
        return heads
