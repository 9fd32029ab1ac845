"""Replies as models write them, read as a person would; what a person could not decide is unreadable."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.certificate.choice import read_choice
from vivavoce.certificate.questions import Question, prompt
from vivavoce.certificate.reading import Reading, as_number, fold, read_number, read_text
from vivavoce.interview.forms.form import Outcome

CITIES = ["Lyon", "Paris", "Nice", "Lille"]
TEN = [f"option number {i}" for i in range(10)]
SENTENCES = ["Vitamin C", "A dog", "It cannot be determined", "None of the above"]
UNREADABLE, DONT_KNOW = Reading(Outcome.UNREADABLE), Reading(Outcome.DONT_KNOW)


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
    assert read_choice(reply, CITIES) == Reading(Outcome.ANSWER, "C")


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
    assert read_choice(reply, CITIES) == UNREADABLE


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
    assert read_choice(reply, CITIES) == DONT_KNOW


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
    assert read_choice(reply, TEN).value == letter


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
    assert read_choice(reply, SENTENCES).value == letter
    assert read_choice(reply, SENTENCES).outcome is (Outcome.ANSWER if letter else Outcome.UNREADABLE)


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
    assert read_choice(reply, options).value == letter


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("42", "42"), ("42.", "42"), ("-17", "-17"), ("−17", "-17"), ("(-17)", "-17"), ("+5", "5"),
        ("**42**", "42"), ("1,234", "1234"),
        ("The result is 1,234.", "1234"), ("= 42", "42"), ("\\boxed{42}", "42"), ("$\\boxed{1{,}234}$", "1234"),
        ("1\u202f234", "1234"),
        ("x = 12 + 30 = 42", "42"), ("12 + 30 = 42", "42"), ("Answer: 42", "42"), ("Answer: **42**.", "42"),
        ("Answer: 3.50", "3.50"),
        ("The sum of 12 and 30 is 42.", "42"), ("12 and 30 are added.\nAnswer: 42", "42"),
        ("Answer: 41\nFinal answer: 42", "42"),
        ("The answer is 42 (since 12 + 30 = 42).", "42"), ("Answer: 42, because 40 + 2 = 42", "42"),
        ("Answer: 12 + (30) = 42", "42"),
        ("First 30, then 12.\n\n**42**", "42"), ("42\n\nI added 12 to 30.", "42"), ("It comes to 42, yes, 42.", "42"),
        ("Answer: 1e3", "1e3"), ("The difference is -5", "-5"), ("5 - 10 = -5", "-5"),
        ("Answer: 42 apples", "42"), (".5", ".5"),
        ("Answer:\n42", "42"), ("I'm not certain. Answer: 7", "7"),
    ],
)  # fmt: skip
def test_reads_numbers(reply: str, number: str) -> None:
    assert read_number(reply) == Reading(Outcome.ANSWER, number)


@pytest.mark.parametrize(
    "reply",
    [
        "", "forty-two", "42 or 43", "Answer: 42 or 43", "Answer: 12 + 30", "Answer: 42/6", "12,34", "1.2.3",
        "12 - 17", "- 17",
        "Answer: 1, 234", "x42", "3x", "What is 12 + 30?", "Answer: 5-3", "2^10", "Answer: banana",
        "Answer: 1.2 × 10^3", "NaN",
        "inf", "12:30", "9" * 500,
    ],
)  # fmt: skip
def test_numbers_that_cannot_be_read(reply: str) -> None:
    assert read_number(reply) == UNREADABLE


def test_dont_know_a_number() -> None:
    for reply in ("I don't know", "Answer: I don't know", "Hm. I don't know the product of 12 and 30."):
        assert read_number(reply) == DONT_KNOW


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("Paris", "Paris"), ("**Paris.**", "Paris"), ("Answer: Paris", "Paris"),
        ("Well.\nThe answer is Paris.", "Paris"),
        ("Answer: ] ) >", "] ) >"), ("> ]", "> ]"), ("\\boxed{\\text{Paris}}", "Paris"), ("one\ntwo", ""),
        ("", ""), ("...", "..."),
    ],
)  # fmt: skip
def test_reads_texts(reply: str, text: str) -> None:
    assert read_text(reply).value == text


def test_the_prompt_itself_is_no_answer() -> None:
    # A candidate that repeats the question has not said "I don't know", although the instruction quotes it.
    asked = prompt(Question("q", "Which lies by the sea?", tuple(CITIES), ("C",))).text
    assert read_choice(asked, CITIES) == UNREADABLE
    assert read_choice(f"{asked}\n\nAnswer: C", CITIES).value == "C"
    summed = prompt(Question("q", "What is 12 + 30?", accepted=("42",))).text
    assert read_number(summed) == UNREADABLE


def test_numbers_are_exact() -> None:
    # 0.1 + 0.2 is not 0.3 in binary floating point; here 0.30 and 0.3 are equal and nothing else is.
    assert as_number("0.30") == as_number(".3") != as_number("0.30000000000000004")
    assert as_number("1,234") == as_number("1234.0") == as_number("1.234e3")
    assert as_number("12,34") is as_number("٣") is as_number("1e9999") is as_number("") is None


def test_folding() -> None:
    assert fold("  The “Sea” ") == fold("the “sea”")
    assert fold("...") == "..."


HOSTILE = {
    "answers": "answer " * 700_000,
    "answers are": "the answer is A or B. " * 230_000,
    "letters": "A " * 2_500_000,
    "spaces": " " * 5_000_000,
    "lines": "\n" * 5_000_000,
    "brackets": "(" * 5_000_000,
    "boxes": "\\boxed{" * 700_000,
    "digits": "1" * 5_000_000,
    "commas": "1,111" * 1_000_000,
    "equals": "= 1 " * 1_250_000,
    "ignorance": "I don't know " * 380_000,
    "is right": "C is " * 1_000_000,
    "negations": "answer not " * 450_000,
    "one word": "x" * 5_000_000,
    "option lines": "A. Lyon\n" * 625_000,
    "minus": "- " * 2_500_000,
    "dots": "1." * 2_500_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_five_megabytes_cost_less_than_a_second(kind: str) -> None:
    start = time.process_time()
    read_choice(HOSTILE[kind], CITIES)
    read_number(HOSTILE[kind])
    read_text(HOSTILE[kind])
    assert time.process_time() - start < 1.0


@given(st.text(max_size=300), st.lists(st.text(max_size=20), min_size=2, max_size=26))
def test_reading_never_raises_and_gives_an_option_or_nothing(reply: str, options: list[str]) -> None:
    reading = read_choice(reply, options)
    assert (reading.outcome is Outcome.ANSWER) == (reading.value in list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(options)]))
    number = read_number(reply)
    assert (number.outcome is Outcome.ANSWER) == (as_number(number.value) is not None)
    assert (read_text(reply).outcome is Outcome.ANSWER) == bool(read_text(reply).value)


PHRASES = st.lists(
    st.sampled_from(
        [
            "the answer is",
            "A",
            "or",
            "(B)",
            "C.",
            "I don't know",
            "=",
            "12",
            "\n",
            ",",
            "**",
            "\\boxed{",
            "}",
            "not",
            "is correct",
        ]
    )
)


@given(PHRASES, st.sampled_from("ABCD"))
def test_the_last_line_decides_whatever_stands_before(before: list[str], letter: str) -> None:
    assert read_choice(" ".join(before) + f"\nAnswer: {letter}", CITIES).value == letter


@given(st.sampled_from("ABCD"), st.text(alphabet="bcdefgh ,;\n", max_size=200))
def test_prose_after_the_answer_changes_nothing(letter: str, after: str) -> None:
    # Letters of which neither "answer", "is" nor "correct" can be made.
    assert read_choice(f"Answer: {letter}\n{after}", CITIES).value == letter


@given(st.integers(-(10**30), 10**30), PHRASES)
def test_a_stated_number_comes_back(number: int, before: list[str]) -> None:
    for written in (str(number), f"{number:,}"):
        reading = read_number(" ".join(before) + f"\nAnswer: {written}")
        assert reading.value == str(number)
