"""How good each answer is, fitted to grades of answers or to ratings of people who gave several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from vivavoce.luna.predict.base import FloatArray

SPREAD: Final = 0.05
"""Standard deviation of a rating around the mean quality of the answers, as far as the fit is concerned."""
STEPS: Final = 60
_JITTER: Final = 1e-6
_LOOSE: Final = 4.0
"""Standard deviation of the prior of levels and of the slope on nearness."""
_LEVEL: Final = 1.5
"""Prior of the level of a question: most answers of most people are right."""


class Strength(NamedTuple):
    """Precisions of the priors: large ones hold the fit back."""

    terms: float
    """Of the part of quality that terms explain."""
    questions: float
    """Of the logarithms of the weights of questions; infinite where all count the same."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Distinct answers of all questions, one after the other, and who gave which."""

    likeness: Sequence[FloatArray]
    """Products of the rows of the distinct answers to each question."""
    nearness: FloatArray
    """Of each distinct answer, over all questions."""
    places: NDArray[np.intp]
    """One row a question, one column a person: the place of the answer given."""

    @property
    def ends(self) -> list[int]:
        """Where the answers to each question begin, and where the last ones end."""
        return [0, *np.cumsum([len(one) for one in self.likeness]).tolist()]


@dataclass(frozen=True, slots=True)
class Quality:
    """What was fitted: quality is the logistic function of level + terms + slope times nearness."""

    terms: tuple[FloatArray, ...]
    """By question: weight of each distinct answer, in whose likeness a new answer shares."""
    levels: FloatArray
    """One a question."""
    slope: float
    questions: FloatArray
    """Weights of questions in a rating; their sum is 1."""


class Fit:
    """The same answers fitted at several strengths and to several people: what these share is computed once."""

    def __init__(self, answered: Answered) -> None:
        self.answered = answered
        self.roots = [np.linalg.cholesky(one + _JITTER * np.eye(len(one))) for one in answered.likeness]
        self._ends = answered.ends

    def fit(self, people: NDArray[np.intp], told: FloatArray, strength: Strength) -> Quality:
        """The most likely quality.

        Parameters
        ----------
        people: columns of `places` to learn from.
        told: their ratings; or their grades, one row a question.
        strength: of the priors; that of questions has no part in a fit to grades.
        """
        places = self.answered.places[:, people]
        count = len(self.roots)
        middle = np.zeros(self._ends[-1] + 2 * count + 1)
        spread = np.full(middle.size, strength.terms**-0.5)
        levels, rest = slice(self._ends[-1], self._ends[-1] + count), self._ends[-1] + count
        middle[levels] = _LEVEL
        spread[levels.start : rest + 1] = _LOOSE
        spread[rest + 1 :] = strength.questions**-0.5
        loss = _of_ratings if told.ndim == 1 else _of_grades

        def lost(off: FloatArray) -> tuple[float, FloatArray]:
            at = middle + spread * off  # in units of the prior's spread the descent is quick
            value, by_answer, by_weight = loss(self._logits(at)[places], told, at[rest + 1 :])
            summed = np.bincount(places.ravel(), by_answer.ravel(), self._ends[-1]).astype(float)
            slopes = np.concatenate([self._back(summed), [summed @ self.answered.nearness], by_weight])
            return value + 0.5 * float(off @ off), spread * slopes + off

        found = minimize(lost, np.zeros(middle.size), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
        found = middle + spread * found
        parts = self._parts(found)
        terms = tuple(np.linalg.solve(root.T, part) for root, part in zip(self.roots, parts, strict=True))
        return Quality(terms, found[levels], float(found[rest]), weights(found[rest + 1 :]))

    def ratings(self, quality: Quality, people: NDArray[np.intp]) -> FloatArray:
        """Ratings of people whose answers are among these."""
        likeness = self.answered.likeness
        explained = [one @ terms + level for one, terms, level in zip(likeness, quality.terms, quality.levels, strict=True)]
        logits = np.concatenate(explained) + quality.slope * self.answered.nearness
        return np.asarray(quality.questions @ expit(logits[self.answered.places[:, people]]), dtype=float)

    def _parts(self, at: FloatArray) -> list[FloatArray]:
        return [at[start:end] for start, end in zip(self._ends, self._ends[1:], strict=False)]

    def _logits(self, at: FloatArray) -> FloatArray:
        levels = at[self._ends[-1] : self._ends[-1] + len(self.roots)]
        explained = [root @ part + level for root, part, level in zip(self.roots, self._parts(at), levels, strict=True)]
        slope = float(at[self._ends[-1] + len(self.roots)])
        return np.asarray(np.concatenate(explained) + slope * self.answered.nearness, dtype=float)

    def _back(self, by_answer: FloatArray) -> FloatArray:
        """Derivatives by the parts and levels, from those by the logits of distinct answers."""
        pieces = self._parts(by_answer)
        parts = [root.T @ piece for root, piece in zip(self.roots, pieces, strict=True)]
        return np.concatenate([*parts, [piece.sum() for piece in pieces]])


def weights(logarithms: FloatArray) -> FloatArray:
    """Weights whose sum is 1."""
    raised = np.exp(logarithms - logarithms.max())
    return np.asarray(raised / raised.sum(), dtype=float)


def _of_ratings(logits: FloatArray, ratings: FloatArray, logarithms: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Half the squared errors over their variance, and its derivatives."""
    good, parts = expit(logits), weights(logarithms)
    off = (parts @ good - ratings) / SPREAD**2
    by_part = good @ off
    by_answer = parts[:, None] * off * good * (1 - good)
    return 0.5 * SPREAD**2 * float(off @ off), by_answer, parts * (by_part - parts @ by_part)


def _of_grades(logits: FloatArray, grades: FloatArray, logarithms: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """The logarithmic loss, and its derivatives; a rating is the mean grade, so that questions weigh the same."""
    value = float(np.logaddexp(0, logits).sum() - (grades * logits).sum())
    return value, expit(logits) - grades, np.zeros(logarithms.size)
