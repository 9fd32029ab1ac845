"""Workbooks of spreadsheet programs (.xlsx), which may be hostile: read in a process of its own. They need `vivavoce[excel]`.

A small file may say that it has a cell in the last row and column, for which its reader would take all memory there is.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, MissingExtra
from vivavoce.formats.binary_table import parts_of
from vivavoce.formats.bounds import RowCount, most_unpacked
from vivavoce.formats.table_child import SAVE

WORKBOOK: Final = ".xlsx"
"""How names of workbooks end."""
MOST_PARTS: Final = 10_000


def sheet_rows(file: Path, sheet: str = "") -> Iterator[tuple[int, list[Any]]]:
    """The rows of a sheet that hold something, each with its number: texts, numbers, truth values, dates and times; empty: "".

    What a spreadsheet program could not work out is the text that it shows, such as `#REF!`.

    sheet: its name; empty: the only one that holds something.

    Raises `BadFile` for what is no workbook, is too large, or has several such sheets, and `MissingExtra`.
    """
    if find_spec("python_calamine") is None:
        raise MissingExtra("python-calamine", extra="excel")
    _check_size(file)
    parts = parts_of(file, remedy="split it, or save the sheet as CSV", sheet=sheet)
    there = next(parts)["sheets"]
    sheets = [name for name, is_filled in there if is_filled]
    if sheet and sheet not in dict(there):
        raise BadFile(file, f"no sheet '{sheet[:80]}': there are {', '.join(dict(there))[:200]}")
    if not sheet and len(sheets) > 1:
        named = f"{len(sheets)} sheets hold something, {', '.join(sheets)[:200]}"
        raise BadFile(file, f"{named}: name one behind the file, as ?sheet={sheets[0][:80]}")
    counted = RowCount(file)
    for line, cells in enumerate(parts, 1):
        values = [_whole(cell) for cell in cells]
        if any(value != "" and not (isinstance(value, str) and value.isspace()) for value in values):
            counted.add(values, line)
            yield line, values


def _check_size(file: Path) -> None:
    try:
        with zipfile.ZipFile(file) as packed:
            parts = packed.infolist()
        most = most_unpacked(file.stat().st_size)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error
    except (zipfile.BadZipFile, NotImplementedError, ValueError, RuntimeError):
        raise BadFile(file, f"is not a workbook that can be read: {SAVE}") from None
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > most:
        raise BadFile(file, f"unpacks to more than {most >> 20} MiB: split it, or save the sheet as CSV")


def _whole(cell: Any) -> Any:
    """A cell; workbooks have no whole numbers, so that a float that is one is read as one."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15 else cell
