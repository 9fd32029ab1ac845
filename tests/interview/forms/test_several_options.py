"""What replies are taken to say: the asked-for form, other forms that leave no doubt, and all that is not read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.eqt.question_checks import pointing_words
from vivavoce.interview import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.several_options import MOST_STATED, Choice, SeveralOptions
from vivavoce.interview.forms.written_question import WrittenQuestion
from vivavoce.interview.forms.written_texts import Rewording, read_explanation
from vivavoce.interview.reading import read

OPTIONS = ("A graph has vertices", "It only has weights", "Euler began it", "It is a directed graph")
STEM = "What is a tree in graph theory?"


def read_answer(reply: Reply | NoAnswer, options: Sequence[str]) -> ParsedReply[Choice]:
    """What a reply chooses, read as a room reads it."""
    return read(Prompt("Which hold?", form=SeveralOptions(tuple(options))), reply)


def letters(chosen: frozenset[int] | None) -> str:
    return "".join("ABCDEFGHIJ"[index] for index in sorted(chosen or ()))


@pytest.mark.parametrize(
    ("said", "manner", "chosen"),
    [
        ("Answer: A, C", "strict", "AC"),
        ("Answer: A,C", "strict", "AC"),
        ("A) holds.\nB) does not.\n\nAnswer: C", "strict", "C"),
        ("I first thought the answer is B.\nAnswer: C", "strict", "C"),
        ("<think>Answer: B, surely</think>\nAnswer: C", "strict", "C"),
        ("Answer: A, B, C, D", "strict", "ABCD"),
        ("answer: a, c", "lenient", "AC"),
        ("**Answer:** A, C", "lenient", "AC"),
        ("**Answer: A, C**", "lenient", "AC"),
        ("Answer: **A**, **C**", "lenient", "AC"),
        ("Answer: [A, C]", "lenient", "AC"),
        ("Answer: AC", "lenient", "AC"),
        ("Answer: A and C.", "lenient", "AC"),
        ("Answer: A; C", "lenient", "AC"),
        ("Answer: A C", "lenient", "AC"),
        ("Answer: (A), (C)", "lenient", "AC"),
        ("Answer: Option A and Option C", "lenient", "AC"),
        ("Correct Answers: [A, C]", "lenient", "AC"),
        ("Correct answer(s): A, C", "lenient", "AC"),
        ("The correct answers are A and C.", "lenient", "AC"),
        ("The incorrect options are B and D. The correct ones are A and C.", "lenient", "AC"),
        ("So the answer would be A, C.", "lenient", "AC"),
        ("Options A and C are correct.", "lenient", "AC"),
        ("## Answer\n\nA, C", "lenient", "AC"),
        ("\\boxed{A, C}", "lenient", "AC"),
        ("The answer is $\\boxed{\\text{A}}$.", "lenient", "A"),
        ("A, C", "lenient", "AC"),
        ("(A) and (C)", "lenient", "AC"),
        ("**C**", "lenient", "C"),
        ("Answer: A, C ✓", "lenient", "AC"),
        ("Answer: A, C\n\nA holds by definition; B would be wrong.", "lenient", "AC"),
        ("Answer: A (both words fit)", "lenient", "A"),
        ("Answer: A, because it is a fact.", "lenient", "A"),
        ("First I thought: the answer is B.\nFinal answer: A, C", "lenient", "AC"),
        ("Answer: A) A graph has vertices, C) Euler began it", "lenient", "AC"),
        ("Answer:\nA) A graph has vertices\nC) Euler began it", "lenient", "AC"),
        ("The correct options are:\n\n- **A)** A graph has vertices\n- **C)** Euler began it", "lenient", "AC"),
        ("Answer: A (A graph has vertices) and C (Euler began it)", "lenient", "AC"),
        ("A. A graph has vertices\n\nC. Euler began it", "lenient", "AC"),
        ("Is the answer B or C? Not B, says Euler.\n\nThe answer is C.", "lenient", "C"),
        ("The correct answer is: **D) It is a directed graph**", "lenient", "D"),
        ("Answer: Euler began it", "lenient", "C"),
        ("Answer: All of the above", "lenient", "ABCD"),
        ("Answer: A, C<|eot_id|>", "strict", "AC"),
        ("Answer: Ａ，Ｃ", "strict", "AC"),
        ("Answer: A\u200b, C", "strict", "AC"),
        ("Answer: 【A】【C】", "lenient", "AC"),
    ],
)
def test_answers_that_are_read(said: str, manner: str, chosen: str) -> None:
    reading = read_answer(Reply(said), OPTIONS)
    assert (reading.outcome, reading.strict, reading.problem) == (Outcome.ANSWER, manner == "strict", "")
    assert letters(reading.value) == chosen


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("", "empty"),
        ("<think>Answer: A</think>", "empty"),
        ("Answer:", "no option named"),
        ("A graph is a set of vertices and edges.", "no option named"),
        ("Answer: A graph with weights", "no option named"),  # the article "A" is no option
        ("A", ""),
        ("Answer: A\nAnswer: C", "several answers"),
        ("The answer is A. On second thoughts, the answer is C.", "several answers"),
        ("Final answer: A\nFinal answer: B", "several answers"),
        ("Option A is correct, for it says so. Option B is wrong. Option C is correct.", "several answers"),
        ("A) A graph has vertices: yes\nB) It only has weights: no", "no option named"),
        ("Answer:\nA) A graph has vertices: yes\nB) It only has weights: no", "leaves open which options it means"),
        ("\n".join(f"{letter}) {text}" for letter, text in zip("ABCD", OPTIONS, strict=True)), "several answers"),
        ("A\n\nor\n\nB", "several answers"),
        ("Answer: A\nAnswer: F", "several answers"),
        ("Answer: A or C", "leaves open which options it means"),
        ("Answer: A. Or rather B.", "leaves open which options it means"),
        ("Answer: A\n\nCorrection: B", "several answers"),
        ("(A) is wrong.", "no option named"),
        ("I don't think the answer is A, C.", "no option named"),
        ("Answer: C) A graph has vertices", "leaves open which options it means"),
        ("Answer: A\nB) is wrong", "leaves open which options it means"),
        ("The answer is not B.", "leaves open which options it means"),
        ("Answer: F", "names an option that there is not"),
        ("Answer: A, F", "names an option that there is not"),
        ("Answer: None", "says that no option is right"),
        ("Answer: None of the above", "says that no option is right"),
        ("I don't know.", "does not know"),
        ("I'm sorry, but I can't answer this.", "refused"),
        ("Answer: 1, 3", "no option named"),
    ],
)
def test_answers_that_are_not_read(said: str, problem: str) -> None:
    reading = read_answer(Reply(said), OPTIONS)
    if not problem:
        assert letters(reading.value) == "A"  # a letter alone is no article
        return
    outcome = Outcome.DONT_KNOW if problem == "does not know" else Outcome.UNREADABLE
    assert (reading.value, reading.outcome, reading.problem) == (None, outcome, problem)


def test_what_states_its_answer_without_end_states_none() -> None:
    most = "The answer is A.\n" * MOST_STATED
    assert letters(read_answer(Reply(most), OPTIONS).value) == "A"
    assert read_answer(Reply(most + "The answer is A."), OPTIONS).problem == "several answers"


def test_options_may_say_what_else_would_be_no_answer() -> None:
    assert letters(read_answer(Reply("Answer: None of the above"), ("x", "None of the above")).value) == "B"
    assert letters(read_answer(Reply("Answer: D) No, it is C. elegans"), (*"xyz", "No, it is C. elegans")).value) == "D"
    # "A" is a letter, and the words of another option: it may be either.
    assert read_answer(Reply("Answer: A"), ("B", "A")).problem == "leaves open which options it means"
    assert letters(read_answer(Reply("Answer: I"), tuple("pqrstuvwx")).value) == "I"


def test_replies_that_did_not_come_whole() -> None:
    assert read_answer(NoAnswer("time-out after 120 s"), OPTIONS).problem == "time-out"
    assert read_answer(NoAnswer("HTTP 500"), OPTIONS).outcome is Outcome.NO_ANSWER
    assert read_answer(Reply("Answer: A", finish="length"), OPTIONS).outcome is Outcome.CUT_OFF  # perhaps it went on: A, C
    assert read_answer(Reply("Answer: A", finish="content_filter"), OPTIONS).problem == "filtered"


FORMS = (
    "Answer: {}",
    "**Answer:** {}",
    "answer: {}.",
    "The correct answers are {}.",
    "Correct Answers: [{}]",
    "Let me think.\n\nFinal answer: {}",
    "{}",
    "\\boxed{{{}}}",
)


@given(
    chosen=st.sets(st.integers(0, 5), min_size=1).flatmap(lambda places: st.permutations(sorted(places))),
    form=st.sampled_from(FORMS),
    separator=st.sampled_from((", ", ",", " and ", ", and ", " & ", "; ", " ")),
    around=st.sampled_from(("{}", "({})", "[{}]", "**{}**", "'{}'")),
)
def test_every_set_is_read_from_every_form_in_any_order(chosen: list[int], form: str, separator: str, around: str) -> None:
    options = [f"thing number {word}" for word in ("one", "two", "three", "four", "five", "six")]
    text = form.format(separator.join(around.format("ABCDEF"[index]) for index in chosen))
    assert read_answer(Reply(text), options).value == frozenset(chosen)


@given(st.text(max_size=300), st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=10, unique=True))
def test_whatever_is_said_is_read_or_has_a_reason(said: str, options: list[str]) -> None:
    for text in (said, f"Answer: {said}"):
        reading = read_answer(Reply(text), options)
        assert (reading.value is None) == bool(reading.problem)
        assert reading.value is None or (reading.value and max(reading.value) < len(options))


@pytest.mark.parametrize(
    ("answer", "chosen", "problem"),
    [
        (["A", "C"], "AC", ""),
        (["C", "A", "C"], "AC", ""),
        (["a", " c "], "AC", ""),
        ("A, C", "AC", ""),
        ("Euler began it", "C", ""),
        ("I don't know", "", "does not know"),
        ([], "", "no option named"),
        (["E"], "", "names an option that there is not"),
        (["A", 3], "", "no option named"),
        (None, "", "no option named"),
        ("A or C", "", "leaves open which options it means"),
    ],
)
def test_answers_under_the_schema(answer: object, chosen: str, problem: str) -> None:
    reading = SeveralOptions(OPTIONS).read_fields({"answer": answer})
    assert (letters(reading.value), reading.problem) == (chosen, problem)


@given(st.sets(st.integers(0, 9), min_size=1))
def test_what_is_written_is_read_again_in_words_and_under_the_schema(chosen: set[int]) -> None:
    form = SeveralOptions(tuple(f"thing {number}" for number in range(10)))
    assert form.read(form.write(frozenset(chosen))) == ParsedReply(Outcome.ANSWER, frozenset(chosen), strict=True)
    fields = {"answer": ["ABCDEFGHIJ"[index] for index in chosen]}
    assert form.read_fields(fields) == ParsedReply(Outcome.ANSWER, frozenset(chosen), strict=True)


@given(st.integers(2, 10))
def test_no_instruction_said_back_is_an_answer(number: int) -> None:
    """The words of before ended in `Answer: A, C`: two small models gave it back for every question."""
    form = SeveralOptions(tuple(f"thing {letter}" for letter in range(number)))
    for text in (form.instruction, form.schema_instruction, form.further):
        parts = [text, *text.splitlines(), *text.split(". "), *(f"Answer: {part}" for part in text.split(". "))]
        assert all(form.read(part).value is None for part in parts)


@pytest.mark.parametrize(
    "block",
    ["A", "\n", " ", "A) x\n", "A, ", "((", "and ", "answer is ", "Answer: A\n", "Correct: A, ", "**", "'", ":", "Question: ",
     "</think>", "\\boxed{", "option A ", "[Verdict] yes\n", "Paraphrase: x\n", "as described in the ", "according to the ",
     "Here is a ", "1. ", "\ud800", "A graph has vertices: no\n", "A) A graph has vertices\n"],
)  # fmt: skip
def test_hostile_replies_take_no_time(block: str) -> None:
    """3 MB of anything are read in a fraction of a second by each reader (a superlinear pattern would take minutes)."""
    text = block * (3_000_000 // len(block))
    began = time.process_time()
    for form in (SeveralOptions(OPTIONS), WrittenQuestion(4, 2, told="Ask about trees. " * 20), Rewording(STEM)):
        form.read(text)
    read_explanation(text)
    pointing_words(text)
    assert time.process_time() - began < 2.5


def test_the_order_in_which_letters_are_named_means_nothing() -> None:
    readings = {read_answer(Reply(f"Answer: {', '.join(order)}"), OPTIONS).value for order in permutations("ABD")}
    assert readings == {frozenset((0, 1, 3))}
