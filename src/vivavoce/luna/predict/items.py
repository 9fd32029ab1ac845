"""Difficulty and discrimination of the questions, learnt from people whose ratings are known, as features of an answer sheet.

Where answers have grades, a question's difficulty is its mean grade (the higher, the easier), and its discrimination the
correlation of that grade with the mean of the person's *other* grades. From ratings alone an answer's nearness to the answer
key stands for its grade, and the rating for the others. Both come from the people learnt from alone; of the people to be rated
nothing but their answers is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from pydantic import FiniteFloat

from vivavoce.luna.predict.answers import People
from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.compared import fraction_word_overlap
from vivavoce.luna.predict.features import by_text
from vivavoce.luna.predict.key import Key
from vivavoce.luna.predict.texts import Sheet, content_words

FEWEST: Final = 10
"""People with an answer that a discrimination is told from; for fewer it is the mean of the other questions'."""


@dataclass(frozen=True, slots=True)
class Items:
    """Four columns: what a person was asked, and how well it was answered as far as the key tells.

    They are the mean difficulty and the mean discrimination of the questions answered; the nearness of the answers to the key,
    weighted by discrimination; and by how much that nearness is above what the questions' difficulty lets expect.
    """

    key: Key = ()
    difficulty: tuple[FiniteFloat, ...] = ()
    """By question: the higher, the easier."""
    discrimination: tuple[FiniteFloat, ...] = ()
    others: tuple[Key, ...] = ()
    """Further right answers."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> Items:
        """Takes the key, and what nearness to it says about each question."""
        return self.fit_to(sheet, ratings, key, None)

    def fit_to(self, sheet: Sheet, ratings: FloatArray, key: Key, grades: FloatArray | None) -> Items:
        """The same from grades where there are some.

        grades: shape (people, questions); NaN where a question was left out.
        """
        with_key = replace(self, key=key)
        scores = np.where(_answered(sheet), with_key.nearness(sheet), np.nan) if grades is None else grades
        rest = np.repeat(ratings[:, None], scores.shape[1], axis=1) if grades is None else _rest(grades)
        found = [_correlation(scores[:, place], rest[:, place]) for place in range(scores.shape[1])]
        known = [one for one in found if one is not None]
        usual = float(np.mean(known)) if known else 0.0
        means = [float(np.nanmean(column)) if np.isfinite(column).any() else 0.0 for column in scores.T]
        return replace(with_key, difficulty=tuple(means), discrimination=tuple(usual if one is None else one for one in found))

    def nearness(self, sheet: Sheet) -> FloatArray:
        """Words in common with the nearest right answer, from 0 to 1: shape (people, questions)."""
        keys = (self.key, *self.others)

        def near(question: int, text: str) -> float:
            return max(fraction_word_overlap(content_words(text), key[question]) for key in keys)

        return by_text(sheet, near)

    def columns(self, sheet: Sheet) -> FloatArray:
        """One row a person; 0 for who has answered nothing."""
        answered, near = _answered(sheet).astype(float), self.nearness(sheet)
        difficulty, discrimination = np.array(self.difficulty), np.array(self.discrimination)
        weights = answered * np.maximum(discrimination, 0.0)
        return np.column_stack(
            [
                _weighted(np.broadcast_to(difficulty, near.shape), answered),
                _weighted(np.broadcast_to(discrimination, near.shape), answered),
                _weighted(near, weights),
                _weighted(near - difficulty, weights),
            ]
        )


def grade_sheet(people: People) -> FloatArray | None:
    """Everybody's grades, shape (people, questions), NaN where a question was left out; None without grades."""
    if not people.graded:
        return None
    rows = {person: place for place, person in enumerate(people.people)}
    columns = {question: place for place, question in enumerate(people.questions)}
    found = np.full((len(rows), len(columns)), np.nan)
    for answer in people.answers:
        found[rows[answer.person], columns[answer.question]] = answer.grade
    return found


def _answered(sheet: Sheet) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return np.array([[bool(text.strip()) for text in texts] for texts in sheet], dtype=bool).T


def _rest(grades: FloatArray) -> FloatArray:
    """For each grade the mean of the person's other grades; NaN for who has none."""
    number, total = np.isfinite(grades).sum(axis=1, keepdims=True), np.nansum(grades, axis=1, keepdims=True)
    own = np.isfinite(grades)
    left = number - own
    return np.where(left > 0, (total - np.nan_to_num(grades)) / np.maximum(left, 1), np.nan)


def _correlation(one: FloatArray, other: FloatArray) -> float | None:
    """Pearson's, of those known in both; None for few, or where one does not vary."""
    known = np.isfinite(one) & np.isfinite(other)
    if known.sum() < FEWEST or np.ptp(one[known]) == 0 or np.ptp(other[known]) == 0:
        return None
    return float(np.corrcoef(one[known], other[known])[0, 1])


def _weighted(values: FloatArray, weights: FloatArray) -> FloatArray:
    total = weights.sum(axis=1)
    return np.asarray((values * weights).sum(axis=1) / np.where(total > 0, total, 1.0), dtype=float)
