"""The prompt that is printed in Appendix C of `vafa2024`, as a variant beside our own words.

Departure: as printed it says that the first question was answered correctly, and asks at its end about "seeing it answered
Question 1 incorrectly". Here both say what was the case. Which of the two was sent is not known. The marks of Llama-2's chats
around it are left out: a model's own template sets its own.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from textwrap import indent

from vivavoce.generalization.pairs import Pair


@cache
def system_text() -> str:
    """What stands between <<SYS>> and <</SYS>>."""
    text = files("vivavoce.generalization.predictors").joinpath("printed.toml").read_text(encoding="utf-8")
    system: str = tomllib.loads(text)["system"]
    return system


def printed(pair: Pair, first: str, second: str) -> str:
    """The rest of the prompt, on the two questions as they are to be shown.

    >>> shown = printed(Pair("2 + 2?", "3 + 4?", "", "", previous_correct=False), "2 + 2?", "3 + 4?")
    >>> shown.count("incorrectly"), shown.count(" correctly")
    (2, 0)
    """
    graded = "correctly" if pair.previous_correct else "incorrectly"
    return (
        f"The large language model was asked the following question:\n\n<q1>\n{indent(first, '  ')}\n</q1>\n\n"
        f"It answered this question {graded}.\n\n"
        f"The large language model was then asked the following question:\n\n<q2>\n{indent(second, '  ')}\n</q2>\n\n"
        "Should you change your confidence in the large language model’s ability to answer Question 2 after seeing it answered "
        f"Question 1 {graded}?"
    )
