"""Opening a transcript: its first rows, its secret key, and the lease of one run on a candidate."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from secrets import token_bytes
from typing import Any, Final

from sqlalchemy import Column, Connection, Engine, Integer, MetaData, Table, Text, func, insert, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError

from vivavoce.errors import BadInput, TranscriptDamaged, TranscriptError
from vivavoce.interview.record import AskingRow, ChainHeads, Head, Record, digest_of, values_of
from vivavoce.interview.storage import FORMAT, HEAD, MOVED, TABLES, carry_out, statements_for, use_write_ahead_log

try:
    import fcntl
except ImportError:  # Windows
    LOCKS = False
else:
    LOCKS = True

LOCK_ENDING: Final = ".lock"
_OFFSETS: Final = 2**62  # bytes of a file that can be locked, whether it has them or not
_TAKE: Final = text("select pg_try_advisory_lock(hashtextextended(current_schema() || ' ' || :candidate, 7226519))")
_GIVE_BACK: Final = text("select pg_advisory_unlock_all()")


class Lease:
    """The leases of one run on the candidates of a record: only this run may ask them.

    Without a lease, one run would take the questions in flight of another for orphans. A lease is a lock of the operating
    system, or of the database session, and ends with the program that holds it, however that ends. (A forked child process
    holds it as long as it lives.) Runs that ask different candidates do not conflict. A record in memory needs no lock.
    """

    def take(self, candidate: str) -> bool:
        """Take the lease; returns False if another run has it. Call it once per candidate."""
        return True

    def close(self) -> None:
        """Release all leases."""


class FileLease(Lease):
    """Locks one byte per candidate in a file next to the record. The file is never written, and remains."""

    def __init__(self, record: Path) -> None:
        self._file = record.with_name(record.name + LOCK_ENDING)
        self._open: int | None = None

    def take(self, candidate: str) -> bool:
        """As above. Raises `TranscriptError` if the file cannot be opened."""
        if not LOCKS:
            return True
        try:
            if self._open is None:
                self._open = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise TranscriptError(f"{self._file} cannot be opened: {error}") from None
        offset = int(digest_of(candidate)[:16], 16) % _OFFSETS
        try:
            _set(self._open, fcntl.F_WRLCK, offset, 1)
        except (BlockingIOError, PermissionError):
            return False
        except OSError as error:
            raise TranscriptError(f"{self._file} cannot be locked: {error}") from None
        return True

    def close(self) -> None:
        """Unlock the file, also for forked child processes, and close it."""
        if self._open is not None:
            _set(self._open, fcntl.F_UNLCK, 0, 0)
            os.close(self._open)
            self._open = None


def _set(file: int, kind: int, start: int, length: int) -> None:
    """Lock or unlock this many bytes; 0: all that follow. The lock belongs to the open file on Linux, else to the process."""
    if sys.platform == "linux":
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", kind, os.SEEK_SET, start, length, 0))
    else:
        fcntl.lockf(file, fcntl.LOCK_UN if kind == fcntl.F_UNLCK else fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)


class SessionLease(Lease):
    """Advisory locks of a PostgreSQL session that stays open."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._session: Connection | None = None

    def take(self, candidate: str) -> bool:
        if self._session is None:
            self._session = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        return bool(self._session.execute(_TAKE, {"candidate": candidate}).scalar_one())

    def close(self) -> None:
        """Unlock everything and end the session, so that the next run need not wait until the server notices the end."""
        if self._session is not None:
            with suppress(SQLAlchemyError):
                self._session.execute(_GIVE_BACK)
            self._session.invalidate()
            self._session.close()
            self._session = None


def lease_for(where: str | Path | None, engine: Engine) -> Lease:
    if where is None:
        return Lease()
    return SessionLease(engine) if engine.dialect.name == "postgresql" else FileLease(Path(where))


BYTES: Final = 32
KEY_ENDING: Final = ".key"
_OWN: Final = 0o600
KEYS: Final = MetaData()
"""Separate from the tables of the record: a transcript has a key only after its first private draw."""
KEY: Final = Table(
    "transcript_key",
    KEYS,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("key", Text, nullable=False),
)


class KeyStore:
    """The place of a record's secret key: next to the record, never in it, and never exported; here in memory.

    All private draws come from this key, and the record commits to them (`commitment`). Both methods are called while the
    record is locked, so that only one of several processes makes the key.
    """

    name: str = "in memory"
    """The place, in messages."""
    _key: bytes | None = None

    def read(self, connection: Connection) -> bytes | None:
        """The key, or None."""
        return self._key

    def make(self, connection: Connection) -> bytes:
        """Make and keep a new key."""
        self._key = token_bytes(BYTES)
        return self._key


class KeyFile(KeyStore):
    """A file with mode 0600 next to the record."""

    def __init__(self, record: Path) -> None:
        self._file = record.with_name(record.name + KEY_ENDING)
        self.name = str(self._file)

    def read(self, connection: Connection) -> bytes | None:
        """The key, or None. Raises `TranscriptError` for a file that others may read, or that has no key."""
        try:
            if os.name == "posix" and self._file.stat().st_mode & 0o077:
                raise TranscriptError(f"{self._file} can be read by other users: run 'chmod 600' on it, if no one has read it")
            return _from_hex(self._file.read_text(encoding="ascii"), self.name)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise TranscriptError(f"{self._file} cannot be read: {error}") from None

    def make(self, connection: Connection) -> bytes:
        """Make a new key, and write the file atomically."""
        key, draft = token_bytes(BYTES), self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            draft.unlink(missing_ok=True)
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWN), "w", encoding="ascii") as stream:
                stream.write(key.hex() + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            draft.replace(self._file)
        except OSError as error:
            raise TranscriptError(f"{self._file} cannot be written: {error}") from None
        return key


class KeyTable(KeyStore):
    name = f"the table '{KEY.name}'"

    def read(self, connection: Connection) -> bytes | None:
        if not inspect(connection).has_table(KEY.name):
            return None
        key = connection.execute(select(KEY.c.key)).scalar()
        return None if key is None else _from_hex(key, self.name)

    def make(self, connection: Connection) -> bytes:
        KEYS.create_all(connection)
        key = token_bytes(BYTES)
        connection.execute(insert(KEY).values(number=1, key=key.hex()))
        return key


def key_store(where: str | Path | None) -> KeyStore:
    """The place of the key of the record at `where`."""
    if where is None:
        return KeyStore()
    return KeyTable() if isinstance(where, str) and "://" in where else KeyFile(Path(where))


def _from_hex(text: str, name: str) -> bytes:
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != BYTES:
        raise TranscriptError(f"{name} does not hold a key of a transcript: restore the original key")
    return key


_PAGE: Final = 1_000
_CREATION_LOCK: Final = 7_226_519  # any number, the same in every process
_FORMATS: Final = "SELECT format FROM transcript_head"


def begin_or_check(engine: Engine, name: str, *, must_exist: bool, patience: float) -> None:
    """Check that a database holds a transcript; creates it in an empty database, unless it must exist.

    name: the transcript's name in errors. patience: seconds to wait for other programs that create it.

    Raises `BadInput` (empty, and must exist), `TranscriptDamaged` (not a transcript, or incomplete), `TranscriptError` (another
    format).
    """
    with engine.connect() as connection:
        present = set(inspect(connection).get_table_names())
    own = {table.name for table in TABLES}
    if HEAD.name not in present:
        if present & own or (present and engine.dialect.name == "sqlite"):
            raise TranscriptDamaged(f"{name} is a database, but not a transcript; it was left unchanged")
        if must_exist:
            raise BadInput(f"no such transcript: {name} is empty")
        _begin(engine, patience=patience)
        present = own
    _check_format(engine, name)
    if missing := own - present:
        raise TranscriptDamaged(f"transcript {name} is damaged: its table {min(missing)} is missing")


def _check_format(engine: Engine, name: str) -> None:
    with engine.connect() as connection:
        formats = [number for (number,) in carry_out(connection, _FORMATS).fetchall()]
    if len(formats) != 1:
        raise TranscriptDamaged(f"transcript {name} is damaged: its head is missing or unreadable")
    if formats[0] != FORMAT:
        raise TranscriptError(f"transcript {name} has format {formats[0]}; this program reads format {FORMAT}")


def _begin(engine: Engine, *, patience: float) -> None:
    """Make the tables, in one of several concurrent processes. It waits this many seconds for others."""
    sqlite = engine.dialect.name == "sqlite"
    if sqlite:
        _switch_to_wal(engine, patience)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if not sqlite:
            connection.execute(select(func.pg_advisory_xact_lock(_CREATION_LOCK)))
        _make_tables(connection)


def fill(engine: Engine, records: Iterable[Record], askings: Iterable[AskingRow]) -> None:
    """Make the tables and write these rows to them unchanged."""
    ends = [Head(), Head()]
    statements = statements_for(engine.dialect)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        _make_tables(connection)
        chains: tuple[tuple[str, Iterable[Record | AskingRow]], ...] = (
            (statements.add, records),
            (statements.add_askings, askings),
        )
        for number, (add, rows) in enumerate(chains):
            rest = iter(rows)
            while page := list(islice(rest, _PAGE)):
                carry_out(connection, add, [values_of(row) for row in page])
                ends[number] = Head(page[-1].seq, page[-1].digest)
        carry_out(connection, statements.move_head, moved_head(*ends))


def _make_tables(connection: Connection) -> None:
    statements = statements_for(connection.dialect)
    for create in statements.create:
        carry_out(connection, create)
    if not carry_out(connection, statements.read_head).fetchall():
        row = dict(zip(MOVED, (0, Head().digest, 0, Head().digest), strict=True))
        carry_out(connection, statements.add_head, {"format": FORMAT, **row})


def moved_head(records: Head, askings: Head) -> dict[str, object]:
    """Heads as values of the statement that moves them."""
    values = records.count, records.digest, askings.count, askings.digest
    return {f"new_{name}": value for name, value in zip(MOVED, values, strict=True)}


def heads_of(rows: Sequence[Sequence[Any]]) -> tuple[ChainHeads, Any] | None:
    """Heads and format from all rows of their table; None unless it has exactly one valid row."""
    if len(rows) != 1:
        return None
    row = dict(zip(HEAD.c.keys(), rows[0], strict=True))
    records, askings = Head(row["count"], row["digest"]), Head(row["asked"], row["asked_digest"])
    texts, counts = (records.digest, askings.digest), (records.count, askings.count)
    if not (all(isinstance(text, str) for text in texts) and all(type(count) is int for count in counts)):
        return None
    return ChainHeads(records, askings), row["format"]


def _switch_to_wal(engine: Engine, patience: float) -> None:
    raw: Any = engine.raw_connection()
    try:
        use_write_ahead_log(raw.driver_connection, seconds=patience)
    finally:
        raw.close()
