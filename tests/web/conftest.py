"""The site on a server, and its databases: on a file and on a private PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.interview.conftest import fresh_schema
from tests.interview.conftest import postgres_address as postgres_address
from tests.interview.conftest import postgres_server as postgres_server
from tests.web.site import Running, forget, running
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


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def kept_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A site that answers as long as the tests of a module run, on a file and on PostgreSQL."""
    folder = tmp_path_factory.mktemp("site")
    on_a_file = str(folder / "site.sqlite")
    database = on_a_file if request.param == "sqlite" else fresh_schema(request.getfixturevalue("postgres_server"))
    with running(folder, database=database) as it:
        yield it


@pytest.fixture
def site(kept_site: Running) -> Running:
    """A site where nobody waits for a game, and nobody has done anything too often."""
    forget(kept_site)
    return kept_site
