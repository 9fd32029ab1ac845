"""Reads documents: text, Markdown, HTML, PDF and Word files, and folders of them.

Files may be hostile, so bytes, unpacked bytes, pages, characters and seconds are bounded, and a process of its own reads HTML,
PDF and Word files. Tables become rows with "|" between cells, except in PDF files, which do not mark them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from vivavoce.documents.passages import DocumentBlock, SourceDocument
from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.formats.bounded_process import OutOfBoundsError, answers_of
from vivavoce.formats.bounds import MAX_DOCUMENT_BYTES, check_zip
from vivavoce.formats.lines import text_encoding, text_lines
from vivavoce.formats.wording import showable

PLAIN: Final = (".txt", ".md", ".markdown")
_PACKAGES: Final = {".html": ("bs4", "beautifulsoup4"), ".htm": ("bs4", "beautifulsoup4"), ".pdf": ("pypdf", "pypdf")}
_PACKAGES[".docx"] = ("docx", "python-docx")
FORMATS: Final = (*PLAIN, *_PACKAGES)
"""Suffixes of documents."""
MOST_DOCUMENTS: Final = 10_000
MOST_PAGES: Final = 2_000
MOST_CHARACTERS: Final = 20_000_000
_CHILD: Final = Path(__file__).with_name("reading_child.py")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t](.*)")
_FENCE: Final = re.compile(r" {0,3}(?:```|~~~)")
_RULE: Final = frozenset("|:- \t")
"""Characters of the line below the header of a table."""


def read_documents(paths: Sequence[Path]) -> list[SourceDocument]:
    """Read files, and the documents in folders and their folders, in the order of their names.

    Raises `BadInput` and `BadFile` for a path that does not exist, an unknown suffix, and a document that has no text, is
    damaged or exceeds the bounds; and `MissingExtra`.
    """
    files = [entry for path in paths for entry in _files_at(path)]
    if len(files) > MOST_DOCUMENTS:
        raise BadInput(f"{len(files):,} documents, and at most {MOST_DOCUMENTS:,} are read: give fewer")
    seen: dict[Path, None] = {}
    documents = []
    for file, name in files:
        if file.resolve() not in seen:
            seen[file.resolve()] = None
            documents.append(read_document(file, name))
    return documents


def _files_at(path: Path) -> Iterator[tuple[Path, str]]:
    """Each document there, with its name: the path within a given folder, whose files without a byte are left out."""
    if not path.is_dir():
        yield path, path.name
        return
    files = [Path(folder, name) for folder, _, names in os.walk(path) for name in names]
    known = [file for file in files if file.suffix.lower() in FORMATS]
    names = sorted(file.relative_to(path) for file in known if not file.is_file() or file.stat().st_size)
    shown = [name for name in names if not any(part.startswith(".") for part in name.parts)]
    if not shown:
        raise BadInput(f"the folder '{path}' has no documents: {_known()} are read")
    yield from ((path / name, name.as_posix()) for name in shown)


def _known() -> str:
    return f"{', '.join(FORMATS[:-1])} and {FORMATS[-1]}"


def read_document(file: Path, name: str) -> SourceDocument:
    """Read one document; `name` is for readers. Raises as `read_documents` does."""
    form = file.suffix.lower()
    if not file.exists():
        raise BadFile(file, "does not exist: check its name")
    if not file.is_file():
        raise BadFile(file, "is not a file with bytes, but a pipe or a device: copy what it gives into a file")
    if form not in FORMATS:
        raise BadFile(file, f"has an unknown ending: {_known()} are read, so save it as one of these")
    try:
        size = file.stat().st_size
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from error
    if size > MAX_DOCUMENT_BYTES:
        raise BadFile(file, f"has more than {MAX_DOCUMENT_BYTES >> 20} MiB: split it")
    blocks = _plain(file, form) if form in PLAIN else _by_child(file, form)
    shown = tuple(DocumentBlock(block.kind, showable(block.text), block.level) for block in blocks if block.text.strip())
    if not any(block.kind in ("text", "table") for block in shown):
        raise BadFile(file, "has no text: leave it out, or save what it shows as .txt")
    return SourceDocument(name, shown)


def _by_child(file: Path, form: str) -> Iterator[DocumentBlock]:
    module, package = _PACKAGES[form]
    if find_spec(module) is None:
        raise MissingExtra(package, extra="documents")
    if form == ".docx":
        check_zip(file, unreadable="is not a readable Word file: save it again as .docx without a password", split="split it")
    asked = {"file": str(file.resolve()), "form": form, "pages": MOST_PAGES, "characters": MOST_CHARACTERS}
    try:
        for part in answers_of(_CHILD, asked):
            if isinstance(part, dict):
                raise BadFile(file, f"{part['problem']}: {part['remedy']}")
            kind, text, *level = part
            yield DocumentBlock(kind, str(text), *level)
    except OutOfBoundsError as error:
        raise BadFile(file, f"takes {error} to read, or is damaged: split it, or save it as .txt") from None


def _plain(file: Path, form: str) -> Iterable[DocumentBlock]:
    encoding = text_encoding(file).name
    lines = [line.rstrip() for line in text_lines(file, encoding=encoding)]
    return text_blocks(lines) if form == ".txt" else markdown_blocks(lines)


def text_blocks(lines: Iterable[str]) -> Iterator[DocumentBlock]:
    """The paragraphs of a text, which blank lines separate.

    >>> [block.text for block in text_blocks(["Rain.", "Snow.", "", "Sun."])]
    ['Rain.\\nSnow.', 'Sun.']
    """
    paragraph: list[str] = []
    for line in (*lines, ""):
        if line.strip():
            paragraph.append(line)
        elif paragraph:
            yield DocumentBlock("text", "\n".join(paragraph))
            paragraph = []


def markdown_blocks(lines: Sequence[str]) -> Iterator[DocumentBlock]:
    """The headings, paragraphs and tables of a Markdown text; code between fences is text.

    >>> [(block.kind, block.text) for block in markdown_blocks(["# Fees", "| a | b |", "|---|---|", "| 1 | 2 |", "Yearly."])]
    [('heading', 'Fees'), ('table', 'a | b\\n1 | 2'), ('text', 'Yearly.')]
    """
    paragraph: list[str] = []
    in_code, number = False, 0
    while number < len(lines):
        line = lines[number]
        in_code ^= bool(_FENCE.match(line))
        heading = None if in_code else _HEADING.fullmatch(line)
        if heading:
            yield from text_blocks(paragraph)
            paragraph = []
            yield DocumentBlock("heading", heading[2].strip(" \t#"), len(heading[1]))
        elif not in_code and "|" in line and _is_rule(lines[number + 1 : number + 2]):
            yield from text_blocks(paragraph)
            paragraph, rows = [], [line]
            number += 2
            while number < len(lines) and "|" in lines[number]:
                rows.append(lines[number])
                number += 1
            yield DocumentBlock("table", "\n".join(map(_row, rows)))
            continue
        else:
            paragraph.append(line)
        number += 1
    yield from text_blocks(paragraph)


def _is_rule(line: Sequence[str]) -> bool:
    return bool(line) and {"|", "-"} <= set(line[0]) <= _RULE


def _row(line: str) -> str:
    return " | ".join(cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|"))
