"""Rows of results as files: CSV for spreadsheets, JSON Lines, and Parquet for data frames."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Literal, get_args

from vivavoce.errors import BadInput
from vivavoce.formats.binary_tables import check_columnar
from vivavoce.formats.cells import guarded_text
from vivavoce.formats.lines import whole
from vivavoce.interview.results import COLUMNS, ResultRow

Format = Literal["csv", "jsonl", "parquet"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
_ESCAPES: Final = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""Of control characters that JSON takes as they are."""
GROUP: Final = 10_000
"""Rows that are written to Parquet together."""


def named_format(file: Path) -> Format | None:
    """The format that a file's name asks for.

    >>> named_format(Path("rows.CSV")), named_format(Path("rows.xlsx"))
    ('csv', None)
    """
    return next((name for name in FORMATS if file.suffix.lower() == f".{name}"), None)


def format_of(file: Path) -> Format:
    """The same, of a file that can be written here: raises `BadInput` and `MissingExtra`."""
    form = named_format(file)
    if form is None:
        raise BadInput(f"'{file}' ends in none of .csv, .jsonl and .parquet: give it one of these endings")
    check_format(form)
    return form


def check_format(form: Format) -> None:
    """Refuse a format for which something is not installed: raises `MissingExtra`."""
    if form == "parquet":
        check_columnar()


def write_results(file: Path, rows: Iterable[ResultRow], *, front: Sequence[str] = (), form: Format | None = None) -> int:
    """Write a file as a whole or not at all, in place of one that is there; returns how many rows it has.

    CSV begins with a byte order mark, by which Excel knows UTF-8, and no text of it is run as a formula: one that begins like
    one has an apostrophe before it, and control characters are pictures (`cells.unguarded` undoes both). Numbers are written as
    numbers. A score that there is none of is an empty cell, or null.

    Parameters
    ----------
    front: names of the columns before the others.
    form: None: by the file's name.

    Raises `BadFile`, and what `format_of` raises.
    """
    form = form or format_of(file)
    with whole(file) as stream:
        return write_rows(stream, rows, front=front, form=form)


def write_rows(stream: IO[bytes], rows: Iterable[ResultRow], *, front: Sequence[str], form: Format) -> int:
    """The same into a stream."""
    columns = (*front, *COLUMNS)
    if form == "parquet":
        return _write_parquet(stream, rows, columns)
    text = TextIOWrapper(stream, encoding="utf-8-sig" if form == "csv" else "utf-8", errors="replace", newline="")
    try:
        return (_write_csv if form == "csv" else _write_lines)(text, rows, columns)
    finally:
        text.detach()


def _write_csv(text: TextIOWrapper, rows: Iterable[ResultRow], columns: Sequence[str]) -> int:
    sheet = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    sheet.writerow(columns)
    number = 0
    for number, row in enumerate(rows, 1):  # noqa: B007 -- it is returned
        sheet.writerow([guarded_text(cell) if isinstance(cell, str) else cell for cell in row.cells])
    text.flush()
    return number


def _write_lines(text: TextIOWrapper, rows: Iterable[ResultRow], columns: Sequence[str]) -> int:
    number = 0
    for number, row in enumerate(rows, 1):  # noqa: B007 -- it is returned
        values = dict(zip(columns, row.cells, strict=True))
        text.write(f"{line_of(values)}\n")
    text.flush()
    return number


def line_of(values: Mapping[str, Any]) -> str:
    """The values as a line of JSON; no control character stands in it as it is.

    >>> line_of({"reply": "\\x1b[2J\\x9bé"})
    '{"reply": "\\\\u001b[2J\\\\u009bé"}'
    """
    return json.dumps(values, ensure_ascii=False, allow_nan=False).translate(_ESCAPES)


def _write_parquet(stream: IO[bytes], rows: Iterable[ResultRow], columns: Sequence[str]) -> int:
    pa, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    numbers = {"score": pa.float64(), "seconds": pa.float64(), "tokens": pa.int64()}
    schema = pa.schema([(name, numbers.get(name, pa.string())) for name in columns])
    number = 0
    with parquet.ParquetWriter(stream, schema) as sink:
        for group in _groups(rows):
            number += len(group)
            columns_of_it = zip(*(row.cells for row in group), strict=True)
            arrays = [_array(pa, cells, of.type) for cells, of in zip(columns_of_it, schema, strict=True)]
            sink.write_table(pa.table(arrays, schema=schema))
    return number


def _array(pa: Any, cells: Sequence[Any], kind: Any) -> Any:
    """A column; halves of surrogate pairs, which no file can hold, become question marks."""
    try:
        return pa.array(cells, type=kind)
    except UnicodeEncodeError:
        return pa.array([_unicode(cell) for cell in cells], type=kind)


def _groups(rows: Iterable[ResultRow]) -> Iterator[list[ResultRow]]:
    waiting = iter(rows)
    while group := list(islice(waiting, GROUP)):
        yield group


def _unicode(cell: Any) -> Any:
    """A text without halves of surrogate pairs, which no file can hold."""
    return cell.encode(errors="replace").decode() if isinstance(cell, str) else cell
