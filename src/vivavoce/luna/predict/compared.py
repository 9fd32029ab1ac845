"""Question-based features: how like is an answer to the right one? (BWO, FWO, CED and WED of `silver2016`, section 5.2.2)"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final, Literal

from vivavoce.errors import MissingExtra
from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.features import by_text
from vivavoce.luna.predict.key import Key
from vivavoce.luna.predict.texts import Sheet, content_words

Words = tuple[str, ...]


def binary_word_overlap(answer: Words, right: Words) -> float:
    """1 if they share a word, else 0."""
    return float(bool(set(answer) & set(right)))


def fraction_word_overlap(answer: Words, right: Words) -> float:
    """Words that both hold among the words that either holds; 0 where neither holds any.

    >>> fraction_word_overlap(("free", "speech"), ("freedom", "speech")) == 1 / 3
    True
    """
    either = set(answer) | set(right)
    return len(set(answer) & set(right)) / len(either) if either else 0.0


def character_edit_distance(answer: Words, right: Words) -> float:
    """1 less the Levenshtein distance of the texts as a share of the longer one; 1 for two empty texts.

    >>> character_edit_distance(("cat",), ("cart",))
    0.75
    """
    return float(levenshtein().normalized_similarity(" ".join(answer), " ".join(right)))


def word_edit_distance(answer: Words, right: Words) -> float:
    """The same, of words in place of characters.

    >>> word_edit_distance(("hello", "world"), ("goodbye", "moon"))
    0.0
    """
    return float(levenshtein().normalized_similarity(answer, right))


Measure = Literal["bwo", "fwo", "ced", "wed"]
MEASURES: Final[Mapping[Measure, Callable[[Words, Words], float]]] = {
    "bwo": binary_word_overlap,
    "fwo": fraction_word_overlap,
    "ced": character_edit_distance,
    "wed": word_edit_distance,
}


@dataclass(frozen=True, slots=True)
class Compared:
    """One column a question: the likeness of the answer to the right one, both as content words."""

    measure: Measure
    key: Key = ()
    others: tuple[Key, ...] = ()
    """Further right answers: the nearest counts."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> Compared:
        """Takes the key alone."""
        return replace(self, key=key)

    def columns(self, sheet: Sheet) -> FloatArray:
        """Likeness, from 0 to 1."""
        measure, keys = MEASURES[self.measure], (self.key, *self.others)
        return by_text(sheet, lambda question, text: max(measure(content_words(text), key[question]) for key in keys))


def levenshtein() -> Any:
    """rapidfuzz' module of that distance; raises `MissingExtra`."""
    return _rapidfuzz("rapidfuzz.distance.Levenshtein")


def rapidfuzz_process() -> Any:
    """rapidfuzz' module of distances of many texts; raises `MissingExtra`."""
    return _rapidfuzz("rapidfuzz.process")


def _rapidfuzz(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise MissingExtra("rapidfuzz", extra="text") from None
