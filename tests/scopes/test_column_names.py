"""Columns by their usual names: what each is taken as, and what is asked back where two could be the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput
from vivavoce.scopes import open_scope
from vivavoce.scopes.column_names import ROLES, SYNONYMS, ColumnNames, folded
from vivavoce.scopes.listed_and_endless import ListedScope


def opened(file: Path, behind: str = "") -> ListedScope:
    scope = open_scope(f"file:{file}{behind}")
    assert isinstance(scope, ListedScope)
    return scope


@given(
    st.sampled_from(sorted(SYNONYMS["question"])),
    st.sampled_from(sorted(SYNONYMS["answer"])),
    st.sampled_from([str.title, str.upper, str.lower, lambda name: f" {name.replace('_', ' ')} "]),
)
def test_usual_names_are_known_in_any_case_and_said_once(question: str, answer: str, case: object) -> None:
    assert callable(case)
    columns = [case(question), case(answer), "source"]
    roles = ColumnNames().roles(columns)
    assert dict(roles.columns) == {"question": (columns[0],), "answer": (columns[1],)}
    assert roles.ignored == ("source",)
    assert roles.note.startswith("Columns of the file were read by what they are usually called: “")
    assert "as question, “" in roles.note


@given(st.sampled_from(ROLES))
def test_own_names_in_any_case_need_no_word(role: str) -> None:
    roles = ColumnNames().roles([role.upper()])
    assert (dict(roles.columns), roles.note) == ({role: (role.upper(),)}, "")


@each_case(
    "columns",
    [
        ["A", "B", "C", "D"],
        ["a", "b"],
        ["option_a", "option_b", "option_c"],
        ["optionA", "optionB"],
        ["Option A", "Option B"],
        ["choice1", "choice2"],
        ["choices_0", "choices_1", "choices_2"],
        ["choices[0]", "choices[1]"],
        ["Answer 1", "Answer 2", "Answer 3"],
        ["ending0", "ending1"],
        ["1", "2", "3", "4"],
        ["opt_a", "opt_b"],
    ],
)
def test_options_may_have_columns_of_their_own(columns: list[str]) -> None:
    roles = ColumnNames().roles(["question", *columns, "answer", "a note"])
    assert roles.columns["options"] == tuple(columns)
    assert roles.ignored == ("a note",)


@each_case(
    ("columns", "problem"),
    [
        (
            ["question", "answer", "ground_truth"],
            r"'answer' and 'ground_truth' could both be 'answer': write \?answer=answer or",
        ),
        (["input", "prompt", "target"], r"write \?question=input or \?question=prompt"),
        (["question", "options", "A", "B", "answer"], r"write \?options=A,B or \?options=options"),
        (["question", "A", "B", "D", "answer"], r"but some are missing: name all of them after the file, as \?options=A,B,D"),
        (["question", "option_b", "option_c", "answer"], "but some are missing"),
        (["question", "answer1", "answer2"], r"write \?options=answer1,answer2&answer=COLUMN .*, or \?answer=answer1,answer2"),
        (["question", "A", "B", "choice1", "choice2", "answer"], r"could both be 'options'"),
    ],
)
def test_two_columns_for_one_role_are_asked_back(columns: list[str], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        ColumnNames().roles(columns)


def test_what_is_said_settles_it() -> None:
    roles = ColumnNames(answer="ground_truth").roles(["question", "answer", "ground_truth"])
    assert (roles.columns["answer"], roles.ignored) == (("ground_truth",), ("answer",))
    roles = ColumnNames(answer="answer1,answer2").roles(["question", "answer1", "answer2"])
    assert roles.named({"question": "q", "answer1": "x"}) == {"question": "q", "answer": ["x", None]}
    with pytest.raises(BadInput, match="no column 'antwort': there are Frage, Antwort"):
        ColumnNames(answer="antwort").roles(["Frage", "Antwort"])


@each_case(("name", "as_compared"), [("groundTruth", "ground_truth"), ("(A)", "a"), ("Ä b", "ä_b"), ("QID", "qid")])
def test_names_are_folded(name: str, as_compared: str) -> None:
    assert folded(name) == as_compared


def test_any_role_may_be_said(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text("Frage;Punkte;Thema;Gewicht;Gruppe\nWarum?;10: sagt es;Recht;2;g\n")
    (question,) = opened(file, "?question=Frage&rubric=Punkte&category=Thema&weight=Gewicht&cluster=Gruppe").questions
    assert (question.text, question.rubric, question.category) == ("Warum?", "10: sagt es", "Recht")
    assert (question.weight, question.cluster) == (2, "g")
    with pytest.raises(BadFile, match=r"line 2: no 'question': the columns are Frage, Punkte.*write \?question=COLUMN&answer="):
        opened(file)


def test_what_was_taken_as_what_is_named_with_the_scope(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("input,target,source\nSix times 7?,42,book\n")
    scope = opened(tmp_path / "q.csv")
    assert scope.notes == (
        "Columns of the file were read by what they are usually called: “input” as question, “target” as answer.",
    )
    assert scope.ignored == ("source",)


def test_a_slip_is_one_of_a_column_that_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text("question_id,question,answer,answer_index\n7,Six times 7?,42,0\n")
    assert opened(file).ignored == ("question_id", "answer_index")
    file.write_text("qestion,answer\nSix times 7?,42\n")
    with pytest.raises(BadFile, match="line 2: unknown column 'qestion': did you mean 'question'"):
        opened(file)
