"""Texts of options in a reply: which one stands where, and which letters are a part of one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from vivavoce.interview.forms.plain import AROUND, fold, plain

REASON: Final = re.compile(r"\s{0,3}(?:(?:because|since)\b|[-–—(])", re.IGNORECASE)
_STOPS: Final = '.,:;!?)]}"'
_BETWEEN = re.compile(
    r"(?:[\s.,:;!?)(\]}>\"'\[→=/|]|[–—-](?![\d.])){0,8}(?:(?:i\.?e\.?|that is|which is|namely|meaning)[\s,:(]{1,3})?",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[.,:]\d|[-–]\w")
"""How a number or a word may go on behind the text of an option."""
_QUOTE = re.compile(r"'(?!\w)")
_LETTER_IN_TEXT = re.compile(r"(?<![\w'])(?:[A-Z]|(?![ai])[a-z])(?![\w'])")
_LINKED: Final = r"(?:\s{1,3}(?:is\s{1,2})?|:\s{0,3})"
_LINK = re.compile(r"\s{0,3}:\s{0,3}|\sis\s{1,2}", re.IGNORECASE)
_BEFORE = r"(?<![\w./^*+=-])"
_AFTER = r"(?![\w/^*+=²]|[-.]\w| ?[·×^=])"
_DASHES: Final = str.maketrans("–—", "--")


def text_at(said: str, options: Sequence[str], *, within_words: bool = False, letters: bool = False) -> tuple[str, str] | None:
    """The letter of the option whose text a text begins with, and what follows: a stop, or any word with `within_words`.

    >>> text_at("new york city, of course", ("New York", "New York City"))
    ('B', ', of course')
    """
    line, newline, below = said.partition("\n")
    if newline and line.strip(AROUND):
        found = text_at(line, options, within_words=within_words, letters=letters)
        if found:
            return found[0], f"{found[1]}\n{below}"
    texts = folded(tuple(options))
    longest_text = max(map(len, texts), default=0)
    flat = " ".join(said[: 2 * longest_text + 200].split()).lstrip(AROUND)
    start = flat.lower().translate(_DASHES)
    if len(start) != len(flat):
        flat = start
    used = tuple(ascii_lowercase[: len(options)])
    ends = _ends_word if within_words else _stops
    fitting = [
        text
        for text in texts
        if text and (letters or text not in used) and start.startswith(text) and ends(flat[len(text) :], text)
    ]
    longest = max(fitting, key=len, default="")
    if not longest:
        return None
    places = [place for place, text in enumerate(texts) if text == longest]
    if len(places) > 1:
        places = [place for place in places if _as_written(options[place]) == flat[: len(longest)]]
    return (ascii_uppercase[places[0]], flat[len(longest) :]) if len(places) == 1 else None


def _as_written(option: str) -> str:
    return " ".join(plain(option).split()).strip(AROUND)


@lru_cache(maxsize=256)
def folded(options: tuple[str, ...]) -> tuple[str, ...]:
    """The texts of options, as they are compared."""
    return tuple(fold(plain(option)).lower() for option in options)


def letters_for_texts(text: str, options: Sequence[str]) -> str:
    """A reply in which the texts of options that hold a letter of another one, such as "vitamin C", are their own letters.

    >>> letters_for_texts("Vitamin C is the answer, not vitamin D.", ("Vitamin D", "Vitamin C", "Iron", "Zinc"))
    '(B) is the answer, not (A).'
    """
    letters, pattern = _with_letters(tuple(options))
    if pattern is None:
        return text

    def letter(found: re.Match[str]) -> str:
        said = fold(_LINK.sub(" ", found[0]))
        return f"({letters[said]})" if said in letters else found[0]

    return pattern.sub(letter, text)


@lru_cache(maxsize=256)
def _with_letters(options: tuple[str, ...]) -> tuple[dict[str, str], re.Pattern[str] | None]:
    letters = dict[str, str]()
    texts = [fold(plain(option)) for option in options]
    used = ascii_uppercase[: len(options)]
    for letter, option, text in zip(used, options, texts, strict=True):
        inside = {found[0].upper() for found in _LETTER_IN_TEXT.finditer(option)}
        if inside & set(used) and " " in text and texts.count(text) == 1:
            letters[text] = letter
    if not letters:
        return letters, None
    longest_first = sorted(letters, key=len, reverse=True)
    either = "|".join(_LINKED.join(map(re.escape, text.split())) for text in longest_first)
    return letters, re.compile(rf"{_BEFORE}(?:{either}){_AFTER}", re.IGNORECASE)


def text_behind(rest: str, options: Sequence[str], *, within_words: bool = False) -> tuple[str, str] | None:
    """The option whose text stands behind a letter, with marks and words such as "that is" between them."""
    near = text_at(rest.lstrip(".):]}>\"' \t"), options, within_words=within_words, letters=True)
    return near or text_at(_BETWEEN.sub("", rest, count=1), options, within_words=within_words, letters=True)


def begins_like(said: str, letter: str, options: Sequence[str]) -> bool:
    """Whether a text begins with the first two words of the option of this letter, and so repeats it."""
    place = ascii_uppercase.index(letter)
    own = folded(tuple(options))[place].split()[:2] if place < len(options) else []
    return bool(own) and [word.strip(AROUND) for word in said.lower().split(maxsplit=2)[: len(own)]] == own


def is_whole(rest: str) -> bool:
    """Whether an option's text that `rest` follows is all that is said, and no part of a list or sentence."""
    return not rest or bool(
        re.match(r"\s{0,2}(?:[.;!?)\]\n(]|,?\s{0,2}(?:because|since|as|which|of course)\b|[–—-]\s|[✓✔✅]|$)", rest)
    )


def _ends_word(rest: str, text: str) -> bool:
    return not rest or not (rest[0].isalnum() or _GOES_ON.match(rest))


def _stops(rest: str, text: str) -> bool:
    """Whether a text is at an end where `rest` follows; one of three words or more cannot be chance."""
    if _GOES_ON.match(rest):
        return False
    return (
        not rest
        or rest[0] in _STOPS
        or rest[:2] in (" [", " =", " →")
        or bool(_QUOTE.match(rest))
        or bool(REASON.match(rest))
        or (rest[0] == " " and text.count(" ") > 1)
    )
