"""A task of Inspect by its name alone, for a dry run: to open it would run its code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from vivavoce.errors import BadInput
from vivavoce.formats.lines import text_lines
from vivavoce.inspect_door.task_scope.loading import address_of
from vivavoce.inspect_door.task_scope.opening import model_named


@dataclass(frozen=True, slots=True)
class UnopenedTask:
    """What stands for a scope where only its name is known."""

    name: str
    """As written."""

    population: ClassVar[None] = None
    """How many samples there are, its code would say."""
    can_be_ridiculous: ClassVar[bool] = False
    digest: ClassVar[str] = ""


def look_at(name: str, candidate: str) -> UnopenedTask:
    """The task of that name, which the candidate could run. Runs none of its code.

    Raises `BadInput` for a name that names no task, for a file in which nothing has the task's name, and for a candidate that
    is no model of Inspect; `BadFile` for a file that is not there or cannot be read.
    """
    address = address_of(name)
    model_named(candidate)
    named = re.compile(rf"\b{re.escape(address.task)}\b")
    if address.file is not None and not any(map(named.search, text_lines(address.file))):
        raise BadInput(f"nothing in '{address.file.name[:100]}' is called '{address.task[:100]}'")
    return UnopenedTask(name)
