"""Checks whether a reply's JSON conforms to an untrusted schema, without fetching anything or running patterns.

Schemas that refer to each other, and replies that are nested, can need exponentially many steps. Steps are counted, not
seconds: so the grade is the same on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import unquote

from vivavoce.errors import BadInput, MissingExtra
from vivavoce.formats.yaml_file import EXTRA

REFUSED: Final = ("pattern", "patternProperties", "$dynamicRef", "$recursiveRef", "$id", "id")
"""Schema keywords that could make a check endless, or fetch something."""
MOST_STEPS: Final = 50_000
"""Most keywords checked, and items compared by them, for one reply."""
MOST_APPLIED: Final = 1_000
"""Most schemas that one schema applies to one value, by allOf, $ref and others."""
_LISTED: Final = ("allOf", "anyOf", "oneOf")
_SINGLE: Final = ("not", "if", "then", "else")


class UndecidedError(Exception):
    """A reply takes too many steps to check."""


@dataclass
class Steps:
    """Remaining steps for a reply."""

    left: int = MOST_STEPS

    def take(self, number: int) -> None:
        """Raises `UndecidedError` if fewer are left."""
        self.left -= number
        if self.left < 0:
            raise UndecidedError


_steps: ContextVar[Steps] = ContextVar("_steps")


def check_schema(schema: Any) -> None:
    """Raises `BadInput` for an invalid or unsupported schema, and `MissingExtra`.

    >>> check_schema({"type": "object", "properties": {"name": {"pattern": "(a+)+"}}})
    Traceback (most recent call last):
    vivavoce.errors.BadInput: the JSON schema has 'pattern', which is not used here: leave it out
    """
    if find_spec("jsonschema") is None:
        raise MissingExtra("jsonschema", extra=EXTRA)
    if not isinstance(schema, dict | bool):
        raise BadInput(f"a JSON schema is an object, not {str(schema)[:80]!r}")
    for inside, names in _mappings(schema):
        word = None if names else next((name for name in REFUSED if isinstance(inside.get(name), str | dict)), None)
        reference = inside.get("$ref")
        if isinstance(reference, str) and not reference.startswith(("#/definitions/", "#/$defs/")):
            word = f"$ref: {reference[:80]}"
        if inside is not schema and not names and "$schema" in inside:
            word = "$schema"  # by which the library would take another validator, which takes no steps
        if word is not None:
            raise BadInput(f"the JSON schema has '{word}', which is not used here: leave it out")
    _check_applied(schema)
    _validator(json.dumps(schema, sort_keys=True))


def conforms(value: Any, schema: Any, steps: Steps | None = None) -> bool:
    """Whether a JSON value conforms to a checked schema (draft 7). Raises `UndecidedError`."""
    before = _steps.set(steps or Steps())
    try:
        return bool(_validator(json.dumps(schema, sort_keys=True)).is_valid(value))
    except (RecursionError, ArithmeticError):
        raise UndecidedError from None
    finally:
        _steps.reset(before)


def _check_applied(schema: Any) -> None:
    """Refuse schemas that apply too many schemas to one value. Raises `BadInput`."""
    applied: dict[int, int] = {}
    unfinished: set[int] = set()

    def count(part: Any) -> int:
        if not isinstance(part, dict):
            return 1
        if id(part) in unfinished:
            raise BadInput("the JSON schema refers to itself for the same value: leave that $ref out")
        if id(part) not in applied:
            unfinished.add(id(part))
            applied[id(part)] = 1 + sum(map(count, _applied(schema, part)))
            unfinished.discard(id(part))
        if applied[id(part)] > MOST_APPLIED:
            raise BadInput(f"the JSON schema applies more than {MOST_APPLIED:,} schemas to one value: make it simpler")
        return applied[id(part)]

    try:
        for inside, names in _mappings(schema):
            if not names:
                count(inside)
    except RecursionError:
        raise BadInput("the JSON schema has too long a chain of $ref: make it simpler") from None


def _applied(schema: Any, part: dict[str, Any]) -> list[Any]:
    """The schemas that a part of a schema applies to the same value."""
    if isinstance(part.get("$ref"), str):
        return [_target(schema, part["$ref"])]
    listed = [entry for name in _LISTED if isinstance(part.get(name), list) for entry in part[name]]
    dependencies = part.get("dependencies")
    depending = list(dependencies.values()) if isinstance(dependencies, dict) else []
    return [*listed, *(part[name] for name in _SINGLE if name in part), *depending]


def _target(schema: Any, reference: str) -> Any:
    result = schema
    for step in unquote(reference).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        try:
            result = result[int(name)] if isinstance(result, list) else result[name]
        except (LookupError, TypeError, ValueError):
            raise BadInput(f"the JSON schema refers to '{reference[:80]}', which is not there: correct that $ref") from None
    return result


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    jsonschema: Any = import_module("jsonschema")
    wanted = json.loads(schema)
    try:
        jsonschema.Draft7Validator.check_schema(wanted)
    except jsonschema.SchemaError as error:
        raise BadInput(f"the JSON schema is not valid: {error.message[:200]}") from None
    return _counting_validator()(wanted)


@cache
def _counting_validator() -> Any:
    """The validator of draft 7 with keywords that count steps."""
    jsonschema: Any = import_module("jsonschema")
    usual = {**jsonschema.Draft7Validator.VALIDATORS, "uniqueItems": _unique_items}
    keywords = {name: _counting(check) for name, check in usual.items()}
    return jsonschema.validators.extend(jsonschema.Draft7Validator, keywords)


def _counting(check: Callable[..., Any]) -> Callable[..., Any]:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        sizes = [len(entry) for entry in (value, instance) if isinstance(entry, dict | list)]
        _steps.get().take(1 + sum(sizes))
        return check(validator, value, instance, schema)

    return counted


def _unique_items(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Like the library's own keyword, but in linear time."""
    if wanted and isinstance(instance, list) and len(set(map(_hashable, instance))) < len(instance):
        yield import_module("jsonschema").ValidationError("has an item twice")


def _hashable(value: Any) -> Hashable:
    """A key that is equal for equal JSON values: numbers by value, and true is not 1."""
    if isinstance(value, dict):
        return dict, frozenset((name, _hashable(inside)) for name, inside in value.items())
    if isinstance(value, list):
        return list, tuple(map(_hashable, value))
    return isinstance(value, bool), value


def _mappings(value: Any, *, names: bool = False) -> Iterator[tuple[dict[str, Any], bool]]:
    """All mappings in a schema, and whether their keys are the names of properties."""
    if isinstance(value, dict):
        yield value, names
        for key, inside in value.items():
            yield from _mappings(inside, names=key in ("properties", "definitions", "$defs") and not names)
    elif isinstance(value, list):
        for inside in value:
            yield from _mappings(inside)
