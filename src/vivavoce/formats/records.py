"""Files of other tools: rows with their values, the files that they name, and logged replies with their scores.

A logged score is in the reply's last line. A transcript then holds both, and a scope can score a reply without knowing its
origin.

Reads Parquet, Arrow and Excel files in a bounded process, since they may be hostile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, MissingExtra
from vivavoce.formats import bounds
from vivavoce.formats.bounded_process import OutOfBoundsError, answers_of
from vivavoce.formats.bounds import RowCount, check_zip
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, whole_json
from vivavoce.formats.table_child import SAVE
from vivavoce.formats.tables import check_names, read_table

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


ROWS: Final = (*JSON_LINES, ".json", ".csv", ".tsv", *COLUMNAR)
"""Suffixes of files of rows; text files may also end in `.gz`."""


def records(file: Path, *, field: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a file as JSON values, each with its line or number.

    Parameters
    ----------
    field: the field with the list of rows in a `.json` file that is one object; empty: its only list.

    Raises `BadFile`, and `MissingExtra` for Parquet and Arrow.
    """
    form = ending(file, ROWS)
    if form in COLUMNAR:
        json: Iterator[tuple[int, dict[str, Any]]] = enumerate(columnar_rows(file), 1)
    elif form in JSON_LINES:
        json = json_lines(file)
    elif form == ".json":
        json = _json(file, field)
    else:
        json = ((line, dict(row)) for line, row in read_table(file, cut=True).rows)
    for line, row in json:
        yield line, {str(name): plain(value) for name, value in row.items()}


def plain(value: Any) -> Any:
    """A value as JSON: dates and keys become texts, and bytes are decoded as UTF-8.

    >>> from datetime import date
    >>> plain({1: (date(2026, 1, 2), b"x")})
    {'1': ['2026-01-02', 'x']}
    """
    match value:
        case None | bool() | int() | float() | str():
            return value
        case dict():
            return {str(name): plain(entry) for name, entry in value.items()}
        case list() | tuple():
            return [plain(entry) for entry in value]
        case date() | time():
            return value.isoformat()
        case bytes():
            return value.decode(errors="replace")
    return str(value)


def sibling_path(file: Path, named: str) -> Path:
    """The file that another file names, in its folder or below it. Raises `BadFile` if it is elsewhere or missing.

    >>> sibling_path(Path("tasks/sums.yaml"), "../../etc/passwd")
    Traceback (most recent call last):
    vivavoce.errors.BadFile: tasks/sums.yaml: names '../../etc/passwd', which is not in its folder: put that file there
    """
    path = named.removeprefix("file://")
    folder = file.parent.resolve()
    try:
        target = (folder / path).resolve()
        is_file = target.is_file()
    except (OSError, RuntimeError, ValueError):
        target, is_file = Path("/"), False
    if "://" in path or not target.is_relative_to(folder):
        raise BadFile(file, f"names '{named[:120]}', which is not in its folder: put that file there")
    if not is_file:
        raise BadFile(file, f"names '{named[:120]}', which does not exist")
    return file.parent / target.relative_to(folder)


def _json(file: Path, field: str) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        value = whole_json(file)
    except BadFile as error:
        if "Extra data" not in error.problem:
            raise
        yield from json_lines(file)  # many JSON Lines files are named so
        return
    if isinstance(value, dict):
        lists = [name for name, of in value.items() if isinstance(of, list)]
        name = field or (lists[0] if len(lists) == 1 else "")
        if name not in lists:
            raise BadFile(
                file, f"has one object without a list '{field}'" if field else "has one object without a list of rows"
            )
        value = value[name]
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise BadFile(file, "must hold a list of objects, such as [{...}, {...}]")
    yield from enumerate(value, 1)


_SAYS: Final = "Score in the log: "
_NONE: Final = "none"
_LAST: Final = re.compile(rf"(?:\A|\n){_SAYS}([0-9.e+-]{{1,30}}|{_NONE})\Z")


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One reply to one sample."""

    sample: str
    """The sample's id."""
    epoch: int
    """The repetition of the sample, from 1."""
    asked: str
    """The input in words."""
    target: str
    """The expected answer."""
    reply: str
    score: float | None
    """In [0, 1]; None without a score, such as after an error."""


@dataclass(frozen=True, slots=True)
class Log:
    """All replies of one candidate to the samples of one task."""

    file: str
    """The file's name, without folders."""
    digest: str
    """SHA-256 in hex of the file."""
    model: str
    task: str
    scorer: str
    """The name of the scorer."""
    answers: tuple[LoggedAnswer, ...]
    """Answers, at most one for each sample and epoch."""
    others: bool = False
    """Whether the log also holds scores of other scorers."""


def with_score(reply: str, score: float | None) -> str:
    """A reply with its score.

    >>> with_score("Paris", 0.5)
    'Paris\\n\\nScore in the log: 0.5'
    """
    return f"{reply}\n\n{_SAYS}{_NONE if score is None else repr(float(score))}"


def score_of(reply: str) -> float | None:
    """The score in the last line of a reply; None if there is none, or it is outside [0, 1].

    >>> score_of(with_score("Score in the log: 1.0", 0.25)), score_of(with_score("", None)), score_of("Score in the log: 7")
    (0.25, None, None)
    """
    match = _LAST.search(reply)
    try:
        value = float(match[1]) if match and match[1] != _NONE else -1.0
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
