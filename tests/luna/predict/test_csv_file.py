"""Answers from tables: what is told is read, and what is no such table is refused with its line."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.errors import BadFile, VivavoceError
from vivavoce.luna.predict import answer_files
from vivavoce.luna.predict.answer_files import read_graded, read_people


def told(folder: Path, text: str, name: str = "answers.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_grades_of_answers(tmp_path: Path) -> None:
    table = 'remark,question,answer,person,grade\n,1,"yes, twice",ann,1\n,2,no,ann,0.5\n\n,1,,bob,0\n'
    people = read_people(told(tmp_path, "\ufeff" + table), need_ratings=True)
    assert people.people == ("ann", "bob")
    assert people.graded
    assert dict(people.ratings) == {"ann": 0.75, "bob": 0.0}
    assert [answer.text for answer in people.answers] == ["yes, twice", "no", ""]


def test_ratings_of_people(tmp_path: Path) -> None:
    table = "person\tquestion\tanswer\trating\nann\t1\tyes\t.8\nann\t2\tno\t0.80\nbob\t1\t\t1\n"
    people = read_people(told(tmp_path, table, "answers.tsv"), need_ratings=True)
    assert not people.graded
    assert dict(people.ratings) == {"ann": 0.8, "bob": 1.0}


def test_what_a_predictor_is_applied_to_is_not_looked_at_for_ratings(tmp_path: Path) -> None:
    people = read_people(told(tmp_path, "person,question,answer,grade\nann,1,yes,often\n"), need_ratings=False)
    assert (people.people, dict(people.ratings), people.graded) == (("ann",), {}, False)


@pytest.mark.parametrize(
    ("rows", "line", "problem"),
    [
        ("", 1, "empty: the first line must name person, question, answer"),
        ("person,question\nann,1\n", 1, "no column answer"),
        ("person,question,answer,answer\nann,1,a,b\n", 1, "two columns are named 'answer'"),
        ("person,question,answer,grade\n", None, "no row"),
        ("person,question,answer\nann,1,yes\n", None, "no column 'grade' or 'rating'"),
        ("person,question,answer,grade,rating\nann,1,yes,1,1\n", None, "both column 'grade' and 'rating'"),
        ("person,question,answer,grade\nann,1,yes,1\nann,2,no\n", 3, "the row ends after 3 of 4 cells"),
        ("person,question,answer,grade\nann,1,yes,1\nann,2,no,\n", 3, "'grade' is ''"),
        ("person,question,answer,grade\nann,1,yes,5\n", 2, "from 0 to 1"),
        ("person,question,answer,grade\nann,1,yes,nan\n", 2, "from 0 to 1"),
        ("person,question,answer,grade\n ,1,yes,1\n", 2, "'person' has 0 characters"),
        ("person,question,answer,grade\nann,1,yes,1\nann,1 ,no,1\n", 3, "in line 2 already"),
        ("person,question,answer,rating\nann,1,yes,.5\nann,2,no,.6\n", 3, "a person has one rating"),
        ('person,question,answer,grade\n"ann,1,yes,1\n', 2, "not a table"),
    ],
)
def test_what_is_no_table_of_answers(tmp_path: Path, rows: str, line: int | None, problem: str) -> None:
    with pytest.raises(BadFile, match=r"answers\.csv") as caught:
        read_people(told(tmp_path, rows), need_ratings=True)
    assert problem in str(caught.value)
    assert caught.value.line == line


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = "person,question,answer,grade\n"
    with pytest.raises(BadFile, match="'answer' has 100001 characters"):
        read_people(told(tmp_path, f"{head}ann,1,{'x' * 100_001},1\n"), need_ratings=True)
    with pytest.raises(BadFile, match="'question' has 5001 characters"):
        read_people(told(tmp_path, f"{head}ann,{'x' * 5_001},y,1\n"), need_ratings=True)
    monkeypatch.setattr(answer_files, "MOST_ROWS", 2)
    with pytest.raises(BadFile, match="line 4: more than 2 answers"):
        read_people(told(tmp_path, f"{head}ann,1,x,1\nann,2,x,1\nann,3,x,1\n"), need_ratings=True)


@given(st.binary(max_size=200))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_refused(tmp_path: Path, body: bytes) -> None:
    file = tmp_path / "any.csv"
    file.write_bytes(b"person,question,answer,grade\n" + body)
    for need_ratings in (True, False):
        with contextlib.suppress(VivavoceError):
            read_people(file, need_ratings=need_ratings)


def test_graded_answers_one_by_one(tmp_path: Path) -> None:
    table = "question_id,question,reference,position,answer,grade_1,grade_2,grade\n1.1,Why?,Because.,0,Because it is,4,3,3.5\n"
    (answer,) = read_graded(told(tmp_path, table))
    assert (answer.question, answer.text, answer.grade, answer.reference) == ("Why?", "Because it is", 3.5, "Because.")
    with pytest.raises(BadFile, match="line 2: 'grade' is 'good'"):
        read_graded(told(tmp_path, "question,answer,grade\nWhy?,So.,good\n"))
