"""The rating of the person who answered most alike (NNO, NNC and NNW of `silver2016`, section 5.2.2)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from pydantic import FiniteFloat

from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.compared import levenshtein, rapidfuzz_process
from vivavoce.luna.predict.features import indicators
from vivavoce.luna.predict.key import Key
from vivavoce.luna.predict.texts import Sheet, content_words, distinct

Likeness = Literal["nno", "nnc", "nnw"]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One column a question: the rating of the person, among those with known ratings, whose answer is most like this one.

    Likeness is the number of shared content words, or the smaller Levenshtein distance of characters or words. Of equally like
    answers the first counts. A person with a known rating is a neighbour of herself: so the thesis' figure comes about (.116);
    it makes the feature look better in training than it is, which leaving her out would correct (.106).
    """

    by: Likeness
    texts: tuple[tuple[str, ...], ...] = ()
    """Content words of each distinct answer with a space between them, by question, in order of first appearance."""
    ratings: tuple[tuple[FiniteFloat, ...], ...] = ()
    """Of the first person who gave that answer."""

    def __post_init__(self) -> None:
        if [len(one) for one in self.texts] != [len(one) for one in self.ratings] or not all(self.texts):
            raise ValueError("not one rating for each answer")

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> Neighbour:
        """Takes answers and ratings."""
        known, first = [], []
        for texts in sheet:
            answers, places = distinct([" ".join(content_words(text)) for text in texts])
            known.append(tuple(answers))
            first.append(tuple(float(ratings[places.index(place)]) for place in range(len(answers))))
        return replace(self, texts=tuple(known), ratings=tuple(first))

    def columns(self, sheet: Sheet) -> FloatArray:
        """Ratings of the nearest."""
        table = np.zeros((len(sheet[0]) if sheet else 0, len(sheet)))
        for question, texts in enumerate(sheet):
            asked, places = distinct([" ".join(content_words(text)) for text in texts])
            if asked:
                nearest = likeness(self.by, asked, self.texts[question]).argmax(axis=1)
                table[:, question] = np.array(self.ratings[question])[nearest][places]
        return table


def likeness(by: Likeness, some: Sequence[str], others: Sequence[str]) -> FloatArray:
    """How alike texts of content words are, one row for each of `some`; only the order within a row has a meaning.

    >>> likeness("nno", ["bill of rights"], ["the bill", "rights of bill", ""]).tolist()
    [[1.0, 3.0, 0.0]]
    >>> likeness("nnc", ["cat"], ["cart", "cat"]).tolist(), likeness("nnw", ["a cat"], ["a dog", "cat"]).tolist()
    ([[-1.0, 0.0]], [[-1.0, -1.0]])
    """
    if by == "nno":
        words = [text.split() for text in others]
        places: dict[Hashable, int] = {word: place for place, word in enumerate(sorted({one for row in words for one in row}))}
        shared = indicators([text.split() for text in some], places) @ indicators(words, places).T
        return np.asarray(shared.toarray(), dtype=float)
    pieces = [list(map(str.split, texts)) for texts in (some, others)] if by == "nnw" else [some, others]
    distances = rapidfuzz_process().cdist(*pieces, scorer=levenshtein().distance, dtype=np.int32)
    return np.asarray(-distances, dtype=float)
