"""Tasks run by Inspect itself, offline, and read back out of its logs."""

from __future__ import annotations

import gc
import logging
import socket
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model

Run = Callable[..., "EvalLog"]
DISTRIBUTIONS = cache(packages_distributions)
"""Inspect lists every file of every package for each evaluation; none of them changes meanwhile."""
SETTINGS = {"epochs", "limit", "max_connections", "max_samples", "model_roles", "token_limit", "turn_limit", "sample_shuffle"}
"""What is Inspect's, and no parameter of the task."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Inspect's own warnings are no fault of the tasks: of tenacity, and of events that it leaves unclosed."""
    for item in items:
        if item.nodeid.startswith("tests/plugins/inspect_plugin/"):
            item.add_marker(pytest.mark.filterwarnings("ignore:The 'initial' parameter:DeprecationWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"))


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks up an address fails the test."""

    def refused(*arguments: Any, **_: Any) -> None:
        raise AssertionError(f"the network was asked for {arguments}")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket.socket, "connect", refused)


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Inspect's own files go to a folder of the test, and its log handlers go with the test."""
    monkeypatch.chdir(tmp_path)
    for folder in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(folder, str(tmp_path / "inspect"))
    monkeypatch.setattr("inspect_ai._util.package.packages_distributions", DISTRIBUTIONS)
    handlers, level = logging.root.handlers[:], logging.root.level
    gc.freeze()  # what is older than the test need not be looked at when it ends
    yield
    logging.root.handlers[:], logging.root.level = handlers, level
    gc.collect()  # what Inspect leaves unclosed is told now, and not in the midst of another test


@pytest.fixture
def run(own_folder: None) -> Run:
    """Run one task as `inspect eval` does, and read its log back from the file."""
    import inspect_ai.log

    def call(task: str | Task, model: str | Model, **given: Any) -> EvalLog:
        settings = {"max_samples": 8, "log_realtime": False} | {key: given.pop(key) for key in SETTINGS & set(given)}
        [log] = inspect_ai.eval(task, model=model, task_args=given, log_dir="logs", display="none", **settings)
        return inspect_ai.log.read_eval_log(log.location)

    return call


def finding(log: EvalLog) -> dict[str, Any]:
    """The finding that stands in the log."""
    assert log.status == "success", log.error
    assert log.results
    assert log.results.early_stopping
    return dict(log.results.early_stopping.metadata)


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results
    [of_scorer] = log.results.scores
    return {name: metric.value for name, metric in of_scorer.metrics.items()}
