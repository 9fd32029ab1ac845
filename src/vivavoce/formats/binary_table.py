"""Tables that are not text (workbooks, Parquet, Arrow), which may be hostile: read in a process of its own.

A file of some bytes may unpack to gigabytes, or crash the library that reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile
from vivavoce.formats import bounds
from vivavoce.formats.bounded_process import OutOfBoundsError, answers_of
from vivavoce.formats.lines import ending

_CHILD: Final = Path(__file__).with_name("table_child.py")


def parts_of(file: Path, *, remedy: str, sheet: str = "") -> Iterator[Any]:
    """What the process says of a file: an object with its `sheets` or its `names`, then its rows, each a list of values.

    remedy: what to do with a file that is too large.

    Raises `BadFile`.
    """
    try:
        size = file.stat().st_size
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error
    asked = {
        "file": str(file.resolve()),
        "form": ending(file),
        "sheet": sheet,
        "rows": bounds.MOST_ROWS,
        "values": bounds.MOST_VALUES,
        "characters": bounds.most_unpacked(size),
    }
    try:
        for part in answers_of(_CHILD, asked):
            if isinstance(part, dict) and "problem" in part:
                raise BadFile(file, f"{part['problem']}: {part['remedy'] or remedy}")
            yield [_value(cell) for cell in part] if isinstance(part, list) else part
    except OutOfBoundsError as error:
        raise BadFile(file, f"takes {error} to read, or is damaged: {remedy}") from None


def _value(cell: Any) -> Any:
    """A value that `table_child` has written."""
    if not isinstance(cell, list | dict):
        return cell
    match cell:
        case list():
            return [_value(inside) for inside in cell]
        case {"object": dict(inside)}:
            return {name: _value(value) for name, value in inside.items()}
        case {"date": str(said)}:
            return datetime.fromisoformat(said) if "T" in said else date.fromisoformat(said)
        case {"time": str(said)}:
            return time.fromisoformat(said)
    return cell
