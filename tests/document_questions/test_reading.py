"""Documents of five formats say the same, and hostile or useless ones end with one sentence and its remedy."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.document_questions import files
from vivavoce.documents import reading
from vivavoce.documents.reading import DocumentBlock, markdown_blocks, passages, read_documents
from vivavoce.errors import BadFile, BadInput, MissingExtra

HEADED = [
    ("heading", "Returns", 1),
    ("text", files.RULES, 1),
    ("table", files.TABLE, 1),
    ("heading", "Exceptions", 2),
    ("text", "- Food is excepted.", 1),
]


def parts(blocks: tuple[DocumentBlock, ...]) -> list[tuple[str, str, int]]:
    return [(block.kind, block.text, block.level) for block in blocks]


@pytest.mark.parametrize(
    ("ending", "write"), [(".md", files.markdown_file), (".html", files.page_file), (".docx", files.word_file)]
)
def test_headings_paragraphs_and_tables_are_the_same_in_each_format(
    tmp_path: Path, ending: str, write: Callable[[Path], None]
) -> None:
    file = tmp_path / f"rules{ending}"
    write(file)
    [document] = read_documents([file])
    assert document.name == f"rules{ending}"
    assert parts(document.blocks) == HEADED


def test_paragraphs_of_a_text_file(tmp_path: Path) -> None:
    files.text_file(tmp_path / "rules.txt")
    [document] = read_documents([tmp_path / "rules.txt"])
    assert parts(document.blocks) == [("text", "Returns", 1), ("text", files.RULES, 1), ("text", "Food is excepted.", 1)]


def test_pages_of_a_pdf_file_are_places(tmp_path: Path) -> None:
    files.pdf_file(tmp_path / "rules.pdf", (files.RULES, "", "Food is excepted."))
    [document] = read_documents([tmp_path / "rules.pdf"])
    assert parts(document.blocks) == [
        ("page", "1", 1),
        ("text", files.RULES, 1),
        ("page", "3", 1),
        ("text", "Food is excepted.", 1),
    ]
    assert [passage.where for passage in passages([document])] == ["rules.pdf, page 1"]


def test_old_encodings_are_read(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_bytes("Das Porto trägt der Käufer.".encode("cp1252"))
    assert read_documents([tmp_path / "rules.txt"])[0].blocks[0].text == "Das Porto trägt der Käufer."


def test_folders_are_read_in_order_each_file_once(tmp_path: Path) -> None:
    for name in ("b/rules.txt", "a/rules.txt", "a/empty.md", "a/picture.png", "a/.hidden.txt", ".git/notes.md"):
        file = tmp_path / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("" if "empty" in name else "Rain falls.")
    names = [document.name for document in read_documents([tmp_path / "docs", tmp_path / "docs" / "b" / "rules.txt"])]
    assert names == ["a/rules.txt", "b/rules.txt"]


def test_code_in_markdown_has_no_headings_and_no_tables() -> None:
    lines = ["```sh", "# not a heading", "a | b", "|---|---|", "```", "x | y"]
    assert [(block.kind, block.text) for block in markdown_blocks(lines)] == [("text", "\n".join(lines))]


def test_characters_that_steer_a_terminal_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("Rain \x1b[2J falls.")
    assert read_documents([tmp_path / "rules.txt"])[0].blocks[0].text == "Rain \N{REPLACEMENT CHARACTER}[2J falls."


def no_file(file: Path) -> None:
    pass


def text_of(text: str) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        file.write_text(text)

    return write


USELESS: list[tuple[str, Callable[[Path], None], str]] = [
    ("missing.txt", no_file, "does not exist: check its name"),
    ("sheet.xlsx", text_of("x"), "has an unknown ending: .txt, .md, .markdown, .html, .htm, .pdf and .docx are read"),
    ("empty.txt", text_of(" \n"), "has no text: leave it out"),
    ("headings.md", text_of("# Rules\n\n## Fees\n"), "has no text: leave it out"),
    ("empty.html", text_of("<p></p>"), "has no text: leave it out"),
    ("scanned.pdf", lambda file: files.pdf_file(file, ("", "")), "has no text, only pictures: run OCR on it first"),
    ("secret.pdf", lambda file: files.pdf_file(file, password="open"), "is protected by a password: save it again"),
    ("broken.pdf", text_of("%PDF-1.7 nothing"), "is not a readable PDF"),
    ("broken.docx", text_of("PK"), "is not a readable Word file: save it again as .docx without a password"),
    ("binary.html", text_of("<p>\0\1\0</p>"), "contains NUL bytes, so it is not a page: save it again as HTML in UTF-8"),
    ("pipe.txt", os.mkfifo, "is not a file with bytes, but a pipe or a device"),
    ("bomb.docx", files.packed_bomb, "unpacks to more than 64 MiB: split it"),
    ("parts.docx", files.many_parts, "has 10,001 parts, and at most 10,000 are read: split it"),
    ("laughs.docx", files.entity_bomb, "is not a readable Word file"),
]


@pytest.mark.parametrize(("name", "write", "says"), USELESS, ids=[name for name, *_ in USELESS])
def test_a_useless_document_ends_with_the_remedy(tmp_path: Path, name: str, write: Callable[[Path], None], says: str) -> None:
    write(tmp_path / name)
    with pytest.raises(BadFile) as raised:
        read_documents([tmp_path / name])
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_folder_without_documents(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"x")
    with pytest.raises(BadInput, match=r"has no documents: \.txt, "):
        read_documents([tmp_path])


def test_tables_that_lay_out_a_page_are_text_said_once(tmp_path: Path) -> None:
    inner = "<table><caption>Fees</caption><tr><td>Norway<td>12 euros</table>"
    (tmp_path / "old.html").write_text(f"<table><tr><td>Menu<td>{inner}</table>")
    [document] = read_documents([tmp_path / "old.html"])
    assert parts(document.blocks) == [("text", "Menu", 1), ("text", "Fees", 1), ("table", "Norway | 12 euros", 1)]


def test_deeply_nested_pages_are_read(tmp_path: Path) -> None:
    files.nested_page(tmp_path / "deep.html")
    assert parts(read_documents([tmp_path / "deep.html"])[0].blocks) == [("text", files.RULES, 1)]


@pytest.mark.parametrize(
    ("bound", "value", "says"),
    [
        ("MOST_PAGES", 1, "has 2 pages, and at most 1 are read: split it"),
        ("MOST_CHARACTERS", 20, "has more than 20 characters: split it"),
        ("MAX_DOCUMENT_BYTES", 20, "has more than 0 MiB: split it"),
    ],
)
def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, value: int, says: str) -> None:
    files.pdf_file(tmp_path / "rules.pdf")
    monkeypatch.setattr(reading, bound, value)
    with pytest.raises(BadFile, match=says):
        read_documents([tmp_path / "rules.pdf"])


def test_a_reader_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = tmp_path / "child.py"
    child.write_text("while True:\n    pass\n")
    monkeypatch.setattr(reading, "_CHILD", child)
    monkeypatch.setattr("vivavoce.formats.bounded_process.CPU_SECONDS", 1)
    files.page_file(tmp_path / "rules.html")
    with pytest.raises(BadFile, match=r"takes .* to read, or is damaged: split it"):
        read_documents([tmp_path / "rules.html"])


@pytest.mark.parametrize(("ending", "package"), [(".pdf", "pypdf"), (".docx", "python-docx"), (".html", "beautifulsoup4")])
def test_a_missing_library_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, package: str
) -> None:
    (tmp_path / f"rules{ending}").write_bytes(b"x")
    monkeypatch.setattr(reading, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=rf"'{package}' is not installed: pip install 'vivavoce\[documents\]'"):
        read_documents([tmp_path / f"rules{ending}"])
