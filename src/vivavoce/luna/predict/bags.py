"""Bags of words and of pairs of words (BOW and BIG of `silver2016`, section 5.2.2)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Literal

from scipy import sparse

from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.features import indicators
from vivavoce.luna.predict.key import Key
from vivavoce.luna.predict.texts import Sheet, content_words


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
