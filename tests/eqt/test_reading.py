"""What replies are taken to say: the asked-for form, other forms that leave no doubt, and all that is not read."""

from __future__ import annotations

import time
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vivavoce.eqt.answers import read_answer
from vivavoce.eqt.reading import LONGEST_EXPLANATION, read_explanation, read_paraphrase, read_verdict
from vivavoce.eqt.written import read_question

from vivavoce.eqt.pointing import pointing_words
from vivavoce.interview import NoAnswer, Reply

OPTIONS = ("A graph has vertices", "It only has weights", "Euler began it", "It is a directed graph")
STEM = "What is a tree in graph theory?"


def letters(chosen: frozenset[int] | None) -> str:
    return "".join("ABCDEFGHIJ"[place] for place in sorted(chosen or ()))


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
    ],
)
def test_answers_that_are_read(said: str, manner: str, chosen: str) -> None:
    found = read_answer(Reply(said), OPTIONS)
    assert (found.manner, letters(found.chosen), found.problem) == (manner, chosen, "")


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
    found = read_answer(Reply(said), OPTIONS)
    if not problem:
        assert letters(found.chosen) == "A"  # a letter alone is no article
        return
    assert (found.chosen, found.manner, found.problem) == (None, "unreadable", problem)


def test_options_may_say_what_else_would_be_no_answer() -> None:
    assert letters(read_answer(Reply("Answer: None of the above"), ("x", "None of the above")).chosen) == "B"
    assert letters(read_answer(Reply("Answer: D) No, it is C. elegans"), (*"xyz", "No, it is C. elegans")).chosen) == "D"
    # "A" is a letter, and the words of another option: it may be either.
    assert read_answer(Reply("Answer: A"), ("B", "A")).problem == "leaves open which options it means"
    assert letters(read_answer(Reply("Answer: I"), tuple("pqrstuvwx")).chosen) == "I"


def test_replies_that_did_not_come_whole() -> None:
    assert read_answer(NoAnswer("time-out after 120 s"), OPTIONS).problem == "time-out"
    assert read_answer(NoAnswer("HTTP 500"), OPTIONS).manner == "no answer"
    assert read_answer(Reply("Answer: A", finish="length"), OPTIONS).problem == "cut off"  # perhaps it went on: A, C
    assert read_answer(Reply("Answer: A", finish="content_filter"), OPTIONS).problem == "filtered"
    assert read_question(Reply("Question: x", finish="length"), 4).problem == "cut off"
    assert read_paraphrase(Reply("Paraphrase: What is", finish="length"), STEM) == (None, "cut off")
    assert read_verdict(NoAnswer("HTTP 500")).holds is None


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
    said = form.format(separator.join(around.format("ABCDEF"[place]) for place in chosen))
    assert read_answer(Reply(said), options).chosen == frozenset(chosen)


@given(st.text(max_size=300), st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=10, unique=True))
def test_whatever_is_said_is_read_or_has_a_reason(said: str, options: list[str]) -> None:
    for text in (said, f"Answer: {said}", f"Question: {said}\nA) x\nB) y\nCorrect: {said}", f"Paraphrase: {said}"):
        found = read_answer(Reply(text), options)
        assert (found.chosen is None) == bool(found.problem)
        assert found.chosen is None or (found.chosen and max(found.chosen) < len(options))
        written = read_question(Reply(text), 2)
        assert (written.question is None) == bool(written.problem)
        if written.question is not None:
            assert written.question.key <= frozenset(range(len(written.question.options)))
            assert all(option.strip() for option in (written.question.stem, *written.question.options))
        stem, problem = read_paraphrase(Reply(text), STEM)
        assert (stem is None) == bool(problem)
        assert stem is None or "".join(stem.split()) in "".join(text.split())  # nothing within is left out
        assert read_verdict(Reply(text)).holds in (True, False, None)


@pytest.mark.parametrize(
    "block",
    ["A", "\n", " ", "A) x\n", "A, ", "((", "and ", "answer is ", "Answer: A\n", "Correct: A, ", "**", "'", ":", "Question: ",
     "</think>", "\\boxed{", "option A ", "[Verdict] yes\n", "Paraphrase: x\n", "as described in the ", "according to the ",
     "Here is a ", "1. ", "\ud800", "A graph has vertices: no\n", "A) A graph has vertices\n"],
)  # fmt: skip
def test_hostile_replies_take_no_time(block: str) -> None:
    """3 MB of anything are read in a fraction of a second by each reader (a superlinear pattern would take minutes)."""
    reply = Reply(block * (3_000_000 // len(block)))
    began = time.process_time()
    read_answer(reply, OPTIONS)
    read_question(reply, 4)
    read_paraphrase(reply, STEM)
    read_verdict(reply)
    read_explanation(reply)
    pointing_words(reply.text)
    assert time.process_time() - began < 2.5


@pytest.mark.parametrize(
    ("said", "stem"),
    [
        ("Paraphrase: What do we call a tree?", "What do we call a tree?"),
        ("**Paraphrase:** What do we call a tree?", "What do we call a tree?"),
        ('"What do we call a tree?"', "What do we call a tree?"),
        ("Here's a paraphrased version of the question:\n\nWhat do we call a tree?", "What do we call a tree?"),
        ("Here is a paraphrase: What do we call a tree?", "What do we call a tree?"),
        ("Paraphrased question: What do we call a tree?\n\nOptions:\nA) x\nB) y", "What do we call a tree?"),
        ("What do we call a tree?\nA) x\nB) y", "What do we call a tree?"),
        ("Paraphrase:\nWhat do we call a tree?", "What do we call a tree?"),
        ("Paraphrase: A tree has no cycles.\nWhat is it?", "A tree has no cycles. What is it?"),
        ("Paraphrase: What is it called?\n\nNote: I moved the words.", "What is it called?"),
        (f"Question: {STEM}\nParaphrase: What is called a tree?", "What is called a tree?"),
        # Nothing is deleted from within, whatever it looks like.
        ("Paraphrase: In graphs, this is a tree. What is it?", "In graphs, this is a tree. What is it?"),
        ('Paraphrase: "Tree": what is a "tree"?', '"Tree": what is a "tree"?'),
    ],
)
def test_paraphrases_that_are_read(said: str, stem: str) -> None:
    assert read_paraphrase(Reply(said), STEM) == (stem, "")


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("", "empty"),
        ("Paraphrase:", "not in a form that can be told from other words"),
        ("What do we call a tree?\n\nI changed the words.", "not in a form that can be told from other words"),
        ("Paraphrase: A tree has no cycles.\n\nWhat is it?", "not in a form that can be told from other words"),
        ("Paraphrase: a?\nParaphrase: b?", "several paraphrases"),
        ("I'm sorry, I can't do that.", "refused"),
        (" what is a TREE in graph theory ", "repeats the original"),
        (f"Paraphrase: {'x ' * 3_000}", "too long"),
    ],
)
def test_paraphrases_that_are_not_read(said: str, problem: str) -> None:
    assert read_paraphrase(Reply(said), STEM) == (None, problem)


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("They are alike.\n[Verdict] yes\n[Reason] Same.", True),
        ("**[Verdict]** no", False),
        ("Verdict: No.", False),
        ("[Verdict]\nyes", True),
        ("Yes", True),
        ("no.", False),
        ("[Verdict] yes\n[Verdict] no", None),
        ("[Verdict] yes or no", None),
        ("[Verdict] perhaps", None),
        ("I would say yes", None),
        ("", None),
    ],
)
def test_verdicts(said: str, holds: bool | None) -> None:
    found = read_verdict(Reply(said))
    assert found.holds is holds
    assert bool(found.reason) == (holds is None)


def test_the_reason_of_a_no_is_kept_on_one_line_and_harmless() -> None:
    assert (
        read_verdict(Reply("[Verdict] no\n[Reason] It \x1b[2J negates.")).reason == "It \N{REPLACEMENT CHARACTER}[2J negates."
    )
    assert len(read_verdict(Reply(f"[Verdict] no\n[Reason] {'x' * 9_000}")).reason) < 400


@pytest.mark.parametrize(
    ("reply", "explanation", "problem"),
    [
        (Reply(" A graph is a set. "), "A graph is a set.", ""),
        (Reply("<think>Hm.</think>A graph is a set."), "A graph is a set.", ""),
        (Reply("A graph is a", finish="length"), "A graph is a", ""),  # as far as it goes
        (Reply(" \n"), None, "empty"),
        (Reply("I cannot help with that."), None, "refused"),
        (Reply("x" * (LONGEST_EXPLANATION + 1)), None, "too long"),
        (Reply("A graph", finish="content_filter"), None, "filtered"),
        (NoAnswer("time-out after 120 s"), None, "time-out"),
        (NoAnswer("HTTP 400"), None, "no answer"),
    ],
)
def test_explanations(reply: Reply | NoAnswer, explanation: str | None, problem: str) -> None:
    assert read_explanation(reply) == (explanation, problem)


def test_a_long_explanation_that_speaks_of_refusals_is_none() -> None:
    text = "I cannot overstate how central refusals are. " * 20
    assert read_explanation(Reply(text)) == (text.strip(), "")


def test_the_order_in_which_letters_are_named_means_nothing() -> None:
    readings = {read_answer(Reply(f"Answer: {', '.join(order)}"), OPTIONS).chosen for order in permutations("ABD")}
    assert readings == {frozenset((0, 1, 3))}
