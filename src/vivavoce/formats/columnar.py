"""Files of columns with types: Parquet, and Arrow's own, which Feather is another name of. They need `vivavoce[parquet]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, MissingExtra
from vivavoce.formats.binary_table import parts_of
from vivavoce.formats.bounds import RowCount
from vivavoce.formats.lines import ending
from vivavoce.formats.tables import check_names

COLUMNAR: Final = (".parquet", ".arrow", ".feather")
"""How their names end."""


def check_columnar() -> None:
    """Raises `MissingExtra` where such files can be neither read nor written."""
    if find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", extra="parquet")


def columnar_rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, each with the values of all columns; None where there is none.

    Raises `BadFile` for a file that is not what its name says or unpacks to too much, and `MissingExtra`.
    """
    form = ending(file, COLUMNAR)
    if file.suffix.lower() == ".gz":
        raise BadFile(file, f"is packed: unpack it, since a {form} file is packed in itself")
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
    """A row without the values that are missing: None, and what is no number, as data frames have it for an empty cell.

    >>> there({"question": "What is 6 times 7?", "answer": 42, "category": None, "weight": float("nan")})
    {'question': 'What is 6 times 7?', 'answer': 42}
    """
    return {name: value for name, value in row.items() if value is not None and not (isinstance(value, float) and isnan(value))}
