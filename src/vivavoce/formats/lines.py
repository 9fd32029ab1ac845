"""Text files: encodings, lines, and JSON, TOML and JSON Lines files."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
import secrets
import shutil
import tomllib
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path, PurePath
from typing import IO, Any, Final, NamedTuple

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats import bounds
from vivavoce.formats.bounds import MAX_BYTES, MAX_LINE_BYTES, MOST_LINES, RowCount, open_bytes

_CHUNK: Final = 1 << 20
MATERIAL: Final = "material:"
"""Begins the name of a file that ships with the package."""
_SHIPPED: Final = Path(__file__).parents[1] / "material"
_BEYOND_ASCII: Final = re.compile(r"\S*[^\x00-\x7f]\S*")
_WORD: Final = re.compile(r"[^\W_]*[^\W\x00-\x7f][^\W_]*")
_NOT_WESTERN: Final = re.compile(
    r"[À-ÿ]{3}"  # words of accents alone are Cyrillic, Greek or Chinese
    r"|[ŠšŽžŸƒÐðÝýÞþ\x00-\x08\x0e-\x19\x7f]"  # these bytes are other letters in Turkish, Czech and Mac encodings
    r"|[¤¦¨©ª¬®¯°±²³´µ¶¸¹º¼½¾]{2}"  # signs next to each other are Chinese
    r"|[a-zß-ÿ][À-ÖØ-Þ]"  # a capital letter within a word
    r"|[^\W\d_][^\w\s’‘–—…·´\xad\x00-\x7f][^\W\d_]"  # a sign within a word
)


class TextEncoding(NamedTuple):
    """The encoding of a file."""

    name: str
    """`utf-8` or Windows-1252; `text_lines` detects UTF-16 by its byte order mark."""
    sample: str = ""
    """For cp1252, a word by which to check that the file was read correctly."""


def text_encoding(file: Path) -> TextEncoding:
    """UTF-8 if all of a file is, else Windows-1252 if that gives plausible Western European words.

    Raises `BadFile`, with the line, for any other encoding.
    """
    if _is_utf8(file):
        return TextEncoding("utf-8")
    sample = ""
    with open_bytes(file) as stream:
        for number, line in enumerate(byte_lines(file, stream, max_line_bytes=MAX_BYTES), 1):
            try:
                words = _BEYOND_ASCII.findall(line.decode("cp1252"))
            except UnicodeDecodeError:
                raise _unknown(file, number) from None
            if any(map(_NOT_WESTERN.search, words)):
                raise _unknown(file, number)
            sample = sample or (words[0] if words else "")
    word = _WORD.search(sample)
    return TextEncoding("cp1252", word[0] if word else sample)


def _unknown(file: Path, line: int) -> BadFile:
    return BadFile(file, "not UTF-8, and not clearly Windows-1252: save it as UTF-8", line=line)


def _is_utf8(file: Path) -> bool:
    """Whether to try Windows-1252; the reader reports a file that cannot be read. Raises `BadFile` for NUL bytes."""
    decoder, size = getincrementaldecoder("utf-8")(), 0
    try:
        with open_bytes(file) as stream:
            while chunk := stream.read(_CHUNK):
                if not size and chunk.startswith((BOM_UTF16_LE, BOM_UTF16_BE, b"PK\x03\x04")):
                    return True
                if b"\0" in chunk:
                    line = chunk[: chunk.index(b"\0")].count(b"\n") + 1 if not size else None
                    problem = "contains NUL bytes, so it is not text, or is UTF-16 without a byte order mark: save it as UTF-8"
                    raise BadFile(file, problem, line=line)
                size += len(chunk)
                if size > MAX_BYTES:
                    return True
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    except (OSError, EOFError, zlib.error):
        return True
    return True


PACKED: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""First bytes of workbooks: .xlsx and .ods, and older ones (.xls)."""
JSON_LINES: Final = (".jsonl", ".ndjson")
"""Suffixes of files with one JSON object on each line."""
_WORKBOOK: Final = "a workbook or packed file, not text: save the sheet as CSV in UTF-8, or unpack it"
_CTRL_Z: Final = "\x1a"
_SEPARATOR: Final = re.compile(r"\"?sep=(.)\"?\s*\Z", re.IGNORECASE)


def file_digest(file: Path) -> str:
    """SHA-256 in hex of a file's content, unpacked. Raises `BadFile`."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error


def text_lines(
    file: Path, *, max_line_bytes: int = MAX_LINE_BYTES, encoding: str = "utf-8", any_line_end: bool = False
) -> Iterator[str]:
    """The lines of a file with their line ends, without the byte order mark and the Ctrl-Z with which some programs end a file.

    Parameters
    ----------
    encoding: of a file without UTF-16's byte order mark.
    any_line_end: whether a carriage return alone ends a line, too, as in files of old Mac programs.
    """
    number = 0
    try:
        with open_bytes(file) as stream:
            start = stream.peek(4)
            if start.startswith(PACKED):
                raise BadFile(file, _WORKBOOK)
            if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                encoding = "utf-16"
            codec = "utf-8-sig" if encoding == "utf-8" else encoding
            text = io.TextIOWrapper(stream, encoding=codec, newline="" if any_line_end else "\n")
            size = 0
            while line := text.readline(max_line_bytes + 1):
                number += 1
                size += len(line)
                if len(line) > max_line_bytes:
                    raise BadFile(file, f"the line is longer than {max_line_bytes >> 20} MiB: break it", line=number)
                if size > MAX_BYTES:
                    raise BadFile(file, f"larger than {MAX_BYTES >> 30} GiB: split it", line=number)
                if number > MOST_LINES:
                    raise BadFile(file, f"more than {MOST_LINES:,} lines: split it", line=number)
                if line.endswith(_CTRL_Z) and not (line := line.rstrip(_CTRL_Z)):
                    return
                yield line
    except UnicodeDecodeError as error:
        raise _undecodable(file, encoding, error) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadFile(file, f"the gzip data are damaged ({error}): pack it again", line=number + 1) from error
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error


def _undecodable(file: Path, encoding: str, error: UnicodeDecodeError) -> BadFile:
    """The error for a file with bytes that are not text, with the line."""
    if encoding != "utf-8":
        return BadFile(file, f"not {encoding.upper()}, as its first bytes say: save it as UTF-8")
    with open_bytes(file) as stream:
        for number, line in enumerate(byte_lines(file, stream), start=1):
            try:
                line.decode()
            except UnicodeDecodeError as value:
                return BadFile(file, f"not UTF-8 (byte {value.start + 1}): save it as UTF-8", line=number)
    return BadFile(file, f"not UTF-8 ({error.reason}): save it as UTF-8")


def byte_lines(
    file: Path, stream: IO[bytes], *, max_bytes: int = MAX_BYTES, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[bytes]:
    """Yield the lines of a file in constant memory, without a byte order mark.

    Raises `BadFile` for a line, or all lines together, beyond these bounds, and for a workbook of a spreadsheet program.
    """
    size = 0
    for number in count(1):
        line = stream.readline(max_line_bytes + 1)
        if not line:
            return
        size += len(line)
        if number == 1 and line.startswith(PACKED):
            raise BadFile(file, _WORKBOOK)
        if len(line) > max_line_bytes:
            raise BadFile(file, f"the line is longer than {max_line_bytes >> 20} MiB: break it", line=number)
        if size > max_bytes:
            raise BadFile(file, f"larger than {max_bytes >> 30} GiB: split it", line=number)
        yield line.removeprefix(BOM_UTF8) if number == 1 else line


def whole_text(file: Path, *, longest: int = bounds.MAX_DOCUMENT_BYTES) -> str:
    """The text of a file. Raises `BadFile` for more than `longest` characters."""
    parts, size = [], 0
    for line in text_lines(file, max_line_bytes=max(longest, MAX_LINE_BYTES)):
        parts.append(line)
        size += len(line)
        if size > longest:
            raise BadFile(file, f"longer than {longest:,} characters: put data into a file of their own, as JSON Lines")
    return "".join(parts)


def whole_json(file: Path) -> Any:
    """The content of a JSON file. Raises `BadFile`."""
    value = read_json(file, whole_text(file))
    RowCount(file).add(value, None)
    return value


def whole_toml(file: Path, *, longest: int = bounds.MAX_DOCUMENT_BYTES) -> dict[str, Any]:
    """The content of a TOML file. Raises `BadFile`."""
    try:
        values = tomllib.loads(whole_text(file, longest=longest))
    except (ValueError, RecursionError) as error:
        raise BadFile(file, f"is not TOML: {str(error)[:200]}: correct it there") from None
    RowCount(file).add(values, None)
    return values


def read_json(file: Path, text: str, *, line: int | None = None) -> Any:
    """Parse a JSON text from a file. Raises `BadFile`; `line`: the line of the text if it is not the whole file."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = (
            f"not JSON: {error}: write one whole object in each line" if line else f"not JSON: {error.msg}: correct it there"
        )
        raise BadFile(file, problem, line=line or error.lineno) from None
    except RecursionError:
        problem = f"lists or objects are nested more than {bounds.DEEPEST} levels deep: make it flatter"
        raise BadFile(file, problem, line=line) from None
    except ValueError:
        problem = f"a whole number of more than {bounds.MOST_DIGITS} digits: write it in quotation marks"
        raise BadFile(file, problem, line=line) from None


def json_lines(file: Path, *, encoding: str = "utf-8") -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file, each with its line number; empty lines are skipped."""
    counted = RowCount(file)
    for number, line in enumerate(text_lines(file, encoding=encoding), start=1):
        if line.strip():
            value = read_json(file, line, line=number)
            if not isinstance(value, dict):
                raise BadFile(file, "each line must be a JSON object, such as {...}", line=number)
            counted.add(value, number)
            yield number, value


def table_rows(file: Path, *, delimiter: str = ",", encoding: str = "utf-8") -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV or TSV file, each with the number of its last line; empty rows and Excel's `sep=` are skipped."""
    csv.field_size_limit(MAX_LINE_BYTES)  # replies may be longer than the usual 131,072 characters
    lines = text_lines(file, encoding=encoding, any_line_end=True)
    above = next(lines, "")
    skipped = int(_SEPARATOR.match(above) is not None)
    rows = csv.reader(lines if skipped else chain([above], lines), delimiter=delimiter, strict=True)
    counted = RowCount(file)
    while True:
        first = rows.line_num + skipped + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            if str(error) == "unexpected end of data":
                raise BadFile(file, "not a table: a quotation mark in this row is never closed", line=first) from error
            raise BadFile(file, f"not a table: {error}", line=rows.line_num + skipped) from error
        if any(row) and (row[0].strip() or any(cell.strip() for cell in row)):
            counted.add_cells(len(row), rows.line_num + skipped)
            yield rows.line_num + skipped, row


def named_separator(file: Path, *, encoding: str = "utf-8") -> str:
    """The delimiter in Excel's first line (`sep=;`); empty without such a line."""
    match = _SEPARATOR.match(next(text_lines(file, encoding=encoding, any_line_end=True), ""))
    return match[1] if match else ""


def ending(file: PurePath, known: Sequence[str] = ()) -> str:
    """A file's suffix in lower case; for a packed file, the one before `.gz`.

    Raises `BadFile` if suffixes are `known` and this is not among them.

    >>> ending(Path("Games.PGN.gz")), ending(Path("games"))
    ('.pgn', '')
    """
    result = PurePath(file.name.lower().removesuffix(".gz")).suffix
    if known and result not in known:
        raise BadFile(file, f"the name must end in {', '.join(known)}, or one of these and .gz")
    return result


def choose(what: str, wanted: str, known: Sequence[str]) -> str:
    """The wanted name if it is known. Raises `UnknownName` with the nearest one."""
    if wanted not in known:
        raise UnknownName(what, wanted, known)
    return wanted


def write_whole(file: Path, text: str) -> None:
    """Write a file in UTF-8, as a whole or not at all; half a surrogate pair becomes a question mark."""
    with whole(file) as stream:
        stream.write(text.encode(errors="replace"))


@contextmanager
def whole(file: Path) -> Iterator[IO[bytes]]:
    """A file to be written as a whole or not at all: the old content stays until the block ends.

    Links, pipes and devices are written to directly. Raises `BadFile`.
    """
    with writing(file):
        if file.is_symlink() or (file.exists() and not file.is_file()):
            with file.open("wb") as stream:
                yield stream
            return
        beside = file.with_name(f".{secrets.token_hex(8)}.part")
        try:
            with beside.open("wb") as stream:
                yield stream
            if file.exists():
                shutil.copymode(file, beside)
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """Check that a file, or files in a folder, can be written. Raises `BadFile`."""
    try:
        yield
    except OSError as error:
        raise BadFile(file, f"cannot be written: {error.strerror or error}; make room, or choose another place") from error


def expanded(path: str) -> Path:
    """The path with `~` expanded; `material:defendants.csv` names built-in material.

    Raises `BadInput` for the home folder of an unknown user, and `UnknownName` for unknown material.
    """
    if path.startswith(MATERIAL):
        known = sorted(file.name for file in _SHIPPED.iterdir() if not file.name.startswith("__"))
        return _SHIPPED / choose("material", path.removeprefix(MATERIAL), known)
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise BadInput(f"'{path[:80]}' is in the home folder of an unknown user: write the full path") from None
