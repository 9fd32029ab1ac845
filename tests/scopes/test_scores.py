"""Scores by option or answer: read, checked, graded and shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

OPTIONS = {"question": "Largest?", "options": ["Rome", "Milan", "Oslo", "Bari"], "scores": {"A": 1, "Milan": 0.5}}
TEXTS = {"question": "Which gas?", "scores": {"carbon dioxide": 1, "air": 0.25}, "unacceptable": ["gold"]}
NUMBERS = {"question": "What is 2/3, roughly?", "answer": ["0.667"], "scores": {"0.67": 0.8, "0.7": 0.5}}


def earned(row: dict[str, Any], answer: str) -> tuple[float, bool]:
    scope = open_scope([row])
    assert isinstance(scope, ListedScope)
    grade = scope.grade(scope.questions[0], Reply(f"Answer: {answer}"))
    assert not grade.outcome.unread
    return grade.score, grade.unacceptable


@pytest.mark.parametrize(
    ("row", "answer", "score", "unacceptable"),
    [
        (OPTIONS, "A", 1, False),
        (OPTIONS, "B", 0.5, False),
        (OPTIONS, "C", 0, False),
        (OPTIONS | {"unacceptable": ["C"]}, "C", 0, True),
        (TEXTS, "Carbon dioxide", 1, False),
        (TEXTS, "air", 0.25, False),
        (TEXTS, "gold", 0, True),
        (TEXTS, "oxygen", 0, False),
        (NUMBERS, "0.667", 1, False),
        (NUMBERS, "0.670", 0.8, False),
        (NUMBERS, ".7", 0.5, False),
        (NUMBERS, "0.6", 0, False),
        ({"question": "?", "options": ["a", "b", "c"], "scores": {"A": 0.5, "B": 0.25}}, "A", 0.5, False),
        ({"question": "?", "scores": {"x=y": 1, "x": 0.5}}, "x=y", 1, False),
    ],
)
def test_what_an_answer_earns(row: dict[str, Any], answer: str, score: float, unacceptable: bool) -> None:
    assert earned(row, answer) == (score, unacceptable)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6).filter(lambda scores: max(scores) > 0))
def test_every_option_earns_what_stands_there(scores: list[float]) -> None:
    letters = "ABCDEF"[: len(scores)]
    row = {"question": "Which?", "options": list(letters.lower()), "scores": dict(zip(letters, scores, strict=True))}
    assert [earned(row, letter)[0] for letter in letters] == scores


def test_a_table_and_json_lines_are_one_scope(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps(OPTIONS | {"id": "1"}) + "\n" + json.dumps({"id": "2", **NUMBERS}))
    (tmp_path / "q.csv").write_text(
        "id,question,options,answer,scores\n1,Largest?,Rome|Milan|Oslo|Bari,,A=1|Milan=0.5\n"
        '2,"What is 2/3, roughly?",,0.667,"{""0.67"": 0.8, ""0.7"": 0.5}"\n'
    )
    assert open_scope(tmp_path / "q.jsonl").digest == open_scope(tmp_path / "q.csv").digest


def test_without_scores_a_question_is_what_it_was() -> None:
    assert "scores" not in Question("1", "?", accepted=("a",)).as_json()
    assert open_scope([OPTIONS]).digest != open_scope([OPTIONS | {"scores": {"A": 1, "Milan": 0.4}}]).digest


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scores": {"A": 2}}, "scores"),
        ({"scores": {"E": 1}}, "not an option"),
        ({"scores": {"A": 0, "B": 0}}, "no answer more than 0"),
        ({"scores": {"A": 1, "B": 0.5}, "unacceptable": ["B"]}, "unacceptable"),
        ({"scores": {"A": 1, "Rome": 0.5}}, "two scores"),
        ({"answer": "B"}, "another answer more"),
    ],
)
def test_what_contradicts_itself_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        open_scope([OPTIONS | change])


@pytest.mark.parametrize("cell", ["A", "A=1|A=0.5", "A=much", "{nonsense"])
def test_a_cell_that_holds_no_scores_is_refused_with_its_line(cell: str, tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(f"question,options,scores\nLargest?,Rome|Milan,{cell}\n")
    with pytest.raises(BadFile, match="line 2"):
        open_scope(tmp_path / "q.csv")
