"""Inspect tasks as scopes, by name: `inspect-task:FILE.py@TASK?arg=value` or `inspect-task:PACKAGE/TASK`.

This module is small: commands import it to recognise a task without importing Inspect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

PREFIX: Final = "inspect-task:"


def is_task(name: str) -> bool:
    """Whether a scope's name is an Inspect task."""
    return name.startswith(PREFIX)


def moved_task(name: str, move: Callable[[str], str]) -> str:
    """The name with its file moved; the name of an installed task does not change.

    >>> moved_task("inspect-task:old/a.py@sums?n=3", str.upper), moved_task("inspect-task:evals/sums?n=3", str.upper)
    ('inspect-task:OLD/A.PY@sums?n=3', 'inspect-task:evals/sums?n=3')
    """
    target, mark, query = name.removeprefix(PREFIX).partition("?")
    file, at, task = target.rpartition("@")
    return f"{PREFIX}{move(file)}{at}{task}{mark}{query}" if at else name
