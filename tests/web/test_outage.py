"""The database goes away in the middle of everything, and comes back: nothing breaks that does not mend by itself."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.postgres import Cluster, running_cluster
from tests.web.processes import running_processes
from tests.web.site import PATIENT, PLAIN, UNKEPT, Browser, LiveSite, forget, pair, play_out, running
from vivavoce.web import database
from vivavoce.web.database import DatabaseProblem, transaction
from vivavoce.web.pages import error_pages
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.store import machines

WORDS = "We cannot reach the games just now"


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
    ann, bob, game = pair(site.url)
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
        assert answer.json() == {"detail": "the database cannot be reached: try again"}
        assert httpx.get(site.url, timeout=PATIENT, verify=PLAIN).status_code == 200  # what needs no database is there
        fields = {f"question{number}": "lost?" for number in range(1, 6)}
        assert ann.send(f"{game}/interview", fields).status_code == 503
    assert bob.get(game).status_code == 200
    assert me(site, token).status_code == 200
    play_out(ann, bob, game)
    assert "They guessed 81" in bob.words
    (log,) = folder.glob("log?")
    assert "a request could not be answered: the database cannot be reached" in log.read_text()
    assert "Traceback" not in log.read_text()


@pytest.mark.postgres
@pytest.mark.long
def test_a_page_that_listens_hears_again_after_postgres_was_away(cluster: Cluster, site: LiveSite) -> None:
    forget(site)
    ann, bob, game = pair(site.url)
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
        ann, bob, game = pair(site.url)
        ann.get(game)
        token = machine(site)
        site.forget_counts()  # so that it is to be written down again who is here
        with closing(sqlite3.connect(tmp_path / "site.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            fields = {f"question{number}": "?" for number in range(1, 6)}
            answer = ann.send(f"{game}/interview", {"csrf": ann.token} | fields)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
            assert "The site is full just now" in ann.words
            assert bob.get(game).status_code == 200  # who only reads need not come back
            assert me(site, token).status_code == 200
            other.execute("ROLLBACK")
        play_out(ann, bob, game)
        assert "They guessed 81" in bob.words


@pytest.mark.long
def test_what_is_wrong_with_the_database_is_noted_for_the_operator(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running(tmp_path) as site:
        ann = Browser(site.url).join()
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
