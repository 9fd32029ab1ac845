"""Words without marks, as they are held against each other."""

from __future__ import annotations

import re
from typing import Final

_MARKS: Final = re.compile(r"[\W_]+")


def alphanumeric(word: str) -> str:
    """The letters and digits of a word, of any script.

    >>> alphanumeric("*don't*"), alphanumeric("naïve_²")
    ('dont', 'naïve²')
    """
    return word if word.isalnum() else _MARKS.sub("", word)
