"""A Dask cluster within this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


def dask_cluster(workers: int, threads: int) -> Any:
    """In this process, which need not have imported Dask before."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'vivavoce[cluster]'")
    settings = {"processes": False, "protocol": "tcp", "host": "127.0.0.1", "dashboard_address": ":0"}
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=threads, **settings)


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    """Two workers of two threads, which lie in the thread of one event loop."""
    with dask_cluster(2, 2) as cluster:
        yield cluster


@pytest.fixture
def address(local: Any) -> str:
    """Of its scheduler."""
    return str(local.scheduler_address)
