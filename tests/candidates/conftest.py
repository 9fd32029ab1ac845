"""The hostile server as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SERVER = Path(__file__).with_name("server.py")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Address of the server, without a path."""
    with subprocess.Popen([sys.executable, SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate(timeout=10)


@pytest.fixture
def seen(server: str) -> Callable[[], dict[str, int]]:
    """What the server has been asked so far: requests by model."""

    def ask() -> dict[str, int]:
        with urllib.request.urlopen(f"{server}/seen", timeout=10) as response:
            answer: dict[str, int] = json.load(response)
            return answer

    return ask
