"""Documents that were altered at one place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """All that stands in a document, by the way to it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, entry in inner:
        yield (*path, step)
        yield from places(entry, (*path, step))


def altered_at(document: dict[str, Any], path: Sequence[str | int], value: Any) -> dict[str, Any]:
    """The document with another value at the end of that way."""
    altered: dict[str, Any] = json.loads(json.dumps(document))
    *steps, last = path
    position: Any = altered
    for step in steps:
        position = position[step]
    position[last] = value
    return altered
