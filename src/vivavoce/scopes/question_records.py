"""The raw records of a question file, its column names, and how it was read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.binary_tables import COLUMNAR, WORKBOOK, columnar_rows, sheet_rows, there
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, text_encoding
from vivavoce.formats.records import records
from vivavoce.formats.tables import check_names, read_table
from vivavoce.scopes.column_names import ColumnNames

FORMATS: Final = (*JSON_LINES, ".json", ".csv", ".tsv", *COLUMNAR, WORKBOOK)
"""How names of files of questions end, those of text also with `.gz` behind."""

_RULE: Final = re.compile(r":?-+:?")
"""A cell of the line under the names of a table in Markdown."""


class Records(NamedTuple):
    """The records of a file, with the names that they have there."""

    file: Path
    columns: tuple[str, ...]
    """All names, in the order in which they first occur."""
    rows: Sequence[tuple[int, Mapping[str, Any]]]
    """Each with its line or number, without what is missing."""
    head: int | None = None
    """The line that names the columns; None if there is none."""
    are_cells: bool = False
    """Whether all values are texts, in which `|` separates several."""
    notes: tuple[str, ...] = ()
    """What to say about how it was read."""
    semicolons: bool = False
    """Whether these stand between cells, as where a comma is the decimal sign."""


def read_records(file: Path, names: ColumnNames, *, sheet: str = "") -> Records:
    """The records of a file of any kind. Raises `BadFile`, and `MissingExtra`.

    Parameters
    ----------
    names: what its columns mean, by which it may be found what stands between the cells of a table.
    sheet: of a workbook, where several hold something.
    """
    form = ending(file, FORMATS)
    if sheet and form != WORKBOOK:
        raise BadInput(f"sheet={sheet[:40]}: only a workbook ({WORKBOOK}) has sheets")
    if form == WORKBOOK:
        return _of_sheet(file, sheet)
    if form in COLUMNAR:
        return _typed(file, [(number, there(row)) for number, row in enumerate(columnar_rows(file), 1)])
    if form == ".json":
        return _typed(file, list(records(file)))
    encoding = text_encoding(file)
    notes: tuple[str, ...] = ()
    if encoding.sample:
        notes = (f"The file is not UTF-8 and was read as Windows-1252, with words such as “{encoding.sample[:40]}”.",)
    if form in JSON_LINES:
        return _typed(file, list(json_lines(file, encoding=encoding.name)), notes)
    sought = tuple(column for columns in names.said.values() for column in columns)
    table = read_table(file, sought=sought, cut=True, encoding=encoding.name)
    rows = [(line, row if all(map(str.strip, row.values())) else _without_blanks(row)) for line, row in table.rows]
    if table.delimiter == "|" and rows and all(map(_RULE.fullmatch, map(str.strip, rows[0][1].values()))):
        del rows[0]
    names_of = _filled(table.names, rows)
    return Records(file, names_of, rows, table.line, are_cells=True, notes=notes, semicolons=table.delimiter == ";")


def _without_blanks(row: dict[str, str]) -> dict[str, str]:
    return {name: cell for name, cell in row.items() if cell and not cell.isspace()}


def _filled(names: tuple[str, ...], rows: Sequence[tuple[int, Mapping[str, Any]]]) -> tuple[str, ...]:
    """The column names; an unnamed column counts only if it has values."""
    if "" in names and not any("" in row for _, row in rows):
        return tuple(filter(None, names))
    return tuple(dict.fromkeys(names))


def _typed(file: Path, rows: Sequence[tuple[int, Mapping[str, Any]]], notes: tuple[str, ...] = ()) -> Records:
    return Records(file, tuple(dict.fromkeys(column for _, row in rows for column in row)), rows, notes=notes)


def _of_sheet(file: Path, sheet: str) -> Records:
    """The records of a sheet, of which the first row that is not empty names the columns."""
    rows = list(sheet_rows(file, sheet))
    if not rows:
        return Records(file, (), [])
    head, cells = rows[0]
    names = tuple(str(cell).strip() for cell in cells)
    check_names(file, names, line=head)
    pairs = []
    for line, values in rows[1:]:
        if any(value != "" for value in values[len(names) :]):
            raise BadFile(file, f"{len(values)} cells under {len(names)} columns: name the columns of all of them", line=line)
        pairs.append((line, {name: value for name, value in zip(names, values, strict=False) if value != ""}))
    return Records(file, _filled(names, pairs), pairs, head, are_cells=True)
