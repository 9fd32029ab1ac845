"""Typing errors in words that stay recognisable: letters swapped, left out, doubled, or those of a key beside the right one.

Numbers, names, words in capitals, short words, and what stands in quotation marks or in code are left as they are, since
another letter there may make another question.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

SHARE: Final = 0.1
"""Of the words that may be mistyped; at least one of them is."""
_WORD: Final = re.compile(r"(?<![\w'’`/\\.$_-])[A-Za-z][a-z]{3,}(?![\w'’`/\\$_-]|\.\w)")
_KEPT: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|«[^»]*»|\$[^$]*\$|\S+://\S+|\S+@\S+")
_SENTENCE_BEGINS: Final = re.compile(r"(?:^|[.!?:]\s+|\n\s*)$")
_BESIDE: Final = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk", "k": "jl",
    "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "wa", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb",
    "w": "qe", "x": "zc", "y": "tu", "z": "x",
}  # fmt: skip
"""Neighbours on a QWERTY keyboard, in the same row but for a and q."""
_WAYS: Final = ("swapped", "left out", "doubled", "beside")


def mistyped(text: str, rng: np.random.Generator) -> str | None:
    """The text with typing errors in a tenth of its longer words; None where none may be touched.

    >>> mistyped("What is the capital of Norway?", np.random.default_rng(1))
    'Whaat is the capital of Norway?'
    >>> mistyped("7 + 8 = ?", np.random.default_rng(0)) is None
    True
    """
    words = _words(text)
    if not words:
        return None
    chosen = sorted(rng.permutation(len(words))[: max(1, round(SHARE * len(words)))], reverse=True)
    for i in chosen:
        start, end = words[i]
        text = text[:start] + _error(text[start:end], rng) + text[end:]
    return text


def _words(text: str) -> list[tuple[int, int]]:
    """Where words stand that may be mistyped."""
    kept = [match.span() for match in _KEPT.finditer(text)]
    found = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        a_name = match[0][0].isupper() and not _SENTENCE_BEGINS.search(text[max(0, start - 20) : start])
        if not a_name and not any(begin <= start < stop for begin, stop in kept):
            found.append((start, end))
    return found


def _error(word: str, rng: np.random.Generator) -> str:
    """The word with one error behind its first letter; never the word itself."""
    way = _WAYS[int(rng.integers(len(_WAYS)))]
    place = int(rng.integers(1, len(word) - 1))
    if way == "swapped":
        places = [i for i in range(1, len(word) - 1) if word[i] != word[i + 1]]
        if places:
            place = places[int(rng.integers(len(places)))]
            return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        way = "left out"
    if way == "left out":
        return word[:place] + word[place + 1 :]
    if way == "doubled":
        return word[: place + 1] + word[place:]
    near = _BESIDE[word[place]]
    return word[:place] + near[int(rng.integers(len(near)))] + word[place + 1 :]
