"""A heavy module that is imported by the first test that uses it, so that collecting tests stays light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True)
class LateImport:
    """Has the attributes of the module of this name; a test that asks for one is skipped where the module is missing."""

    module: str

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest asks everything that it collects for these
            raise AttributeError(name)
        return getattr(pytest.importorskip(self.module), name)
