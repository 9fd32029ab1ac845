"""Likeness of word vectors (WCS of `silver2016`, section 5.2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from pydantic import FiniteFloat
from scipy import sparse
from scipy.linalg import eigh

from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.features import by_text, indicators
from vivavoce.luna.predict.key import Key
from vivavoce.luna.predict.texts import Sheet, content_words

DIMENSIONS: Final = 25
MOST_WORDS: Final = 600
"""That have vectors: the commonest."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """One column a question: the cosine between the mean word vectors of the answer and of the right one; 0 without any.

    The thesis has vectors that were trained elsewhere on newspaper text. Here words that come in the same answers are alike
    (latent semantic analysis of the answers at hand), so that nothing needs to be fetched.
    """

    key: Key = ()
    words: tuple[str, ...] = ()
    vectors: tuple[tuple[FiniteFloat, ...], ...] = ()
    """One a word."""
    others: tuple[Key, ...] = ()
    """Further right answers: the nearest counts."""

    def __post_init__(self) -> None:
        if len(self.words) != len(self.vectors) or len({len(vector) for vector in self.vectors}) > 1:
            raise ValueError("not one vector for each word")

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> Vectors:
        """Takes the key, and the words of the answers."""
        answers = sorted({content_words(text) for texts in sheet for text in texts} | set(key))
        counted = Counter(word for answer in answers for word in set(answer))
        words = sorted(sorted(counted, key=lambda word: (-counted[word], word))[:MOST_WORDS])
        places: dict[Hashable, int] = {word: place for place, word in enumerate(words)}
        found = _vectors(indicators(answers, places))
        return replace(self, key=key, words=tuple(words), vectors=tuple(map(tuple, found.tolist())))

    def columns(self, sheet: Sheet) -> FloatArray:
        """Cosines, from -1 to 1."""
        vectors = {word: np.array(vector) for word, vector in zip(self.words, self.vectors, strict=True)}
        right = [[self._mean(vectors, words) for words in key] for key in (self.key, *self.others)]

        def nearest(question: int, text: str) -> float:
            own = self._mean(vectors, content_words(text))
            return max(_cosine(own, means[question]) for means in right)

        return by_text(sheet, nearest)

    def _mean(self, vectors: dict[str, FloatArray], words: tuple[str, ...]) -> FloatArray:
        known = [vectors[word] for word in words if word in vectors]
        return np.mean(known, axis=0) if known else np.zeros(1)


def _vectors(answers: sparse.csr_array) -> FloatArray:
    """One row a word, from which words come together in an answer, rarer words counting for more."""
    rarity = np.log((1 + answers.shape[0]) / (1 + answers.sum(axis=0))) + 1
    together = (answers.T @ answers).toarray() * rarity[:, None] * rarity
    if not together.size:
        return np.zeros((0, 0))
    values, found = eigh(together, subset_by_index=(max(0, len(together) - DIMENSIONS), len(together) - 1))
    return np.asarray(found * np.sqrt(np.maximum(values, 0)), dtype=float)


def _cosine(one: FloatArray, other: FloatArray) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths else 0.0
