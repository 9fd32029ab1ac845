"""The hostile server as a process of its own."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from tests.serving import process_of


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Address of the server, without a path."""
    with process_of("tests.candidates.server") as address:
        yield address


@pytest.fixture
def seen(server: str) -> Callable[[], dict[str, int]]:
    """What the server has been asked so far: requests by model."""

    def ask() -> dict[str, int]:
        with urllib.request.urlopen(f"{server}/seen", timeout=10) as response:
            answer: dict[str, int] = json.load(response)
            return answer

    return ask
