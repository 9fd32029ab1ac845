"""Converts values to JSON, for every finding and file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from operator import attrgetter
from pathlib import PurePath
from typing import Any

from vivavoce.formats.interval import Interval


def to_json(value: object) -> Any:
    """Convert dataclasses, mappings, sequences, enumerations and numbers to JSON values.

    A dataclass becomes its public fields by name, or what its `json_keys` name (`values_by_key`), unless it has a method
    `as_json`. Its `interval` becomes `lower` and `upper`. Infinite numbers and NaN become null, sets sorted lists, and numpy's
    numbers and arrays plain ones. Raises `TypeError` for anything else.

    >>> from vivavoce.formats.interval import Estimate
    >>> to_json({"range": Interval(0.25, math.inf), "share": Estimate(0.5, Interval(0.25, 0.75), 8)})
    {'range': {'lower': 0.25, 'upper': None}, 'share': {'value': 0.5, 'lower': 0.25, 'upper': 0.75, 'n': 8}}
    """
    if value is None or (isinstance(value, bool | str | int) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return to_json(value.value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(to_json(name)): to_json(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(entry) for entry in value]
    if isinstance(value, Set):
        return sorted(to_json(entry) for entry in value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, PurePath):
        return str(value)
    return _of_object(value)


def _of_object(value: Any) -> Any:
    if hasattr(value, "as_json"):
        return to_json(value.as_json())
    if hasattr(value, "json_keys"):
        return to_json(values_by_key(value))
    if is_dataclass(value) and not isinstance(value, type):
        values = {field.name: getattr(value, field.name) for field in fields(value) if not field.name.startswith("_")}
        return {name: entry for field in values for name, entry in _of_field(field, values[field])}
    if hasattr(value, "tolist"):
        return to_json(value.tolist())
    raise TypeError(f"{type(value).__name__} cannot be written as JSON: make it a dataclass or give it a method as_json")


def _of_field(name: str, value: object) -> Iterable[tuple[str, Any]]:
    if name == "interval" and isinstance(value, Interval):
        return (("lower", to_json(value.lower)), ("upper", to_json(value.upper)))
    return ((name, to_json(value)),)


def values_by_key(value: Any) -> dict[str, Any]:
    """What the `json_keys` of an object name, in their order, for `to_json` to convert.

    `json_keys` is a text of these words: `name` is an attribute; `key=name` or `key=name.other` is an attribute under another
    key; `key?` and `key?=name` are left out while empty (`given`); `*name` is an attribute whose entries are put in.

    >>> from types import SimpleNamespace
    >>> values_by_key(SimpleNamespace(a=1, b="", range=Interval(0, 1), more={"c": 2}, json_keys="a b? high=range.upper *more"))
    {'a': 1, 'high': 1, 'c': 2}
    """
    values: dict[str, Any] = {}
    for key, optional, attribute in _keys(value.json_keys):
        entry = attribute(value)
        if not key:
            values |= entry
        elif entry or not optional:
            values[key] = entry
    return values


def given(**values: object) -> dict[str, Any]:
    """The values that are not empty: not None, 0, False or without entries.

    >>> given(name="sums", title="", weight=None)
    {'name': 'sums'}
    """
    return {name: value for name, value in values.items() if value}


@cache
def _keys(text: str) -> list[tuple[str, bool, attrgetter[Any]]]:
    """Key (empty for entries that are put in), whether it is left out while empty, and how to get its value."""
    keys = []
    for word in text.split():
        key, _, name = word.removeprefix("*").partition("=")
        name = name or key.removesuffix("?")
        keys.append(("" if word[0] == "*" else key.removesuffix("?"), key.endswith("?"), attrgetter(name)))
    return keys
