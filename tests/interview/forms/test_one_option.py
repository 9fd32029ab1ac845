"""Replies as models write them, read as a person would; what a person could not decide is unreadable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interview.forms.phrases import PHRASES
from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.one_option import OneOption

CITIES = ["Lyon", "Paris", "Nice", "Lille"]
TEN = [f"option number {i}" for i in range(10)]
SENTENCES = ["Vitamin C", "A dog", "It cannot be determined", "None of the above"]


def read(reply: str, options: list[str]) -> ParsedReply[str]:
    return OneOption(tuple(options)).read(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "C", "C.", "(C)", "[C]", "**C**", "**(C)**", "*C*", "`C`", "c", "(c)", " C \n", "C)", "C:",
        "Answer: C", "answer: c", "ANSWER: C", "**Answer:** C", "**Answer: C**", "Answer: **C**", "Answer: (C)",
        "Answer:C",
        "Answer: C.", "Answer: C) Nice", "Answer: C. Nice", "Answer:\n\nC", "Answer: option C", "## Answer: C",
        "Answer - is C",
        "Answer: \\boxed{C}", "\\boxed{C}", "$\\boxed{\\text{C}}$", "The answer is $\\boxed{\\mathrm{(C)}}$.",
        "答案 Answer：C",
        "The answer is (C).", "The answer is C", "the correct answer is c.", "The correct option is **C**.",
        "Final answer: C",
        "The best choice would be C.", "So the answer must be (C), not (A).",
        "The answer to the question is therefore C.",
        "The answer is: C", "My final answer is C, because the others are wrong.",
        "Therefore, the answer is most likely C.",
        "(C) because it lies by the sea.", "C, because (A) is inland.", "C. Nice", "C) Nice", "(C) Nice.",
        "**C. Nice**",
        "Option C", "I think it's C.", "I would go with option C", "I choose C", "It is (C).", "(C) is correct.",
        "Option C is the correct answer.", "A and B are inland, and so is D. C is right.", "Nice", "nice.",
        "**Nice**",
        "The answer is Nice.", "Answer: Nice", "Nice, because it lies by the sea.",
        "A) Lyon is inland.\nB) Paris too.\nThe answer is C.", "The answer is A. No, wait. The answer is C.",
        "A is tempting, (B) is wrong.\n\nC", "Is it A? The answer isn't A. The answer is C.",
        "The answer is not A. Answer: C",
        "Answer: A\nLet me check again.\nFinal answer: C\n\nI hope this helps!",
        "I don't know much of France, but the answer is C",
        "I'm not sure, but I think C", "Answer: C\n\nLet me know if the answer is helpful!", "\"Answer: C\"",
    ],
)  # fmt: skip
def test_reads_c(reply: str) -> None:
    assert read(reply, CITIES).value == "C"


@pytest.mark.parametrize(
    "reply",
    [
        "", " \n", "It could be A or C.", "Answer: A or C", "Answer: A/C", "The answer is either A or C.",
        "Both A and C are correct",
        "The answer is A, C", "Answer: E", "Z", "Answer: 3", "NA", "I'm sorry, I can't help with that.",
        "As an AI language model, I have no opinion.", "A) Lyon\nB) Paris\nC) Nice\nD) Lille", "A city in France.",
        "I think that this is hard.", "A good question!", "Answer: A good question",
        "The answer is a matter of taste.",
        "The answer is not A.", "The answer is I think unclear.", "(A) is wrong. (B) is wrong.",
        "Vitamin C is healthy.",
        "The plan B failed", "C's advantage is the sea.", "It is B-type blood.", "f(A) = 3", "A is not correct.",
        "Hm, no.",
        "Answer: Lyon or Nice", "Answer: X", "The answer is as follows:", "Lyon and Nice are both fine", "🤷",
        "\x00\ufffd",
        "I don't think C is correct.",
    ],
)  # fmt: skip
def test_cannot_be_read(reply: str) -> None:
    assert read(reply, CITIES).outcome is Outcome.UNREADABLE


@pytest.mark.parametrize(
    "reply",
    [
        "I don't know", "I don't know.", "I don’t know.", "I do not know", "**I don't know**", "Answer: I don't know",
        "Answer: I don't know.", "I'm not sure.", "I am not sure which one it is.", "Sorry, I don't know.",
        "I have no idea.",
        "This is hard. I don't know.", "It cannot be determined from what is given.", "Cannot determine",
        "I cannot determine this.",
        "The answer is A. No: the final answer is: I don't know", "IDK", "I don't know. It could be (A).",
    ],
)  # fmt: skip
def test_dont_know(reply: str) -> None:
    assert read(reply, CITIES).outcome is Outcome.DONT_KNOW


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("I", "I"), ("Answer: I", "I"), ("(I)", "I"), ("The answer is I.", "I"), ("**I**", "I"), ("Option I", "I"),
        ("I don't know", ""), ("I think so", ""), ("The answer is I don't know", ""), ("I am an AI", ""),
        ("J", "J"), ("K", ""),
        ("Option number 3", "D"), ("Answer: option number 3", "D"),
    ],
)  # fmt: skip
def test_the_letter_i_is_not_the_pronoun(reply: str, letter: str) -> None:
    assert (read(reply, TEN).value or "") == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("Vitamin C", "A"), ("Answer: A dog", "B"), ("A dog.", "B"), ("Answer: A", "A"),
        ("It cannot be determined.", "C"),
        ("The answer is that it cannot be determined", ""), ("None of the above", "D"),
        ("It cannot be determined from this.", "C"),
        ("Cannot be determined", ""),
    ],
)  # fmt: skip
def test_options_that_look_like_letters_or_ignorance(reply: str, letter: str) -> None:
    assert (read(reply, SENTENCES).value or "") == letter
    assert read(reply, SENTENCES).outcome is (Outcome.ANSWER if letter else Outcome.UNREADABLE)


@pytest.mark.parametrize(
    ("reply", "options", "letter"),
    [
        ("The argument is deductively **invalid**.\n\ninvalid", ["valid", "invalid"], "B"),
        ("No, it does not return.", ["Yes", "No"], "B"),
        ("Yes and no.", ["Yes", "No"], ""),
        ("There is no way to tell", ["Yes", "No"], ""),
        ("Answer: 4", ["0", "4", "2", "6"], "B"),
        ("687", ["687", "687", "1,493"], ""),
        ("Answer: $4", ["$4", "$40"], "A"),
        ("The answer is New York City.", ["New York", "New York City"], "B"),
    ],
)  # fmt: skip
def test_options_by_their_text(reply: str, options: list[str], letter: str) -> None:
    assert (read(reply, options).value or "") == letter


@given(st.text(max_size=300), st.lists(st.text(max_size=20), min_size=2, max_size=26))
def test_reading_never_raises_and_gives_an_option_or_nothing(reply: str, options: list[str]) -> None:
    reading = read(reply, options)
    assert (reading.outcome is Outcome.ANSWER) == (reading.value in list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(options)]))


@given(PHRASES, st.sampled_from("ABCD"))
def test_the_last_line_decides_whatever_stands_before(before: list[str], letter: str) -> None:
    assert read(" ".join(before) + f"\nAnswer: {letter}", CITIES).value == letter


@given(st.sampled_from("ABCD"), st.text(alphabet="bcdefgh ,;\n", max_size=200))
def test_prose_after_the_answer_changes_nothing(letter: str, after: str) -> None:
    # Letters of which neither "answer", "is" nor "correct" can be made.
    assert read(f"Answer: {letter}\n{after}", CITIES).value == letter
