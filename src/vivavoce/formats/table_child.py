"""The process that reads workbooks, Parquet and Arrow; `bounded_process` runs it by its path.

It imports nothing from this package. Its input is one JSON object: `file`, `form` (the suffix of such files), `sheet`, and the
bounds `rows`, `values` and `characters`. Its output is JSON lines. The first has a workbook's `sheets`, each with whether it
has content, or else the `names` of the columns. Then come the rows, each a list, and `{"problem": ...}` if it ends early.
"""

from __future__ import annotations

import datetime
import json
import posixpath
import re
import sys
import zipfile
from collections.abc import Iterator
from importlib import import_module
from typing import Any
from xml.etree import ElementTree

SAVE = "save it as .xlsx without a password, or the sheet as CSV"
BATCH = 256
"""Number of rows that are unpacked together."""
LONGEST = 1 << 22
"""The most characters of a cell."""
CELL = re.compile(rb"<(?:\w+:)?c\b((?:[^>/]|/(?!>))*)>(.*?)</(?:\w+:)?c>", re.DOTALL)
PLACE = re.compile(rb"\br\s*=\s*[\"']([A-Za-z]{1,3})(\d{1,7})[\"']")
ERROR = re.compile(rb"\bt\s*=\s*[\"']e[\"']")
VALUE = re.compile(rb"<(?:\w+:)?v\b[^>]*>([^<]*)<")
FORMULA = re.compile(rb"<(?:\w+:)?f\b")


class RowWriter:
    """Writes rows until there are too many rows, values or characters."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self._asked = asked
        self._rows = self._values = self._characters = 0

    def write(self, row: list[Any]) -> None:
        """Write a row. Raises `TableProblem`."""
        cells = [_plain(cell) for cell in row]
        self._rows += 1
        self._values += len(cells)
        line = json.dumps(cells)
        self._characters += len(line)
        for name, size in (("rows", self._rows), ("values", self._values), ("characters", self._characters)):
            if size > self._asked[name]:
                raise TableProblem(f"unpacks to more than {self._asked[name]:,} {name}, at row {self._rows}")
        sys.stdout.write(line + "\n")


class TableProblem(Exception):
    """Why a file is not read; `remedy`: the advice, if it is not to split the file."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.remedy = remedy


def read_workbook(asked: dict[str, Any]) -> None:
    """Write the sheets, and the rows of one of them."""
    import python_calamine

    file, wanted = asked["file"], asked["sheet"]
    try:
        with python_calamine.CalamineWorkbook.from_path(file) as book:
            names = list(book.sheet_names)
            filled = {}
            for name in names:
                sheet = book.get_sheet_by_name(name)
                filled[name] = sheet.start is not None
                if wanted == name or (not wanted and filled[name] and sum(filled.values()) == 1):
                    chosen, rows = name, sheet.to_python(skip_empty_area=False)
            head({"sheets": list(filled.items())})
            if (wanted and wanted not in names) or (not wanted and sum(filled.values()) != 1):
                return
        unknown = _mark_unworked(file, chosen, rows)
    except (python_calamine.CalamineError, zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError, OSError) as error:
        raise TableProblem(f"is not a readable workbook ({type(error).__name__})", SAVE) from None
    if unknown:
        raise TableProblem("has values that were not computed, in cells without a position", SAVE)
    writer = RowWriter(asked)
    for row in rows:
        writer.write(row)


def read_columns(asked: dict[str, Any]) -> None:
    """Write the names of the columns and all rows, in batches."""
    pa: Any = import_module("pyarrow")
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    kind = "Parquet" if asked["form"] == ".parquet" else "Arrow"
    writer = RowWriter(asked)
    try:
        with pa.OSFile(asked["file"]) as source:
            for batch in (_parquet if kind == "Parquet" else _arrow)(source, asked["rows"]):
                _write_batch(batch, writer)
    except (pa.ArrowException, OSError, UnicodeDecodeError, RecursionError) as error:
        raise TableProblem(f"is not a readable {kind} file ({type(error).__name__})", "write it again") from None


def _parquet(source: Any, most: int) -> Iterator[Any]:
    # with pre_buffer, the bytes of all row groups would stay in memory
    with import_module("pyarrow.parquet").ParquetFile(source, pre_buffer=False) as table:
        head({"names": table.schema_arrow.names})
        if table.metadata.num_rows > most:
            raise TableProblem(f"has {table.metadata.num_rows:,} rows, and at most {most:,} are read")
        yield from table.iter_batches(batch_size=BATCH)


def _arrow(source: Any, most: int) -> Iterator[Any]:
    """Batches of an Arrow file, with an index at its end or as a stream, as in caches of data sets."""
    pa: Any = import_module("pyarrow")
    is_file = source.read(6) == b"ARROW1"
    source.seek(0)
    reader = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
    head({"names": reader.schema.names})
    batches = (reader.get_batch(number) for number in range(reader.num_record_batches)) if is_file else reader
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        if rows > most:
            raise TableProblem(f"has {rows:,} rows or more, and at most {most:,} are read")
        yield from (batch.slice(start, BATCH) for start in range(0, batch.num_rows, BATCH))


def _write_batch(batch: Any, writer: RowWriter) -> None:
    try:
        columns = [column.to_pylist() for column in batch.columns]
    except (OverflowError, ValueError) as error:
        raise TableProblem(f"holds a date, time or span that is out of range ({error})", "write it as a text") from None
    for row in zip(*columns, strict=True):
        writer.write(list(row))


def _mark_unworked(file: str, sheet: str, rows: list[list[Any]]) -> bool:
    """Fill cells that a spreadsheet program could not compute, which are read as empty, with the text that it shows.

    Returns whether the position of any such cell is unknown.
    """
    with zipfile.ZipFile(file) as packed:
        content = packed.read(_part_of(packed, sheet))
    for cell in CELL.finditer(content):
        attributes, inside = cell.groups()
        value = VALUE.search(inside)
        if ERROR.search(attributes):
            shown = value[1].decode(errors="replace") if value else "#VALUE!"
        elif FORMULA.search(inside) and value is None:
            shown = "#VALUE!"  # a formula that no program has computed yet
        else:
            continue
        match = PLACE.search(attributes)
        if match is None:
            return True
        row, column = int(match[2]) - 1, _number(match[1].decode().upper()) - 1
        while len(rows) <= row:
            rows.append([])
        rows[row] += [""] * (column + 1 - len(rows[row]))
        rows[row][column] = shown
    return False


def _number(letters: str) -> int:
    result = 0
    for letter in letters:
        result = result * 26 + ord(letter) - 64
    return result


def _part_of(packed: zipfile.ZipFile, sheet: str) -> str:
    """The file inside a workbook that holds the sheet of that name."""
    book = ElementTree.fromstring(packed.read("xl/workbook.xml"))  # noqa: S314 -- in a process that is bounded
    links = ElementTree.fromstring(packed.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    targets = {link.get("Id"): str(link.get("Target")) for link in links}
    element = next(entry for entry in book.iter() if entry.tag.endswith("}sheet") and entry.get("name") == sheet)
    key = next(value for name, value in element.attrib.items() if name.endswith("}id"))
    target = targets[key]
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))


def _plain(cell: Any) -> Any:
    """A cell as JSON; objects, and values that JSON lacks, become an object with one key."""
    if isinstance(cell, str) and len(cell) > LONGEST:
        raise TableProblem(f"has a cell of {len(cell):,} characters, and at most {LONGEST:,} are read", "shorten it")
    if cell is None or isinstance(cell, str | bool | int | float):
        return cell
    if isinstance(cell, dict):
        return {"object": {str(name): _plain(value) for name, value in cell.items()}}
    if isinstance(cell, list | tuple):
        return [_plain(value) for value in cell]
    if isinstance(cell, datetime.date):
        return {"date": cell.isoformat()}
    if isinstance(cell, datetime.time):
        return {"time": cell.isoformat()}
    if isinstance(cell, bytes):
        return cell.decode(errors="replace")
    return str(cell)


def head(value: dict[str, Any]) -> None:
    """Write the line before the rows."""
    sys.stdout.write(json.dumps(value) + "\n")


def main() -> None:
    """Read and write."""
    asked = json.loads(sys.stdin.buffer.read())
    try:
        (read_workbook if asked["form"] == ".xlsx" else read_columns)(asked)
    except TableProblem as problem:
        head({"problem": str(problem), "remedy": problem.remedy})


if __name__ == "__main__":
    main()
