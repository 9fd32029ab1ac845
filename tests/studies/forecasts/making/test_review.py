import csv
import io
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.tables import guarded, unguarded
from vivavoce.studies.forecasting.making.making import NOT_WRITTEN
from vivavoce.studies.forecasting.making.review import read_sheet, review, write_sheet
from vivavoce.studies.forecasting.tuples import QuestionTuple

NEG = QuestionTuple(
    "neg",
    {"P": "Will it rain?", "not_P": "Will it stay dry?"},
    id="neg/1",
    base=("1",),
    status="proposed",
    reason="no one checked it",
)
AND = QuestionTuple(
    "and", {"P": "A?", "Q": "B?", "P_and_Q": "A and B?"}, id="and/1+2", base=("1", "2"), reason="accepted by the checker X"
)
LOST = QuestionTuple(
    "neg", {"P": "C?", "not_P": NOT_WRITTEN}, id="neg/3", base=("3",), status="rejected", reason="the writer refused"
)
TUPLES = [NEG, AND, LOST]
words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    file = tmp_path / "sheet.csv"
    write_sheet(file, TUPLES)
    return file


def edit(file: Path, changes: dict[tuple[int, str], str], *, delimiter: str = ",") -> None:
    """Change cells as a spreadsheet program would: by row from 1 and column."""
    rows = list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines()))
    for (row, column), text in changes.items():
        rows[row - 1][column] = text
    with file.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(rows)


def test_an_untouched_sheet_changes_nothing(sheet: Path) -> None:
    summary = review(TUPLES, sheet)
    assert list(summary.tuples) == TUPLES
    assert (summary.accepted, summary.rejected, summary.edited, summary.undecided) == (0, 0, 0, 3)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_what_people_decided_is_taken_over_with_who_and_why(sheet: Path, delimiter: str) -> None:
    changes = {
        (1, "keep"): "Yes",
        (2, "keep"): "no",
        (2, "reason"): "not independent, A implies B",
        (3, "keep"): "yes",
        (3, "question not_P"): "Will C fail?",
    }
    edit(sheet, changes, delimiter=delimiter)
    summary = review(TUPLES, sheet, by="Ann")
    assert summary.tuples == (
        replace(NEG, status="accepted", reason="accepted by review of Ann (before: no one checked it)"),
        replace(
            AND,
            status="rejected",
            reason="rejected by review of Ann: not independent, A implies B (before: accepted by the checker X)",
        ),
        replace(
            LOST,
            questions={"P": "C?", "not_P": "Will C fail?"},
            status="accepted",
            reason="accepted by review of Ann, words changed: not_P (before: the writer refused)",
        ),
    )
    assert (summary.accepted, summary.rejected, summary.edited, summary.undecided) == (2, 1, 1, 0)


def test_rows_may_be_sorted(sheet: Path) -> None:
    head, *rows = sheet.read_text(encoding="utf-8-sig").splitlines()
    sheet.write_text("\n".join([head, *reversed(rows)]))
    assert list(review(TUPLES, sheet).tuples) == TUPLES


@pytest.mark.parametrize(
    ("changes", "line", "problem"),
    [
        ({(1, "keep"): "maybe"}, 2, "write yes or no"),
        ({(2, "question Q"): "D?"}, 3, "words of Q were changed, but 'keep' is empty"),
        ({(2, "reason"): "why not"}, 3, "a reason is given, but 'keep' is empty"),
        ({(1, "keep"): "yes", (1, "question not_P"): " will it RAIN? "}, 2, "not_P has the words of P"),
        ({(1, "keep"): "yes", (1, "question P"): ""}, 2, "a statement is empty: P"),
        ({(3, "keep"): "yes"}, 4, "not_P is not written"),
        ({(1, "question Q"): "E?"}, 2, "'question Q', which this law does not have"),
        ({(1, "id"): "neg/9"}, 2, "is this the sheet of these tuples"),
        ({(1, "law"): "and"}, 2, "is this the sheet of these tuples"),
        ({(1, "number"): "4"}, 2, "numbers 1 to 3"),
        ({(1, "number"): "²"}, 2, "numbers 1 to 3"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_and_nothing_is_taken_over(
    sheet: Path, changes: dict[tuple[int, str], str], line: int, problem: str
) -> None:
    edit(sheet, {(2, "keep"): "no"} | changes if (2, "reason") not in changes and (2, "question Q") not in changes else changes)
    summary = review(TUPLES, sheet)
    assert summary.tuples == ()
    assert summary.problems[0].line == line
    assert problem in summary.problems[0].text


def test_rows_that_are_missing_or_there_twice_are_named(sheet: Path) -> None:
    lines = sheet.read_text(encoding="utf-8-sig").splitlines()
    sheet.write_text("\n".join([*lines[:3], lines[2]]))
    summary = review(TUPLES, sheet)
    assert [(problem.line, problem.text.split(":")[0]) for problem in summary.problems] == [
        (4, "number 2 is on line 3 already"),
        (0, "no row for number 3 (neg, neg/3)"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty: the first line must name number"),
        ("number,law\n1,neg\n", "no column id, verdict, keep, reason"),
        ("number,law,id,verdict,keep,keep,reason\n", "two columns are named 'keep'"),
        ("number,law,id,verdict,keep,reason\n1,neg,neg/1,,yes,,,left over\n", "8 cells under 6 columns"),
        ('number,law,id,verdict,keep,reason\n1,"neg\n', "not a table"),
    ],
)
def test_what_is_no_sheet_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text(text)
    with pytest.raises(BadFile, match=problem):
        review(TUPLES, file)


def test_a_column_that_is_gone_is_named(tmp_path: Path) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text("number,law,id,question P,verdict,keep,reason\n1,neg,neg/1,Will it rain?,,yes,\n")
    assert "no column 'question not_P'" in review([NEG], file).problems[0].text


def test_a_sheet_is_never_overwritten_nor_endlessly_wide(sheet: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="may have a person's review"):
        write_sheet(sheet, TUPLES)
    wide = [QuestionTuple("chain", {f"{i} {j}": "Will it?" for j in range(3)}) for i in range(70)]
    with pytest.raises(BadInput, match="export one law at a time"):
        write_sheet(tmp_path / "wide.csv", wide)


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1", "'=1", "''@x", "=cmd|' /C calc'!A0", "\n=1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_begins_as_a_formula(text: str) -> None:
    assert guarded(text).startswith("'")
    assert unguarded(guarded(text)) == text


@given(words | st.sampled_from(FORMULAS) | st.text("'=+-@ \tA", max_size=6))
def test_what_is_guarded_is_had_again(text: str) -> None:
    assert unguarded(guarded(text)) == text
    # the list of OWASP on CSV injection: no cell begins with one of these
    assert not re.match(r"[=+\-@\t\r\n]", guarded(text))


@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=4))
def test_any_texts_come_back_from_a_sheet(texts: list[tuple[str, str, str]]) -> None:
    tuples = [QuestionTuple("chain", {"=a": a, "b\n;": b}, id=name, reason=b) for name, a, b in texts]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sheet.csv"
        write_sheet(file, tuples)
        for question_tuple, (_, cells) in zip(tuples, read_sheet(file), strict=True):
            assert (cells["law"], cells["id"]) == (question_tuple.law, question_tuple.id)
            assert (cells["question =a"], cells["question b\n;"]) == tuple(question_tuple.questions.values())
        assert list(review(tuples, file).tuples) == tuples
        for row in csv.reader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline="")):
            assert not any(re.match(r"[=+\-@\t\r\n]", cell) for cell in row)
