"""Files as lines and rows: bounded, UTF-8, plain or gzipped; what cannot be read is a `BadFile` with its line."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

from vivavoce.errors import BadFile, UnknownName

MAX_BYTES = 1 << 30
"""Size of a file, unpacked."""
MAX_LINE_BYTES = 1 << 22


def text_lines(file: Path) -> Iterator[str]:
    """The lines of a file with their line ends; a byte order mark at the start is left out."""
    number = 0
    try:
        with _open(file) as stream:
            size = 0
            while line := stream.readline(MAX_LINE_BYTES + 1):
                number += 1
                size += len(line)
                if len(line) > MAX_LINE_BYTES:
                    raise BadFile(file, f"the line is longer than {MAX_LINE_BYTES >> 20} MiB", line=number)
                if size > MAX_BYTES:
                    raise BadFile(file, f"larger than {MAX_BYTES >> 30} GiB: split it", line=number)
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise BadFile(file, f"not UTF-8 (byte {error.start + 1}): save it as UTF-8", line=number) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadFile(file, f"the gzip data are damaged ({error}): pack it again", line=number + 1) from error
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error


def json_lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file, each with its line number; empty lines are skipped."""
    for number, line in enumerate(text_lines(file), start=1):
        if line.strip():
            try:
                value = json.loads(line)
            except (json.JSONDecodeError, RecursionError, ValueError) as error:
                raise BadFile(file, f"not JSON: {error}", line=number) from error
            if not isinstance(value, dict):
                raise BadFile(file, "each line must be a JSON object, such as {...}", line=number)
            yield number, value


def table_rows(file: Path, *, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV or TSV file, each with the number of its last line; empty rows are skipped."""
    rows = csv.reader(text_lines(file), delimiter=delimiter, strict=True)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise BadFile(file, f"not a table: {error}", line=rows.line_num) from error
        if any(cell.strip() for cell in row):
            yield rows.line_num, row


def choose(what: str, wanted: str, known: Sequence[str]) -> str:
    """The wanted name if it is known, else `UnknownName` with the nearest one."""
    if wanted not in known:
        raise UnknownName(what, wanted, known)
    return wanted


def _open(file: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(file, "rb")) if file.suffix == ".gz" else file.open("rb")
