"""Replies as models write them, read as a person would; what a person could not decide is unreadable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.forms.text import ShortText

FORM = ShortText()


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
    assert (FORM.read(reply).value or "") == text


def test_folding() -> None:
    assert fold("  The “Sea” ") == fold("the “sea”")
    assert fold("...") == "..."


@given(st.text(max_size=300))
def test_reading_never_raises_and_gives_a_text_or_nothing(reply: str) -> None:
    reading = FORM.read(reply)
    assert (reading.outcome is Outcome.ANSWER) == bool(reading.value)
