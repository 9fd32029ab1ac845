import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadFile
from vivavoce.formats.tables import OpenedTable, check_names, read_table


def table(folder: Path, text: str, name: str = "t.csv") -> Path:
    file = folder / name
    file.write_text(text, newline="")
    return file


def test_columns_stand_in_any_order_and_empty_rows_are_skipped(tmp_path: Path) -> None:
    read = read_table(table(tmp_path, "\ufeff b ,a,c\n1,2,3\n\n , ,\n4,5,6,\n"), ["a", "b"])
    assert read.names == ("b", "a", "c")
    assert list(read.rows) == [(2, {"b": "1", "a": "2", "c": "3"}), (5, {"b": "4", "a": "5", "c": "6"})]


@pytest.mark.parametrize(("name", "delimiter"), [("t.csv", ","), ("t.tsv", "\t"), ("T.TSV", "\t"), ("t.txt", ",")])
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


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_delimiter_and_line_ends_are_found_whatever_the_names(tmp_path: Path, delimiter: str, line_end: str) -> None:
    rows = [["Frage", "Antwort"], ['"Wie viel ist 6, oder; ""7""?"', "42"], ["Wo?", "Rom"]]
    text = line_end.join(delimiter.join(row) for row in rows)
    read = read_table(table(tmp_path, text))
    assert (read.delimiter, read.names) == (delimiter, ("Frage", "Antwort"))
    assert list(read.rows) == [
        (2, {"Frage": 'Wie viel ist 6, oder; "7"?', "Antwort": "42"}),
        (3, {"Frage": "Wo?", "Antwort": "Rom"}),
    ]


@pytest.mark.parametrize(("first", "delimiter"), [("sep=;", ";"), ('"sep=|"', "|"), ("SEP=\t", "\t"), ("sep=,", ",")])
def test_excels_first_line_says_what_stands_between_cells(tmp_path: Path, first: str, delimiter: str) -> None:
    read = read_table(table(tmp_path, f"{first}\r\na{delimiter}b\r\n1{delimiter}2\r\n\x1a"))
    assert (read.names, read.line, list(read.rows)) == (("a", "b"), 2, [(3, {"a": "1", "b": "2"})])


def test_a_break_within_quotation_marks_stays(tmp_path: Path) -> None:
    read = read_table(table(tmp_path, 'a,b\r"x\ry",2\r'))
    assert [row["a"] for _, row in read.rows] == ["x\ry"]


def test_a_problem_below_the_first_rows_is_told_by_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="line 3: not a table: a quotation mark in this row is never closed"):
        list(read_table(table(tmp_path, 'a,b\n1,2\n3,"4\n')).rows)
