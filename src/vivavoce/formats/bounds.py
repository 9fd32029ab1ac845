"""Limits on files of any format: bytes, lines, rows, values, nesting, expansion and seconds.

Every reader in `formats` applies these limits, so importers need not. It also refuses, with their line, numbers and texts that
cannot be stored, compared or shown later.
"""

from __future__ import annotations

import gzip
import io
import re
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isinf
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, BadInput

MAX_BYTES = 1 << 30
"""Size of a file, unpacked."""
MAX_LINE_BYTES = 1 << 22
MAX_DOCUMENT_BYTES = 64 << 20
"""Size of a file that is one value, such as a JSON list, and is in memory as a whole."""
MOST_LINES = 10_000_000
MOST_ROWS = 1_000_000
MOST_VALUES = 20_000_000
"""Cells of a table, or nested values."""
DEEPEST: Final = 64
"""Depth of nested lists and objects."""
MOST_PARTS: Final = 10_000
"""Files in a ZIP archive."""
SECONDS = 60
"""Time for unpacking a file."""
MOST_DIGITS: Final = 308
"""Digits of a whole number; a floating-point number has no room for more."""
_EXPANSION: Final = 100
_ALWAYS_ROOM: Final = 64 << 20
_LEVELS_NAMED: Final = 3
_MOST_BITS: Final = 1024
_HALF_A_PAIR: Final = re.compile("[\ud800-\udfff]")


def most_unpacked(packed: int) -> int:
    """How many bytes a packed file of that size may unpack to: 100 times its size, and at least 64 MiB.

    >>> most_unpacked(792) >> 20, most_unpacked(2 << 20) >> 20, most_unpacked(1 << 30) >> 20
    (64, 200, 1024)
    """
    return min(MAX_BYTES, max(_ALWAYS_ROOM, _EXPANSION * packed))


def check_zip(file: Path, *, unreadable: str, split: str) -> None:
    """Raises `BadFile` for a file that is not a ZIP archive, or unpacks to too much.

    Parameters
    ----------
    unreadable: the problem and its remedy if it is not such an archive, as for a password.
    split: the remedy if it is too large.
    """
    try:
        with zipfile.ZipFile(file) as packed:
            parts = packed.infolist()
        most = most_unpacked(file.stat().st_size)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error
    except (zipfile.BadZipFile, NotImplementedError, ValueError, RuntimeError):
        raise BadFile(file, unreadable) from None
    if len(parts) > MOST_PARTS:
        raise BadFile(file, f"has {len(parts):,} parts, and at most {MOST_PARTS:,} are read: {split}")
    if sum(part.file_size for part in parts) > most:
        raise BadFile(file, f"unpacks to more than {most >> 20} MiB: {split}")


def open_bytes(file: Path) -> io.BufferedReader:
    """The bytes of a file, unpacked where its name ends in `.gz`.

    Reading raises `BadFile` for a packed file that unpacks to too much or too slowly.
    """
    return io.BufferedReader(_BoundedGzip(file), 1 << 16) if file.suffix.lower() == ".gz" else file.open("rb")


class _BoundedGzip(io.RawIOBase):
    """A gzip file whose unpacked size and unpacking time are bounded."""

    def __init__(self, file: Path, clock: Callable[[], float] = time.perf_counter) -> None:
        self._file, self._clock = file, clock
        self._source = gzip.GzipFile(file)
        self._room = most_unpacked(file.stat().st_size)
        self._seconds = 0.0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        before = self._clock()
        unpacked = self._source.read(len(buffer))
        self._seconds += self._clock() - before
        self._room -= len(unpacked)
        if self._room < 0:
            most = most_unpacked(self._file.stat().st_size) >> 20
            raise BadFile(self._file, f"unpacks to more than {most:,} MiB: split it, or unpack it")
        if self._seconds > SECONDS:
            raise BadFile(self._file, f"takes more than {SECONDS} s to unpack: unpack it")
        buffer[: len(unpacked)] = unpacked
        return len(unpacked)

    def close(self) -> None:
        self._source.close()
        super().close()


@dataclass(slots=True)
class RowCount:
    """Counts the rows of a file and the values in them, and checks each value."""

    file: Path
    rows: int = 0
    values: int = 0

    def add(self, row: Any, line: int | None) -> None:
        """Count a row. Raises `BadFile` for one too many, and for a value that `count_values` refuses."""
        try:
            values = count_values(row)
        except BadInput as error:
            raise BadFile(self.file, str(error), line=line) from None
        self.add_cells(values, line)

    def add_cells(self, number: int, line: int | None) -> None:
        """Count a row of this many texts, which need no check. Raises `BadFile` for one too many."""
        self.rows += 1
        self.values += number
        if self.rows > MOST_ROWS:
            raise BadFile(self.file, f"more than {MOST_ROWS:,} rows: split it", line=line)
        if self.values > MOST_VALUES:
            raise BadFile(self.file, f"more than {MOST_VALUES:,} values: split it, or leave columns out", line=line)


def count_values(value: Any, depth: int = 0) -> int:
    """The number of values, including those in lists and mappings.

    Raises `BadInput` for lists that are nested too deeply, a number that is too large, and half a surrogate pair.

    >>> count_values({"question": "6 * 7?", "answer": [42, "forty-two"]})
    5
    >>> count_values({"weight": 10**309})
    Traceback (most recent call last):
    vivavoce.errors.BadInput: 'weight': a whole number of more than 308 digits: write it in quotation marks
    """
    kind = type(value)
    if kind is str:
        if not value.isascii() and (half := _HALF_A_PAIR.search(value)):
            raise BadInput(f"a text with half a surrogate pair (\\u{ord(half[0]):04x}): write the whole character")
        return 1
    if kind is int:
        if value.bit_length() > _MOST_BITS:
            raise BadInput(f"a whole number of more than {MOST_DIGITS} digits: write it in quotation marks")
        return 1
    if kind is float:
        if isinf(value):
            raise BadInput(f"{value} is not a finite number or is too large: write it in quotation marks")
        return 1
    if not isinstance(value, Mapping | list | tuple):
        return 1
    if depth == DEEPEST:
        raise BadInput(f"lists or objects are nested more than {DEEPEST} levels deep: make it flatter")
    if not isinstance(value, Mapping):
        return 1 + sum(_count_inside(f"item {number}", inside, depth + 1) for number, inside in enumerate(value, 1))
    for name in value:
        count_values(name)
    return 1 + sum(_count_inside(name, inside, depth + 1) for name, inside in value.items())


def _count_inside(name: Any, value: Any, depth: int) -> int:
    try:
        return count_values(value, depth)
    except BadInput as error:
        if depth > _LEVELS_NAMED:
            raise
        shown = str(name)[:80]
        raise BadInput(f"{shown if isinstance(value, list | tuple) else repr(shown)}: {error}") from None
