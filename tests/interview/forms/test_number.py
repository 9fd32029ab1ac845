"""Replies as models write them, read as a person would; what a person could not decide is unreadable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interview.forms.phrases import PHRASES
from vivavoce.formats.numbers import as_number, same_number
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.number import Number

FORM = Number()


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
        ("Answer:\n42", "42"), ("I'm not certain. Answer: 7", "7"), ("forty-two", "42"), ("Answer: 1.2 × 10^3", "1200"),
        ("Answer: 10**6", "1000000"), ("\\boxed{\\$18}", "18"), ("\\boxed{1\\frac{1}{2}}", "3/2"), ("Answer: 26%", "26%"),
        ("The total is 12 eggs.\nHe sells 3 of them.\n12 - 3 = 9", "9"), ("Ann has 3 + 4 = 7.\nA: 7", "7"),
        ("Answer: minus fifty-seven", "-57"), ("Answer: forty percent", "40%"), ("Answer: US$63", "63"),
        ("It is 0, yes, 0.", "0"),
        ("Answer: 5 since x = 3", "5"), ("Answer: 12\nConfidence: 90%", "12"), ("There is a 1/6 chance.", "1/6"),
        ("Answer: 64\n\nLet me recheck: 63", "63"), ("Answer: 63 kg·m/s^2", "63"), ("He needs 4, as 2 + 2 = 4", "4"),
        ("She has 3 cats.\n\nSo she has 12 pets in total.", "12"), ("The sum is 42.\nAnswer: 41", "41"),
    ],
)  # fmt: skip
def test_reads_numbers(reply: str, number: str) -> None:
    assert FORM.read(reply).value == number


@pytest.mark.parametrize(
    "reply",
    [
        "", "42 or 43", "Answer: 42 or 43", "Answer: 12 + 30", "Answer: 42/6", "12,34", "1.2.3",
        "12 - 17", "- 17",
        "Answer: 1, 234", "x42", "3x", "What is 12 + 30?", "Answer: 5-3", "2^10", "Answer: banana",
        "NaN", "Answer: 2**10", "\\boxed{\\frac{\\sqrt{3}}{2}}", "3 + 4 = 7\nShe has 2 dogs and 9 cats.", "1.",
        "Answer: five minus three", "Answer: half a million", "Answer: No. 10", "x=3 or x=-3", "x = 3 and y = 4", "Code: 500",
        "Answer: 1. Paris\n2. Rome", "I am 95% sure it is 12.", "Answer: 4K", "Answer: a few thousand", "Confidence: 90%",
        "220 pushups\n60 squats", "Answer: one of them", "Answer: 9e999999999", "Answer: 3 and a half",
        "inf", "12:30", "9" * 500,
    ],
)  # fmt: skip
def test_numbers_that_cannot_be_read(reply: str) -> None:
    assert FORM.read(reply).outcome is Outcome.UNREADABLE


def test_dont_know_a_number() -> None:
    for reply in ("I don't know", "Answer: I don't know", "Hm. I don't know the product of 12 and 30."):
        assert FORM.read(reply).outcome is Outcome.DONT_KNOW


def test_a_number_and_ignorance_are_two_answers() -> None:
    assert FORM.read("Answer: 3628. Answer: I don't know").outcome is Outcome.UNREADABLE
    assert FORM.read("Answer: I don't know\nAnswer: 3402").value == "3402"


def test_numbers_are_exact() -> None:
    # 0.1 + 0.2 is not 0.3 in binary floating point; here 0.30 and 0.3 are equal and nothing else is.
    assert as_number("0.30") == as_number(".3") != as_number("0.30000000000000004")
    assert as_number("1,234") == as_number("1234.0") == as_number("1.234e3")
    assert as_number("12,34") is as_number("1.234,5") is as_number("1e9999") is as_number("5²") is as_number("") is None
    assert as_number("٣") == 3
    assert as_number("–５") == as_number("-$5") == as_number("−5 €") == -5
    assert as_number("1½") == as_number("1 1/2") == as_number("1.5") != as_number("1 3/2")
    assert as_number("1/0") is as_number("12:30") is as_number("forty") is as_number("3M") is None


def test_a_number_that_is_written_in_two_ways_is_the_same() -> None:
    assert same_number("12.345", "12345")
    assert same_number("12.345", "12.345")
    assert not same_number("12345", "12.345")
    assert not same_number("0.345", "345")
    assert same_number("26%", "26")
    assert same_number("26%", "0.26")
    assert same_number("0.26", "26%")
    assert not same_number("0.26", "26")
    assert not same_number("26%", "2600")
    assert not same_number("banana", "banana")


@given(st.text(max_size=300))
def test_reading_never_raises_and_gives_a_number_or_nothing(reply: str) -> None:
    reading = FORM.read(reply)
    assert (reading.outcome is Outcome.ANSWER) == (reading.value is not None and as_number(reading.value) is not None)


@given(st.integers(-(10**30), 10**30), PHRASES)
def test_a_stated_number_comes_back(number: int, before: list[str]) -> None:
    for written in (str(number), f"{number:,}"):
        reading = FORM.read(" ".join(before) + f"\nAnswer: {written}")
        assert reading.value == str(number)
