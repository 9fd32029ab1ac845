"""A damaged, full or read-only database is named, with what its operator can do: no traceback, and pages that say 503."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import OperationalError

from tests.disks import small_disk
from tests.postgres import Cluster, running_cluster
from tests.web.databases import KeptSchema, put_tables
from tests.web.site import Browser, LiveSite, running
from vivavoce.web import database
from vivavoce.web.database import DatabaseProblem, DatabaseUnfit, open_database, reading, transaction
from vivavoce.web.pages import error_pages
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.store.people import create_guest

WORDS = "We cannot reach the games just now"


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
        DatabaseUnfit, match=r"site\.sqlite is damaged: stop the site, and put a copy .*SQLITE_CORRUPT"
    ) as caught:
        add_guest(engine)
    assert "\n" not in str(caught.value)
    engine.dispose()


def test_a_full_file_is_named_with_what_to_do_and_takes_more_once_there_is_room(tmp_path: Path) -> None:
    engine = open_database(put_tables(tmp_path / "site.sqlite"))
    with engine.connect() as c:
        pages = c.exec_driver_sql("PRAGMA page_count").scalar_one()
        c.exec_driver_sql(f"PRAGMA max_page_count = {pages}")  # of this connection, which is given out again
    with pytest.raises(DatabaseUnfit, match=r"no room left for the database .*site\.sqlite: make room .*SQLITE_FULL"):
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
    with pytest.raises(DatabaseUnfit, match="no room left"):
        add_guests(engine)
    engine.dispose()


def test_a_connection_that_may_not_write(tmp_path: Path) -> None:
    engine = open_database(put_tables(tmp_path / "site.sqlite"))
    with engine.connect() as c:
        c.exec_driver_sql("PRAGMA query_only = ON")
    with pytest.raises(DatabaseUnfit, match=r"site\.sqlite cannot be written: the site must be allowed .*SQLITE_READONLY"):
        add_guest(engine)
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
    "read-only": (lambda site: _settle(site, "PRAGMA query_only = ON"), "cannot be written: the site must be allowed"),
    "full": (_fill, "no room left for the database"),
    "damaged": (lambda site: damage(Path(str(site.engine.url.database))), "is damaged: stop the site"),
}


@pytest.mark.parametrize("what", WRONG)
def test_pages_say_503_and_the_log_says_what_to_do(tmp_path: Path, caplog: pytest.LogCaptureFixture, what: str) -> None:
    break_it, words = WRONG[what]
    with running(tmp_path, tick=5.0) as site:
        Browser(site.url).join()
        ann = Browser(site.url)
        ann.get("/consent")
        break_it(site)
        site.engine.pool.dispose() if what == "damaged" else None
        with caplog.at_level(logging.ERROR):
            for _ in range(2_000):  # of a full one, some pages have room still
                answer = ann.client.post("/consent", data={"csrf": ann.token, "adult": "on", "release": "on", "as": "guest"})
                if answer.status_code == 503:
                    break
                ann = Browser(site.url)
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
def cluster() -> Iterator[Cluster]:
    """A cluster of its own, for it is told to ask for passwords."""
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
    assert "takes no writing: it is a standby, or default_transaction_read_only is on" in str(database_problem)
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
    assert "no room left for the database" in str(database_problem)
    assert "53100" in str(database_problem)


@pytest.mark.postgres
def test_postgres_that_refuses_the_password(cluster: Cluster) -> None:
    settings = cluster.folder / "data" / "pg_hba.conf"
    before = settings.read_text()
    settings.write_text("local all all scram-sha-256\n")
    cluster.stop()
    cluster.start()
    try:
        address = cluster.address.replace("postgresql://viva@", "postgresql://viva:hunter2@")
        assert "hunter2" in address
        database_problem = problem(open_database(address))
    finally:
        settings.write_text(before)
    assert isinstance(database_problem, DatabaseUnfit)
    assert "refuses the user or the password: correct them in its address" in str(database_problem)
    assert "hunter2" not in str(database_problem)


def test_words_of_a_refusal_are_those_of_psycopg() -> None:
    error = OperationalError("", {}, Exception('connection failed: FATAL:  password authentication failed for user "ann"'))
    assert isinstance(database._translated(error, open_database("postgresql://ann@db/site").url), DatabaseUnfit)
