"""How a file of SQLite's is opened to be read, and changes to the write-ahead log while others may be using it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random

LARGEST_VALUE: Final = 64_000_000
"""Bytes of a row, so that a file from elsewhere cannot fill the memory; what is longer is neither read nor written."""


def open_to_read(path: Path, *, seconds: float) -> sqlite3.Connection:
    """A connection that writes nothing, also where nothing may be written; it waits this many seconds for a lock.

    SQLite wants to write files of its own next to one with a write-ahead log. Where it may not, and there is nothing in the
    log, the file is read as one that does not change.

    Raises `sqlite3.OperationalError`, such as for a file that is not there.
    """
    log = path.with_name(f"{path.name}-wal")
    if os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK):
        how = "mode=rw"  # a log that is left behind is removed when the connection closes
    else:
        how = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=seconds, check_same_thread=False)
    connection.execute("PRAGMA query_only = ON")
    bound(connection)
    return connection


def bound(connection: sqlite3.Connection) -> None:
    """Refuse rows of more than `LARGEST_VALUE` bytes, in both directions."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)


def use_write_ahead_log(connection: sqlite3.Connection, *, seconds: float) -> None:
    """Readers and a writer no longer wait for each other; not possible inside a transaction.

    SQLite gives up at once, whatever its time-out, where another is writing to a file that is to change. So this tries again
    for this many seconds. A file stays changed, and then this does nothing.

    Raises `sqlite3.OperationalError`, such as for a file that others hold for longer.
    """
    patient = Retrying(
        retry=retry_if_exception(is_held), wait=wait_random(0, 0.05), stop=stop_after_delay(seconds), reraise=True
    )
    # all of it fetched: until then nothing can be committed, and a profiler may keep the cursor alive for a while
    patient(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchall())


def is_held(error: BaseException) -> bool:
    """Whether SQLite says that others hold the database."""
    return sqlite_code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def sqlite_code(error: BaseException) -> int:
    """The primary result code of an error of SQLite's; that of an error in general where it has none."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
