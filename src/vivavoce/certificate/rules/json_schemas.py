"""Whether a reply's JSON conforms to a schema that a stranger wrote: nothing is fetched, and no pattern is run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from vivavoce.errors import BadInput, MissingExtra
from vivavoce.formats.yaml_file import EXTRA

REFUSED: Final = ("pattern", "patternProperties", "$dynamicRef", "$recursiveRef", "$id", "id")
"""Words of schemas by which a reply could take forever, or by which something would be fetched."""


def check_schema(schema: Any) -> None:
    """Raises `BadInput` for a schema that is none, or that is not used here, and `MissingExtra`.

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
        if word is not None:
            raise BadInput(f"the JSON schema has '{word}', which is not used here: leave it out")
    _validator(json.dumps(schema, sort_keys=True))


def conforms(value: Any, schema: Any) -> bool:
    """Whether a JSON value conforms to a checked schema (draft 7)."""
    try:
        return bool(_validator(json.dumps(schema, sort_keys=True)).is_valid(value))
    except RecursionError:
        return False


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    jsonschema: Any = import_module("jsonschema")
    wanted = json.loads(schema)
    try:
        jsonschema.Draft7Validator.check_schema(wanted)
    except jsonschema.SchemaError as error:
        raise BadInput(f"the JSON schema is none: {error.message[:200]}") from None
    return jsonschema.Draft7Validator(wanted)


def _mappings(value: Any, *, names: bool = False) -> Iterator[tuple[dict[str, Any], bool]]:
    """All mappings in a schema, and whether their keys are the names of properties."""
    if isinstance(value, dict):
        yield value, names
        for key, inside in value.items():
            yield from _mappings(inside, names=key in ("properties", "definitions", "$defs") and not names)
    elif isinstance(value, list):
        for inside in value:
            yield from _mappings(inside)
