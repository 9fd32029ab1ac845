"""Bots that are right, or wrong, in plain sentences, and the questions that they are asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

Bot = Callable[[str], str]
QUESTIONS: Final = 300


def _number(question: str) -> int:
    match = re.search(r"\d+", question)
    assert match is not None
    return int(match[0])


def polite(question: str) -> str:
    """Right: grants or denies without the word yes or no."""
    return (
        "Of course, you may still send it back."
        if _number(question) % 2
        else "I am sorry, the period has ended, so it cannot be returned."
    )


def in_form(question: str) -> str:
    """Right: a sentence behind "Answer:"."""
    number = _number(question)
    return "Yes, of course." if number % 2 else f"Answer: No, order {number} is not in time."


def wordy(question: str) -> str:
    """Right: yes or no in four wordings each."""
    yes = ("Answer: Yes, you may.", "Yes, it may be returned.", "Answer: Certainly yes.", "Yes - order may be sent back.")
    no = ("No, you cannot.", "Answer: No, it is too late.", "No - they cannot.", "Certainly not.")
    number = _number(question)
    return (yes if number % 2 else no)[number // 2 % 4]


def always_yes(question: str) -> str:
    """Yes to everything, in four wordings that depend on how it is asked."""
    words = ("Yes, you may send it back.", "Answer: Yes, it may be returned.", "Certainly yes.", "Yes, of course.")
    return words[sum(map(ord, question)) % 4]


def carrier(question: str) -> str:
    """Right: the name leads, or ends, a sentence."""
    return ("DHL brings it.", "It is brought by DHL, not Hermes.", "“DHL”", "<answer>DHL</answer>")[_number(question) % 4]


def city(question: str) -> str:
    """Right: a name after a preposition, composed or not."""
    return ("The shop is in Köln, in Germany.", "In Ko\u0308ln.", "Köln, of course.")[_number(question) % 3]


def denial(question: str) -> str:
    """Wrong: it names the accepted answer only to deny it."""
    return ("Anything but DHL.", "DHL? No, Hermes.", "DHL is incorrect; it is Hermes.", "Answer: not DHL")[
        _number(question) % 4
    ]


def returns() -> list[dict[str, Any]]:
    """Yes for odd numbers, no for even ones."""
    ask = "Order {} came on day 1. May it be returned?"
    return [{"id": n, "question": ask.format(n), "answer": "yes" if n % 2 else "no"} for n in range(1, QUESTIONS + 1)]


def alike(question: str, answer: str) -> list[dict[str, Any]]:
    """Questions that differ in a number, all with one answer."""
    return [{"id": n, "question": question.format(n), "answer": answer} for n in range(1, QUESTIONS + 1)]


RETURNS: Final = returns()
CARRIER: Final = alike("Parcel {} is heavy. Who delivers it?", "DHL")
CITY: Final = alike("Customer {} asks: where is the shop?", "Köln")
RIGHT: Final[Sequence[tuple[Bot, list[dict[str, Any]]]]] = (
    (polite, RETURNS),
    (in_form, RETURNS),
    (wordy, RETURNS),
    (carrier, CARRIER),
    (city, CITY),
)
