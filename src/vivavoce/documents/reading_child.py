"""The process that reads PDF, Word and HTML files; `formats.bounded_process` runs it by its path.

It imports nothing from this package. Its input is one JSON object: `file`, `form` (the suffix), and the bounds `pages` and
`characters`. Its output is JSON lines: `["heading", TEXT, LEVEL]`, `["text", TEXT]`, `["table", ROWS]` and `["page", NUMBER]`,
or `{"problem": ..., "remedy": ...}` at the end.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

Part = list[Any]
CELLS = " | "
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
UNSHOWN = ("title", "script", "style", "template", "noscript", "svg", "iframe", "select")
LISTED = """
address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form header hr html li
main nav ol p pre section summary table td th tr ul
"""
PARAGRAPHS = frozenset(LISTED.split())
OCR = "run OCR on it first, or give the text as .txt"
SAVE_PDF = "save it again as PDF without a password"
SAVE_PAGE = "save it again as HTML in UTF-8"
SAVE_WORD = "save it again as .docx without a password"


class DocumentProblem(Exception):
    """Why a document is not read, and what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.remedy = remedy


def pdf_parts(asked: dict[str, Any]) -> Iterator[Part]:
    """The pages of a PDF, each as one text; its tables come as lines."""
    import pypdf

    try:
        reader = pypdf.PdfReader(asked["file"])
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentProblem("is protected by a password", SAVE_PDF)
        if len(reader.pages) > asked["pages"]:
            raise DocumentProblem(f"has {len(reader.pages):,} pages, and at most {asked['pages']:,} are read", "split it")
        has_text = False
        for number, page in enumerate(reader.pages, 1):
            text = re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", page.extract_text())
            if text.strip():
                has_text = True
                yield ["page", str(number)]
                yield from (["text", paragraph] for paragraph in re.split(r"\n[ \t]*\n", text))
    except DocumentProblem:
        raise
    except Exception as error:  # of damaged files, the library raises many kinds
        raise DocumentProblem(f"is not a readable PDF ({type(error).__name__})", SAVE_PDF) from None
    if not has_text:
        raise DocumentProblem("has no text, only pictures", OCR)


def word_parts(asked: dict[str, Any]) -> Iterator[Part]:
    """The headings, paragraphs and tables of a Word file, in order."""
    import docx
    from docx.table import Table

    try:
        for content in docx.Document(asked["file"]).iter_inner_content():
            if isinstance(content, Table):
                yield ["table", _rows([list(dict.fromkeys(row.cells)) for row in content.rows])]
                continue
            style = content.style.name or "" if content.style is not None else ""
            match = re.fullmatch(r"(?:Heading (\d)|Title)", style)
            if match:
                yield ["heading", content.text, int(match[1] or 1)]
            else:
                yield ["text", f"- {content.text}" if style.startswith("List") and content.text.strip() else content.text]
    except Exception as error:  # of XML, ZIP and the library itself
        raise DocumentProblem(f"is not a readable Word file ({type(error).__name__})", SAVE_WORD) from None


def _rows(rows: list[list[Any]]) -> str:
    return "\n".join(CELLS.join(" ".join(cell.text.split()) for cell in row) for row in rows)


def _page_rows(table: Any) -> str:
    """The rows of a table on a page; the ends of rows and cells need no tag."""
    from bs4.element import NavigableString

    rows: list[list[list[str]]] = [[]]
    for node in table.descendants:
        if node.name == "tr":
            rows.append([])
        elif node.name in ("td", "th"):
            rows[-1].append([])
        elif rows[-1] and (type(node) is NavigableString or node.name in PARAGRAPHS):
            rows[-1][-1].append(node if node.name is None else " ")
    return "\n".join(CELLS.join(" ".join("".join(cell).split()) for cell in row) for row in rows if row)


def html_parts(asked: dict[str, Any]) -> Iterator[Part]:
    """The headings, paragraphs and tables of a page, in order; an explicit stack, as pages may be nested deeply."""
    import bs4
    from bs4.element import NavigableString

    with open(asked["file"], "rb") as stream:
        content = stream.read()
    if b"\0" in content and not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DocumentProblem("contains NUL bytes, so it is not a page", SAVE_PAGE)
    soup = bs4.BeautifulSoup(content, "html.parser")
    words: list[str] = []

    def paragraph() -> Iterator[Part]:
        text = " ".join("".join(words).split())
        words.clear()
        if text:
            yield ["text", text]

    stack: list[Any] = [soup]
    while stack:
        node = stack.pop()
        if isinstance(node, NavigableString):
            if type(node) is NavigableString:  # neither a comment nor a declaration
                words.append(node)
            continue
        if node is None or node.name in PARAGRAPHS:
            yield from paragraph()
        if node is None or node.name in UNSHOWN:
            continue
        if node.name in HEADINGS:
            yield from paragraph()
            yield ["heading", " ".join(node.get_text(" ").split()), int(node.name[1])]
        elif node.name == "table" and node.find("table") is None:  # one with others in it lays out a page
            yield from paragraph()
            if node.caption is not None:
                yield ["text", " ".join(node.caption.get_text(" ").split())]
            yield ["table", _page_rows(node)]
        else:
            if node.name == "li":
                words.append("- ")
            if node.name in PARAGRAPHS:
                stack.append(None)  # its end
            stack += reversed(node.contents)
    yield from paragraph()


def main() -> None:
    """Read and write."""
    asked = json.loads(sys.stdin.buffer.read())
    parts = {".pdf": pdf_parts, ".docx": word_parts}.get(asked["form"], html_parts)(asked)
    characters = 0
    try:
        for part in parts:
            characters += len(part[1])
            if characters > asked["characters"]:
                raise DocumentProblem(f"has more than {asked['characters']:,} characters", "split it")
            sys.stdout.write(json.dumps(part) + "\n")
    except DocumentProblem as problem:
        sys.stdout.write(json.dumps({"problem": str(problem), "remedy": problem.remedy}) + "\n")


if __name__ == "__main__":
    main()
