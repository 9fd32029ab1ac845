"""CSV files with named columns, row by row: games, answers of people, answers to repeat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from vivavoce.errors import BadFile
from vivavoce.interview.lines import table_rows


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    file: Path
    line: int
    """0 where the file has no lines to name."""
    cells: Mapping[str, str]
    """By column, in small letters."""

    def wrong(self, problem: str) -> BadFile:
        """The error to raise for this row."""
        return BadFile(self.file, problem, line=self.line or None)

    def name(self, column: str, longest: int) -> str:
        """A name that must be there, without blanks at its ends."""
        value = self.cells[column].strip()
        if not 0 < len(value) <= longest:
            raise self.wrong(f"'{column}' has {len(value)} characters; it has 1 to {longest}")
        return value

    def number(self, column: str, highest: float) -> float:
        """A number from 0 to `highest`."""
        text = self.cells[column].strip()
        try:
            value = float(text)
        except ValueError:
            raise self.wrong(f"'{column}' is '{text[:40]}'; it is a number from 0 to {highest:g}") from None
        if not isfinite(value) or not 0 <= value <= highest:
            raise self.wrong(f"'{column}' is {text[:40]}; it lies from 0 to {highest:g}: bring all rows to that scale")
        return value


def rows_of(file: Path, needed: Sequence[str] = ()) -> Iterator[Row]:
    """The rows of a table in UTF-8 that has these columns: CSV, or with tabs in a `.tsv`; a `.gz` is unpacked.

    Raises `BadFile`, for rows while they are taken.
    """
    rows = table_rows(file, delimiter="\t" if file.name.lower().removesuffix(".gz").endswith(".tsv") else ",")
    line, heads = next(rows, (1, []))
    names = [head.strip().lower() for head in heads]
    missing = [name for name in needed if name not in names]
    if missing:
        raise BadFile(file, f"no column {', '.join(missing)}; such a table has {', '.join(needed)}", line=line)
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise BadFile(file, f"two columns '{twice[:40]}': rename one", line=line)
    for line, cells in rows:
        row = Row(file, line, dict(zip(names, cells, strict=False)))
        if len(cells) != len(names):
            raise row.wrong(f"{len(cells)} cells where the first line has {len(names)}")
        yield row
