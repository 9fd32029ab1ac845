"""Questions that have a rubric instead of an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.errors import BadFile
from vivavoce.interview.forms.number import Number
from vivavoce.scopes.question_file import read_question_file
from vivavoce.scopes.questions import Question, prompt


def questions(tmp_path: Path, text: str) -> tuple[Question, ...]:
    file = tmp_path / "q.jsonl"
    file.write_text(text, encoding="utf-8")
    return read_question_file(file).questions


def test_a_rubric_stands_for_an_answer_or_beside_it(tmp_path: Path) -> None:
    essay, marked = questions(
        tmp_path, '{"question": "Why?", "rubric": "10: a reason"}\n{"question": "2+2?", "answer": 4, "rubric": "10: 4"}\n'
    )
    assert (essay.open_ended, essay.rubric, essay.accepted) == (True, "10: a reason", ())
    assert (marked.open_ended, marked.accepted) == (False, ("4",))
    assert prompt(essay).text == "Why?\n\nIf you do not know, say so."
    assert prompt(essay).form is None
    assert isinstance(prompt(marked).form, Number)


def test_neither_is_a_slip(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no 'answer', 'rubric', 'rule' or 'law'") as error:
        questions(tmp_path, '{"question": "Why?"}\n')
    assert error.value.line == 1
    with pytest.raises(BadFile, match="'rubric'"):
        questions(tmp_path, '{"question": "Why?", "rubric": "' + "x" * 50_001 + '"}\n')


def test_questions_without_a_rubric_keep_the_digest_they_had() -> None:
    assert "rubric" not in Question("a", "Why?", accepted=("x",)).as_json()
    assert Question("a", "Why?", rubric="r").as_json()["rubric"] == "r"
