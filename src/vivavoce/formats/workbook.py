"""Workbooks of spreadsheet programs (.xlsx), which may be hostile: read in a process of its own. They need `vivavoce[excel]`.

A small file may unpack to very much, or say that it has a cell in the last row and column, for which its reader would take all
memory there is. So what it unpacks to is bounded beforehand, and the process in time, memory and what it writes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, MissingExtra
from vivavoce.formats.bounded_process import BOUNDS, answer_of

WORKBOOK: Final = ".xlsx"
"""How names of workbooks end."""
MOST_UNPACKED: Final = 256 << 20
MOST_PARTS: Final = 10_000
MOST_WRITTEN: Final = 256 << 20
_CHILD: Final = Path(__file__).with_name("workbook_child.py")
_SAVE: Final = f"save it as {WORKBOOK} without a password, or the sheet as CSV"


def sheet_rows(file: Path, sheet: str = "") -> Iterator[tuple[int, list[Any]]]:
    """The rows of a sheet that hold something, each with its number: texts, numbers, truth values, dates and times; empty: "".

    What a spreadsheet program could not work out is the text that it shows, such as `#REF!`.

    sheet: its name; empty: the only one that holds something.

    Raises `BadFile` for what is no workbook, is too large, or has several such sheets, and `MissingExtra`.
    """
    if find_spec("python_calamine") is None:
        raise MissingExtra("python-calamine", extra="excel")
    _check_size(file)
    found = _read(file, sheet)
    if "problem" in found:
        raise BadFile(file, f"{found['problem']}: {_SAVE}")
    sheets = [name for name, is_filled in found["sheets"] if is_filled]
    if sheet and sheet not in dict(found["sheets"]):
        raise BadFile(file, f"no sheet '{sheet[:80]}': there are {', '.join(dict(found['sheets']))[:200]}")
    if not sheet and len(sheets) > 1:
        named = f"{len(sheets)} sheets hold something, {', '.join(sheets)[:200]}"
        raise BadFile(file, f"{named}: name one behind the file, as ?sheet={sheets[0][:80]}")
    for line, cells in enumerate(found["rows"], 1):
        values = [_value(cell) for cell in cells]
        if any(value != "" and not (isinstance(value, str) and value.isspace()) for value in values):
            yield line, values


def _check_size(file: Path) -> None:
    try:
        with zipfile.ZipFile(file) as packed:
            parts = packed.infolist()
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error
    except (zipfile.BadZipFile, NotImplementedError, ValueError, RuntimeError):
        raise BadFile(file, f"is not a workbook that can be read: {_SAVE}") from None
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
        raise BadFile(file, f"unpacks to more than {MOST_UNPACKED >> 20} MiB: split it, or save the sheet as CSV")


def _read(file: Path, sheet: str) -> dict[str, Any]:
    asked = {"file": str(file.resolve()), "sheet": sheet, "most": MOST_WRITTEN}
    try:
        found: dict[str, Any] | None = answer_of(_CHILD, asked)
    except TimeoutError as error:
        raise BadFile(file, f"takes {error} to read: split it, or save the sheet as CSV") from None
    if found is None:
        raise BadFile(file, f"takes more than {BOUNDS} to read, or is damaged: split it, or save the sheet as CSV")
    return found


def _value(cell: Any) -> Any:
    match cell:
        case {"date": str(said)}:
            return datetime.fromisoformat(said) if "T" in said else date.fromisoformat(said)
        case {"time": str(said)}:
            return time.fromisoformat(said)
        case float() if cell.is_integer() and abs(cell) < 1e15:
            return int(cell)
    return cell
