"""Files of other tools: rows with their values, the files that they name, and logged replies with their scores.

A logged score is in the reply's last line. A transcript then holds both, and a scope can score a reply without knowing its
origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
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
