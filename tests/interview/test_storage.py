"""What the outside world does to a transcript: locks, full disks, wrong addresses, several writers."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.disks import small_disk, unwritable
from tests.interview.processes import EACH, append, ended
from vivavoce.errors import BadInput, MissingExtra, TranscriptBusy, TranscriptError, TranscriptFull, VivavoceError
from vivavoce.interview import storage as storage_module
from vivavoce.interview.record import Entry, Key, Record
from vivavoce.interview.schedule import Recorder
from vivavoce.interview.storage import LARGEST_VALUE, open_to_read, use_write_ahead_log
from vivavoce.interview.transcript import Transcript

MakeEntry = Callable[..., Entry]


def test_a_locked_file_gives_a_clear_error_and_keeps_what_was_written(tmp_path: Path, entry: MakeEntry) -> None:
    path = tmp_path / "t.sqlite"
    with Transcript.open(path, patience=0.2) as transcript:
        transcript.append([entry(1)])
        other = sqlite3.connect(path)
        other.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        with pytest.raises(TranscriptBusy, match="locked by another program"):
            transcript.append([entry(2)])
        assert time.monotonic() - began > 0.15  # it was patient
        other.rollback()
        other.close()
        transcript.append([entry(3)])
        assert [record.question for record in transcript.records()] == ['"question 1"', '"question 3"']
        assert transcript.verify().count == 2


async def test_a_look_up_in_a_locked_file_waits_in_a_thread(tmp_path: Path, entry: MakeEntry) -> None:
    threads = []

    class LockedTranscript(Transcript):
        """Raises at once, as a locked file does, unless the caller waits."""

        def find_all(self, keys: Iterable[Key], *, wait: bool = True) -> list[Record | None]:
            if not wait:
                raise TranscriptBusy("locked by another program")
            threads.append(threading.current_thread())
            return super().find_all(keys)

    with LockedTranscript.open(tmp_path / "t.sqlite") as transcript:
        written = transcript.append([entry(1)])
        assert await Recorder(transcript, lambda: 1).find(entry(1).key) == written[0]
    assert threads[0] is not threading.main_thread()


@pytest.mark.postgres
def test_a_locked_table_gives_a_clear_error(postgres_address: str, entry: MakeEntry) -> None:
    engine = create_engine(postgres_address.replace("postgresql:", "postgresql+psycopg:"))
    with Transcript.open(postgres_address, patience=0.2) as transcript:
        transcript.append([entry(1)])
        with engine.begin() as other:
            other.execute(text("LOCK TABLE transcript_head IN ACCESS EXCLUSIVE MODE"))
            with pytest.raises(TranscriptBusy, match="locked by another program"):
                transcript.append([entry(2)])
        transcript.append([entry(3)])
        assert transcript.verify().count == 2
    engine.dispose()


def fill(transcript: Transcript, entry: MakeEntry) -> int:
    """Append until there is no room; returns how many went in."""
    for number in range(10_000):
        try:
            transcript.append([entry(number, answer=f'"{"x" * 2000}"')])
        except TranscriptFull as error:
            assert "no room left" in str(error)  # noqa: PT017 -- the number of records is wanted as well
            return number
    pytest.fail("it never became full")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 400 KB."""
    with small_disk(tmp_path / "disk", "400k") as folder:
        yield folder


def test_a_full_disk_keeps_what_was_written(tiny_disk: Path, entry: MakeEntry) -> None:
    path = tiny_disk / "t.sqlite"
    with Transcript.open(path) as transcript:
        written = fill(transcript, entry)
        assert written > 10
        assert len(list(transcript.records())) == written
    with Transcript.open(path, must_exist=True) as transcript:
        assert transcript.verify().count == written


FILL = """
import resource, signal, sys
from vivavoce.errors import TranscriptFull
from vivavoce.interview.record import Entry
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.record import digest_of
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Transcript.open(sys.argv[1]) as transcript:
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    for number in range(10_000):
        answer = '"' + "x" * 2000 + '"'
        entry = Entry("bot:x", digest_of(str(number)), 0, "", str(number), answer, "answer", "2025", 0.1, 1, 1, 0.0)
        try:
            transcript.append([entry])
        except TranscriptFull:
            print(number)
            break
"""


def test_a_file_that_may_not_grow_keeps_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    done = subprocess.run([sys.executable, "-c", FILL, path], capture_output=True, text=True, check=True)
    written = int(done.stdout)
    assert written > 10
    with Transcript.open(path, must_exist=True) as transcript:
        assert transcript.verify().count == written


@pytest.mark.postgres
def test_a_full_postgres_disk_is_told_as_such(postgres_address: str, entry: MakeEntry) -> None:
    engine = create_engine(postgres_address.replace("postgresql:", "postgresql+psycopg:"))
    with Transcript.open(postgres_address) as transcript:
        transcript.append([entry(1)])
        with engine.begin() as other:  # the server itself reports its state 53100 at the third record
            other.execute(
                text(
                    "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.seq > 2 THEN "
                    "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; "
                    "END IF; RETURN NEW; END $$"
                )
            )
            other.execute(
                text("CREATE TRIGGER full_disk BEFORE INSERT ON transcript_records FOR EACH ROW EXECUTE FUNCTION full_disk()")
            )
        with pytest.raises(TranscriptFull, match="No space left"):
            transcript.append([entry(2), entry(3)])
        with engine.begin() as other:
            other.execute(text("DROP TRIGGER full_disk ON transcript_records"))
        assert transcript.verify().count == 1
    engine.dispose()


@pytest.mark.parametrize("kind", ["file", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_several_processes_write_one_transcript(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    where = str(tmp_path / "t.sqlite") if kind == "file" else str(request.getfixturevalue("postgres_address"))
    # Both begin it at once, and the second half of the one's keys are the first half of the other's.
    assert ended(append, (where, "one", 0), (where, "two", EACH // 2)) == [0, 0]
    with Transcript.open(where, must_exist=True) as transcript:
        assert transcript.verify().count == EACH * 3 // 2
        records = list(transcript.records())
    assert {int(record.question) for record in records} == set(range(EACH * 3 // 2))
    assert {record.topic for record in records} == {"one", "two"}


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "t.sqlite"
    with pytest.raises(BadInput, match=r"no such transcript: .*t\.sqlite"):
        Transcript.open(missing, must_exist=True)
    assert not missing.exists()
    with pytest.raises(BadInput, match="its folder does not exist"):
        Transcript.open(tmp_path / "nowhere" / "t.sqlite")
    with pytest.raises(BadInput, match="it is a folder"):
        Transcript.open(tmp_path)


def test_an_empty_file_may_become_a_transcript_but_is_none(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    path.touch()
    with pytest.raises(BadInput, match="no such transcript"):
        Transcript.open(path, must_exist=True)
    assert path.stat().st_size == 0
    with Transcript.open(path) as transcript:
        assert transcript.verify().count == 0


@pytest.mark.parametrize("address", ["mysql://u:secret@h/db", "sqlite:///x", "postgresql://u:secret@h:port/db"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(BadInput) as caught:
        Transcript.open(address)
    assert "postgresql://USER@HOST/DATABASE" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    ["postgresql://u:secret@127.0.0.1:1/db", "postgresql://u@127.0.0.1:1/db?password=secret", "postgresql://u:se@cret@h/d"],
)
def test_a_password_is_never_told(address: str) -> None:
    with pytest.raises(VivavoceError) as caught:
        Transcript.open(address)
    message = f"{caught.value} {caught.value!r} {caught.value.__cause__}"
    assert "secret" not in message
    assert "cret@" not in message


@pytest.mark.postgres
def test_a_password_is_not_in_the_name(postgres_address: str) -> None:
    with Transcript.open(postgres_address.replace("viva@", "viva:secret@")) as transcript:
        assert "secret" not in repr(transcript)
        assert transcript.name.startswith("postgresql://")


@pytest.mark.postgres
def test_a_server_that_is_gone_is_told_as_such(postgres_address: str, entry: MakeEntry) -> None:
    engine = create_engine(postgres_address.replace("postgresql:", "postgresql+psycopg:"))
    with Transcript.open(postgres_address) as transcript:
        transcript.append([entry(1)])
        with engine.begin() as other:
            other.execute(text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"))
        with pytest.raises(TranscriptError, match="cannot be used"):
            transcript.append([entry(2)])
        transcript.append([entry(3)])
        assert transcript.verify().count == 2
    engine.dispose()


def test_postgres_without_its_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_module, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'vivavoce\[postgres\]'"):
        Transcript.open("postgresql://u@h/db")


@pytest.mark.parametrize("must_exist", [True, False])
def test_a_pipe_is_not_a_transcript(tmp_path: Path, must_exist: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="it is not a plain file"):
        Transcript.open(tmp_path / "pipe", must_exist=must_exist)


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
    """Although someone keeps its frames, and so all that they hold, as Dask's profiler does on a worker."""
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
