"""What planted candidates say, without what examines them: servers that play them begin three times as soon."""

from __future__ import annotations

import hashlib
import re

GERMAN = "Auf Deutsch: "
OPTIONS = ("red", "green", "blue", "white")
PREFERS_A, GERMAN_FLIPS, NOISE = 0.15, 0.3, 0.05
"""The rates of the studies."""
_OPTION = re.compile(r"^\(([A-Z])\) (.*)$", re.MULTILINE)


def uniform(*words: object) -> float:
    """A number in [0, 1) that hangs on these words alone."""
    return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:8], "big") / 2**64


def planted_letter(text: str, prefers_a: float, german: float, *, noise: tuple[float, str, int] = (0.0, "", 0)) -> str:
    """What a planted candidate says: a letter.

    It has a favourite content for each question. On a share of questions it says A whatever that is; on another, drawn apart,
    it has another favourite in German. With a small chance it says anything: noise is that chance, and what it hangs on.
    """
    match = re.search(r"\b\d\S*", text)
    assert match is not None
    key, (chance, *of) = match[0], noise
    letters: dict[str, str] = {option: letter for letter, option in _OPTION.findall(text)}
    if uniform("noise", *of, text) < chance:
        return "ABCD"[int(4 * uniform("letter", *of, text))]
    likes_a = uniform("a", key) < prefers_a
    if likes_a and GERMAN not in text:
        return "A"
    favourite = 0 if likes_a else int(4 * uniform("favourite", key))
    if GERMAN in text and uniform("german", key) < german:
        favourite = (favourite + 1) % 4
    return letters[OPTIONS[favourite]]
