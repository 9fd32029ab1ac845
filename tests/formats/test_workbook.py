"""Workbooks: what their cells hold, and bounds on hostile ones."""

from __future__ import annotations

import struct
import zipfile
from datetime import date, time
from pathlib import Path

import pytest

from tests.workbooks import DATE, FORMULA, TIME, error, number, sheet, write_workbook
from vivavoce.errors import BadFile
from vivavoce.formats.binary_tables import sheet_rows

pytest.importorskip("python_calamine")


def test_cells_keep_their_values_and_rows_their_numbers(tmp_path: Path) -> None:
    rows = sheet(
        ["Question", "Answer"],
        [],
        ["6 * 7?", number(42), number(0.5)],
        ["3/4?", number(46085, DATE), number(0.5, TIME)],
        ["Six?", error("#REF!"), FORMULA],
    )
    file = write_workbook(tmp_path / "q.xlsx", {"Empty": "", "Questions": rows})
    assert list(sheet_rows(file)) == [
        (1, ["Question", "Answer", ""]),
        (3, ["6 * 7?", 42, 0.5]),
        (4, ["3/4?", date(2026, 3, 4), time(12)]),
        (5, ["Six?", "#REF!", "#VALUE!"]),
    ]


def test_of_several_sheets_one_is_named(tmp_path: Path) -> None:
    file = write_workbook(tmp_path / "q.xlsx", {"A": sheet(["a"]), "B": sheet(["b"])})
    assert list(sheet_rows(file, "B")) == [(1, ["b"])]
    with pytest.raises(BadFile, match=r"2 sheets hold something, A, B: name one behind the file, as \?sheet=A"):
        list(sheet_rows(file))
    with pytest.raises(BadFile, match="no sheet 'C': there are A, B"):
        list(sheet_rows(file, "C"))


def lying(file: Path) -> Path:
    """A workbook that says of each of its parts that it unpacks to 1,000 bytes."""
    write_workbook(file, {"Q": sheet(["x" * (64 << 20)])})
    content = bytearray(file.read_bytes())
    place = content.find(b"PK\x01\x02")
    while place >= 0:
        content[place + 24 : place + 28] = struct.pack("<I", 1000)
        place = content.find(b"PK\x01\x02", place + 4)
    file.write_bytes(content)
    return file


def vast(file: Path) -> Path:
    """A workbook with a cell in the first place and one in the last."""
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    return write_workbook(file, {"Q": rows})


def packed(file: Path) -> Path:
    """A file of 300 KB that unpacks to 300 MiB."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("xl/worksheets/sheet1.xml", bytes(300 << 20))
    return file


def test_what_would_take_all_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="unpacks to more than 64 MiB"):
        list(sheet_rows(packed(tmp_path / "packed.xlsx")))
    with pytest.raises(BadFile, match="takes more than 60 s of computing or 2 GiB to read"):
        list(sheet_rows(vast(tmp_path / "vast.xlsx")))
    with pytest.raises(BadFile, match="is not a workbook that can be read"):
        list(sheet_rows(lying(tmp_path / "lying.xlsx")))


@pytest.mark.parametrize(
    "content", [b"question,answer\n", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), b"PK\x03\x04", b""]
)
def test_what_is_no_workbook_is_refused_with_the_remedy(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "q.xlsx"
    file.write_bytes(content)
    with pytest.raises(BadFile, match=r"save it as \.xlsx without a password, or the sheet as CSV"):
        list(sheet_rows(file))
    with pytest.raises(BadFile, match="cannot be read: No such file"):
        list(sheet_rows(tmp_path / "none.xlsx"))
