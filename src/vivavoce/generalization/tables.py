"""CSV files with named columns, and what may stand in their cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.lines import table_rows

FLAGS: Final = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}
"""Cells in small letters that say yes or no."""
HEAVIEST: Final = 1e100
"""Of weights, and 1 / `HEAVIEST` is the lightest but 0: squares of others are beyond what a computer's numbers hold."""
LAST_STAGE: Final = 999_999

Row = tuple[int, dict[str, str]]
"""A line's number, and its cells by the names of their columns."""


def read_table(file: Path, needed: Sequence[str], form: str) -> tuple[list[str], Iterator[Row]]:
    """The names of a CSV file's columns, and its rows; gzipped if its name ends in `.gz`.

    Parameters
    ----------
    needed: columns that must be there, in any order; others may be.
    form: what the first line of such a file says, for the errors.

    Raises `BadFile`, for rows while they are taken.
    """
    rows = table_rows(file)
    line, header = next(rows, (0, []))
    if not line:
        raise BadFile(file, f"empty: its first line names the columns {form}")
    names = [name.strip() for name in header]
    missing = [name for name in needed if name not in names]
    if missing:
        raise BadFile(file, f"the column {missing[0]!r} is missing: such a file has {form}", line=line)
    double = next((name for name in names if name and names.count(name) > 1), None)
    if double is not None:
        raise BadFile(file, f"two columns are named {double[:80]!r}", line=line)
    return names, _by_name(file, names, rows)


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
        raise BadInput(f"{name} is {cell[:40]!r}: it is 0 or more")
    return value


def weight(cell: str, name: str) -> float:
    """How many others something stands for."""
    value = number(cell, name)
    if value and not 1 / HEAVIEST <= value <= HEAVIEST:
        raise BadInput(f"{name} is {cell[:40]!r}: it is 0, or from {1 / HEAVIEST:g} to {HEAVIEST:g}")
    return value


def _by_name(file: Path, names: Sequence[str], rows: Iterator[tuple[int, list[str]]]) -> Iterator[Row]:
    for line, row in rows:
        if len(row) != len(names):
            raise BadFile(file, f"{len(row)} cells under {len(names)} columns: quote cells that hold commas", line=line)
        yield line, dict(zip(names, row, strict=True))
