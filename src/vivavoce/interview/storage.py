"""Where transcripts are kept: how a database is opened, and what its errors mean."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import QueuePool

from vivavoce.errors import (
    BadInput,
    MissingExtra,
    TranscriptBusy,
    TranscriptDamaged,
    TranscriptError,
    TranscriptFull,
)
from vivavoce.interview.write_ahead import LARGEST_VALUE, bound, open_to_read

_SQLITE_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_SQLITE_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
_SQLITE_REFUSED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR}
_POSTGRES_BUSY = {"55P03", "57014"}  # lock not available, query cancelled
_POSTGRES_DAMAGED = {"42P01", "42703"}  # no such table, no such column


def open_engine(where: str | Path | None, *, patience: float, writes: bool = True) -> tuple[Engine, str]:
    """The database behind `where`, and its name without a password; a file that is only read need not be writable.

    Opens no connection yet. Raises `BadInput` for an address that is none, `MissingExtra` where the driver is absent.
    """
    if where is None:
        return _memory_engine(), "in memory"
    if isinstance(where, str) and "://" in where:
        return _postgres_engine(where, patience)
    return _file_engine(Path(where), patience, writes=writes), str(where)


def is_file(engine: Engine) -> bool:
    """Whether it is a file on this machine: neither in memory, where threads share a connection, nor behind a server."""
    return engine.dialect.name == "sqlite" and bool(engine.url.database)


def _memory_engine() -> Engine:
    # One connection, handed from thread to thread: every further one would see a database of its own.
    pool = {"poolclass": QueuePool, "pool_size": 1, "max_overflow": 0}
    return _begins_explicitly(create_engine("sqlite://", connect_args={"check_same_thread": False}, **pool))


def _file_engine(path: Path, patience: float, *, writes: bool) -> Engine:
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise BadInput(f"{path} cannot be a transcript: {'it is a folder' if path.is_dir() else 'its folder does not exist'}")
    if path.exists() and not path.is_file():  # such as a pipe
        raise BadInput(f"{path} cannot be a transcript: it is not a plain file")
    address = URL.create("sqlite", database=str(path))
    if not writes:
        return _begins_explicitly(create_engine(address, creator=partial(open_to_read, path, seconds=patience)))
    engine = create_engine(address, connect_args={"timeout": patience}, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _durable_against_kill(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA synchronous = NORMAL")
        bound(connection)

    return _begins_explicitly(engine)


def _begins_explicitly(engine: Engine) -> Engine:
    """Let SQLAlchemy, not the driver, say when a transaction begins; one that writes takes its lock at once."""

    @event.listens_for(engine, "connect")
    def _no_implicit_begin(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        carry_out(connection, "BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")

    return engine


def carry_out(connection: Connection, statement: str, values: Any = ()) -> Any:
    """Carry out a statement as the driver takes it, once, or for each of a list of values; the driver's cursor or the like.

    SQLite's driver is called itself: what SQLAlchemy does around a call takes three times as long as the call itself.
    """
    if connection.dialect.name != "sqlite":
        return connection.exec_driver_sql(statement, values or None)
    driver: Any = connection.connection.driver_connection
    return (driver.executemany if isinstance(values, list) else driver.execute)(statement, values)


def _postgres_engine(where: str, patience: float) -> tuple[Engine, str]:
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        raise BadInput("the transcript's address is not of the form postgresql://USER@HOST/DATABASE") from None
    if "@" in (url.host or ""):
        raise BadInput("the password in the transcript's address holds an '@': write it as %40")
    if url.get_backend_name() != "postgresql":
        raise BadInput(f"no transcript can be kept at '{url.drivername}://': give a file or postgresql://USER@HOST/DATABASE")
    if find_spec("psycopg") is None:
        raise MissingExtra("psycopg", extra="postgres")
    place = f"{url.host or 'localhost'}{f':{url.port}' if url.port else ''}"
    own_options = url.query.get("options", "")
    options = (
        f"{own_options if isinstance(own_options, str) else ' '.join(own_options)} -c lock_timeout={round(patience * 1000)}"
    )
    arguments = {"connect_timeout": 10, "options": options}
    engine = create_engine(url.set(drivername="postgresql+psycopg"), connect_args=arguments, hide_parameters=True)
    return engine, f"postgresql://{place}/{url.database or ''}"


@contextmanager
def plain_errors(name: str) -> Iterator[None]:
    """Say in the user's terms what the database says in its own."""
    try:
        yield
    except DBAPIError as error:
        raise _translated(error.orig, name) from None
    except sqlite3.Error as error:
        raise _translated(error, name) from None


def _translated(error: BaseException | None, name: str) -> TranscriptError:
    problem = " ".join(str(error).split())
    remedy = ""
    if isinstance(error, sqlite3.Error):
        remedy = ": you must be allowed to write to the file and to its folder"
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code == sqlite3.SQLITE_TOOBIG or isinstance(error, sqlite3.DataError):
            return TranscriptDamaged(f"transcript {name} cannot be used: no record may have more than {LARGEST_VALUE:,} bytes")
        busy, full = code & 0xFF in _SQLITE_BUSY, code in _SQLITE_FULL
        damaged = code & 0xFF not in _SQLITE_REFUSED or code == sqlite3.SQLITE_IOERR_SHORT_READ
    else:
        state = getattr(error, "sqlstate", None) or ""
        busy, full, damaged = state in _POSTGRES_BUSY, state.startswith("53"), state in _POSTGRES_DAMAGED
    if busy:
        return TranscriptBusy(f"transcript {name} is locked by another program: end it, or wait, and start again ({problem})")
    if full:
        return TranscriptFull(
            f"no room left to write transcript {name}: make room and start again; all before is kept ({problem})"
        )
    if damaged:
        return TranscriptDamaged(f"transcript {name} cannot be read: {problem}")
    return TranscriptError(f"transcript {name} cannot be used: {problem}{remedy}")
