"""The lines of a file of games or positions, plain or packed, in constant memory and within bounds."""

from __future__ import annotations

import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import IO, cast

from vivavoce.errors import BadFile
from vivavoce.formats.lines import byte_lines, ending

KINDS = (".pgn", ".epd", ".fen")
MAX_BYTES = 1 << 36
"""Size of a file, unpacked; a database of ten million games takes a tenth of it."""
MAX_LINE_BYTES = 1 << 20


def kind_of(name: str | PurePath) -> str | None:
    """The last of the endings .pgn, .epd, .fen, with .gz taken off; None if it is another.

    >>> kind_of("games.PGN.gz"), kind_of("games.txt")
    ('.pgn', None)
    """
    kind = ending(PurePath(name))
    return kind if kind in KINDS else None


def unpacked(file: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The files in a file, each by its base name and its lines: itself, or those in a .zip with a fitting ending.

    A byte order mark is left out. The lines of one are to be read before the next one.

    Raises
    ------
    BadFile: missing, damaged, locked by a password, none of the kinds, or a line or the whole too long.
    """
    with _as_bad_file(file):
        if file.suffix.lower() == ".zip":
            yield from _zipped(file)
        elif kind_of(file) is None:
            raise BadFile(file, f"not a file of positions: its name must end in {', '.join(KINDS)}, or then .gz, or in .zip")
        else:
            packed = file.suffix.lower() == ".gz"
            with cast(IO[bytes], gzip.open(file)) if packed else file.open("rb") as stream:
                yield file.name, _lines(file, stream)


def _zipped(file: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if kind_of(member.filename)]
        if not members:
            raise BadFile(file, f"nothing in it ends in {', '.join(KINDS)}")
        for member in members:
            if member.flag_bits & 1:
                raise BadFile(file, f"'{member.filename[:80]}' in it is locked by a password: pack it without")
            with archive.open(member) as stream:
                yield PurePath(member.filename).name, _lines(file, stream)


def _lines(file: Path, stream: IO[bytes]) -> Iterator[bytes]:
    with _as_bad_file(file):
        yield from byte_lines(file, stream, max_bytes=MAX_BYTES, max_line_bytes=MAX_LINE_BYTES)


@contextmanager
def _as_bad_file(file: Path) -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, NotImplementedError) as error:
        raise BadFile(file, f"the packed data are damaged ({error}): pack it again") from error
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error
