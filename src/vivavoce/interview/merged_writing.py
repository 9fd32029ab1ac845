"""Where merged records are written: to a transcript that is there, in one transaction, or to one that appears as a whole."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from vivavoce.errors import BadInput, TranscriptBusy, TranscriptDamaged
from vivavoce.interview.askings import ROW_FIELDS, AskingRow
from vivavoce.interview.beginning import fill, heads_of, moved_head
from vivavoce.interview.chain import Heads
from vivavoce.interview.copying import put_in_place
from vivavoce.interview.lease import lease_for
from vivavoce.interview.merged_rows import rechained, rechained_row
from vivavoce.interview.record import RECORD_FIELDS, Entry, Head, Record, Salts, chained
from vivavoce.interview.statements import statements_for
from vivavoce.interview.storage import carry_out, open_engine, plain_errors
from vivavoce.interview.write_ahead import use_write_ahead_log

T = TypeVar("T")

PAGE: Final = 1_000
"""Rows that are written at once."""
PATIENCE: Final = 5.0
"""Seconds to wait for another program that writes to the same transcript."""
DRAFT: Final = ".merging"
"""Ends the name of a transcript that is not whole yet."""
_MERGER: Final = "vivavoce: merge"
"""In place of a candidate: one merge at a time writes to a transcript."""


@dataclass(frozen=True, slots=True)
class Further:
    """What is to follow in a transcript: askings, then records, then what the examiner says of them."""

    askings: Iterable[AskingRow]
    records: Iterable[Record]
    own: Iterable[Entry]


@contextmanager
def merging_into(where: str) -> Iterator[None]:
    """Be the one merge that writes there. Raises `TranscriptBusy` where another one does."""
    if "://" not in where and not Path(where).absolute().parent.is_dir():
        raise BadInput(f"{where} cannot be a transcript: its folder does not exist")
    engine, name = open_engine(where, patience=PATIENCE)
    lease = lease_for(where, engine)
    try:
        with plain_errors(name):
            if not lease.take(_MERGER):
                raise TranscriptBusy(f"transcript {name} is in use: another merge writes to it; wait until that has ended")
        yield
    finally:
        lease.close()
        engine.dispose()


def write_new(where: Path, secret: str, further: Further) -> Heads:
    """Begin a transcript with what follows, whose further salts are drawn from this secret. For who has the lease alone.

    It is there when it is whole. Raises `BadInput` where another program has begun one there meanwhile, and `TranscriptFull`.
    """
    draft = where.with_name(where.name + DRAFT)
    _remove(draft)  # what a merge left that was killed
    try:
        engine, name = open_engine(draft, patience=PATIENCE)
        try:
            with plain_errors(str(where)):
                fill(engine, (), (), secret=secret)
                heads = _write(engine, name, further, expected=Heads())
                raw: Any = engine.raw_connection()
                use_write_ahead_log(raw.driver_connection, seconds=PATIENCE)
                raw.close()
        finally:
            engine.dispose()
        _synchronize(draft)
        if not put_in_place(draft, where):
            raise BadInput(f"{where} was begun by another program meanwhile: merge once more")
        return heads
    finally:
        _remove(draft)


def write_to(where: str, further: Further, *, expected: Heads) -> Heads:
    """Let this follow in a transcript that is there, in one transaction; `expected`: with these heads.

    Raises `TranscriptBusy` where it has grown meanwhile, or is locked.
    """
    engine, name = open_engine(where, patience=PATIENCE)
    try:
        with plain_errors(name):
            return _write(engine, name, further, expected=expected)
    finally:
        engine.dispose()


def secret_of(where: str) -> str:
    """What the salts of a transcript are drawn from."""
    engine, name = open_engine(where, patience=PATIENCE)
    try:
        with plain_errors(name), engine.connect() as connection:
            statement = statements_for(engine.dialect).read_head
            found = heads_of(carry_out(connection, statement).fetchall())
    finally:
        engine.dispose()
    if found is None:
        raise TranscriptDamaged(f"transcript {name} is damaged: its head is missing or unreadable")
    return found[1]


def common_secret(places: Iterable[str]) -> str:
    """The secret of all of these transcripts, or a new one where they do not have the same."""
    found = set(map(secret_of, places))
    return found.pop() if len(found) == 1 else secrets.token_hex(32)


def _write(engine: Any, name: str, further: Further, *, expected: Heads) -> Heads:
    statements = statements_for(engine.dialect)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        found = heads_of(carry_out(connection, statements.lock_head).fetchall())
        if found is None or found[0] != expected:
            raise TranscriptBusy(f"transcript {name} was written to by another program meanwhile: merge once more")
        records, askings, salts = expected.records, expected.askings, Salts(found[1])
        for rows in _pages(further.askings):
            moved = []
            for row in rows:
                moved.append(rechained_row(row, askings, salts))
                askings = Head(moved[-1].seq, moved[-1].digest)
            carry_out(connection, statements.add_askings, [_values(row, ROW_FIELDS) for row in moved])
        for page in _pages(further.records):
            placed = []
            for record in page:
                placed.append(rechained(record, records, askings))
                records = Head(placed[-1].seq, placed[-1].digest)
            carry_out(connection, statements.add, [_values(record, RECORD_FIELDS) for record in placed])
        for entry in further.own:
            own = chained(entry, records, salts=salts, askings=askings)
            records = Head(own.seq, own.digest)
            carry_out(connection, statements.add, _values(own, RECORD_FIELDS))
        heads = Heads(records, askings)
        if heads != expected:
            carry_out(connection, statements.move_head, moved_head(records, askings))
    return heads


def _values(row: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _pages(rows: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(rows)
    while page := list(islice(rest, PAGE)):
        yield page


def _remove(draft: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        draft.with_name(draft.name + ending).unlink(missing_ok=True)


def _synchronize(file: Path) -> None:
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())
