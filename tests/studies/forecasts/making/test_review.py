"""Series from templates, and the review of tuples in a sheet."""

import csv
import io
import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.tables import guarded, unguarded
from vivavoce.laws.law import law_named
from vivavoce.studies.config import MakingConfig
from vivavoce.studies.forecasting.forecast_files import QuestionTuple, read_tuples, write_tuples
from vivavoce.studies.forecasting.making.making import NOT_WRITTEN
from vivavoce.studies.forecasting.making.review import read_sheet, review, write_sheet
from vivavoce.studies.forecasting.making.series import Template, read_templates, series, split_values

EVEREST = "How many people will have climbed Mount Everest by the year {}?"


def test_years_of_the_paper(tmp_path: Path) -> None:
    [made] = series([Template(EVEREST, split_values("2025,2028,2032,2036,2040"), "increasing")])
    assert list(made.questions) == ["2025", "2028", "2032", "2036", "2040"]
    assert made.questions["2032"] == "How many people will have climbed Mount Everest by the year 2032?"
    write_tuples(tmp_path / "series.jsonl", [made])
    assert read_tuples(tmp_path / "series.jsonl") == [made]


@pytest.mark.parametrize(
    ("text", "implies", "keys"),
    [
        # whoever climbs more than 3000 metres climbs more than 2000; what happens by 2030 has happened by 2040
        ("Will she climb more than {} metres?", "lower", ["3000", "2000", "999.5"]),
        ("Will it happen before {}?", "higher", ["999.5", "2000", "3000"]),
    ],
)
def test_each_link_of_a_chain_implies_the_next(text: str, implies: str, keys: list[str]) -> None:
    [made] = series([Template(text, ("2000", "3000", "999.5"), "chain", implies)])  # type: ignore[arg-type]
    assert list(made.questions) == keys
    law = law_named("chain", list(made.questions))
    assert law.constraints == ("E1 implies E2", "E2 implies E3")
    assert [statement.key for statement in law.statements] == keys


def test_templates_are_text_and_never_run() -> None:
    [made] = series([Template("Is {0.__class__} {x!r} over {} or {}?", ("1", "2"), "chain")])
    assert made.questions["1"] == "Is {0.__class__} {x!r} over 1 or 1?"


@each_case(
    ("template", "problem"),
    [
        (Template("Will it?", ("1", "2"), "chain"), "has no gap"),
        (Template("Over {}?", ("1",), "chain"), "give 2 to 50"),
        (Template("Over {}?", tuple(map(str, range(51))), "chain"), "give 2 to 50"),
        (Template("Over {}?", tuple(map(str, range(17))), "chain"), "the limit is 16"),
        (Template("Over {}?", ("1", "1.0"), "chain"), "a number twice"),
        (Template("Over {}?", ("1", "many"), "chain"), "is not a number"),
        (Template("Over {}?", ("1", "nan"), "chain"), "is not a number"),
        (Template("Over {}?", ("1", "9" * 50), "chain"), "is not a number"),
        (Template("Over {}?", ("1", "2"), "rising"), "increasing, decreasing, chain"),
    ],
)
def test_what_is_no_series_is_refused(template: Template, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        series([template])


def test_a_series_that_is_no_question_is_kept_with_its_reason() -> None:
    [made] = series([Template("More than {} people.", ("1", "2"), "chain")])
    assert (made.status, made.reason) == ("rejected", "a statement is not a question: 2 has no question mark")


def test_many_templates(tmp_path: Path) -> None:
    file = tmp_path / "templates.jsonl"
    lines = [
        {"template": EVEREST, "values": [2025, 2030, 2040], "law": "increasing", "id": "everest"},
        {"template": "Will it happen before {}?", "values": ["2030", "2040"], "implies": "higher"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    first, second = series(read_templates(file, MakingConfig(laws=("chain",))))
    assert (first.law, first.id, first.base) == ("increasing", "increasing/1", ("everest",))
    assert (second.law, second.id, list(second.questions)) == ("chain", "chain/2", ["2030", "2040"])
    assert second.base != first.base


@each_case(
    ("record", "problem"),
    [
        ({"values": [1, 2]}, '"template"'),
        ({"template": "Over {}?", "values": "1,2"}, '"values"'),
        ({"template": "Over {}?", "values": [1, True]}, '"values"'),
        ({"template": "Over {}?", "values": [1, 2], "law": 3}, '"law" must be a text'),
        ({"template": "Over {}?", "values": [1, 2]}, "--law"),
        ({"template": "Over {}?", "values": [1, 2], "law": "chain", "implies": "up"}, "lower or higher"),
        ({"template": "Over?", "values": [1, 2], "law": "chain"}, "has no gap"),
    ],
)
def test_a_line_that_is_no_template_is_named(tmp_path: Path, record: object, problem: str) -> None:
    file = tmp_path / "templates.jsonl"
    file.write_text(f"\n{json.dumps(record)}\n")
    with pytest.raises(BadFile, match=problem) as raised:
        read_templates(file, MakingConfig())
    assert raised.value.line == 2


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


@each_case(
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


@each_case("text", FORMULAS)
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
