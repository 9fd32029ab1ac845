"""A Dask cluster within this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'vivavoce[cluster]'")


SETTINGS = {"processes": False, "protocol": "tcp", "host": "127.0.0.1", "dashboard_address": ":0"}


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    """Two workers of two threads, which lie in the thread of one event loop."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, **SETTINGS) as cluster:
        yield cluster


@pytest.fixture
def address(local: Any) -> str:
    """Of its scheduler."""
    return str(local.scheduler_address)
