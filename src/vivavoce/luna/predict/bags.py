"""Bags of words, of pairs of words, and of words with their synonyms (BOW, BIG and SYN of `silver2016`, section 5.2.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Literal

from scipy import sparse

from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.features import indicators
from vivavoce.luna.predict.key import Key
from vivavoce.luna.predict.texts import Sheet, content_words
from vivavoce.luna.predict.wordnet import open_wordnet


@dataclass(frozen=True, slots=True)
class Bag:
    """One column a word, or a pair of neighbouring words: whether the person has used it.

    The thesis' text has a column for each question and word; its printed figures come out if all answers of a person are one
    bag, which is the default here: .106 against .073 with a column for each question.
    """

    of: Literal["words", "bigrams"]
    by_question: bool = False
    terms: tuple[tuple[int, str], ...] = ()
    """Question (0 where there is one bag) and term."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> Bag:
        """Takes every term in use."""
        return replace(self, terms=tuple(sorted(set(chain.from_iterable(self.rows(sheet))))))

    def columns(self, sheet: Sheet) -> sparse.csr_array:
        """1 for each term in the person's answers; terms that nobody used when this was fitted are left out."""
        places: dict[Hashable, int] = {term: place for place, term in enumerate(self.terms)}
        return indicators(self.rows(sheet), places)

    def rows(self, sheet: Sheet) -> list[list[tuple[int, str]]]:
        """Everybody's terms."""
        rows: list[list[tuple[int, str]]] = [[] for _ in (sheet[0] if sheet else ())]
        for question, texts in enumerate(sheet):
            for row, text in zip(rows, texts, strict=True):
                row.extend((question if self.by_question else 0, term) for term in self._terms(content_words(text)))
        return rows

    def _terms(self, words: Sequence[str]) -> Sequence[str]:
        return words if self.of == "words" else [" ".join(pair) for pair in pairwise(words)]


@dataclass(frozen=True, slots=True)
class Synsets:
    """One column a word: whether the person has used it or a synonym of it. WordNet is needed to fit it, not to apply it."""

    wordnet: str
    """Its folder; empty for where it usually is."""
    by_question: bool = False
    terms: tuple[tuple[int, str], ...] = ()
    """Question (0 where there is one bag) and word."""
    synonyms: tuple[tuple[str, ...], ...] = ()
    """Of each term, itself among them."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> Synsets:
        """Takes every word in use. Raises `BadInput` without WordNet."""
        words = open_wordnet(self.wordnet)
        terms = Bag("words", self.by_question).fit(sheet, ratings, key).terms
        return replace(self, terms=terms, synonyms=tuple(tuple(sorted(words.synonyms(word))) for _, word in terms))

    def columns(self, sheet: Sheet) -> sparse.csr_array:
        """1 for each word of which a synonym is in the person's answers."""
        meant: dict[tuple[int, str], list[int]] = defaultdict(list)
        for place, ((question, _), synonyms) in enumerate(zip(self.terms, self.synonyms, strict=True)):
            for word in synonyms:
                meant[question, word].append(place)
        rows = [[place for term in row for place in meant.get(term, ())] for row in Bag("words", self.by_question).rows(sheet)]
        return indicators(rows, {place: place for place in range(len(self.terms))})
