"""Manifests held against the schema that Kubernetes publishes, of which `lightkube-models` has a class for each object.

Its classes are made by a decorator of another package, which would bring a client for clusters; the one of the standard
library does as well.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from types import ModuleType, NoneType
from typing import Any, Union, get_args, get_origin, get_type_hints


def problems(manifest: Any) -> list[str]:
    """What of a manifest is not as the schema says: unknown and missing fields, and values of another type."""
    kind, version = manifest["kind"], str(manifest["apiVersion"])
    group, _, number = version.rpartition("/")
    made = ModuleType("lightkube.core.schema")
    vars(made).update(dataclass=dataclasses.dataclass, field=dataclasses.field, DictMixin=object)
    sys.modules.setdefault(made.__name__, made)
    module = import_module(f"lightkube.models.{(group or 'core').partition('.')[0]}_{number}")
    return list(_problems(getattr(module, kind), manifest, kind))


def _problems(kind: Any, value: Any, where: str) -> Iterator[str]:
    if is_dataclass(kind):
        if not isinstance(value, dict):
            yield f"{where} is no object"
            return
        hints = get_type_hints(kind)
        for name in value.keys() - hints.keys():
            yield f"{where} has no field '{name}'"
        for field in fields(kind):
            if field.name in value:
                yield from _problems(hints[field.name], value[field.name], f"{where}.{field.name}")
            elif field.default is MISSING and field.default_factory is MISSING:
                yield f"{where} lacks '{field.name}'"
        return
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Union:
        wanted = [argument for argument in arguments if argument is not NoneType]
        texts = [list(_problems(entry, value, where)) for entry in wanted]
        if all(texts):
            yield from texts[0]
    elif origin is list:
        if not isinstance(value, list):
            yield f"{where} is no list"
            return
        for number, entry in enumerate(value):
            yield from _problems(arguments[0], entry, f"{where}[{number}]")
    elif isinstance(kind, type) and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        yield f"{where} is {value!r}, which is no {kind.__name__}"
