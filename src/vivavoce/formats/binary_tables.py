"""Reads Parquet, Arrow and Excel files in a bounded process, since they may be hostile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, MissingExtra
from vivavoce.formats import bounds
from vivavoce.formats.bounded_process import OutOfBoundsError, answers_of
from vivavoce.formats.bounds import RowCount, check_zip
from vivavoce.formats.lines import ending
from vivavoce.formats.table_child import SAVE
from vivavoce.formats.tables import check_names

_CHILD: Final = Path(__file__).with_name("table_child.py")


def parts_of(file: Path, *, remedy: str, sheet: str = "") -> Iterator[Any]:
    """Read a file in a bounded process: first an object with its `sheets` or `names`, then its rows as lists of values.

    remedy: advice for a file that is too large.

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
    """Decode a value from `table_child`."""
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


COLUMNAR: Final = (".parquet", ".arrow", ".feather")
"""Suffixes of their names."""


def check_columnar() -> None:
    """Raise `MissingExtra` if pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", extra="parquet")


def columnar_rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet, Arrow or Feather file, each with all columns; a missing value is None.

    Raises `BadFile` for a file of another format or one that unpacks to too much, and `MissingExtra`.
    """
    form = ending(file, COLUMNAR)
    if file.suffix.lower() == ".gz":
        raise BadFile(file, f"is packed: unpack it, since a {form} file has its own compression")
    check_columnar()
    parts = parts_of(file, remedy="split it, or write it as JSON Lines")
    names = next(parts)["names"]
    check_names(file, names, line=None)
    counted = RowCount(file)
    for number, values in enumerate(parts, 1):
        row = dict(zip(names, values, strict=True))
        counted.add(row, number)
        yield row


def there(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without missing values: None and NaN, the empty cells of data frames.

    >>> there({"question": "What is 6 times 7?", "answer": 42, "category": None, "weight": float("nan")})
    {'question': 'What is 6 times 7?', 'answer': 42}
    """
    return {name: value for name, value in row.items() if value is not None and not (isinstance(value, float) and isnan(value))}


WORKBOOK: Final = ".xlsx"
"""Suffix of workbooks' names."""


def sheet_rows(file: Path, sheet: str = "") -> Iterator[tuple[int, list[Any]]]:
    """The non-empty rows of a sheet, with their numbers: texts, numbers, booleans, dates and times; an empty cell is "".

    An error in a cell is its text, such as `#REF!`.

    sheet: its name; empty: the only sheet with content.

    Raises `BadFile` for a file that is not a workbook, is too large, or has several such sheets, and `MissingExtra`.
    """
    if find_spec("python_calamine") is None:
        raise MissingExtra("python-calamine", extra="excel")
    check_zip(file, unreadable=f"is not a readable workbook: {SAVE}", split="split it, or save the sheet as CSV")
    parts = parts_of(file, remedy="split it, or save the sheet as CSV", sheet=sheet)
    there = next(parts)["sheets"]
    sheets = [name for name, is_filled in there if is_filled]
    if sheet and sheet not in dict(there):
        raise BadFile(file, f"no sheet '{sheet[:80]}': the sheets are {', '.join(dict(there))[:200]}")
    if not sheet and len(sheets) > 1:
        named = f"{len(sheets)} sheets have content, {', '.join(sheets)[:200]}"
        raise BadFile(file, f"{named}: name one after the file, as ?sheet={sheets[0][:80]}")
    counted = RowCount(file)
    for line, cells in enumerate(parts, 1):
        values = [_whole(cell) for cell in cells]
        if any(value != "" and not (isinstance(value, str) and value.isspace()) for value in values):
            counted.add(values, line)
            yield line, values


def _whole(cell: Any) -> Any:
    """The value of a cell; workbooks store whole numbers as floats, so these become whole numbers again."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15 else cell
