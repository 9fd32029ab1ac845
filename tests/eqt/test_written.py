"""Questions as writers write them: what is taken, as what, and what is not and why."""

from __future__ import annotations

import pytest
from vivavoce.eqt.written import read_question

from vivavoce.interview import NoAnswer, Reply

TEXTS = ("A graph has vertices", "It only has weights", "Euler began it", "It is a directed graph")
BODY = "\n".join(f"{letter}) {text}" for letter, text in zip("ABCD", TEXTS, strict=True))


def options(form: str, labels: str = "ABCD") -> str:
    return "\n".join(form.format(label, text) for label, text in zip(labels, TEXTS, strict=True))


def marked(first: str, third: str) -> str:
    """The options with marks behind the right ones."""
    return BODY.replace("vertices", f"vertices{first}").replace("began it", f"began it{third}")


@pytest.mark.parametrize(
    ("said", "manner"),
    [
        (f"Question: Which hold?\n{BODY}\nCorrect: A, C", "strict"),
        (f"Question: Which hold?\n\n{BODY}\n\nCorrect: A, C\n", "strict"),
        (f"<think>Question: bad\n{BODY}\nCorrect: B</think>\nQuestion: Which hold?\n{BODY}\nCorrect: A, C", "strict"),
        (f"Question: Which hold?\n\nOptions:\n{BODY}\n\nCorrect Answers: [A, C]", "lenient"),
        (f"**Question: Which hold?**\n\n{BODY}\n\n**Correct: A, C**", "lenient"),
        (f"**Question:** Which hold?\n\n{options('**{})** {}')}\n\n**Correct:** A, C", "lenient"),
        (f"Question: Which hold?\n{options('**{}) {}**')}\nCorrect: A, C", "lenient"),
        (f"Question: Which hold?\n{options('- {}) {}')}\nCorrect: A, C", "lenient"),
        (f"Question: Which hold?\n{options('{}. {}')}\nAnswer: A, C", "lenient"),
        (f"Question: Which hold?\n{options('({}) {}')}\nAnswer key: (A), (C)", "lenient"),
        (f"Question: Which hold?\n{options('{}) {}', 'abcd')}\nCorrect: a, c", "lenient"),
        (f"Question: Which hold?\n{options('{}. {}', '1234')}\nCorrect: 1, 3", "lenient"),
        (f"Sure! Here is a question:\n\nQuestion: Which hold?\n{BODY}\nCorrect: A and C", "lenient"),
        (f"Here's a multiple-choice question about graphs:\n\nWhich hold?\n\n{BODY}\n\nCorrect answers: A, C", "lenient"),
        (f"### Question 3\n\nWhich hold?\n\n{BODY}\n\n### Correct Answer\nA, C", "lenient"),
        (f"Question type: definition\n\nQuestion: Which hold?\n{BODY}\nCorrect: A, C", "lenient"),
        (f"```\nQuestion: Which hold?\n{BODY}\nCorrect: A, C\n```", "lenient"),
        (f"Question: Which hold?\n{BODY}\nThe correct answers are A and C.", "lenient"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A, C\n\nExplanation: A is right. B is wrong.", "lenient"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A) A graph has vertices, C) Euler began it", "lenient"),
        (f"Question: Which hold?\n{BODY}\nCorrect answers:\nA) A graph has vertices\nC) Euler began it", "lenient"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A, C\n\nAnswer: A, C", "lenient"),
        (f"Question: Which hold?\n{marked(' (correct)', ' ✓')}", "lenient"),
        (f"Question: Which hold?\n{marked(' ✅', ' ✅')}\nCorrect: A, C", "lenient"),
        (f"Question: Which hold?\n{BODY.replace('has ', 'has' + chr(10) + '   ')}\nCorrect: A, C", "lenient"),
    ],
)  # fmt: skip
def test_questions_that_are_read(said: str, manner: str) -> None:
    """In all of these forms it is one and the same question, and nothing of options or key shows through in its texts."""
    found = read_question(Reply(said), 4)
    assert (found.manner, found.problem) == (manner, "")
    assert found.question is not None
    assert (found.question.stem, found.question.options, found.question.key) == ("Which hold?", TEXTS, frozenset((0, 2)))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("", "empty"),
        ("I'm sorry, I can't do that.", "refused"),
        ("What is a graph?", "no options"),
        ("Question: Which hold? A) x B) y C) z D) w Correct: A", "no options"),
        ("Question: Which hold?\nA) x\nCorrect: A", "no options"),
        (f"Question: Which hold?\n{BODY}", "no key"),
        (f"Question: Which hold?\n{BODY}\nCorrect: F", "the key names an option that there is not"),
        (f"Question: Which hold?\n{BODY}\nCorrect: None", "the key says that no option is right"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A or C", "the key leaves open which options it means"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A graph", "the key names no option"),
        (f"Question: Which hold?\n{BODY}\nCorrect: A\nCorrect: C", "two different keys"),
        (f"Question: Which hold?\n{BODY.replace('weights', 'weights (correct)')}\nCorrect: A", "two different keys"),
        (f"Question: a?\n{BODY}\nCorrect: A\n\nQuestion: b?\n{BODY}\nCorrect: A", "more than one question"),
        (f"Question: Which hold?\n{BODY}\n{BODY}\nCorrect: A", "more than one question"),
        ("Question: Which hold?\nA) x\nB) y\nD) z\nCorrect: A", "options are not in order"),
        ("Question: Which hold?\nA) x\nB) X.\nC) z\nD) w\nCorrect: A", "two options are alike"),
        ("Question: Which hold?\nA)\nB) y\nC) z\nD) w\nCorrect: B", "an option is empty"),
        (f"{BODY}\nCorrect: A", "no question before the options"),
        (f"Question:\n{BODY}\nCorrect: A", "no question before the options"),
        (f"Question: Which hold?\n{chr(10).join(f'{c}) {c * 3}' for c in 'ABCDEFGHIJK')}\nCorrect: A", "more than 10 options"),
        (f"Question: {'x ' * 3_000}\n{BODY}\nCorrect: A", "too long"),
    ],
)
def test_questions_that_are_not_read(said: str, problem: str) -> None:
    found = read_question(Reply(said), 4)
    assert (found.question, found.manner, found.problem) == (None, "unreadable", problem)


def test_a_writer_that_gave_no_answer() -> None:
    found = read_question(NoAnswer("time-out after 120 s"), 4)
    assert (found.question, found.manner, found.problem) == (None, "no answer", "time-out")


def test_another_number_of_options_is_lenient_and_all_may_be_right() -> None:
    five = read_question(Reply(f"Question: Which hold?\n{BODY}\nE) More\nCorrect: E"), 4)
    assert (five.manner, five.question and five.question.key) == ("lenient", frozenset((4,)))
    ten = "\n".join(f"{letter}) {letter * 3}" for letter in "ABCDEFGHIJ")
    found = read_question(Reply(f"Question: Which hold?\n{ten}\nCorrect: A, J"), 10)
    assert (found.manner, found.question and found.question.key) == ("strict", frozenset((0, 9)))
    everything = read_question(Reply(f"Question: Which hold?\n{BODY}\nCorrect: A, B, C, D"), 4)
    assert (everything.manner, everything.question and everything.question.key) == ("strict", frozenset(range(4)))


def test_stems_of_several_lines_and_texts_that_look_like_marks() -> None:
    found = read_question(Reply(f"Question: A town has bridges.\n\n- one\n- two\n\nWhich hold?\n{BODY}\nCorrect: A"), 4)
    assert found.question is not None
    assert found.question.stem == "A town has bridges.\n\n- one\n- two\n\nWhich hold?"
    smith = read_question(Reply(f"Question: A. Smith wrote:\nA. Smith is right.\nWhich hold?\n{BODY}\nCorrect: A"), 4)
    assert smith.question is not None
    assert smith.question.stem.startswith("A. Smith wrote:")
    maths = read_question(Reply("Question: What is $2**3$?\nA) f(x)\nB) key: 6\nC) 9 (right)\nD) *\nCorrect: B"), 4)
    assert maths.question is not None
    assert maths.question.options == ("f(x)", "key: 6", "9 (right)", "*")
