"""Parses the options after the `?` of a candidate's name into typed values, and writes them in canonical form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, quote

from pydantic import TypeAdapter, ValidationError

from vivavoce.errors import BadInput, UnknownName

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")

UNNAMED: Mapping[str, Any] = {"unnamed": True}
"""Metadata of a field that changes no answer (a price, a pause) or must not be shown: the name omits it."""
SEVERAL: Mapping[str, Any] = {"several": True}
"""Metadata of a field that may be given more than once: a tuple of its values, in the given order."""


@dataclass(frozen=True, slots=True)
class NoOptions:
    """For a candidate without options."""


def read_options(query: str, form: type[T], *, of: str) -> T:
    """Read `a=1&b=2` into the dataclass `form`, whose annotations say what is allowed.

    Percent-encoding is undone; a plus sign is a plus sign. Raises `UnknownName` for an option that `form` does not have, and
    `BadInput` for one that is given twice, has no value, or has a wrong value.
    """
    pairs = parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)
    known = {field.name: field.metadata for field in fields(form)}
    given: dict[str, str | tuple[str, ...]] = {}
    for option, value in pairs:
        if option not in known:
            raise UnknownName(f"option of {of}", option, known)
        if known[option].get("several"):
            given[option] = (*given.get(option, ()), value)
            continue
        if option in given:
            raise BadInput(f"the option '{option}' of {of} is given twice: give it once")
        given[option] = value
    try:
        return TypeAdapter(form).validate_python(given)
    except ValidationError as error:
        raise BadInput(_first_problem(error, of)) from None


def canonical(options: DataclassInstance) -> str:
    """The options that change answers and are not at their default, as `?a=1&b=2` in the order of their definition."""
    pairs = [
        f"{field.name}={quote(_written(entry), safe=' /:,')}"
        for field in fields(options)
        if not field.metadata.get("unnamed") and (value := getattr(options, field.name)) != _default(field)
        for entry in (value if isinstance(value, tuple) else (value,))
    ]
    return "?" + "&".join(pairs) if pairs else ""


def _written(value: Any) -> str:
    """A value as a user would write it: 0, not 0.0."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _default(field: Field[Any]) -> Any:
    return None if field.default is MISSING else field.default


def _first_problem(error: ValidationError, of: str) -> str:
    first = error.errors(include_url=False)[0]
    option = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if not option:
        return f"the options of {of} do not fit together: {message}"
    return f"the option '{option}' of {of} is '{str(first['input'])[:80]}': {message[:1].lower()}{message[1:]}"
