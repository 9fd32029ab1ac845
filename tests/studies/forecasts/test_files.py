"""Files of tuples and of forecasts: what is in them is what comes out; what is wrong is named with its line."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile
from vivavoce.studies.forecasting.forecast_files import (
    QuestionTuple,
    Row,
    read_rows,
    read_tidy,
    read_tuples,
    row_as_json,
    tuple_as_json,
    write_tuples,
)


def written(folder: Path, *lines: object) -> Path:
    """A file with these lines, texts as they are and other values as JSON."""
    file = folder / "lines.jsonl"
    file.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return file


def test_forecasts_come_out_in_the_order_of_the_law(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        {"forecaster": "m", "law": "and", "forecasts": {"P_and_Q": 0.1, "P": 0.2, "Q": None}, "id": 7, "extra": 1},
        "",
        {"forecaster": "m", "law": "won", "forecasts": {"C": 0, "P": 1}, "base": ["a", "b"]},
    )
    first, second = read_rows(file, own={"won": "won: P, C where P implies C"})
    assert first == Row("m", "and", {"P": 0.2, "Q": None, "P_and_Q": 0.1}, id="7", line=1)
    assert not first.readable
    assert list(first.forecasts) == ["P", "Q", "P_and_Q"]
    assert (second.law, second.base, second.line) == ("won: P, C where P implies C", ("a", "b"), 3)


def test_draws_come_out_in_the_order_of_the_law(tmp_path: Path) -> None:
    draws = {"not_P": ["70%", 0.6], "P": [0.2]}
    document = {"forecaster": "m", "law": "neg", "forecasts": {"P": 0.2, "not_P": 0.65}, "draws": draws}
    (row,) = read_rows(written(tmp_path, document))
    assert dict(row.draws) == {"P": (0.2,), "not_P": (0.7, 0.6)}
    (again,) = read_rows(written(tmp_path, row_as_json(row)))
    assert again == row


GOOD = {"forecaster": "m", "law": "neg", "forecasts": {"P": 0.2, "not_P": 0.8}}


@each_case(
    ("line", "problem"),
    [
        ("{", "not JSON"),
        ("[1]", "JSON object"),
        (GOOD | {"forecasts": {"P": 0.2}}, "at least 2 items"),
        (GOOD | {"forecasts": {"P": 0.2, "not_P": 1.2}}, "1.2 of 'not_P' is not a probability"),
        (GOOD | {"forecasts": {"P": 0.2, "not_P": "0.8"}}, "valid number"),
        (GOOD | {"forecasts": {"P": 0.2, "not_P": True}}, "valid number"),
        ('{"forecaster": "m", "law": "neg", "forecasts": {"P": NaN, "not_P": 1}}', "finite"),
        (GOOD | {"forecasts": {"P": 0.2, "Q": 0.8}}, "has the statements P, not_P; yours are P, Q"),
        (GOOD | {"draws": {"P": [0.1, 1.5]}}, "the draw 1.5 of 'P' is not between 0 and 1"),
        (GOOD | {"draws": {"Q": [0.1]}}, "'draws' has 'Q', which has no forecast"),
        (GOOD | {"draws": {"P": [0.1] * 1001}}, "at most 1000 items"),
        (GOOD | {"draws": {"P": [None]}}, "valid number"),
        (GOOD | {"law": "nge"}, "did you mean 'neg'"),
        (GOOD | {"law": "increasing"}, "must have a number as its name"),
        (GOOD | {"law": "increasing", "forecasts": {"1": 1, "2": -1e308, "3": 1e308}}, "-1e\\+308 of '2' is not a quantity"),
        (GOOD | {"law": "increasing", "forecasts": {"1": 1, "2": 2, "nan": 3}}, "'nan' of a monotone law"),
        (GOOD | {"forecaster": ""}, "at least 1 character"),
        (GOOD | {"forecaster": "x" * 301}, "at most 300"),
        ({"law": "neg"}, "field required"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: object, problem: str) -> None:
    with pytest.raises(BadFile, match=problem) as caught:
        list(read_rows(written(tmp_path, GOOD, line)))
    assert "line 2" in str(caught.value)
    assert len(str(caught.value)) < 1_000


probabilities = st.one_of(st.none(), st.floats(0, 1))


@given(st.dictionaries(st.text(min_size=1, max_size=5), probabilities, min_size=2, max_size=4), st.text(max_size=8))
def test_rows_are_read_as_they_are_written(forecasts: dict[str, float | None], name: str) -> None:
    import tempfile

    row = Row("model", "exclusive", forecasts, id=name, base=("a",), questions={"P": "Will it?"}, replies={"read": 3}, line=1)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        file.write_text(json.dumps(row_as_json(row)) + "\n")
        assert list(read_rows(file)) == [row]


def test_tuples_are_read_as_they_are_written(tmp_path: Path) -> None:
    tuples = [
        QuestionTuple("neg", {"P": "Will it?", "not_P": "Will it not?"}, "1", ("b",)),
        QuestionTuple("increasing", {"2025": "How many?", "2030": "How many?", "2040": "How many?"}, "2"),
        QuestionTuple("A, B where A implies B", {"A": "é?", "B": "?"}, "3", (), "rejected", "not the same"),
    ]
    write_tuples(tmp_path / "t.jsonl", tuples)
    assert read_tuples(tmp_path / "t.jsonl") == tuples


@each_case(
    ("line", "problem"),
    [
        ({"law": "neg", "questions": {"P": "Will it?", "not_P": " "}}, "'not_P' is empty"),
        ({"law": "neg", "questions": {"P": "Will it?", "Q": "?"}}, "has the statements"),
        ({"law": "neg", "questions": {"P": "Will it?"}}, "at least 2"),
        ({"P": {"title": "?"}, "R": {"title": "?"}}, "no 'questions' and no statements of a known law: P, R"),
        ({"P": {"title": "?"}, "not_P": {"body": "?"}}, "must have a 'title'"),
        ({"P": "text", "not_P": "text"}, "must have a 'title'"),
        ({"law": "neg", "questions": {"P": "Will it?", "not_P": "x" * 20_001}}, "above 20000"),
    ],
)
def test_a_wrong_tuple_is_named(tmp_path: Path, line: object, problem: str) -> None:
    with pytest.raises(BadFile, match=problem) as caught:
        read_tuples(written(tmp_path, line))
    assert "line 1" in str(caught.value)


def test_a_file_without_tuples_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no tuples"):
        read_tuples(written(tmp_path))


@pytest.mark.data
@pytest.mark.skipif("VIVA_DATA" not in os.environ, reason="$VIVA_DATA names no data folder")
def test_tuples_of_research_data_are_read() -> None:
    folder = Path(os.environ["VIVA_DATA"]) / "forecasting" / "tuples"
    for file in sorted(folder.glob("*.jsonl.gz")):
        tuples = read_tuples(file)
        with gzip.open(file, "rt") as lines:
            first = json.loads(next(lines))
        law = {"neg": "Neg", "cond": "Cond", "paraphrase": "Paraphrase", "consequence": "Consequence"}
        assert law.get(tuples[0].law, "ExpectedEvidence") in file.name
        assert all(tuples[0].questions[key].startswith(first[key]["title"]) for key in tuples[0].questions)
        assert tuples[0].base == tuple(entry["id"] for entry in first["metadata"]["base_sentences"].values())
        assert tuple_as_json(tuples[0])["law"] == tuples[0].law


HEAD = "law,group,statement,question"


def test_a_table_of_questions_says_what_the_lines_say(tmp_path: Path) -> None:
    table = tmp_path / "questions.csv"
    rows = [
        "bayes,1,Q_given_P,Suppose it rains. Will it be cold?", "neg,1,P,Will it rain?", "neg,1,not_P,Will it not?",
        'bayes,1,P,"Will it rain, or snow?"', "bayes,1,Q,Will it be cold?", "bayes,1,P_given_Q,Suppose it is cold. Will it?",
        "increasing,2,2025,How many?", "increasing,2,2028,How many?", "increasing,2,2032,How many?",
    ]  # fmt: skip
    table.write_text("\n".join([HEAD, *rows]) + "\n")
    tuples = read_tuples(table)
    lines = tmp_path / "lines.jsonl"
    write_tuples(lines, tuples)
    assert read_tuples(lines) == tuples
    assert [(question_tuple.law, question_tuple.id, list(question_tuple.questions)) for question_tuple in tuples] == [
        ("bayes", "1", ["P", "Q", "P_given_Q", "Q_given_P"]), ("neg", "1", ["P", "not_P"]),
        ("increasing", "2", ["2025", "2028", "2032"]),
    ]  # fmt: skip
    assert tuples[0].questions["P"] == "Will it rain, or snow?"


def test_a_forecast_alone_is_named_by_its_row(tmp_path: Path) -> None:
    table = tmp_path / "said.csv"
    table.write_text("forecaster,law,group,statement,probability\nme,neg,1,P,.1\nme,neg,2,P,.1\nme,neg,1,not_P,.9\n")
    with pytest.raises(BadFile, match="'P' is alone in group '2'") as refused:
        list(read_tidy(table))
    assert refused.value.line == 3


@each_case(
    ("rows", "line", "problem"),
    [
        (["law,group,question", "neg,1,Will it?"], 1, "no column statement"),
        ([HEAD, "neg,1,P,Will it?"], 2, "'P' is alone in group '1': give a row for each statement"),
        ([HEAD, "neg,1,P,Will it?", "neg,1,P,Will it?"], 3, "'P' occurs twice in group '1': number the groups"),
        ([HEAD, "neg,1,P,Will it?", "neg,1,not_P,"], 2, "the question 'not_P' is empty"),
        ([HEAD, "nge,1,P,Will it?", "nge,1,not_P,Will it not?"], 2, "did you mean 'neg'"),
        ([HEAD, *(f"paraphrase,1,P_{n},Will it?" for n in range(51))], 52, "more than 50 statements"),
        ([HEAD], None, "holds no tuples"),
    ],
)
def test_a_table_of_questions_that_is_none_is_refused_in_words(
    tmp_path: Path, rows: list[str], line: int | None, problem: str
) -> None:
    table = tmp_path / "questions.csv"
    table.write_text("\n".join(rows) + "\n")
    with pytest.raises(BadFile, match=problem) as refused:
        read_tuples(table)
    assert refused.value.line == line
