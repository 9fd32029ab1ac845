"""A bag of words and their synonyms (SYN of `silver2016`, section 5.2.2)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from scipy import sparse

from vivavoce.luna.predict.bags import Bag
from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.features import indicators
from vivavoce.luna.predict.key import Key
from vivavoce.luna.predict.texts import Sheet
from vivavoce.luna.predict.wordnet import open_wordnet


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
