"""Questions in other words: what is taken for one, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.interview import Prompt, Reply
from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.written_texts import Rewording
from vivavoce.interview.reading import read

STEM = "What is a tree in graph theory?"
LONG = "Which of the following statements about the chromatic number of a bipartite graph with 12 vertices is true?"


def read_paraphrase(reply: Reply, stem: str) -> tuple[str | None, str]:
    """The question, or why there is none, read as a room reads it."""
    reading: ParsedReply[str] = read(Prompt("Put it in other words.", form=Rewording(stem)), reply)
    return reading.value, reading.problem


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
        ("Paraphrase: What is a tree called?\n\nNote: I moved the words.", "What is a tree called?"),
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
    ("said", "problem"),
    [
        ("The question is about one matter.", "has no word of the question in it"),
        ("Which of the following statements is true of this kind of thing?", "has no word of the question in it"),
        ("Say it as someone would who asks aloud, in plain and short sentences.", "has no word of the question in it"),
        ("What is right?", "too short for the question"),
        ("The graph is bipartite.", "too short for the question"),
        ("What can be said truly of a bipartite graph's chromatic number?", ""),
        ("Take 12 points joined in two parts. What holds of the fewest hues?", ""),
        ("Name the true one among the statements on chromatic numbers of such graphs.", ""),
    ],
)
def test_a_rewording_keeps_something_of_the_question(said: str, problem: str) -> None:
    for reply in (said, f"Paraphrase: {said}", f'{{"paraphrase": "{said}"}}'):
        assert read_paraphrase(Reply(reply), LONG)[1] == problem


def test_nothing_but_length_is_asked_of_a_question_without_a_subject() -> None:
    assert Rewording("Which of these is right?").read("Paraphrase: What holds here?").value == "What holds here?"


def test_what_is_cut_off_is_no_paraphrase() -> None:
    reading = read(Prompt("Put it in other words.", form=Rewording(STEM)), Reply("Paraphrase: What is", finish="length"))
    assert reading.outcome is Outcome.CUT_OFF


@given(
    st.lists(
        st.sampled_from(["tree", "graph", "theory", "vertex", "edge", "cycle", "of", "the", "in", "with"]),
        min_size=3,
        max_size=12,
    )
)
def test_both_ways_read_the_same(words: list[str]) -> None:
    form, text = Rewording(STEM), f"What of {' '.join(words)}?"
    reading = form.read(form.write(text))
    assert reading == form.read_fields({"paraphrase": text})
    assert reading.value in (None, text)


@pytest.mark.parametrize("field", [None, 3, "", " ", ["What is a tree?"]])
def test_fields_that_hold_no_paraphrase(field: object) -> None:
    assert Rewording(STEM).read_fields({"paraphrase": field}).value is None


@pytest.mark.parametrize("stem", [STEM, LONG, "Which words does a line hold in a reply?"])
def test_no_instruction_said_back_is_a_paraphrase(stem: str) -> None:
    form = Rewording(stem)
    for text in (form.instruction, form.schema_instruction, form.further):
        assert read(Prompt("Put it in other words.", form=form), Reply(text)).value is None
