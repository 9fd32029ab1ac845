"""How a file of SQLite's changes to the write-ahead log while others may be using it."""

from __future__ import annotations

import sqlite3

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random


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
