"""What a task is given with `-T NAME=VALUE`: checked before anything is asked, refused in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.formats.wording import first_problem
from vivavoce.plugins.inspect_plugin.private import PrerequisiteError

T = TypeVar("T")


@contextmanager
def plainly() -> Iterator[None]:
    """What we refuse, Inspect refuses: with our text, and without a traceback."""
    try:
        yield
    except VivavoceError as error:
        raise PrerequisiteError(str(error)) from None


def checked(kind: type[T], given: Mapping[str, Any]) -> T:
    """The terms as a value of their kind; `none` stands for None, as on our own command line.

    Raises `BadInput` for what is of another type, or out of bounds.

    >>> from vivavoce.certificate.claims.claim import Criterion
    >>> checked(Criterion, {"passing_grade": 1, "ridiculous_limit": "none"})
    Criterion(passing_grade=1.0, ridiculous_limit=None, delta=0.05)
    >>> checked(Criterion, {"passing_grade": "high"})
    Traceback (most recent call last):
    vivavoce.errors.BadInput: -T 'passing_grade': input should be a valid number, unable to parse string as a number
    """
    values = {name: None if value == "none" else value for name, value in given.items()}
    try:
        return TypeAdapter(kind).validate_python(values)
    except ValidationError as error:
        raise BadInput(f"-T {first_problem(error)}") from None
