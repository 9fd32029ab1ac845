"""Rows of data files of other tools, with their values; and files that such a file names."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile
from vivavoce.formats.binary_tables import COLUMNAR, columnar_rows
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, whole_json
from vivavoce.formats.tables import read_table

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
                file, f"holds one object without a list '{field}'" if field else "holds one object without a list of rows"
            )
        value = value[name]
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise BadFile(file, "must hold a list of objects, such as [{...}, {...}]")
    yield from enumerate(value, 1)
