"""Documents of each format, made with the libraries that read them, and documents that try to harm their reader."""

from __future__ import annotations

import zipfile
from itertools import pairwise
from pathlib import Path

RULES = "Goods may be returned within 30 days. The customer pays the postage."
FEES = (("country", "fee"), ("France", "4 euros"), ("Norway", "12 euros"))
TABLE = "country | fee\nFrance | 4 euros\nNorway | 12 euros"


def text_file(file: Path) -> None:
    file.write_text(f"Returns\n\n{RULES}\n\nFood is excepted.\n", encoding="utf-8")


def markdown_file(file: Path) -> None:
    table = "".join(f"| {' | '.join(row)} |\n" + ("|---|:--|\n" if row is FEES[0] else "") for row in FEES)
    file.write_text(f"# Returns #\n\n{RULES}\n\n{table}\n## Exceptions\n\n- Food is excepted.\n", encoding="utf-8")


def page_file(file: Path) -> None:
    rows = "".join(f"<tr><td>{country}</td><td> <b>{fee}</b></td></tr>" for country, fee in FEES)
    file.write_text(
        f"<!doctype html><head><title>Shop</title><style>p {{}}</style><h1>Returns</h1><div><p>{RULES}</p><!-- secret -->"
        f"<script>alert(1)</script><table>{rows}</table></div><h2>Exceptions</h2><ul><li>Food is <i>ex</i>cepted.</ul>",
        encoding="utf-8",
    )


def word_file(file: Path) -> None:
    import docx

    document = docx.Document()
    document.add_heading("Returns", level=1)
    document.add_paragraph(RULES)
    table = document.add_table(rows=0, cols=2)
    for row in FEES:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_heading("Exceptions", level=2)
    document.add_paragraph("Food is excepted.", style="List Bullet")
    document.save(str(file))


def pdf_file(file: Path, pages: tuple[str, ...] = (RULES, "Food is excepted."), password: str = "") -> None:
    import pypdf
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1"),
         NameObject("/BaseFont"): NameObject("/Helvetica")}
    )  # fmt: skip
    for text in pages:
        page = writer.add_blank_page(width=600, height=800)
        fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET".encode() if text else b"")
        page[NameObject("/Contents")] = writer._add_object(content)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    with file.open("wb") as stream:
        writer.write(stream)


def packed_bomb(file: Path) -> None:
    """A Word file whose text unpacks to 200 MiB."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", b" " * (200 << 20))


def many_parts(file: Path) -> None:
    """A Word file of 10,001 empty parts."""
    with zipfile.ZipFile(file, "w") as packed:
        for number in range(10_001):
            packed.writestr(f"{number}.xml", "")


def entity_bomb(file: Path) -> None:
    """A Word file whose text is a billion laughs."""
    word_file(file)
    with zipfile.ZipFile(file) as packed:
        parts = {part.filename: packed.read(part) for part in packed.infolist()}
    names = [f"l{number}" for number in range(10)]
    entities = '<!ENTITY l0 "laugh">' + "".join(f'<!ENTITY {name} "{10 * f"&{before};"}">' for before, name in pairwise(names))
    text = parts["word/document.xml"].decode().replace("Food is excepted.", "&l9;")
    head, _, rest = text.partition("?>")
    parts["word/document.xml"] = f"{head}?><!DOCTYPE d [{entities}]>{rest}".encode()
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)


def nested_page(file: Path) -> None:
    """A page with 20,000 elements inside each other."""
    file.write_text("<div>" * 20_000 + RULES + "</div>" * 20_000, encoding="utf-8")
