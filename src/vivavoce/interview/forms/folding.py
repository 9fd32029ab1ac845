"""Texts as they are compared: their words, whatever their case and what stands between them."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+(?:['’.,]\w+)*")


def folded(text: str) -> str:
    """A text as it is compared: its words, whatever their case and what stands between them; all of it if there are none.

    >>> folded(" **Marie  Curie's.**"), folded("∅ ")
    ("marie curie's", '∅')
    """
    return " ".join(words_of(text)) or "".join(text.split())


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, in order.

    >>> words_of("Marie Curie's 2 prizes")
    ['marie', "curie's", '2', 'prizes']
    """
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]
