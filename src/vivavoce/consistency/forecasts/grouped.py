"""Tables with a statement a row, whose rows are gathered into tuples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from vivavoce.errors import BadFile
from vivavoce.formats.tables import read_table

MOST_STATEMENTS: Final = 50


class Cell(NamedTuple):
    """What a row gives to its statement."""

    line: int
    text: str


class Group(NamedTuple):
    """The rows of one tuple."""

    line: int
    """Where it begins."""
    named: tuple[str, ...]
    """The cells that name it; the last one is the group."""
    cells: dict[str, Cell]
    """By statement, in the order of the file."""


def groups_of(file: Path, columns: Sequence[str]) -> Iterator[Group]:
    """The tuples of a table, in the order in which they begin.

    columns: what names the tuple, the group at last; then the column of the statement, and that of what is given for it.

    Raises `BadFile` with the line for a statement that stands there twice, too many of them, or one that stands alone.
    """
    groups: dict[tuple[str, ...], Group] = {}
    for line, row in read_table(file, columns, small=True, others=False).rows:
        *names, statement, text = (row[column].strip() for column in columns)
        named = tuple(names)
        cells = groups.setdefault(named, Group(line, named, {})).cells
        if statement in cells:
            raise BadFile(file, f"'{statement[:80]}' is there twice in group '{names[-1][:80]}': number the groups", line=line)
        if len(cells) == MOST_STATEMENTS:
            raise BadFile(file, f"group '{names[-1][:80]}' has more than {MOST_STATEMENTS} statements", line=line)
        cells[statement] = Cell(line, text)
    for group in groups.values():
        if len(group.cells) == 1:
            alone = f"'{next(iter(group.cells))[:80]}' stands alone in group '{group.named[-1][:80]}'"
            raise BadFile(file, f"{alone}: give a row for each statement of the law, under the same group", line=group.line)
        yield group
