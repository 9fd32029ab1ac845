"""Findings as readers are told them: what was found, with names for readers in place of those on record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from vivavoce.interview.finding import Signature
from vivavoce.report.reported import Reported

Found = TypeVar("Found", bound=Reported)


def in_names(finding: Found, called: Mapping[str, str]) -> Found:
    """The finding with every value that is exactly a name on record replaced by what readers are told; its signature stays.

    For presentation alone: what is written as JSON, compared or rechecked is the finding itself.
    """
    return cast(Found, _renamed(finding, called)) if called else finding


def _renamed(value: Any, called: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return called.get(value, value)
    if isinstance(value, Signature | type):
        return value
    if is_dataclass(value):
        given = ((field.name, getattr(value, field.name)) for field in fields(value) if field.init)
        changed = {name: new for name, old in given if (new := _renamed(old, called)) is not old}
        return replace(cast(Any, value), **changed) if changed else value
    if isinstance(value, Mapping):
        pairs = {_renamed(key, called): _renamed(one, called) for key, one in value.items()}
        return value if all(pairs.get(key) is one for key, one in value.items()) else pairs
    if isinstance(value, tuple | list):
        several = [_renamed(one, called) for one in value]
        if all(new is old for old, new in zip(value, several, strict=True)):
            return value
        return type(value)(*several) if hasattr(value, "_fields") else type(value)(several)
    return value
