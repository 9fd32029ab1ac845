"""What repeats a task, an example or the original is no answer; each of these replies came from a real model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.certificate.explanations.procedures import request
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.proposals import Proposals
from vivavoce.interview.forms.prose import copied_share, repeats
from vivavoce.interview.forms.written_question import WrittenQuestion
from vivavoce.interview.forms.written_texts import Rewording
from vivavoce.luna.messages import questions_prompt
from vivavoce.scopes import open_scope

words = st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=9, max_size=30).map(" ".join)


@given(words, words)
def test_the_share_is_of_runs_of_eight_words(text: str, other: str) -> None:
    assert copied_share(text, [text.upper()]) == 1
    assert copied_share(text, [other, f"{other} {text}"]) == 1
    assert 0 <= copied_share(text, [other]) <= 1


def test_half_of_a_reply() -> None:
    """Of 16 words there are nine runs of eight; those within the first twelve words are five."""
    task = "one two three four five six seven eight nine ten eleven twelve"
    assert copied_share(f"{task} and then no more", [task]) == pytest.approx(5 / 9)


def test_a_few_words_may_well_stand_in_a_task() -> None:
    assert not repeats("photosynthesis", "Write a question on photosynthesis and its use.")
    assert repeats("its use in the leaf", "Write a question on photosynthesis and its use in the leaf.")


def test_the_sentences_of_a_task_are_no_questions() -> None:
    prompt = questions_prompt("1")
    points = prompt.text.split(". ")[1:4]
    assert prompt.form is not None
    reading = prompt.form.read_fields({"questions": [*points, "Why?", "How?"]})
    assert reading.outcome is Outcome.COPIED
    assert prompt.form.read_fields({"questions": ["Who?", "When?", "Why?", "How?", "Where?"]}).value


def test_what_is_wanted_is_no_statement() -> None:
    form = Proposals(("not_P",), told="- not_P: The exact opposite of P: whatever happens, one of the two is answered yes")
    copy = "The exact opposite of P: whatever happens, one of the two is answered yes"
    assert form.read_fields({"not_P": copy}).outcome is Outcome.COPIED
    assert form.read(f"[Statement not_P] {copy}").outcome is Outcome.COPIED
    assert form.read("[Statement not_P] Will it stay dry?").value


def test_names_of_fields_are_no_options() -> None:
    fields = {"exam_question": "What is Ax = b?", "right_answers": ["An equation", "wrong_answers"], "wrong_answers": ["A sum"]}
    assert WrittenQuestion(3, 2).read_fields(fields).outcome is Outcome.COPIED


def test_the_original_within_other_words_is_no_rewording() -> None:
    original = "Which of the following statements is true about eigenvalues?"
    reading = Rewording(original).read(f"Paraphrase: The statement “{original}” is true if the correct answer is C.")
    assert reading.problem == "repeats the original"


def test_the_example_with_another_import_is_no_program_of_ones_own() -> None:
    scope = open_scope("arithmetic")
    form = request(scope.name, [], most=1).form
    assert form is not None
    example = form.example  # type: ignore[attr-defined]  # a form of programs
    changed = example.replace("import re", "from re import compile")
    assert changed != example
    assert form.read(f"```python\n{changed}\n```").problem == "the example alone"
