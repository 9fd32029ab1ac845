"""Reads documents: text, Markdown, HTML, PDF and Word files, and folders of them.

Files may be hostile, so bytes, unpacked bytes, pages, characters and seconds are bounded, and a process of its own reads HTML,
PDF and Word files. Tables become rows with "|" between cells, except in PDF files, which do not mark them.

The design: which passage each question is drawn from, and which kind of question is asked for.

Draw i takes a passage with a probability proportional to its words, independently of all other draws, and the kinds come in
turn, in an order that the seed gives. Both depend on the seed and on i alone, so a longer run adds draws and changes none.

Cuts documents into passages of some 120 to 250 words: at headings and paragraphs if possible, and never within a table.
"""

from __future__ import annotations

import hashlib
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Annotated, Final, Literal

from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.formats.bounded_process import OutOfBoundsError, answers_of
from vivavoce.formats.bounds import MAX_DOCUMENT_BYTES, check_zip
from vivavoce.formats.lines import text_encoding, text_lines
from vivavoce.formats.wording import marked_material, showable
from vivavoce.settings import Seed, Within, check, setting

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


PER_PASSAGE: Final = 20
"""Most questions for each passage, on average: more would repeat each other."""


@dataclass(frozen=True, slots=True)
class DocumentQuestionKind:
    """A kind of question that the writer is asked for."""

    name: str
    asked: str
    """The instruction to the writer."""


UNANSWERED: Final = "not answered here"
CALCULATION: Final = "calculation"
KINDS: Final = (
    DocumentQuestionKind("fact", "Ask for one fact that the passage states: a number, a date, a name, a place or a term."),
    DocumentQuestionKind(
        "comparison", "Ask which of two things in the passage is longer, later or larger, or how they differ."
    ),
    DocumentQuestionKind("condition", "Ask what something needs, or what follows if a condition of the passage is met."),
    DocumentQuestionKind(
        "exception", "Ask for the case in which a rule of the passage does not hold, or for what holds in that case."
    ),
    DocumentQuestionKind(
        CALCULATION,
        "Describe a case with all of its numbers, and ask for the number that follows from it by a rule of the passage, in one "
        "or two steps of arithmetic.",
    ),
    DocumentQuestionKind(
        UNANSWERED,
        "Ask for one detail on the subject of the passage that readers may well want to know, and that the passage does not "
        "give. Someone who has only the passage must not be able to answer.",
    ),
)


@dataclass(frozen=True, slots=True)
class QuestionMakingConfig:
    """Settings for questions about documents."""

    questions: Annotated[int, Within(1, 100_000)] = setting(200, "Draw this many questions; some are rejected.")
    seed: Seed = setting(0, "Draw passages and kinds with this seed.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class QuestionDraw:
    """One draw: a passage and a kind."""

    number: int
    """From 1."""
    passage: DocumentPassage
    kind: DocumentQuestionKind


def draws(drawn_from: Sequence[DocumentPassage], config: QuestionMakingConfig) -> list[QuestionDraw]:
    """The draws of a run; see the head of this file. Raises `BadInput` if there are too few passages.

    >>> texts = [DocumentPassage("a.txt", "", "word " * 200), DocumentPassage("b.txt", "", "word " * 200)]
    >>> first, longer = (draws(texts, QuestionMakingConfig(questions=n)) for n in (12, 30))
    >>> longer[:12] == first, len({draw.kind.name for draw in first[:6]})
    (True, 6)
    """
    room = PER_PASSAGE * len(drawn_from)
    if config.questions > room:
        raise BadInput(
            f"{config.questions:,} questions need at least {-(-config.questions // PER_PASSAGE):,} passages of some 120 words, "
            f"and there are {len(drawn_from):,}: add documents" + (f", or draw at most {room:,} questions" if room else "")
        )
    ends = list(accumulate(passage.words for passage in drawn_from))
    kinds = sorted(KINDS, key=lambda kind: _number(config.seed, "kind", kind.name))
    return [
        QuestionDraw(
            number,
            drawn_from[bisect_right(ends, _number(config.seed, "passage", number) % ends[-1])],
            kinds[(number - 1) % len(kinds)],
        )
        for number in range(1, config.questions + 1)
    ]


def _number(seed: int, *parts: object) -> int:
    """A number below 2 to the 256 that depends on these values alone."""
    return int.from_bytes(hashlib.sha256("\x1f".join(map(str, (seed, *parts))).encode()).digest())
