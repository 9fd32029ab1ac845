"""Patterns that users write, held to such as cannot take long: their steps are bounded before they are used."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from vivavoce.errors import BadInput

LONGEST_PATTERN: Final = 200
LONGEST_TEXT: Final = 200
"""Characters of an answer; a longer one fits no pattern."""
MOST_STEPS: Final = 10_000_000
"""Ways in which a pattern may match a text of that length."""

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?:|[()|]|(?:[*+?]|\{\d{0,4},?\d{0,4}\})[?+]?|.", re.DOTALL)

_REPEAT = re.compile(r"(?:[*+]|\{\d*,\d*\}|\{\d+\})[?+]?")
_BACK = re.compile(r"\\[1-9]")


@lru_cache(maxsize=1024)
def checked(pattern: str) -> re.Pattern[str]:
    """The pattern, without regard to case. Raises `BadInput` for one that is none, or that may take too long.

    >>> checked("[0-9]+ (?:apples?|pears?)").pattern
    '[0-9]+ (?:apples?|pears?)'
    >>> checked("(a+)+b")
    Traceback (most recent call last):
    vivavoce.errors.BadInput: the pattern '(a+)+b' repeats a group, which may take forever: repeat single characters alone
    """
    shown = f"the pattern '{pattern[:80]}'"
    if len(pattern) > LONGEST_PATTERN:
        raise BadInput(f"{shown} has {len(pattern)} characters: at most {LONGEST_PATTERN}")
    try:
        compiled = re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInput(f"{shown} is none: {error}") from None
    steps, before = 1, ""
    for token in _TOKEN.findall(pattern):
        if before == "(" and token.startswith("?"):
            raise BadInput(f"{shown} has a group that looks around, or sets or names something: write (...) or (?:...)")
        if _BACK.fullmatch(token):
            raise BadInput(f"{shown} refers back to a group: write out what it stands for")
        if _REPEAT.fullmatch(token) and before == ")":
            raise BadInput(f"{shown} repeats a group, which may take forever: repeat single characters alone")
        steps *= LONGEST_TEXT if _REPEAT.fullmatch(token) else 2 if token in ("|", "?", "??", "?+") else 1
        before = token
    if steps > MOST_STEPS:
        raise BadInput(f"{shown} may take too long: use at most three of * + {{}}, and few of ? and |")
    return compiled


def fits(pattern: str, text: str) -> bool:
    """Whether a text as a whole fits a pattern.

    >>> fits("colou?r", "Color"), fits("colou?r", "a color")
    (True, False)
    """
    return len(text) <= LONGEST_TEXT and bool(checked(pattern).fullmatch(text))
