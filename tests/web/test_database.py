"""How the site's database is opened, what a transaction promises, and the site's settings."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, insert, inspect, select, text, update
from sqlalchemy.exc import StatementError

from tests.each_case import each_case
from tests.web.site import SECRET, ScriptlessBrowser, play_out, running
from tests.web.store.players import START, account, guest
from vivavoce.errors import BadFile, BadInput
from vivavoce.luna.settings import THESIS
from vivavoce.web import database
from vivavoce.web.database import DatabaseBusy, DatabaseGone, DatabaseProblem, migrate, open_database, reading, transaction
from vivavoce.web.settings import MailSettings, SiteSettings, kept_secret
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
        c.execute(text("CREATE TABLE sessions (something INTEGER)"))  # of someone else; the tables before it can be made
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
    with pytest.raises(BadFile, match="not a plain file"):
        open_database(tmp_path / "pipe")


@pytest.mark.parametrize("what", [b"x", b"no database" * 1000, b"SQLite format 4\0" * 100])
def test_a_file_with_something_else_in_it_is_left_as_it_is(tmp_path: Path, what: bytes) -> None:
    (tmp_path / "text").write_bytes(what)
    with pytest.raises(BadFile, match="not a SQLite database"):
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


ODD_SECRET = "s3cr3t" * 6


def test_arguments_come_before_the_environment() -> None:
    environment = {
        "VIVA_WEB_DATABASE": "postgresql://ann:hunter2@db:5432/site",
        "VIVA_WEB_SECRET": ODD_SECRET,
        "VIVA_WEB_BASE_URL": "https://luna.example.org",
        "VIVA_WEB_HTTPS": "Yes",
        "VIVA_WEB_MAIL_HOW": "smtp",
        "VIVA_WEB_MAIL_PORT": "2525",
        "VIVA_WEB_MAIL_PASSWORD": "hunter3",
        "VIVA_WEB_TERMS": "no setting of its own",
        "PATH": "/bin",
    }
    settings = SiteSettings.from_environment(environment, base_url="https://other.example.org", operator=None)
    assert settings.base_url == "https://other.example.org"
    assert settings.https
    assert not settings.reveal_distribution
    assert settings.mail == MailSettings("smtp", port=2525, password="hunter3")
    assert settings.terms == THESIS
    assert settings.shown_database == "postgresql://db:5432/site"
    assert not [secret for secret in ("hunter", ODD_SECRET) if secret in repr(settings)]


@each_case(
    ("name", "value"),
    [
        ("SECRET", "not a long one"), ("SECRET", ""), ("DATABASE", ""), ("BASE_URL", "luna.example.org"), ("BASE_URL", "http://a/"),
        ("HTTPS", "maybe"), ("HTTPS", "yes"), ("MAIL_PORT", "99999"), ("MAIL_PORT", "x"), ("MAIL_HOW", "pigeon"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_without_the_secret(name: str, value: str) -> None:
    environment = {"VIVA_WEB_DATABASE": "site.sqlite", "VIVA_WEB_SECRET": ODD_SECRET, f"VIVA_WEB_{name}": value}
    with pytest.raises(BadInput) as caught:
        SiteSettings.from_environment(environment)
    assert "not a long one" not in str(caught.value)
    assert ODD_SECRET not in str(caught.value)


def test_a_secret_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    secret = kept_secret(file)
    assert kept_secret(file) == secret
    assert len(secret) >= 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert kept_secret(tmp_path / "other") != secret
    file.write_text("short")
    with pytest.raises(BadFile):
        kept_secret(file)
    with pytest.raises(BadFile):
        kept_secret(tmp_path / "no such folder" / "secret")


VIVA = Path(sys.executable).with_name("viva")


@contextmanager
def server(address: str, folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A process of `viva luna serve` on this database: its address, and the process."""
    command = (VIVA, "luna", "serve", "--database", address, "--port", "0", "--house", "none")
    environment = {**os.environ, "VIVA_WEB_SECRET": SECRET, "VIVA_WEB_MAIL_HOW": "none"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment) as process:
        assert process.stderr is not None
        match = re.search(r"http://\S+(?=,)", process.stderr.readline())
        assert match
        try:
            yield match[0], process
        finally:
            process.kill()


@pytest.mark.parametrize(
    "kind", [pytest.param("sqlite", marks=pytest.mark.slow), pytest.param("postgres", marks=pytest.mark.postgres)]
)
@pytest.mark.long
def test_two_players_on_two_processes(address: str, tmp_path: Path) -> None:
    """One server is a process that is killed, the other one is in this process."""
    with server(address, tmp_path) as (there, dying), running(tmp_path, database=address) as staying:
        here = staying.url
        ann, bob = ScriptlessBrowser(here).join(), ScriptlessBrowser(there).join()
        ann.start()
        game = bob.begin_game()
        assert game.startswith("/games/"), bob.words
        play_out(ann, bob, game, ("81", "91"))
        # A guest goes on elsewhere: sessions and games are in the database, not in a process.
        dying.send_signal(signal.SIGKILL)
        dying.wait(10)
        moved = ScriptlessBrowser(here)
        for name, value in bob.client.cookies.items():
            moved.client.cookies.set(name, value, domain="127.0.0.1")
        moved.get(game)
        assert "They guessed 81" in moved.words
        ann.get(game)
        assert "They guessed 91" in ann.words
