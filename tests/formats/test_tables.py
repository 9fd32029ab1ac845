"""Tables, rows and lines of text files: encodings, delimiters, and what is refused."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import (
    ending,
    expanded,
    json_lines,
    table_rows,
    text_encoding,
    text_lines,
    whole,
    write_whole,
    writing,
)
from vivavoce.formats.records import records, sibling_path
from vivavoce.formats.tables import OpenedTable, check_names, read_table


def table(folder: Path, text: str, name: str = "t.csv") -> Path:
    file = folder / name
    file.write_text(text, newline="")
    return file


def test_columns_stand_in_any_order_and_empty_rows_are_skipped(tmp_path: Path) -> None:
    read = read_table(table(tmp_path, "\ufeff b ,a,c\n1,2,3\n\n , ,\n4,5,6,\n"), ["a", "b"])
    assert read.names == ("b", "a", "c")
    assert list(read.rows) == [(2, {"b": "1", "a": "2", "c": "3"}), (5, {"b": "4", "a": "5", "c": "6"})]


@each_case(("name", "delimiter"), [("t.csv", ","), ("t.tsv", "\t"), ("T.TSV", "\t"), ("t.txt", ",")])
def test_the_name_says_what_stands_between_cells(tmp_path: Path, name: str, delimiter: str) -> None:
    read = read_table(table(tmp_path, f"a{delimiter}b\n1{delimiter}2\n", name), ["a", "b"])
    assert (list(read.rows), read.delimiter) == ([(2, {"a": "1", "b": "2"})], delimiter)


def test_packed_tables_are_unpacked(tmp_path: Path) -> None:
    (tmp_path / "t.tsv.GZ").write_bytes(gzip.compress(b"a\tb\n1\t2\n"))
    assert list(read_table(tmp_path / "t.tsv.GZ").rows) == [(2, {"a": "1", "b": "2"})]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_that_finds_the_columns_is_taken(tmp_path: Path, delimiter: str) -> None:
    file = table(tmp_path, f"a{delimiter}b\nx{delimiter}1{'.' if delimiter == ',' else ','}5\n")
    read = read_table(file, ["a", "b"], delimiters=",;\t")
    assert read.delimiter == delimiter
    assert [row["a"] for _, row in read.rows] == ["x"]


def test_of_delimiters_that_find_too_few_columns_the_best_one_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"line 1: no column c: the first line must name a, b, c"):
        read_table(table(tmp_path, "a;b\n1;2\n"), ["a", "b", "c"], delimiters=",;")


def test_case_matters_only_if_it_is_to(tmp_path: Path) -> None:
    file = table(tmp_path, "A,b\n1,2\n")
    assert read_table(file, ["a"], small=True).names == ("a", "b")
    with pytest.raises(BadFile, match="no column a"):
        read_table(file, ["a"])


def test_an_empty_file_has_no_columns(tmp_path: Path) -> None:
    read = read_table(table(tmp_path, "\n\n"))
    assert (read.names, list(read.rows)) == ((), [])
    with pytest.raises(BadFile, match="line 1: empty: the first line must name a, b"):
        read_table(tmp_path / "t.csv", ["a", "b"])


def test_of_two_columns_of_one_name_only_those_that_are_not_read_are_let_be(tmp_path: Path) -> None:
    file = table(tmp_path, "a,x,x,,\n1,2,3,4,5\n")
    with pytest.raises(BadFile, match="line 1: two columns are named 'x': rename one"):
        read_table(file, ["a"])
    assert [row["a"] for _, row in read_table(file, ["a"], others=False).rows] == ["1"]
    with pytest.raises(BadFile, match="two columns are named 'x'"):
        read_table(file, ["a", "x"], others=False)
    check_names(file, ["", "", "a"], line=1)


def test_rows_must_fit_the_columns(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="line 3: the row ends after 1 of 2 cells"):
        list(read_table(table(tmp_path, "a,b\n1,2\n3\n")).rows)
    with pytest.raises(BadFile, match="line 2: 3 cells under 2 columns: put those that contain ',' in quotation marks"):
        list(read_table(table(tmp_path, "a,b\n1,2,3\n")).rows)
    with pytest.raises(BadFile, match="that contain 'a tab' in"):
        list(read_table(table(tmp_path, "a\n1\t2\n", "t.tsv")).rows)


def test_rows_that_may_end_early_are_filled_and_still_have_nothing_beyond_the_last_column(tmp_path: Path) -> None:
    assert list(read_table(table(tmp_path, "a,b\n3\n"), cut=True).rows) == [(2, {"a": "3", "b": ""})]
    with pytest.raises(BadFile, match="3 cells under 2 columns"):
        list(read_table(table(tmp_path, "a,b\n1,2,3\n"), cut=True).rows)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=5)


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=5)))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]) -> None:
    names = tuple("abcd"[: len(rows[0])]) if rows else ("a",)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([names, *rows])
    read: OpenedTable = read_table(table(tmp_path_factory.mktemp("any"), text.getvalue()), names)
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    assert [tuple(row.values()) for _, row in read.rows] == list(map(tuple, filled))


def test_a_delimiter_by_which_quoted_names_are_no_table_is_passed_over(tmp_path: Path) -> None:
    read = read_table(table(tmp_path, '"a";"b"\n"x,1";2\n'), ["a", "b"], delimiters=",;")
    assert (read.delimiter, [row["a"] for _, row in read.rows]) == (";", ["x,1"])
    with pytest.raises(BadFile, match="not a table"):
        read_table(table(tmp_path, '"a"b\n'), ["a"], delimiters=";,")


@each_case("delimiter", [",", ";", "\t", "|"])
@each_case("line_end", ["\n", "\r\n", "\r"])
def test_delimiter_and_line_ends_are_found_whatever_the_names(tmp_path: Path, delimiter: str, line_end: str) -> None:
    rows = [["Frage", "Antwort"], ['"Wie viel ist 6, oder; ""7""?"', "42"], ["Wo?", "Rom"]]
    text = line_end.join(delimiter.join(row) for row in rows)
    read = read_table(table(tmp_path, text))
    assert (read.delimiter, read.names) == (delimiter, ("Frage", "Antwort"))
    assert list(read.rows) == [
        (2, {"Frage": 'Wie viel ist 6, oder; "7"?', "Antwort": "42"}),
        (3, {"Frage": "Wo?", "Antwort": "Rom"}),
    ]


@each_case(("first", "delimiter"), [("sep=;", ";"), ('"sep=|"', "|"), ("SEP=\t", "\t"), ("sep=,", ",")])
def test_excels_first_line_says_what_stands_between_cells(tmp_path: Path, first: str, delimiter: str) -> None:
    read = read_table(table(tmp_path, f"{first}\r\na{delimiter}b\r\n1{delimiter}2\r\n\x1a"))
    assert (read.names, read.line, list(read.rows)) == (("a", "b"), 2, [(3, {"a": "1", "b": "2"})])


def test_a_break_within_quotation_marks_stays(tmp_path: Path) -> None:
    read = read_table(table(tmp_path, 'a,b\r"x\ry",2\r'))
    assert [row["a"] for _, row in read.rows] == ["x\ry"]


def test_a_problem_below_the_first_rows_is_told_by_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="line 3: not a table: a quotation mark in this row is never closed"):
        list(read_table(table(tmp_path, 'a,b\n1,2\n3,"4\n')).rows)


@each_case(
    ("name", "text", "wanted"),
    [
        ("a.jsonl", '{"a": 1}\n\n{"a": [2]}\n', [(1, {"a": 1}), (3, {"a": [2]})]),
        ("a.json", '[{"a": 1}, {"a": null}]', [(1, {"a": 1}), (2, {"a": None})]),
        ("a.json", '{"version": 2, "data": [{"a": 1}]}', [(1, {"a": 1})]),
        ("a.json", '{"a": 1}\n{"a": 2}\n', [(1, {"a": 1}), (2, {"a": 2})]),
        ("a.csv", "a,b\n1,x|y\n", [(2, {"a": "1", "b": "x|y"})]),
    ],
)
def test_rows_keep_their_values(tmp_path: Path, name: str, text: str, wanted: list[object]) -> None:
    file = tmp_path / name
    file.write_text(text)
    assert list(records(file)) == wanted


@each_case(
    ("name", "text", "problem"),
    [
        ("a.json", "{", "line 1: not JSON"),
        ("a.json", '{"a": 1}', "has one object without a list of rows"),
        ("a.json", "[1, 2]", "must hold a list of objects"),
        ("a.xlsx", "PK", "the name must end in"),
    ],
)
def test_what_holds_no_rows_is_told(tmp_path: Path, name: str, text: str, problem: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(BadFile, match=problem):
        list(records(file))


def test_a_field_says_where_rows_are(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"train": [{"a": 1}], "test": [{"a": 2}]}')
    assert list(records(file, field="test")) == [(1, {"a": 2})]
    with pytest.raises(BadFile, match="has one object without a list 'dev'"):
        list(records(file, field="dev"))


def test_only_what_lies_in_the_folder_may_be_named(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "a.csv").write_text("a\n1\n")
    (tmp_path / "secret.csv").write_text("a\n1\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    task = folder / "task.yaml"
    assert sibling_path(task, "file://data/a.csv") == folder / "data" / "a.csv"
    for named in (
        "../secret.csv",
        str(tmp_path / "secret.csv"),
        "link.csv",
        "https://example.org/a.csv",
        "data/../../secret.csv",
    ):
        with pytest.raises(BadFile, match="which is not in its folder"):
            sibling_path(task, named)
    with pytest.raises(BadFile, match="which does not exist"):
        sibling_path(task, "data/b.csv")
    for named in ("a" * 5000, "a\0b"):
        with pytest.raises(BadFile, match="which is not in its folder"):
            sibling_path(task, named)


@pytest.mark.parametrize(
    "text",
    ["Größe in Köln: 5 € – “quoted”, it’s ½", "São Paulo, ação, ñandú, Ångström, œuvre", "¿Qué? ¡Sí! l’été, m², 20 °C, À É"],
)
def test_western_texts_of_windows_are_read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(f"question\n{text}\n".encode("cp1252"))
    encoding = text_encoding(file)
    assert encoding.name == "cp1252"
    assert encoding.sample in text
    assert "".join(text_lines(file, encoding=encoding.name)) == f"question\n{text}\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_is_known_by_itself(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes("Größe 東京\n".encode(encoding))
    assert text_encoding(file) == ("utf-8", "")
    assert list(text_lines(file)) == ["Größe 東京\n"]


@each_case(
    ("text", "encoding"),
    [
        ("Столица", "cp1251"),
        ("Ελλάδα", "cp1253"),
        ("café", "mac_roman"),
        ("München", "mac_roman"),
        ("Köln", "cp850"),
        ("Łódź", "cp1250"),
        ("Příliš", "cp1250"),
        ("İstanbul", "cp1254"),
        ("東京は", "shift_jis"),
        ("北京", "gbk"),
        ("한국어", "euc-kr"),
        ("Capital", "utf-16-le"),
    ],
)
def test_what_would_be_garbled_is_refused_with_its_line(tmp_path: Path, text: str, encoding: str) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(f"question\n{text}\n".encode(encoding))
    with pytest.raises(BadFile, match="save it as UTF-8") as caught:
        text_encoding(file)
    assert caught.value.line == (1 if encoding.startswith("utf") else 2)


def test_what_was_there_stays_until_the_new_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    write_whole(file, "old")
    file.chmod(0o640)

    def half() -> None:
        with whole(file) as stream:
            stream.write(b"the n")
            stream.flush()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("record.json", "old")]
    write_whole(file, "half a pair: \ud83d\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("record.json", "half a pair: ?\n")]
    assert file.stat().st_mode & 0o777 == 0o640


@each_case("start", [b"PK\x03\x04\x14\x00", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
@each_case("read", [json_lines, table_rows])
def test_a_workbook_is_called_one(tmp_path: Path, start: bytes, read: Callable[[Path], Iterator[object]]) -> None:
    file = tmp_path / "tuples.xlsx"
    file.write_bytes(start + b"\x00\xff" * 40)
    with pytest.raises(BadFile, match=r"tuples\.xlsx: a workbook or packed file.*save the sheet as CSV in UTF-8"):
        list(read(file))


def test_links_and_pipes_are_written_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_whole(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"
    os.mkfifo(tmp_path / "pipe")
    writing = threading.Thread(target=write_whole, args=(tmp_path / "pipe", "text"))
    writing.start()
    assert (tmp_path / "pipe").read_text() == "text"
    writing.join()


def test_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"nowhere/record\.json: cannot be written: No such file or directory"):
        write_whole(tmp_path / "nowhere" / "record.json", "text")
    with pytest.raises(BadFile, match="cannot be written: Is a directory"):
        write_whole(tmp_path, "text")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_told_with_the_remedy(tmp_path: Path) -> None:
    problem = "here: cannot be written: No space left on device; make room, or choose another place"
    with pytest.raises(BadFile, match=problem), writing(tmp_path / "here"):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_the_home_folder_of_nobody_is_no_traceback() -> None:
    assert expanded("~/a.csv") == Path.home() / "a.csv"
    with pytest.raises(BadInput, match="in the home folder of an unknown user: write the full path"):
        expanded("~nobody-of-this-name/a.csv")


@each_case(("name", "end"), [("a.csv", ".csv"), ("A.CSV.gz", ".csv"), ("a.tar.GZ", ".tar"), (".gz", ""), ("a", "")])
def test_endings(name: str, end: str) -> None:
    assert ending(Path("x") / name) == end


def test_an_ending_that_is_not_known_is_refused_with_those_that_are() -> None:
    assert ending(Path("a.TSV"), (".csv", ".tsv")) == ".tsv"
    with pytest.raises(BadFile, match=r"a\.txt: the name must end in \.csv, \.tsv, or one of these and \.gz"):
        ending(Path("a.txt"), (".csv", ".tsv"))
