"""The interface for machines of a site: one server on SQLite, then two server processes on PostgreSQL."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from tests.web.api.running import RunningSite
from tests.web.site import LiveSite, forget

Ask = Callable[..., tuple[int, Any]]
_numbers = count(1)


@pytest.fixture
def site(kept_site: LiveSite) -> RunningSite:
    """A site where nobody waits for a game, and nobody has called too often."""
    forget(kept_site)
    return RunningSite(kept_site)


@pytest.fixture
def token(site: RunningSite) -> str:
    """Of a new machine."""
    return site.machine(f"Machine {next(_numbers)}")


@pytest.fixture
def ask(site: RunningSite) -> Ask:
    """Call the interface as a stranger's program would: status and JSON."""

    def call(method: str, path: str, token: str | None = None, body: object = None, **headers: str) -> tuple[int, Any]:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        own = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token is not None else {})
        request = urllib.request.Request(f"{site.url}/api/v1{path}", data, own | headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                read = response.read()
                return response.status, json.loads(read) if read else None
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read()) | {"headers": dict(error.headers)}

    return call
