"""Cuts documents into passages of some 120 to 250 words: at headings and paragraphs if possible, and never within a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from vivavoce.errors import BadInput
from vivavoce.formats.wording import marked_material

FEWEST: Final = 120
"""A passage ends at the first paragraph or heading after this many words."""
MOST: Final = 250
"""It ends between sentences before it has more words, unless it holds a table."""
LARGEST_TABLE: Final = 3_000
"""Most words of a table, which goes to the writer as a whole."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])[ \t]+(?=\S)|(?<=[.!?:;])\n+|\n+(?![a-z])|(?<=[。！？])(?=\S)")
"""Ends of sentences and of lines, unless the next line goes on with a small letter, as in PDF files."""
_EAST_ASIAN: Final = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SOUTHEAST_ASIAN: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
UNSPACED: Final = re.compile(f"[{_EAST_ASIAN}{_SOUTHEAST_ASIAN}]")
"""Characters of scripts without spaces between words."""
_WORD: Final = re.compile(f"[{_EAST_ASIAN}]{{1,2}}|[{_SOUTHEAST_ASIAN}]{{1,5}}|[^\\s{_EAST_ASIAN}{_SOUTHEAST_ASIAN}]{{1,40}}")
"""A word; without spaces, as many characters as a word has on average. A longer run of characters is several."""


def words_in(text: str) -> int:
    """The number of words.

    >>> words_in("Within two weeks."), words_in("返品は三十日以内です。"), words_in("a" * 4_000)
    (3, 6, 100)
    """
    return sum(1 for _ in _WORD.finditer(text))


BlockKind = Literal["heading", "text", "table", "page"]


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A part of a document."""

    kind: BlockKind
    """A page's text is its number, which is not part of any passage."""
    text: str
    """Rows of a table are lines, with " | " between cells."""
    level: int = 1
    """Of a heading, from 1."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document: its name for readers, and its blocks in order."""

    name: str
    blocks: tuple[DocumentBlock, ...]


@dataclass(frozen=True, slots=True)
class DocumentPassage:
    """Some words of a document that stand together."""

    document: str
    """The document's name."""
    location: str
    """The page, and the headings above; empty without any."""
    text: str

    @property
    def words(self) -> int:
        """The number of words."""
        return words_in(self.text)

    @property
    def where(self) -> str:
        """Document and location in one line."""
        return ", ".join(filter(None, (self.document, self.location)))

    @property
    def marked(self) -> str:
        """The passage with its location, as prompts show it."""
        return marked_material("passage", f"{self.where}\n\n{self.text}")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words that are never separated, such as a sentence or a table."""

    text: str
    before: str
    """The white space that separates it from the piece before."""
    location: str
    can_begin: bool = True
    """Whether a passage may begin here even if it would have room in the one before: at headings and paragraphs."""
    glued: bool = False
    """Whether it must follow the piece before, which is its heading."""

    @property
    def words(self) -> int:
        return words_in(self.text)


def passages(documents: Iterable[SourceDocument]) -> list[DocumentPassage]:
    """The passages of all documents, in order. Raises `BadInput` for a table that is too large.

    >>> text = DocumentBlock("text", "One sentence has six words here. " * 50)
    >>> [passage.words for passage in passages([SourceDocument("a.txt", (text, DocumentBlock("table", "a | b"), text))])]
    [246, 249, 108]
    """
    return [passage for document in documents for passage in _passages_of(document)]


def _passages_of(document: SourceDocument) -> Iterator[DocumentPassage]:
    groups: list[list[_Piece]] = []
    words = 0
    for piece in _pieces(document):
        is_full = words >= FEWEST and (piece.can_begin or words + piece.words > MOST)
        if not groups or (is_full and not piece.glued):
            groups.append([])
            words = 0
        groups[-1].append(piece)
        words += piece.words
    if len(groups) > 1 and words < FEWEST and sum(piece.words for piece in groups[-2]) + words <= MOST:
        last = groups.pop()
        groups[-1] += last
    for group in groups:
        first = next((piece for piece in group if not piece.glued), group[0])
        text = "".join(f"{piece.before}{piece.text}" for piece in group).strip()
        yield DocumentPassage(document.name, first.location, text)


def _pieces(document: SourceDocument) -> Iterator[_Piece]:
    page, headings, after_heading = "", list[tuple[int, str]](), False
    for block in document.blocks:
        if block.kind == "page":
            page = f"page {block.text}"
            continue
        if block.kind == "heading":
            headings = [(level, text) for level, text in headings if level < block.level]
            headings.append((block.level, " ".join(block.text.split())))
        location = ", ".join(filter(None, (page, " › ".join(text for _, text in headings))))
        for piece in _pieces_of(block, document.name, location):
            yield _Piece(piece.text, piece.before, location, piece.can_begin, after_heading)
            after_heading = False
        after_heading = block.kind == "heading" or (after_heading and not block.text.strip())


def _pieces_of(block: DocumentBlock, document: str, location: str) -> Iterator[_Piece]:
    if block.kind == "text":
        yield from _sentences(block.text, location)
        return
    piece = _Piece(block.text.strip(), "\n\n", location)
    if piece.words > LARGEST_TABLE:
        raise BadInput(f"'{document[:80]}' has a table of {piece.words:,} words, and at most {LARGEST_TABLE:,} fit: split it")
    if piece.text:
        yield piece


def _sentences(text: str, location: str) -> Iterator[_Piece]:
    """The sentences and lines of a paragraph; very long ones are cut between words."""
    start, before = 0, "\n\n"
    text = text.strip()
    for end, after in (*(match.span() for match in _SENTENCE.finditer(text)), (len(text), len(text))):
        cuts = [word.start() for word in _WORD.finditer(text, start, end)][::FEWEST]
        for first, last in pairwise((*cuts, end)):
            yield _Piece(" ".join(text[first:last].split()), before, location, can_begin=before == "\n\n")
            before = " " if text[last - 1].isspace() else ""
        before = "\n" if "\n" in text[end:after] else " " if after > end else ""
        start = after
