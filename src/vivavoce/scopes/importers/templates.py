"""Renders templates of other tools' files (Jinja) in a separate process with bounded time, memory and output.

They are untrusted. Jinja's sandbox keeps them from objects and files, and kernel limits keep them from using up the machine: a
nested loop could run for years.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from vivavoce.errors import BadInput
from vivavoce.formats.bounded_process import OutOfBoundsError, answers_of

LONGEST: Final = 1 << 20
"""Most characters of a rendered template."""
MOST: Final = 256 << 20
"""Most characters of all templates that are rendered together, and of their values."""
_CHILD: Final = Path(__file__).with_name("template_child.py")
_MARKS: Final = ("{{", "{%", "{#")


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """A template that cannot be rendered for a row."""

    problem: str
    template: str


def rendered(
    rows: Iterable[tuple[Mapping[str, Any], Sequence[str]]], dialect: Literal["python", "javascript"] = "python"
) -> list[list[str] | TemplateProblem]:
    """The texts of all rows, or the first problem of a row. Raises `BadInput` if they take too long or too much together.

    Parameters
    ----------
    rows: variables, JSON values, and the templates that are rendered with them.
    dialect: how values are written into texts: as Python has them, or as JavaScript has, with lists and objects as JSON.

    >>> rendered([({"name": "Rome", "n": 2}, ["Where is {{ name }}?", "{{ n * 2 }}", "as it is"])])
    [['Where is Rome?', '4', 'as it is']]
    """
    numbers: dict[str, int] = {}
    numbered = [([numbers.setdefault(name, len(numbers)) for name in wanted], variables) for variables, wanted in rows]
    templates = list(numbers)
    plain = {index for index, template in enumerate(templates) if not any(mark in template for mark in _MARKS)}
    open_ones = [([index for index in wanted if index not in plain], variables) for wanted, variables in numbered]
    if not any(wanted for wanted, _ in open_ones):
        return [[templates[index] for index in wanted] for wanted, _ in numbered]
    asked = [(wanted, variables if wanted else {}) for wanted, variables in open_ones]
    if sum(_size(variables) for _, variables in asked) > MOST:
        raise BadInput(f"the values for its templates have more than {MOST:,} characters: split the file")
    return [
        TemplateProblem(given["problem"], templates[given["template"]])
        if isinstance(given, dict)
        else [templates[index] if index in plain else given.pop(0) for index in wanted]
        for (wanted, _), given in zip(numbered, _run(templates, asked, dialect), strict=True)
    ]


def _size(value: Any) -> int:
    """Roughly how many characters a value has as JSON."""
    if isinstance(value, Mapping):
        return sum(len(str(name)) + _size(inside) for name, inside in value.items())
    return sum(map(_size, value)) if isinstance(value, list | tuple) else len(value) if isinstance(value, str) else 8


def _run(templates: Sequence[str], rows: Sequence[tuple[list[int], Mapping[str, Any]]], dialect: str) -> list[Any]:
    asked = {"templates": templates, "rows": rows, "longest": LONGEST, "most": MOST, "dialect": dialect}
    try:
        words = next(answers_of(_CHILD, asked))
    except OutOfBoundsError as error:
        raise BadInput(f"its templates take {error}: make them simpler") from None
    result: list[Any] = words["rows"]
    return result
