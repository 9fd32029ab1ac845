"""Tuples as a sheet that people can read and correct in a spreadsheet program, safe from cells that are run as formulas."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from vivavoce.consistency.forecasts.tuples import QuestionTuple
from vivavoce.errors import BadInput
from vivavoce.formats.cells import guarded, unguarded
from vivavoce.formats.tables import read_table

BEFORE = ("number", "law", "id")
AFTER = ("verdict", "keep", "reason")
QUESTION = "question "
"""Begins the names of the columns that hold questions."""
MOST_COLUMNS = 200
_DELIMITERS = ",;\t"
"""Spreadsheet programs write semicolons where the comma is the decimal mark."""


def write_sheet(file: Path, tuples: Sequence[QuestionTuple]) -> None:
    """Write tuples as a new CSV file, one a row, with columns `keep` and `reason` to be filled in.

    It begins with a byte order mark, by which spreadsheet programs know UTF-8. Raises `BadInput` if the file exists already (a
    person's work may be in it), or if the laws have too many statements of different names.
    """
    names = tuple(dict.fromkeys(name for one in tuples for name in one.questions))
    if len(names) > MOST_COLUMNS:
        raise BadInput(f"{len(names)} statements of different names are too many columns: export one law at a time")
    try:
        with file.open("x", encoding="utf-8-sig", errors="replace", newline="") as stream:
            sheet = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
            sheet.writerow((*BEFORE, *(guarded(f"{QUESTION}{name}") for name in names), *AFTER))
            for number, one in enumerate(tuples, start=1):
                questions = (one.questions.get(name, "") for name in names)
                verdict = f"{one.status}: {one.reason}" if one.reason else one.status
                cells = (str(number), one.law, one.id, *questions, verdict, "", "")
                sheet.writerow([guarded(cell) for cell in cells])
    except FileExistsError:
        raise BadInput(f"'{file}' exists already, and may hold somebody's review: give another name") from None


def read_sheet(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a sheet by column, each with its line number. Raises `BadFile` for what is no sheet of ours."""
    for line, row in read_table(file, (*BEFORE, *AFTER), delimiters=_DELIMITERS, cut=True).rows:
        yield line, {name: unguarded(cell) for name, cell in row.items()}
