"""A file changes to the write-ahead log, no matter who else is writing to it."""

from __future__ import annotations

import sqlite3
import sys
import threading
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from tests.disks import unwritable
from vivavoce.interview.storage import LARGEST_VALUE, open_to_read, use_write_ahead_log


def _held(file: Path) -> sqlite3.Connection:
    """A connection that writes to a new file."""
    holder = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    holder.execute("CREATE TABLE t (x)")
    holder.execute("BEGIN IMMEDIATE")
    return holder


def test_it_waits_for_who_writes_although_sqlite_does_not(tmp_path: Path) -> None:
    file = tmp_path / "new.sqlite"
    with closing(_held(file)) as holder, closing(sqlite3.connect(file, timeout=10)) as new:
        with pytest.raises(sqlite3.OperationalError, match="locked"):  # at once, whatever its time-out
            new.execute("PRAGMA journal_mode = WAL")
        soon = threading.Timer(0.2, holder.execute, ["COMMIT"])
        soon.start()
        use_write_ahead_log(new, seconds=10)
        soon.join()
        assert new.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_its_patience_ends(tmp_path: Path) -> None:
    file = tmp_path / "new.sqlite"
    with closing(_held(file)), closing(sqlite3.connect(file)) as new, pytest.raises(sqlite3.OperationalError, match="locked"):
        use_write_ahead_log(new, seconds=0.1)


def test_other_errors_are_not_tried_again(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(b"no database at all" * 100)
    with closing(sqlite3.connect(file)) as new, pytest.raises(sqlite3.DatabaseError, match="not a database"):
        use_write_ahead_log(new, seconds=3600)


def test_nothing_of_it_keeps_a_commit_from_being_made(tmp_path: Path) -> None:
    """Although somebody keeps its frames, and so all that they hold, as Dask's profiler does on a worker."""
    kept: list[object] = []
    with closing(sqlite3.connect(tmp_path / "new.sqlite", isolation_level=None)) as new:
        before = sys.getprofile()
        sys.setprofile(lambda frame, *_: kept.append(frame))
        try:
            use_write_ahead_log(new, seconds=1)
        finally:
            sys.setprofile(before)
        assert kept
        new.execute("BEGIN IMMEDIATE")
        new.execute("CREATE TABLE t (x)")
        new.execute("COMMIT")


def _with_log(folder: Path) -> Path:
    """A database with a write-ahead log and one row."""
    folder.mkdir()
    file = folder / "kept.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as new:
        use_write_ahead_log(new, seconds=1)
        new.execute("CREATE TABLE t (x)")
        new.execute("INSERT INTO t VALUES (7)")
    return file


def test_a_reader_needs_no_permission_to_write_and_writes_nothing(tmp_path: Path) -> None:
    file = _with_log(tmp_path / "kept")
    before = file.read_bytes()
    for position in (nullcontext(), unwritable(file), unwritable(file.parent)):
        with position, closing(open_to_read(file, seconds=1)) as reader:
            assert reader.execute("SELECT x FROM t").fetchall() == [(7,)]
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.execute("INSERT INTO t VALUES (8)")
        assert [(path.name, path.read_bytes()) for path in file.parent.iterdir()] == [(file.name, before)]


def test_a_reader_sees_what_a_writer_has_in_its_log(tmp_path: Path) -> None:
    file = _with_log(tmp_path / "kept")
    with closing(sqlite3.connect(file, isolation_level=None)) as writer, closing(open_to_read(file, seconds=1)) as reader:
        writer.execute("INSERT INTO t VALUES (8)")
        assert reader.execute("SELECT x FROM t").fetchall() == [(7,), (8,)]


def test_a_row_that_would_fill_the_memory_is_not_read(tmp_path: Path) -> None:
    file = _with_log(tmp_path / "kept")
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("UPDATE t SET x = zeroblob(?)", (LARGEST_VALUE + 1,))
    with closing(open_to_read(file, seconds=1)) as reader, pytest.raises(sqlite3.DataError, match="too big"):
        reader.execute("SELECT x FROM t").fetchall()
