"""The site and its databases: on a file, and on a private PostgreSQL server with two server processes.

The tests with `kind` run twice: with SQLite and, among the long tests, with PostgreSQL.

The tests with `site` run twice: on one server with SQLite and, among the slow tests, on two server processes with PostgreSQL,
which answer in turn: with a connection for each request, as `ScriptlessBrowser` has it, two requests of one browser never
reach the same process. Those are the tests of pages, accounts, sessions, security, floods, events and the operator, and all of
the interface for machines.

On one server in a thread of the test's own process (`running`) are those that change the program (a fault of ours, how long a
lock is waited for), that read its log, or that are about settings (https, no operator, shown ratings, a mail server that is
down); and those in Chromium, which keeps its connections and would stay with one process, and which are about scripts and
looks. `test_servers` has two processes of `viva luna serve` at addresses of their own;
`test_outage` takes their PostgreSQL away.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Connection, Engine

from tests.postgres import fresh_schema
from tests.web.chromium import OPTIONS, close, started_playwright
from tests.web.databases import KeptSchema, kept_schema, put_tables
from tests.web.processes import running_processes
from tests.web.site import WAYS, LiveSite, forget, running
from vivavoce.web.database import open_database, transaction
from vivavoce.web.security import passwords

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium


@pytest.fixture(scope="session", autouse=True)
def hasher() -> Iterator[PasswordHasher]:
    """The site's own hasher; within this process passwords are hashed by one that costs next to nothing."""
    with pytest.MonkeyPatch.context() as patched:
        own = passwords._HASHER
        patched.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        passwords._nobodys.cache_clear()
        yield own
    passwords._nobodys.cache_clear()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.long])])
def kind(request: pytest.FixtureRequest) -> str:
    """Which database, both ways."""
    kind: str = request.param
    return kind


@pytest.fixture
def address(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty database is, both ways."""
    if kind == "sqlite":
        return str(tmp_path / "site.sqlite")
    address: str = request.getfixturevalue("postgres_address")
    return address


@pytest.fixture(scope="session")
def postgres_tables(postgres_server: str) -> Iterator[KeptSchema]:
    """A schema with its tables, for one test after the other."""
    with kept_schema(postgres_server) as it:
        yield it


@pytest.fixture
def kept_at(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database with its tables is, both ways."""
    if kind == "sqlite":
        return str(put_tables(tmp_path / "site.sqlite"))
    kept: KeptSchema = request.getfixturevalue("postgres_tables")
    kept.empty()
    return kept.address


@pytest.fixture
def engine(kept_at: str) -> Iterator[Engine]:
    """A database with its tables, both ways."""
    engine = open_database(kept_at)
    yield engine
    engine.dispose()


@pytest.fixture
def c(engine: Engine) -> Iterator[Connection]:
    """A transaction on it, which a test is within."""
    with transaction(engine) as connection:
        yield connection


@pytest.fixture(scope="session")
def two_processes(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A site on PostgreSQL whose requests are answered by two server processes in turn, as long as all tests run."""
    with running_processes(tmp_path_factory.mktemp("site"), fresh_schema(postgres_server)) as it:
        yield it


@pytest.fixture(scope="module", params=WAYS)
def kept_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A site that answers for longer than a test: one server with a file, then two server processes on PostgreSQL.

    A module that names `SETTINGS` has a site of its own, with these.
    """
    settings = getattr(request.module, "SETTINGS", {})
    folder = tmp_path_factory.mktemp("site")
    if request.param != "two on PostgreSQL":
        with running(folder, **settings) as it:
            yield it
    elif settings:
        with running_processes(folder, fresh_schema(request.getfixturevalue("postgres_server")), **settings) as it:
            yield it
    else:
        yield request.getfixturevalue("two_processes")


@pytest.fixture
def site(kept_site: LiveSite) -> Iterator[LiveSite]:
    """A site where nobody waits for a game, nobody has done anything too often, and the clock is right."""
    forget(kept_site)
    yield kept_site
    kept_site.clock.ahead = timedelta(0)


@pytest.fixture
def one_server(tmp_path: Path) -> Iterator[LiveSite]:
    """A site in a thread of this process, which nobody has visited yet, and whose program a test may change."""
    with running(tmp_path) as it:
        yield it


@pytest.fixture(scope="module")
def playwright() -> Iterator[Any]:
    """No longer than for a module: its loop stands in the way of tests that are asynchronous themselves."""
    with started_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def chromium(playwright: Any) -> Iterator[Chromium]:
    """A browser."""
    browser = playwright.chromium.launch(**OPTIONS)
    yield browser
    close(browser)
