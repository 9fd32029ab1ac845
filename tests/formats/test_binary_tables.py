"""Parquet, Arrow and Excel files, also hostile ones."""

from __future__ import annotations

import struct
import zipfile
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import pytest

from tests.each_case import each_case
from tests.late_import import LateImport
from tests.workbooks import DATE, FORMULA, TIME, error, number, sheet, write_workbook
from vivavoce.errors import BadFile
from vivavoce.formats.records import columnar_rows, sheet_rows

pa, feather, parquet = LateImport("pyarrow"), LateImport("pyarrow.feather"), LateImport("pyarrow.parquet")

ROWS: list[dict[str, Any]] = [
    {"question": "What is 6 times 7?", "answer": ["42"], "weight": 1.5},
    {"question": "“Österreich”?", "answer": ["Wien", "Vienna"], "weight": None},
]


def write_parquet(table: Any, file: str) -> None:
    parquet.write_table(table, file)


def write_feather(table: Any, file: str) -> None:
    feather.write_feather(table, file)


def write_stream(table: Any, file: str) -> None:
    with pa.OSFile(file, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)


def write_file(table: Any, file: str) -> None:
    with pa.OSFile(file, "wb") as sink, pa.ipc.new_file(sink, table.schema) as stream:
        stream.write_table(table, max_chunksize=1)


@each_case(
    ("name", "write"),
    [
        ("rows.parquet", write_parquet),
        ("ROWS.PARQUET", write_parquet),
        ("rows.feather", write_feather),
        ("rows.arrow", write_file),
        ("rows.arrow", write_stream),
    ],
)
def test_rows_come_as_they_were_written(tmp_path: Path, name: str, write: Any) -> None:
    write(pa.Table.from_pylist(ROWS), str(tmp_path / name))
    assert list(columnar_rows(tmp_path / name)) == ROWS


def test_many_rows_come_some_at_a_time(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"answer": range(1000)}), tmp_path / "many.parquet")
    rows = columnar_rows(tmp_path / "many.parquet")
    assert [next(rows), sum(1 for _ in rows)] == [{"answer": 0}, 999]


@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow", "rows.feather"])
@pytest.mark.parametrize("content", [b"", b"PAR1", b"ARROW1", b"question,answer\n1,2\n", b"\xff" * 64])
def test_what_is_no_such_file_is_told_as_such(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadFile, match=r"is not a readable (Parquet|Arrow) file"):
        list(columnar_rows(tmp_path / name))


@pytest.mark.long
def test_any_byte_that_is_changed_or_cut_off_is_told_or_read(tmp_path: Path) -> None:
    """A damaged file ends in `BadFile`, never in another error, nor in a crash of the process."""
    file = tmp_path / "rows.parquet"
    parquet.write_table(pa.Table.from_pylist(ROWS), file)
    whole = file.read_bytes()
    refused = 0
    for index in range(0, len(whole), 211):
        for damaged in (whole[:index], whole[:index] + bytes([whole[index] ^ 0xFF]) + whole[index + 1 :]):
            file.write_bytes(damaged)
            try:
                list(columnar_rows(file))
            except BadFile:
                refused += 1
    assert refused > len(whole) // 422


def test_one_that_is_packed_again_or_is_not_there_is_told_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet.gz").write_bytes(b"")
    with pytest.raises(BadFile, match=r"is packed: unpack it"):
        list(columnar_rows(tmp_path / "rows.parquet.gz"))
    with pytest.raises(BadFile, match=r"none\.arrow"):
        list(columnar_rows(tmp_path / "none.arrow"))


@pytest.mark.long
def test_what_unpacks_to_gigabytes_is_refused(tmp_path: Path) -> None:
    """4 GB of one repeated text in a few KB of Parquet; 200 million rows in some bytes of Arrow."""
    bomb = tmp_path / "bomb.parquet"
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 4000), pa.array(["x" * (1 << 20)]))
    parquet.write_table(pa.table({"question": texts, "answer": ["1"] * 4000}), bomb, compression="zstd")
    with pytest.raises(BadFile, match=r"unpacks to more than 67,108,864 characters, at row 64: split it, or write it as JSON"):
        list(columnar_rows(bomb))
    many = tmp_path / "many.arrow"
    write_stream(pa.table({"question": pa.nulls(200_000_000)}), str(many))
    with pytest.raises(BadFile, match=r"has 200,000,000 rows or more, and at most 1,000,000 are read: split it"):
        list(columnar_rows(many))
    long = tmp_path / "long.parquet"
    parquet.write_table(pa.table({"question": ["x" * (5 << 20)]}), long)
    with pytest.raises(BadFile, match=r"has a cell of 5,242,880 characters, and at most 4,194,304 are read: shorten it"):
        list(columnar_rows(long))


@pytest.mark.long
def test_values_keep_their_types_and_what_no_type_can_hold_is_told(tmp_path: Path) -> None:
    moment = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    row = {"a": date(2026, 1, 2), "b": time(3, 4), "c": moment, "d": {"date": "x"}, "e": [1, None, 2.5], "f": True}
    parquet.write_table(pa.Table.from_pylist([row]), tmp_path / "typed.parquet")
    assert list(columnar_rows(tmp_path / "typed.parquet")) == [row]
    for kind, value in ((pa.timestamp("ms"), -(2**53)), (pa.duration("s"), 2**62)):
        parquet.write_table(pa.table({"answer": pa.array([value], type=kind)}), tmp_path / "late.parquet")
        with pytest.raises(BadFile, match=r"a date, time or span that is out of range .*: write it as a text"):
            list(columnar_rows(tmp_path / "late.parquet"))
    parquet.write_table(pa.table({"answer": [float("inf")]}), tmp_path / "inf.parquet")
    with pytest.raises(BadFile, match="line 1: 'answer': inf is not a finite number"):
        list(columnar_rows(tmp_path / "inf.parquet"))


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
    with pytest.raises(BadFile, match=r"2 sheets have content, A, B: name one after the file, as \?sheet=A"):
        list(sheet_rows(file))
    with pytest.raises(BadFile, match="no sheet 'C': the sheets are A, B"):
        list(sheet_rows(file, "C"))


def lying(file: Path) -> Path:
    """A workbook that says of each of its parts that it unpacks to 1,000 bytes."""
    write_workbook(file, {"Q": sheet(["x" * (64 << 20)])})
    content = bytearray(file.read_bytes())
    index = content.find(b"PK\x01\x02")
    while index >= 0:
        content[index + 24 : index + 28] = struct.pack("<I", 1000)
        index = content.find(b"PK\x01\x02", index + 4)
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
    with pytest.raises(BadFile, match="takes more than 60 s of CPU time or 2 GiB to read"):
        list(sheet_rows(vast(tmp_path / "vast.xlsx")))
    with pytest.raises(BadFile, match="is not a readable workbook"):
        list(sheet_rows(lying(tmp_path / "lying.xlsx")))


@each_case("content", [b"question,answer\n", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), b"PK\x03\x04", b""])
def test_what_is_no_workbook_is_refused_with_the_remedy(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "q.xlsx"
    file.write_bytes(content)
    with pytest.raises(BadFile, match=r"save it as \.xlsx without a password, or the sheet as CSV"):
        list(sheet_rows(file))
    with pytest.raises(BadFile, match="cannot be read: No such file"):
        list(sheet_rows(tmp_path / "none.xlsx"))
