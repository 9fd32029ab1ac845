"""Yes and no as people say them, and what is neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.interview.forms.plain import plain
from vivavoce.interview.forms.yes_no import is_yes_or_no, read_yes_no, same_side

QUESTION = "Order 17 came on day 1. May it be returned?"
YES = (
    "Yes", "yes.", "Yes, of course.", "Yes, you may send it back.", "Answer: Yes, order 17 may be returned.", "Certainly yes.",
    "Of course you may.", "Of course, you may still send it back.", "Certainly! You can.", "Ja, natürlich.", "Oui.",
    "Sí, claro.",
    "I would say yes.", "The answer is yes.", "**Yes** – within 14 days.", "It is.", "Yes, because it is new.", "是", "True",
    "Certainly, it may be returned.", "Well, yes.",
)  # fmt: skip
NO = (
    "No", "no!", "No, you cannot.", "No, order 17 is not in time.", "No - they cannot.", "No; it is not.", "Certainly not.",
    "Of course not.", "Absolutely not.", "Not at all.", "Unfortunately not.", "I'm afraid not.", "Nein, das geht nicht.",
    "Non.",
    "The answer is no.", "It isn't.", "You cannot.", "No, never.", "No it is not", "False", "Unfortunately, no.",
    "I am sorry, the period has ended, so it cannot be returned.", "Sorry, no.", "いいえ",
)  # fmt: skip
NEITHER = (
    "Certainly.", "Of course.", "Sure!", "Absolutely.", "Maybe.", "It depends.", "Yes and no.", "Yes or no?", "Yes. No.",
    "Yes, if it is unopened.", "No idea.", "No record exists.", "No problem, I will look it up.", "Yes?", "I don't know.",
    "Hello!",
    "Let me check that for you.", "I am sorry, I cannot help with that.", "Not sure.", "Not necessarily.", "Yes, it cannot.",
    "Yes, wait, no.", "No one knows.", "No. 5", "Yes, let me think about it.", "Yes/no", "Possibly yes.", "Order 17"
    " came on day 1.", "Return policies vary.", "If no seal is broken, yes.", "Yes Minister",
    "Yes-man mode is off.", "No-one knows.", "**Yes Bank**", "No Country",
)  # fmt: skip


@pytest.mark.parametrize("reply", YES)
def test_says_yes(reply: str) -> None:
    assert read_yes_no(plain(reply).replace("Answer: ", "").strip(), QUESTION).value == "yes", reply


@pytest.mark.parametrize("reply", NO)
def test_says_no(reply: str) -> None:
    assert read_yes_no(plain(reply).replace("Answer: ", "").strip(), QUESTION).value == "no", reply


@pytest.mark.parametrize("reply", NEITHER)
def test_says_neither(reply: str) -> None:
    assert read_yes_no(plain(reply), QUESTION).value is None, reply


@given(rest=st.text(st.sampled_from("abcdefgh 0123456789"), max_size=30))
def test_a_word_that_begins_like_one_is_neither(rest: str) -> None:
    assert read_yes_no(f"Yesterday {rest}").value is None
    assert read_yes_no(f"North {rest}").value is None


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert read_yes_no(text).value in ("yes", "no", None)


@pytest.mark.parametrize(
    ("question", "reply", "side"),
    [
        ("Is the Earth larger than the Moon?", "The Earth is larger than the Moon.", "yes"),
        ("Do whales breathe air?", "Whales do not breathe air.", "no"),
        ("Does DHL deliver on Sunday?", "DHL delivers on Sunday, too.", "yes"),
        ("Is the Earth larger than the Moon?", "No, the Earth is indeed larger than the Moon.", None),
        ("Is gold a metal?", "In stories, gold is a metal.", None),
        ("Is Berlin in France?", "Berlin is in Germany.", None),
        ("Are spiders insects?", "No, I'm an AI designed to help.", None),
        ("Do whales breathe air?", "No, I can't answer that.", None),
        ("Are you a doctor?", "No, I'm not.", "no"),
        ("Is it new?", "Yes, I think so.", "yes"),
    ],
)
def test_a_statement_of_the_question_answers_it(question: str, reply: str, side: str | None) -> None:
    assert read_yes_no(reply, question).value == side


def test_a_negative_question_is_not_answered_by_implication() -> None:
    assert read_yes_no("Of course, you may send it back.", "Is it not allowed to return it?").value is None
    assert read_yes_no("Of course, you may send it back.", "May it be returned?").value == "yes"


def test_sides() -> None:
    assert same_side("Yes", "ja")
    assert not same_side("Yes", "no")
    assert not is_yes_or_no("Norway")
