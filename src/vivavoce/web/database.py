"""The site's database: opening, transactions and migrations."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from vivavoce.errors import BadFile, BadInput, MissingExtra, VivavoceError
from vivavoce.interview.storage import WRONG_PLACE, bound, is_held, open_to_read, sqlite_code, use_write_ahead_log

PATIENCE: Final = 10.0
"""Seconds to wait for a lock that another transaction holds."""
CONNECTIONS: Final = 8
"""Connections per process; PostgreSQL allows 100 in total by default."""
_HEADER: Final = 100
"""Bytes with which every file of SQLite's begins."""
_VERSION: Final = "alembic_version"
"""The table that each database of a site has."""
_MIGRATION_LOCK: Final = 5_280_417  # any number, the same in every process
_BUSY: Final = {"55P03", "40P01", "40001", "57014"}  # lock not available, deadlock, serialization, cancelled
_GONE: Final = {"57P01", "57P02", "57P03", "53300"}  # ended by its operator, after a crash, not ready, too many connections
_GONE_SQLITE: Final = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR}
_COPY: Final = "replace it by a copy made with 'viva luna admin backup'"
_DAMAGED: Final = f"the database {{0}} is damaged: stop the site, and {_COPY}"
_ALLOWED: Final = "give the site write access to the file and its folder"
_READ_ONLY: Final = f"the database {{0}} can't be written: {_ALLOWED}"
_NO_FILE: Final = f"the database {{0}} can't be opened: {_ALLOWED}"
_NO_ROOM: Final = "the disk of the database {0} is full: free some space, and the site continues by itself"
_REFUSED: Final = "the database {0} refuses the user or password: correct them in its address"
_STANDBY: Final = "the database {0} is read-only: it is a standby, or default_transaction_read_only is on"
_REMEDY: Final = {sqlite3.SQLITE_CORRUPT: _COPY, sqlite3.SQLITE_BUSY: "stop the program that uses it"}
_UNFIT_SQLITE: Final = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_FULL: _NO_ROOM,
    sqlite3.SQLITE_IOERR_WRITE: _NO_ROOM,
    sqlite3.SQLITE_IOERR_SHMSIZE: _NO_ROOM,
}
_UNFIT_POSTGRES: Final = {
    "28P01": _REFUSED,
    "28000": _REFUSED,
    "25006": _STANDBY,
    "53100": _NO_ROOM,
    "XX001": _DAMAGED,
    "XX002": _DAMAGED,
}
_REFUSAL: Final = ("password authentication failed", "no password supplied", "no pg_hba.conf entry")
"""Messages of a server that refuses a connection, for which psycopg has no state."""
_MIGRATING: Final = threading.Lock()
"""Lock around Alembic, which keeps its state in its module."""
_WRITERS: Final[WeakKeyDictionary[Engine, threading.Lock]] = WeakKeyDictionary()


class DatabaseProblem(VivavoceError):
    """A database operation failed; the message omits the values, which may be secret."""


class DatabaseGone(DatabaseProblem):
    """The database can't be reached now, or the connection broke; a pending write may or may not have happened."""


class DatabaseUnfit(DatabaseProblem):
    """The database is damaged, full or read-only; the message names it and the remedy."""


class DatabaseBusy(DatabaseProblem):
    """The database was locked for too long; nothing was written, and a retry may succeed."""


def open_database(where: str | Path, *, writes: bool = True) -> Engine:
    """The database at a file (SQLite) or at `postgresql://USER@HOST/DATABASE`; opens no connection yet.

    writes: if False, a file is only read, and need not be writable.

    What a transaction has written when `transaction` ends survives the death of the process and of the machine. Errors never
    hold values that were to be written.

    Raises `BadInput` for an address that is none, `BadFile` for a file with something else in it, which is left as it is, and
    `MissingExtra` where the driver is absent.
    """
    if isinstance(where, str) and "://" in where:
        return _postgres(where)
    path = Path(where)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise BadInput(f"{path} cannot be a database: {WRONG_PLACE[path.is_dir()]}")
    _check_file(path)
    return _sqlite(path) if writes else _begins_explicitly(_engine(path, creator=partial(open_to_read, path, seconds=PATIENCE)))


@contextmanager
def opened_to_read(where: str | Path) -> Iterator[Engine]:
    """The database, for the duration of the block. Raises what `open_database` does."""
    engine = open_database(where, writes=False)
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """A transaction: committed when the block ends, rolled back if it raises.

    On SQLite, writers take turns from the start, so that values read are current when written. On PostgreSQL, rows that are
    read for writing are locked.

    Raises `DatabaseBusy`, `DatabaseGone`, `DatabaseUnfit`, `DatabaseProblem`.
    """
    # SQLite's waiting writers poll, which is unfair: within a process they queue up
    turn = _WRITERS.get(engine) or nullcontext()
    with _plain_errors(engine), turn, engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection that only reads, and waits for nobody. Raises `DatabaseBusy`, `DatabaseProblem`."""
    with _plain_errors(engine), engine.connect() as connection, connection.begin():
        yield connection


def check_tables(engine: Engine, *, of_any_version: bool = False) -> None:
    """Check that the database is a site's, of this version. Raises `BadInput` and `DatabaseProblem`."""
    with reading(engine) as connection:
        known = inspect(connection).has_table(_VERSION)
        result = connection.execute(text(f"SELECT version_num FROM {_VERSION}")).scalar() if known else None  # noqa: S608
    if result is None:
        raise BadInput(f"{_shown(engine.url)} is not the database of a site: give one that 'viva luna serve' made")
    newest = ScriptDirectory.from_config(_migrations()).get_current_head()
    if result != newest and not of_any_version:
        raise DatabaseProblem(
            f"the database is from another version of the site: it has {result}, this one has {newest}; run 'viva luna serve' "
            f"once with this version"
        )


def migrate(engine: Engine) -> None:
    """Update the tables to the newest version, in one transaction; many processes may do so at once.

    Raises `DatabaseProblem`, also for a database that a newer version of the site has written.
    """
    config = _migrations()
    if engine.dialect.name == "sqlite" and engine.url.database:
        with suppress(OSError):  # it exists already, or SQLite's own error is better
            Path(engine.url.database).touch(mode=0o600, exist_ok=False)  # SQLite would let everyone on the machine read it
    with transaction(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK})
        config.attributes["connection"] = connection
        try:
            with _MIGRATING:
                command.upgrade(config, "head")
        except CommandError as error:
            raise DatabaseProblem(f"the database is from another version of the site: {error}") from None


def check_writable(engine: Engine) -> None:
    """Check that the database can be written; its tables must exist. Raises `DatabaseUnfit`."""
    with transaction(engine) as c:
        c.execute(text("UPDATE locks SET tick = tick"))


def _migrations() -> Config:
    config = Config()
    config.set_main_option("script_location", str(files("vivavoce.web") / "migrations"))
    config.set_main_option("path_separator", "os")
    return config


def _check_file(path: Path) -> None:
    """Check that a file is the site's database, empty or missing. SQLite itself opens it: if this process opened and closed the
    file, it would lose all locks of its other connections (POSIX), and the next process to open it would remove the write-ahead
    log that they write to.
    """
    if not path.exists():
        return
    if not path.is_file():  # such as a pipe, which would keep a reader waiting
        raise BadFile(path, "it is not a plain file, so it can't be a database: name another file")
    try:
        with closing(open_to_read(path, seconds=PATIENCE)) as connection:
            connection.execute("PRAGMA schema_version")
            foreign = _is_foreign(connection)
        other = 0 < path.stat().st_size < _HEADER  # which SQLite takes for an empty one
    except (OSError, sqlite3.Error) as error:
        other = sqlite_code(error) == sqlite3.SQLITE_NOTADB
        if not other:
            raise BadFile(path, f"the database can't be read: {error}; {_REMEDY.get(sqlite_code(error), _ALLOWED)}") from None
    if other:
        raise BadFile(path, "this is not a SQLite database (it was not changed): name another file")
    if foreign:
        raise BadFile(path, "this is another program's database (it was not changed): name another file")


def _is_foreign(connection: sqlite3.Connection) -> bool:
    """Whether there are tables other than a site's; a damaged database is reported by its next user."""
    try:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError as error:
        if sqlite_code(error) == sqlite3.SQLITE_CORRUPT:
            return False
        raise
    return bool(names) and _VERSION not in names


def _engine(path: Path, **further: Any) -> Engine:
    address = URL.create("sqlite", database=str(path))
    return create_engine(address, hide_parameters=True, pool_size=CONNECTIONS, max_overflow=0, **further)


def _sqlite(path: Path) -> Engine:
    engine = _engine(path, connect_args={"timeout": PATIENCE})
    _WRITERS[engine] = threading.Lock()

    @event.listens_for(engine, "connect")
    def _settle(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None
        use_write_ahead_log(connection, seconds=PATIENCE)
        bound(connection)
        for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
            connection.execute(f"PRAGMA {pragma}").fetchall()

    return _begins_explicitly(engine)


def _begins_explicitly(engine: Engine) -> Engine:
    """SQLAlchemy, not the driver, says when a transaction begins."""

    @event.listens_for(engine, "connect")
    def _settle(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")

    return engine


def _postgres(where: str) -> Engine:
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        raise BadInput("the database's address must have the form postgresql://USER@HOST/DATABASE") from None
    if "@" in (url.host or ""):
        raise BadInput("the password in the database's address contains an '@': write it as %40")
    if url.get_backend_name() != "postgresql":
        raise BadInput(
            f"the site can't use a database at '{url.drivername}://': give a file or postgresql://USER@HOST/DATABASE"
        )
    if find_spec("psycopg") is None:
        raise MissingExtra("psycopg", extra="web")
    own = url.query.get("options", "")
    options = f"{own if isinstance(own, str) else ' '.join(own)} -c lock_timeout={round(PATIENCE * 1000)}"
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={"connect_timeout": 10, "options": options},
        hide_parameters=True,
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_pre_ping=True,
        isolation_level="READ COMMITTED",
    )


@contextmanager
def _plain_errors(engine: Engine) -> Iterator[None]:
    try:
        yield
    except PoolTimeout:
        raise DatabaseBusy("too many requests wait for the database: try again") from None
    except DBAPIError as error:
        raise _translated(error, engine.url) from None


def _translated(error: DBAPIError, url: URL) -> DatabaseProblem:
    original: BaseException | None = error.orig
    gone = error.connection_invalidated
    if isinstance(original, sqlite3.Error):
        busy = is_held(original)
        gone = gone or sqlite_code(original) in _GONE_SQLITE
        # on a full disk SQLite ends the whole transaction with all its savepoints
        original = next((value for value in _before(original) if _unfit(value)), original)
        known_as, unfit = getattr(original, "sqlite_errorname", ""), _unfit(original)
    else:
        state = getattr(original, "sqlstate", None) or ""
        if not state and any(words in str(original) for words in _REFUSAL):
            state = "28000"
        busy, known_as, unfit = state in _BUSY, state, _UNFIT_POSTGRES.get(state)
        # there was no connection, or the server ended it, or is not ready for one
        gone = gone or (not state and isinstance(error, OperationalError)) or state in _GONE or state.startswith("08")
    name = f"{type(original).__name__} {known_as}".strip()
    if unfit:
        return DatabaseUnfit(f"{unfit.format(_shown(url))} ({name})")
    if busy:
        return DatabaseBusy(f"the database is locked: try again ({name})")
    if gone:
        away = _NO_FILE.format(_shown(url)) if isinstance(original, sqlite3.Error) else "the database can't be reached"
        return DatabaseGone(f"{away} ({name})")
    return DatabaseProblem(f"the database failed ({name})")


def _before(error: BaseException) -> Iterator[BaseException]:
    """The error, and the errors that caused it."""
    value: BaseException | None = error
    while value is not None:
        yield value
        value = value.__context__


def _unfit(error: BaseException) -> str | None:
    return _UNFIT_SQLITE.get(getattr(error, "sqlite_errorcode", 0)) or _UNFIT_SQLITE.get(sqlite_code(error))


def _shown(url: URL) -> str:
    """The database without user and password."""
    return str(url.database) if url.get_backend_name() == "sqlite" else f"postgresql://{url.host or ''}/{url.database or ''}"


PAGES: Final = 1_000
"""Pages copied at once; the site can write in between."""
PAUSE_SECONDS: Final = 0.01


def back_up(database: str, file: Path) -> int:
    """Copy a SQLite database to a file that is not there yet, which only its owner can read; returns its size in bytes.

    The copy is the database at one moment, whatever the site writes meanwhile. Raises `BadInput`, also for PostgreSQL, which
    has a program of its own for this, and `BadFile`.
    """
    if "://" in database:
        raise BadInput("this is a PostgreSQL database: use pg_dump --format=custom --file=FILE with the same address")
    source = Path(database)
    if not source.is_file():
        raise BadFile(source, "there is no such database")
    with opened_to_read(source) as engine:
        check_tables(engine, of_any_version=True)
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise BadFile(file, "it exists already: name another file") from None
    except OSError as error:
        raise BadFile(file, f"no backup can be written there: {error.strerror}") from None
    try:
        with closing(open_to_read(source, seconds=PATIENCE)) as old, closing(sqlite3.connect(file)) as new:
            old.backup(new, pages=PAGES, sleep=PAUSE_SECONDS)
            new.execute("PRAGMA journal_mode = DELETE")  # one file, without a log next to it
            problem = new.execute("PRAGMA quick_check").fetchone()[0]
    except sqlite3.Error as error:
        file.unlink()
        raise BadFile(source, f"it can't be copied: {error}") from None
    if problem != "ok":
        file.unlink()
        raise BadFile(source, f"its copy is damaged: {problem}")
    return file.stat().st_size
