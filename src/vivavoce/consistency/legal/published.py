"""What `fluri2024` reports about its own classifier of cases."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal


@cache
def published(table: Literal["measures", "training", "flips"]) -> Mapping[str, Any]:
    """One table of `published.toml`.

    >>> published("measures")["f1"]
    0.869
    """
    text = files("vivavoce.consistency.legal").joinpath("published.toml").read_text(encoding="utf-8")
    figures: Mapping[str, Any] = tomllib.loads(text)[table]
    return figures
