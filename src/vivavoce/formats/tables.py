"""CSV files whose first line names the columns; what is none is a `BadFile` with its line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile
from vivavoce.formats.lines import ending, named_separator, table_rows

Row = tuple[int, dict[str, str]]
"""A line's number, and its cells by the names of their columns."""
_LOOKED_AT: Final = 20
"""Rows by which it is found what stands between cells."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of which the first line has been read."""

    names: tuple[str, ...]
    """Of the columns, without white space at their ends; none where the file is empty."""
    rows: Iterator[Row]
    """Those with nothing in them are skipped. Raises `BadFile` for a row that does not fit the columns."""
    delimiter: str
    line: int
    """Of the names."""


def read_table(
    file: Path,
    needed: Sequence[str] = (),
    *,
    sought: Sequence[str] = (),
    delimiters: str = "",
    small: bool = False,
    others: bool = True,
    cut: bool = False,
    encoding: str = "utf-8",
) -> Table:
    r"""A table in UTF-8, unpacked if its name ends in `.gz`.

    Parameters
    ----------
    needed: columns that must be there, in any order.
    sought: columns that may be there, too.
    delimiters: the first by which most of both are found is taken, and of several that find as much one by which the first
        rows have as many cells as there are names; by default a tab in a `.tsv`, else a comma, a semicolon (as Excel writes
        where a comma is the decimal sign), a tab or `|`. A first line `sep=;` says it before all.
    small: whether the case of names does not matter; all are in small letters then.
    others: whether other columns are read, too. If not, two of them may have the same name.
    cut: whether a row may end early, as spreadsheet programs have it: what is missing is empty. Else it must be whole.
    encoding: where no byte order mark says that it is UTF-16.

    Raises `BadFile` for a column that is missing or there twice.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "sums.csv")
    >>> _ = file.write_text("Question, Answer\n1 + 1,2\n\n2 + 2,4\n")
    >>> list(read_table(file, ["answer"], small=True).rows)
    [(2, {'question': '1 + 1', 'answer': '2'}), (4, {'question': '2 + 2', 'answer': '4'})]
    """
    text = named_separator(file, encoding=encoding) or delimiters or ("\t" if ending(file) == ".tsv" else ",;\t|")
    head = _head(file, text, [*needed, *sought], small=small, encoding=encoding)
    if missing := head.lacks(needed):
        problem = f"no column {', '.join(missing)}" if head.names else "empty"
        there = f"; it names {', '.join(head.names)[:200]}" if head.names else ""
        raise BadFile(file, f"{problem}: the first line must name {', '.join(needed)}{there}", line=head.line)
    check_names(file, head.names if others else [name for name in head.names if name in needed], line=head.line)
    return Table(head.names, _rows(file, head, cut=cut), head.delimiter, head.line)


def check_names(file: Path, names: Sequence[str], *, line: int | None) -> None:
    """Raises `BadFile` for two columns of one name; there may be several without any."""
    double = next((name for name in names if name and names.count(name) > 1), None)
    if double is not None:
        raise BadFile(file, f"two columns are named '{double[:80]}': rename one", line=line)


@dataclass(frozen=True, slots=True)
class _Head:
    line: int
    names: tuple[str, ...]
    delimiter: str
    below: Iterator[tuple[int, list[str]]]

    def lacks(self, needed: Sequence[str]) -> list[str]:
        return [name for name in needed if name not in self.names]


def _head(file: Path, delimiters: str, wanted: Sequence[str], *, small: bool, encoding: str) -> _Head:
    """By the first of the delimiters that finds all that is wanted; if none does, by the one that finds most of it."""
    heads: list[tuple[int, bool, _Head]] = []
    for index, delimiter in enumerate(delimiters, start=1):
        rows = table_rows(file, delimiter=delimiter, encoding=encoding)
        try:
            line, cells = next(rows, (1, []))
        except BadFile:
            if index == len(delimiters) and not heads:
                raise
            continue  # what is quoted may be no table with another delimiter
        names = tuple(cell.strip().lower() if small else cell.strip() for cell in cells)
        head = _Head(line, names, delimiter, rows)
        lacking = len(head.lacks(wanted))
        if wanted and not lacking:
            return head
        heads.append((lacking, not _fits(file, head, encoding), head))
    return min(heads, key=lambda pair: pair[:2])[2]


def _fits(file: Path, head: _Head, encoding: str) -> bool:
    """Whether there are several columns, and no more cells than these in the first rows."""
    rows = islice(table_rows(file, delimiter=head.delimiter, encoding=encoding), _LOOKED_AT)
    try:
        return len(head.names) > 1 and all(len(cells) <= len(head.names) for _, cells in rows)
    except BadFile:
        return False


def _rows(file: Path, head: _Head, *, cut: bool) -> Iterator[Row]:
    width = len(head.names)
    for line, cells in head.below:
        if len(cells) == width:
            yield line, dict(zip(head.names, cells, strict=True))
            continue
        if len(cells) < width and not cut:
            raise BadFile(file, f"the row ends after {len(cells)} of {width} cells", line=line)
        if any(cell.strip() for cell in cells[width:]):
            problem = f"{len(cells)} cells under {width} columns: put those that hold '{head.delimiter}' in quotation marks"
            raise BadFile(file, problem.replace("\t", "a tab"), line=line)
        yield line, dict(zip(head.names, [*cells, *[""] * (width - len(cells))], strict=False))
