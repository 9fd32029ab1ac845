"""Names of tasks of Inspect in the place of scopes: `inspect-task:FILE.py@TASK?arg=value`, `inspect-task:PACKAGE/TASK`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

PREFIX: Final = "inspect-task:"


def is_task(name: str) -> bool:
    """Whether a scope is a task of Inspect, by its name."""
    return name.startswith(PREFIX)


def moved_task(name: str, move: Callable[[str], str]) -> str:
    """The name with the task's file in another place; that of an installed task stays.

    >>> moved_task("inspect-task:old/a.py@sums?n=3", str.upper), moved_task("inspect-task:evals/sums?n=3", str.upper)
    ('inspect-task:OLD/A.PY@sums?n=3', 'inspect-task:evals/sums?n=3')
    """
    target, mark, query = name.removeprefix(PREFIX).partition("?")
    file, at, task = target.rpartition("@")
    return f"{PREFIX}{move(file)}{at}{task}{mark}{query}" if at else name
