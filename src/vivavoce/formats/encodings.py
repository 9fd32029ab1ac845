"""Which encoding a text file has: UTF-8 or, as older Windows programs save it, Windows-1252 (cp1252)."""

from __future__ import annotations

import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from pathlib import Path
from typing import Final, NamedTuple

from vivavoce.errors import BadFile
from vivavoce.formats.bounds import MAX_BYTES, open_bytes
from vivavoce.formats.lines import byte_lines

_CHUNK: Final = 1 << 20
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
    """`utf-8` or Windows-1252; a byte order mark for UTF-16 is `text_lines`' to find."""
    sample: str = ""
    """Of cp1252 a word that shows whether it was read rightly."""


def text_encoding(file: Path) -> TextEncoding:
    """UTF-8 if all of a file is, else Windows-1252 where that makes plausible words of the West of Europe.

    Raises `BadFile`, with the line, for what is neither.
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
    return BadFile(file, "neither UTF-8 nor plainly Windows-1252: save it as UTF-8", line=line)


def _is_utf8(file: Path) -> bool:
    """Whether that is to be tried; where the file cannot be read, who reads it says why. Raises `BadFile` for NUL bytes."""
    decoder, size = getincrementaldecoder("utf-8")(), 0
    try:
        with open_bytes(file) as stream:
            while chunk := stream.read(_CHUNK):
                if not size and chunk.startswith((BOM_UTF16_LE, BOM_UTF16_BE, b"PK\x03\x04")):
                    return True
                if b"\0" in chunk:
                    line = chunk[: chunk.index(b"\0")].count(b"\n") + 1 if not size else None
                    problem = "holds NUL bytes, so it is no text, or UTF-16 without a byte order mark: save it as UTF-8"
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
