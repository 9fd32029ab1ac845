"""The site and its databases: on a file, and on a private PostgreSQL server with two server processes.

The tests with `site` run twice: on one server with SQLite and, among the slow tests, on two server processes with PostgreSQL,
which answer in turn: with a connection for each request, as `Browser` has it, two requests of one browser never reach the same
process. Those are the tests of pages, accounts, sessions, security, floods, events and the operator, and all of the interface
for machines.

On one server in a thread of the test's own process (`running`) are those that change the program (a fault of ours, how long a
lock is waited for), that read its log, or that are about settings (https, no operator, shown ratings, a mail server that is
down); and those in Chromium, which keeps its connections and would stay with one process, and which are about scripts and
looks. `test_servers` has two processes of `viva serve` at addresses of their own; `test_outage` takes their PostgreSQL away.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.postgres import fresh_schema
from tests.web.processes import running_processes
from tests.web.site import WAYS, Running, forget, running
from vivavoce.web.database import migrate, open_database


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty database is, both ways."""
    if request.param == "sqlite":
        return str(tmp_path / "site.sqlite")
    address: str = request.getfixturevalue("postgres_address")
    return address


@pytest.fixture
def engine(address: str) -> Iterator[Engine]:
    """A database with its tables, both ways."""
    engine = open_database(address)
    migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def two_processes(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A site on PostgreSQL whose requests are answered by two server processes in turn, as long as all tests run."""
    with running_processes(tmp_path_factory.mktemp("site"), fresh_schema(postgres_server)) as it:
        yield it


@pytest.fixture(scope="module", params=WAYS)
def kept_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A site that answers for longer than a test: one server with a file, then two server processes on PostgreSQL."""
    if request.param == "two on PostgreSQL":
        yield request.getfixturevalue("two_processes")
        return
    with running(tmp_path_factory.mktemp("site")) as it:
        yield it


@pytest.fixture
def site(kept_site: Running) -> Iterator[Running]:
    """A site where nobody waits for a game, nobody has done anything too often, and the clock is right."""
    forget(kept_site)
    yield kept_site
    kept_site.clock.ahead = timedelta(0)
