"""Converts values to JSON, for every finding and file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from pathlib import PurePath
from typing import Any

from vivavoce.formats.interval import Interval


def to_json(value: object) -> Any:
    """Convert dataclasses, mappings, sequences, enumerations and numbers to JSON values.

    A dataclass becomes its public fields by name, unless it has a method `as_json`. Its `interval` becomes `lower` and `upper`.
    Infinite numbers and NaN become null, sets become sorted lists, and numpy's numbers and arrays become plain ones. Raises
    `TypeError` for anything else.

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
    if is_dataclass(value) and not isinstance(value, type):
        values = {field.name: getattr(value, field.name) for field in fields(value) if not field.name.startswith("_")}
        return {name: entry for field in values for name, entry in _of_field(field, values[field])}
    if hasattr(value, "tolist"):
        return to_json(value.tolist())
    raise TypeError(f"{type(value).__name__} has no form in JSON: make it a dataclass or give it a method as_json")


def _of_field(name: str, value: object) -> Iterable[tuple[str, Any]]:
    if name == "interval" and isinstance(value, Interval):
        return (("lower", to_json(value.lower)), ("upper", to_json(value.upper)))
    return ((name, to_json(value)),)
