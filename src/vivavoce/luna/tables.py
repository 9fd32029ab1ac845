"""Rows of the tables that Luna reads (games, answers, recorded answers), with checks that name the line. Readers of games and
readers of answers share this module, so neither imports the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from vivavoce.errors import BadFile
from vivavoce.formats.tables import read_table


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table."""

    file: Path
    line: int
    """0 if the file has no lines to name."""
    cells: Mapping[str, str]
    """Cells by column name in lower case."""

    def wrong(self, problem: str) -> BadFile:
        """The error to raise for this row."""
        return BadFile(self.file, problem, line=self.line or None)

    def name(self, column: str, longest: int) -> str:
        """A required name, without blanks at its ends."""
        value = self.cells[column].strip()
        if not 0 < len(value) <= longest:
            raise self.wrong(f"'{column}' has {len(value)} characters; it must have 1 to {longest}")
        return value

    def number(self, column: str, highest: float) -> float:
        """A number from 0 to `highest`."""
        text = self.cells[column].strip()
        try:
            value = float(text)
        except ValueError:
            raise self.wrong(f"'{column}' is '{text[:40]}'; it must be a number from 0 to {highest:g}") from None
        if not isfinite(value) or not 0 <= value <= highest:
            raise self.wrong(f"'{column}' is {text[:40]}; it must be from 0 to {highest:g}: bring all rows to that scale")
        return value


def rows_of(file: Path, needed: Sequence[str] = ()) -> Iterator[TableRow]:
    """The rows of a UTF-8 table with these columns: CSV, or tab-separated in a `.tsv`, also packed as `.gz`.

    Raises `BadFile`, for a bad row when the iterator reaches it.
    """
    return (TableRow(file, line, cells) for line, cells in read_table(file, needed, small=True).rows)
