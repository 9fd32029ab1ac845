"""A copy of the site's database while the site runs."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.write_ahead import open_to_read
from vivavoce.web.database import PATIENCE, check_tables, opened_to_read

PAGES: Final = 1_000
"""Copied at once; the site writes in between."""
PAUSE_SECONDS: Final = 0.01


def back_up(database: str, file: Path) -> int:
    """Copy a SQLite database to a file that is not there yet, which only its owner can read; returns its size in bytes.

    The copy is the database at one moment, whatever the site writes meanwhile. Raises `BadInput`, also for PostgreSQL, which
    has a program of its own for this, and `BadFile`.
    """
    if "://" in database:
        raise BadInput("this database is PostgreSQL's: use pg_dump --format=custom --file=FILE with the same address")
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
            new.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
            problem = new.execute("PRAGMA quick_check").fetchone()[0]
    except sqlite3.Error as error:
        file.unlink()
        raise BadFile(source, f"it cannot be copied: {error}") from None
    if problem != "ok":
        file.unlink()
        raise BadFile(source, f"its copy is damaged: {problem}")
    return file.stat().st_size
