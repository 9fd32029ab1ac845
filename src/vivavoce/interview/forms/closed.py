"""JSON Schemas as strict servers take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def closed(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """Schema of an object that has all of these properties, in their order, and no others.

    >>> closed({"answer": {"type": "string"}})["required"]
    ['answer']
    """
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
