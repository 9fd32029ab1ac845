"""What may stand in the cells of tables."""

from __future__ import annotations

from math import isfinite
from typing import Final

from vivavoce.errors import BadInput

FLAGS: Final = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}
"""Cells in small letters that say yes or no."""
HEAVIEST: Final = 1e100
"""Of weights, and 1 / `HEAVIEST` is the lightest but 0: squares of others are beyond what a computer's numbers hold."""
LAST_STAGE: Final = 999_999


def flag(cell: str, name: str) -> bool:
    """Yes or no, as 1 or 0."""
    if cell.lower() not in FLAGS:
        raise BadInput(f"{name} is {cell[:40]!r}: it is 0 or 1")
    return FLAGS[cell.lower()]


def number(cell: str, name: str) -> float:
    """A finite number that is not below 0."""
    try:
        value = float(cell)
    except ValueError:
        raise BadInput(f"{name} is {cell[:40]!r}: it is a number") from None
    if not isfinite(value) or value < 0:
        raise BadInput(f"{name} is {cell[:40]!r}: it is a finite number, 0 or more")
    return value


def chance(cell: str, name: str) -> float:
    """A number from 0 to 1."""
    value = number(cell, name)
    if value > 1:
        raise BadInput(f"{name} is {cell[:40]!r}: it is from 0 to 1")
    return value


def weight(cell: str, name: str) -> float:
    """How many others something stands for."""
    value = number(cell, name)
    if value and not 1 / HEAVIEST <= value <= HEAVIEST:
        raise BadInput(f"{name} is {cell[:40]!r}: it is 0, or from {1 / HEAVIEST:g} to {HEAVIEST:g}")
    return value
