"""How the site's database is opened, and what a transaction promises."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, insert, inspect, select, text, update
from sqlalchemy.exc import StatementError

from tests.web.store.players import START, account, guest
from vivavoce.errors import BadFile, BadInput
from vivavoce.web import database
from vivavoce.web.database import DatabaseBusy, DatabaseGone, DatabaseProblem, migrate, open_database, reading, transaction
from vivavoce.web.store import mails
from vivavoce.web.tables import LOCKS, PLAYERS, SESSIONS, TABLES


def test_the_steps_lead_to_the_tables_that_the_code_expects(engine: Engine) -> None:
    with reading(engine) as c:
        context = MigrationContext.configure(c, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, TABLES) == []
        inspector = inspect(c)
        for table in TABLES.sorted_tables:  # what Alembic does not compare
            name, wanted = (
                table.name,
                {str(constraint.name) for constraint in table.constraints if constraint is not table.primary_key},
            )
            named = [
                *inspector.get_check_constraints(name),
                *inspector.get_foreign_keys(name),
                *inspector.get_unique_constraints(name),
            ]
            assert {entry["name"] for entry in named} == wanted
        assert [tuple(row) for row in c.execute(select(LOCKS.c.name, LOCKS.c.tick))] == [("queue", 0)]


def test_numbers_of_mail_are_used_once(engine: Engine) -> None:
    with transaction(engine) as c:
        mails.add(c, "bob@example.org", "", "", START, purpose="confirm")
        (before,) = mails.due(c, START, 2)
        mails.sent(c, before.id, START)  # brings a key, so all of it is deleted
        mails.add(c, "bob@example.org", "", "", START, purpose="confirm")
        (after,) = mails.due(c, START, 2)
    assert after.id > before.id


def test_doing_it_again_changes_nothing(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = guest(c)
    migrate(engine)
    with reading(engine) as c:
        assert c.execute(select(PLAYERS.c.id)).scalars().all() == [ann.id]


def test_a_database_of_a_newer_version_is_left_alone(engine: Engine) -> None:
    with transaction(engine) as c:
        c.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseProblem, match="another version"):
        migrate(engine)


def test_a_step_that_fails_leaves_nothing_behind(address: str) -> None:
    engine = open_database(address)
    with transaction(engine) as c:
        c.execute(text("CREATE TABLE sessions (something INTEGER)"))  # of somebody else; the tables before it can be made
    with pytest.raises(DatabaseProblem):
        migrate(engine)
    with reading(engine) as c:
        assert inspect(c).get_table_names() == ["sessions"]
    engine.dispose()


def test_sqlite_is_opened_to_last(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "site.sqlite")
    with reading(engine) as c:
        document = {
            name: c.execute(text(f"PRAGMA {name}")).scalar_one() for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert document == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}  # 2: FULL
    engine.dispose()


def test_what_raises_writes_nothing(engine: Engine) -> None:
    def fail() -> None:
        with transaction(engine) as c:
            guest(c)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with reading(engine) as c:
        assert c.execute(select(PLAYERS)).all() == []


def test_rows_cannot_point_nowhere(engine: Engine) -> None:
    with pytest.raises(DatabaseProblem), transaction(engine) as c:
        c.execute(insert(SESSIONS).values(token_hash="x", player="nobody", expires=START))


def test_errors_tell_no_secrets(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = account(c)
        row = dict(c.execute(select(PLAYERS)).mappings().one())
    same_address = row | {"id": "1", "name": "secret", "name_key": "secret", "password_hash": "secret", "email": ann.email}
    with pytest.raises(DatabaseProblem) as caught, transaction(engine) as c:
        c.execute(insert(PLAYERS).values(same_address))
    message = f"{caught.value!s}{caught.value!r}"
    assert "secret" not in message
    assert "example" not in message
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("address", ["mysql://ann:hunter2@host/db", "postgresql://ann:hunt@er2@host/db", "://hunter2"])
def test_addresses_that_cannot_be_are_not_repeated(address: str) -> None:
    with pytest.raises(BadInput) as caught:
        open_database(address)
    assert "hunt" not in str(caught.value)


def test_files_that_cannot_be(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no such folder" / "site.sqlite"):
        with pytest.raises(BadInput, match="folder"):
            open_database(path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadFile, match="no plain file"):
        open_database(tmp_path / "pipe")


@pytest.mark.parametrize("what", [b"x", b"no database" * 1000, b"SQLite format 4\0" * 100])
def test_a_file_with_something_else_in_it_is_left_as_it_is(tmp_path: Path, what: bytes) -> None:
    (tmp_path / "text").write_bytes(what)
    with pytest.raises(BadFile, match="no SQLite database"):
        open_database(tmp_path / "text")
    assert (tmp_path / "text").read_bytes() == what
    assert [file.name for file in tmp_path.iterdir()] == ["text"]


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    engine = open_database(tmp_path / "empty")
    migrate(engine)
    engine.dispose()
    open_database(tmp_path / "empty").dispose()


def test_a_server_that_is_not_there_is_a_plain_error(tmp_path: Path) -> None:
    engine = open_database(f"postgresql://ann:hunter2@/db?host={tmp_path}")
    with pytest.raises(DatabaseGone) as caught, reading(engine):
        pass
    assert "hunter2" not in str(caught.value) + repr(engine)


def test_times_keep_their_moment_in_any_zone(engine: Engine) -> None:
    moment = datetime(2026, 6, 14, 14, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
    with transaction(engine) as c:
        ann = guest(c, now=moment)
        (read,) = c.execute(select(PLAYERS.c.created)).scalars()
        assert (read, read.tzinfo) == (moment, UTC)
        with pytest.raises(StatementError, match="zone"):
            c.execute(update(PLAYERS).where(PLAYERS.c.id == ann.id).values(created=moment.replace(tzinfo=None)))


def test_readers_never_wait_for_a_writer(engine: Engine) -> None:
    with transaction(engine) as c:
        guest(c)
    with transaction(engine) as c:
        guest(c)
        with reading(engine) as other:
            assert len(other.execute(select(PLAYERS.c.id)).all()) == 1


def test_who_waits_too_long_is_told_so(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.2)
    engine, other = open_database(address), open_database(address)  # as two processes
    migrate(engine)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction(engine) as c:
            c.execute(select(LOCKS).with_for_update())
            held.set()
            done.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(30)
    with pytest.raises(DatabaseBusy), transaction(other) as c:
        c.execute(select(LOCKS).with_for_update())
    done.set()
    holder.join()
    with transaction(other) as c:
        c.execute(select(LOCKS).with_for_update())
    engine.dispose()
    other.dispose()


def test_nobody_else_on_the_machine_can_read_a_new_file(tmp_path: Path) -> None:
    file = tmp_path / "site.sqlite"
    engine = open_database(file)
    migrate(engine)
    with transaction(engine) as c:
        c.execute(text("SELECT 1"))
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    engine.dispose()
    assert modes["site.sqlite"] == 0o600
    assert set(modes.values()) == {0o600}, modes  # what SQLite keeps beside it too


def test_a_file_that_another_holds_on_its_first_opening_is_waited_for(tmp_path: Path) -> None:
    # SQLite gives up at once, whatever its time-out, when a file in which another writes is to change to the write-ahead log
    file = tmp_path / "new.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE alembic_version (version_num)")
        other.execute("BEGIN IMMEDIATE")
        soon = threading.Timer(0.2, other.execute, ["COMMIT"])
        soon.start()
        engine = open_database(file)
        with reading(engine) as c:
            assert c.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        engine.dispose()
        soon.join()


def test_a_database_that_is_opened_twice_keeps_its_locks(tmp_path: Path) -> None:
    file = tmp_path / "site.sqlite"
    first = open_database(file)
    migrate(first)
    with reading(first) as c:
        c.execute(text("SELECT count(*) FROM players"))
    second = open_database(file)
    looking_in = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM players').fetchone()"
    subprocess.run([sys.executable, "-W", "ignore", "-c", looking_in, str(file)], check=True)
    # whoever is the last to close takes the log along; that process was not
    assert file.with_name("site.sqlite-wal").exists()
    for engine in (first, second):
        engine.dispose()
