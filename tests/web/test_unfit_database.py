"""A database that is damaged, full, read-only or away: named to the operator, and pages that say 503."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import OperationalError

from tests.disks import small_disk
from tests.postgres import Cluster, running_cluster
from tests.web.databases import KeptSchema, put_tables
from tests.web.processes import running_processes
from tests.web.site import PATIENT, PLAIN, UNKEPT, LiveSite, ScriptlessBrowser, forget, guest_of, pair, play_out, running
from vivavoce.web import database
from vivavoce.web.database import DatabaseProblem, DatabaseUnfit, open_database, reading, transaction
from vivavoce.web.pages import error_pages
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.store import machines
from vivavoce.web.store.people import create_guest

WORDS = "The games can’t be reached"


def add_guest(engine: Engine) -> None:
    with transaction(engine) as c:
        create_guest(c, consent_version="1", now=utc_now())


def add_guests(engine: Engine) -> None:
    """More than there is room for."""
    for _ in range(20_000):
        add_guest(engine)


def damage(file: Path) -> None:
    """Write over all pages but the first, which holds what tables there are."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with file.open("r+b") as opened:
        opened.seek(size)
        opened.write(b"\xa5" * (file.stat().st_size - size))


def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    file = put_tables(tmp_path / "site.sqlite")
    damage(file)
    engine = open_database(file)
    with pytest.raises(
        DatabaseUnfit, match=r"site\.sqlite is damaged: stop the site, and replace it by a copy .*SQLITE_CORRUPT"
    ) as caught:
        add_guest(engine)
    assert "\n" not in str(caught.value)
    engine.dispose()


def test_a_full_file_is_named_with_what_to_do_and_takes_more_once_there_is_room(tmp_path: Path) -> None:
    engine = open_database(put_tables(tmp_path / "site.sqlite"))
    with engine.connect() as c:
        pages = c.exec_driver_sql("PRAGMA page_count").scalar_one()
        c.exec_driver_sql(f"PRAGMA max_page_count = {pages}")  # of this connection, which is given out again
    with pytest.raises(DatabaseUnfit, match=r"the disk of the database .*site\.sqlite is full: free some space, .*SQLITE_FULL"):
        add_guests(engine)
    with engine.connect() as c:
        c.exec_driver_sql("PRAGMA max_page_count = 1000000")
    add_guest(engine)
    engine.dispose()


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of half a megabyte."""
    with small_disk(tmp_path / "disk", "600k") as folder:
        yield folder


def test_a_full_disk(tiny_disk: Path) -> None:
    engine = open_database(put_tables(tiny_disk / "site.sqlite"))
    with pytest.raises(DatabaseUnfit, match="is full: free some space"):
        add_guests(engine)
    engine.dispose()


def _fill(site: LiveSite) -> None:
    with site.engine.connect() as c:
        pages = c.exec_driver_sql("PRAGMA page_count").scalar_one()
    _settle(site, f"PRAGMA max_page_count = {pages}")


def _settle(site: LiveSite, pragma: str) -> None:
    """Have all connections of the site do this."""
    connections = [site.engine.connect() for _ in range(database.CONNECTIONS)]
    for c in connections:
        c.exec_driver_sql(pragma)
    for c in connections:
        c.close()


WRONG: dict[str, tuple[Callable[[LiveSite], None], str]] = {
    "read-only": (lambda site: _settle(site, "PRAGMA query_only = ON"), "can't be written: give the site write access"),
    "full": (_fill, "the disk of the database"),
    "damaged": (lambda site: damage(Path(str(site.engine.url.database))), "is damaged: stop the site"),
}


@pytest.mark.parametrize("what", WRONG)
def test_pages_say_503_and_the_log_says_what_to_do(tmp_path: Path, caplog: pytest.LogCaptureFixture, what: str) -> None:
    break_it, words = WRONG[what]
    with running(tmp_path, tick=5.0) as site:
        guest_of(site)
        ann = ScriptlessBrowser(site.url)
        ann.get("/consent")
        break_it(site)
        site.engine.pool.dispose() if what == "damaged" else None
        with caplog.at_level(logging.ERROR):
            for _ in range(2_000):  # of a full one, some pages have room still
                answer = ann.client.post("/consent", data={"csrf": ann.token, "adult": "on", "release": "on", "as": "guest"})
                if answer.status_code == 503:
                    break
                ann = ScriptlessBrowser(site.url)
                ann.get("/consent")
                site.forget_counts()
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
        assert WORDS in answer.text
        assert "SQLITE" not in answer.text
        (record,) = [record for record in caplog.records if record.name == error_pages.__name__]
        assert record.exc_info is None
        assert words in record.getMessage()
        assert "site.sqlite" in record.getMessage()


@pytest.fixture(scope="module")
def own_cluster() -> Iterator[Cluster]:
    """A own_cluster of its own, for it is told to ask for passwords."""
    with running_cluster() as it:
        yield it


def problem(engine: Engine) -> DatabaseProblem:
    """What it says about writing."""
    with pytest.raises(DatabaseProblem) as caught:
        add_guest(engine)
    engine.dispose()
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.postgres
def test_postgres_that_takes_no_writing(postgres_tables: KeptSchema) -> None:
    engine = open_database(f"{postgres_tables.address}%20-cdefault_transaction_read_only%3Don")
    database_problem = problem(engine)
    assert isinstance(database_problem, DatabaseUnfit)
    assert "is read-only: it is a standby, or default_transaction_read_only is on" in str(database_problem)
    assert "25006" in str(database_problem)
    with reading(engine) as c:
        assert c.execute(text("SELECT 1")).scalar_one() == 1
    engine.dispose()


@pytest.mark.postgres
def test_postgres_whose_disk_is_full(postgres_tables: KeptSchema) -> None:
    owner = create_engine(postgres_tables.address.replace("postgresql:", "postgresql+psycopg:"))
    with owner.begin() as c:  # the server itself reports its state 53100
        c.execute(
            text(
                "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$"
            )
        )
        c.execute(text("CREATE TRIGGER full_disk BEFORE INSERT ON players FOR EACH ROW EXECUTE FUNCTION full_disk()"))
    try:
        database_problem = problem(open_database(postgres_tables.address))
    finally:
        with owner.begin() as c:
            c.execute(text("DROP TRIGGER full_disk ON players"))
            c.execute(text("DROP FUNCTION full_disk"))
        owner.dispose()
    assert isinstance(database_problem, DatabaseUnfit)
    assert "the disk of the database" in str(database_problem)
    assert "53100" in str(database_problem)


@pytest.mark.postgres
def test_postgres_that_refuses_the_password(own_cluster: Cluster) -> None:
    settings = own_cluster.folder / "data" / "pg_hba.conf"
    before = settings.read_text()
    settings.write_text("local all all scram-sha-256\n")
    own_cluster.stop()
    own_cluster.start()
    try:
        address = own_cluster.address.replace("postgresql://viva@", "postgresql://viva:hunter2@")
        assert "hunter2" in address
        database_problem = problem(open_database(address))
    finally:
        settings.write_text(before)
    assert isinstance(database_problem, DatabaseUnfit)
    assert "refuses the user or password: correct them in its address" in str(database_problem)
    assert "hunter2" not in str(database_problem)


def test_words_of_a_refusal_are_those_of_psycopg() -> None:
    error = OperationalError("", {}, Exception('connection failed: FATAL:  password authentication failed for user "ann"'))
    assert isinstance(database._translated(error, open_database("postgresql://ann@db/site").url), DatabaseUnfit)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster of its own, for it is stopped."""
    with running_cluster() as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the site's log is."""
    return tmp_path_factory.mktemp("site")


@pytest.fixture(scope="module")
def site(cluster: Cluster, folder: Path) -> Iterator[LiveSite]:
    """A process of its own on that cluster; of two, each is like this one."""
    with running_processes(folder, cluster.address, 1) as it:
        yield it


@contextmanager
def stopped(cluster: Cluster) -> Iterator[None]:
    """PostgreSQL is gone until the block ends."""
    cluster.stop()
    try:
        yield
    finally:
        cluster.start()


def machine(site: LiveSite) -> str:
    """The token of a new machine."""
    with transaction(site.engine) as c:
        return machines.create_machine(c, name="Bot", now=utc_now())[1]


def me(site: LiveSite, token: str) -> httpx.Response:
    """A machine's call."""
    with httpx.Client(base_url=site.url, limits=UNKEPT, timeout=PATIENT, verify=PLAIN) as client:
        return client.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})


@pytest.mark.long
@pytest.mark.postgres
def test_a_game_goes_on_after_postgres_was_away(cluster: Cluster, site: LiveSite, folder: Path) -> None:
    ann, bob, game = pair(site)
    token = machine(site)
    ann.get(game)
    with stopped(cluster):
        for path in (game, "/home", "/events/now", "/events"):
            answer = bob.get(path)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
            assert WORDS in bob.words
            assert answer.headers["x-frame-options"] == "DENY"
        for text in ("psycopg", "Error", str(cluster.folder), "Traceback"):
            assert text not in bob.page
        answer = me(site, token)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
        assert answer.json() == {"detail": "the database can't be reached: try again"}
        assert httpx.get(site.url, timeout=PATIENT, verify=PLAIN).status_code == 200  # what needs no database is there
        fields = {f"question{number}": "lost?" for number in range(1, 6)}
        assert ann.send(f"{game}/interview", fields).status_code == 503
    assert bob.get(game).status_code == 200
    assert me(site, token).status_code == 200
    play_out(ann, bob, game)
    assert "They guessed 81" in bob.words
    (log,) = folder.glob("log?")
    assert "a request failed: the database can't be reached" in log.read_text()
    assert "Traceback" not in log.read_text()


@pytest.mark.postgres
@pytest.mark.long
def test_a_page_that_listens_hears_again_after_postgres_was_away(cluster: Cluster, site: LiveSite) -> None:
    forget(site)
    ann, bob, game = pair(site)
    ann.ask(game)
    before = ann.client.get("/events/now").json()["changes"]
    with ann.client.stream("GET", f"/events?after={before}") as stream:
        with stopped(cluster):
            assert bob.get(game).status_code == 503
        bob.ask(game)
        text = next(line for line in stream.iter_lines() if line.startswith("data:"))
    assert int(text.removeprefix("data:")) > before


@pytest.mark.long
def test_a_database_that_others_hold_is_worth_trying_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one server, for how long it waits for a lock is changed within it."""
    monkeypatch.setattr(database, "PATIENCE", 0.2)
    with running(tmp_path) as site:
        ann, bob, game = pair(site)
        ann.get(game)
        token = machine(site)
        site.forget_counts()  # so that it is to be written down again who is here
        with closing(sqlite3.connect(tmp_path / "site.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            fields = {f"question{number}": "?" for number in range(1, 6)}
            answer = ann.send(f"{game}/interview", {"csrf": ann.token} | fields)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
            assert "The site is busy" in ann.words
            assert bob.get(game).status_code == 200  # who only reads need not come back
            assert me(site, token).status_code == 200
            other.execute("ROLLBACK")
        play_out(ann, bob, game)
        assert "They guessed 81" in bob.words


@pytest.mark.long
def test_what_is_wrong_with_the_database_is_noted_for_the_operator(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running(tmp_path) as site:
        ann = guest_of(site)
        with transaction(site.engine) as c:
            c.exec_driver_sql("ALTER TABLE games RENAME TO lost")
        with caplog.at_level(logging.ERROR):
            answer = ann.get("/home")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
        assert WORDS in ann.words
        assert "lost" not in ann.page
        (record,) = [record for record in caplog.records if record.name == error_pages.__name__]  # the queue is looked at, too
        assert record.exc_info is not None
        assert isinstance(record.exc_info[1], DatabaseProblem)
        assert "pages/home.py" in caplog.text  # where it happened
