"""A site that runs, for the tests of clients and of whole tournaments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from tests.web.api.running import RunningSite, running_site

_numbers = count(1)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture
def token(site: RunningSite) -> str:
    """Of a machine that no other test knows."""
    return site.machine(f"Client {next(_numbers)}")
