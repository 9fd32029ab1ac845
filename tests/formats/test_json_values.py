"""What `json_keys` name exists, and what is written comes in their order."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

import vivavoce
from vivavoce.formats.json_values import to_json

SOURCE = Path(vivavoce.__file__).parent
MODULES = sorted(
    ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)
    for file in SOURCE.rglob("*.py")
    if "\n    json_keys = " in file.read_text("utf-8")
)


@dataclass(frozen=True, slots=True)
class Room:
    name: str
    size: float
    title: str = ""
    json_keys = "room=name title? more?=size *parts"

    @property
    def parts(self) -> dict[str, object]:
        return {"doors": 2, "size": self.size}


def test_keys_are_renamed_left_out_and_put_in() -> None:
    assert list(to_json(Room("hall", 0.0)).items()) == [("room", "hall"), ("doors", 2), ("size", 0.0)]
    assert list(to_json([Room("hall", 2.5, "Great hall")])[0]) == ["room", "title", "more", "doors", "size"]


@pytest.mark.parametrize("module", MODULES)
def test_the_attributes_that_keys_name_exist(module: str) -> None:
    for kind in vars(import_module(module)).values():
        keys = vars(kind).get("json_keys") if isinstance(kind, type) and kind.__module__ == module else None
        for word in keys.split() if isinstance(keys, str) else ():
            name = word.removeprefix("*").rpartition("=")[2].removesuffix("?").partition(".")[0]
            assert hasattr(kind, name) or name in getattr(kind, "__annotations__", {}), (kind, name)
