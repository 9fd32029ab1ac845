"""What counts as an explanation."""

from __future__ import annotations

import pytest

from vivavoce.eqt.pipeline import explained
from vivavoce.interview import NoAnswer, Reply
from vivavoce.interview.forms.explanation import LONGEST


@pytest.mark.parametrize(
    ("reply", "explanation", "problem"),
    [
        (Reply(" A graph is a set. "), "A graph is a set.", ""),
        (Reply("<think>Hm.</think>A graph is a set."), "A graph is a set.", ""),
        (Reply("<think>A graph is", finish="length"), None, "cut off"),
        (Reply("A graph is a", finish="length"), "A graph is a", ""),  # as far as it goes
        (Reply(" \n"), None, "empty"),
        (Reply("I cannot help with that."), None, "refused"),
        (Reply("x" * (LONGEST + 1)), None, "too long"),
        (Reply("A graph", finish="content_filter"), None, "filtered"),
        (NoAnswer("time-out after 120 s"), None, "time-out"),
        (NoAnswer("HTTP 400"), None, "no answer"),
    ],
)
def test_explanations(reply: Reply | NoAnswer, explanation: str | None, problem: str) -> None:
    assert explained(reply) == (explanation, problem)


def test_a_long_explanation_that_speaks_of_refusals_is_none() -> None:
    text = "I cannot overstate how central refusals are. " * 20
    assert explained(Reply(text)) == (text.strip(), "")
