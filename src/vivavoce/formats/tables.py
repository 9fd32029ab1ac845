"""Reads CSV files whose first line names the columns; any other file raises `BadFile` with its line.

Cells can be guarded: no spreadsheet runs them as formulas, and no terminal obeys their control characters.
"""

from __future__ import annotations

import re
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
"""Number of rows that are used to detect the delimiter."""


@dataclass(frozen=True, slots=True)
class OpenedTable:
    """A table whose first line has been read."""

    names: tuple[str, ...]
    """Names of the columns, without white space at their ends; empty for an empty file."""
    rows: Iterator[Row]
    """The rows; empty ones are skipped. Raises `BadFile` for a row that does not fit the columns."""
    delimiter: str
    line: int
    """The line of the header."""


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
) -> OpenedTable:
    r"""A table in UTF-8, unpacked if its name ends in `.gz`.

    Parameters
    ----------
    needed: columns that must be there, in any order.
    sought: optional columns.
    delimiters: the first that finds most of both columns is chosen; on a tie, one that gives the first rows as many cells as
        there are names. Default: a tab in a `.tsv`, else a comma, a semicolon (Excel's delimiter if a comma is the decimal
        sign), a tab or `|`. A first line `sep=;` overrides them.
    small: whether to ignore the case of names and return them in lower case.
    others: whether to read other columns, too. If not, two of them may have the same name.
    cut: whether a row may end early, as in files of spreadsheet programs; missing cells are empty. Otherwise it must be
        complete.
    encoding: of a file without UTF-16's byte order mark.

    Raises `BadFile` for a column that is missing or occurs twice.

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
    return OpenedTable(head.names, _rows(file, head, cut=cut), head.delimiter, head.line)


def check_names(file: Path, names: Sequence[str], *, line: int | None) -> None:
    """Raises `BadFile` for two columns with one name; several may have no name."""
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
    """Read with the first delimiter that finds all wanted columns; if none does, with the one that finds most."""
    heads: list[tuple[int, bool, _Head]] = []
    for index, delimiter in enumerate(delimiters, start=1):
        rows = table_rows(file, delimiter=delimiter, encoding=encoding)
        try:
            line, cells = next(rows, (1, []))
        except BadFile:
            if index == len(delimiters) and not heads:
                raise
            continue  # with another delimiter, quoted text may not be a table
        names = tuple(cell.strip().lower() if small else cell.strip() for cell in cells)
        head = _Head(line, names, delimiter, rows)
        lacking = len(head.lacks(wanted))
        if wanted and not lacking:
            return head
        heads.append((lacking, not _fits(file, head, encoding), head))
    return min(heads, key=lambda pair: pair[:2])[2]


def _fits(file: Path, head: _Head, encoding: str) -> bool:
    """Whether there are several columns, and no more cells than columns in the first rows."""
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
            problem = f"{len(cells)} cells under {width} columns: put those that contain '{head.delimiter}' in quotation marks"
            raise BadFile(file, problem.replace("\t", "a tab"), line=line)
        yield line, dict(zip(head.names, [*cells, *[""] * (width - len(cells))], strict=False))


_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
"""Text that a spreadsheet program may run as a formula, also after our apostrophes."""

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2400-\u2426]")
"""Control characters except tabs and line ends, and their pictures, which would be ambiguous."""
_PICTURE = re.compile("\u2426([@-_\u2400-\u2426])|[\u2400-\u241f\u2421]")


def pictured(text: str) -> str:
    """Replace control characters, except tabs and line ends, by pictures; `unpictured` reverses this.

    Control characters beyond ASCII have no picture: each becomes U+2426 and the ASCII letter of its escape sequence.

    >>> pictured("a\\x1b[2J\\x9bb"), pictured("two\\r\\nlines")
    ('a\N{SYMBOL FOR ESCAPE}[2J\N{SYMBOL FOR SUBSTITUTE FORM TWO}[b', 'two\\r\\nlines')
    """
    return _CONTROL.sub(lambda match: _picture(ord(match[0])), text)


def unpictured(text: str) -> str:
    """Replace pictures by the control characters that they show.

    >>> unpictured(pictured("a\\x1b[2J\\x9bb"))
    'a\\x1b[2J\\x9bb'
    """
    return _PICTURE.sub(lambda match: _control(match[0], match[1]), text)


def _picture(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"\u2426{chr(code - 0x40) if code < 0xA0 else chr(code)}"


def _control(picture: str, marked: str | None) -> str:
    if marked is not None:
        return marked if marked >= "\u2400" else chr(ord(marked) + 0x40)
    return "\x7f" if picture == "\u2421" else chr(ord(picture) - 0x2400)


def guarded(text: str) -> str:
    """The text, `pictured`, with an apostrophe before a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("Will it rain?")
    ("'=1+1", "''=1+1", 'Will it rain?')
    """
    text = pictured(text)
    return f"'{text}" if _FORMULA.match(text) else text


def guarded_text(text: str) -> str:
    """Like `guarded`, but plain numbers stay as they are.

    >>> guarded_text("-0.5"), guarded_text("+1e3"), guarded_text("-2+3"), guarded_text("@SUM(A1)")
    ('-0.5', '+1e3', "'-2+3", "'@SUM(A1)")
    """
    return text if _NUMBER.fullmatch(text) else guarded(text)


def unguarded(cell: str) -> str:
    """The original text of a cell: reverses `guarded`, and keeps other apostrophes.

    >>> unguarded("'=1+1"), unguarded("'Tis so?")
    ('=1+1', "'Tis so?")
    """
    return unpictured(cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell)
