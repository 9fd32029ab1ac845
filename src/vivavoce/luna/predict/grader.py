"""A grader of single answers: boosted trees on likeness and on graded answers to the same question."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, Self

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.luna.predict.base import FloatArray
from vivavoce.luna.predict.grading_features import Evidence, Lexicon, Places, alone, grades_of, vectors_of
from vivavoce.luna.predict.grading_table import GradedAnswer

INNER: Final = 10
"""Parts of the training answers, so that the trees see how far evidence can be trusted on answers that are no part of it."""
FEWEST: Final = 20
"""Answers to learn from."""
_KNOWN: Final = {"n_estimators": 250, "max_depth": 4, "min_samples_leaf": 8}
_UNKNOWN: Final = {"n_estimators": 120, "max_depth": 3, "min_samples_leaf": 20}
"""Fewer and shallower trees: what holds for all questions is simpler than what holds for known ones."""


class Grader:
    """Boosted trees on what can be seen of an answer.

    An answer to a question of the training is graded from its likeness to question and reference answer, and from the grades
    of answers like it; one to any other question from the likeness alone, by trees that have learnt to do without.

    >>> facts = [("Capital of France?", "Paris", 5), ("Capital of France?", "Lyon", 0), ("Colour of grass?", "green", 5)]
    >>> some = [GradedAnswer(question, text, grade) for question, text, grade in facts * 10]
    >>> right, wrong = Grader().fit(some).predict([GradedAnswer("Capital of France?", text, 0) for text in ("Paris", "Lyon")])
    >>> bool(right > 4 > 2 > wrong)
    True
    """

    def fit(self, answers: Sequence[GradedAnswer], *, seed: int = 0) -> Self:
        """Learn from graded answers; the same answers and seed teach the same.

        Raises `NotEnoughEvidence` for fewer than 20 answers, and `MissingExtra` without scikit-learn.
        """
        if len(answers) < FEWEST:
            raise NotEnoughEvidence(f"{len(answers)} graded answers; a grader needs at least {FEWEST}")
        self._lexicon = lexicon_of(answers)
        vectors = vectors_of(self._lexicon, answers)
        self._evidence = Evidence(answers, vectors)
        self._questions = frozenset(one.question for one in answers)
        grades = grades_of(answers)
        self._highest = float(grades.max())
        seen = alone(self._lexicon, answers)
        self._known = _trees(_KNOWN, seed).fit(np.hstack([seen, _crosswise(answers, vectors, seed)]), grades)
        self._unknown = _trees(_UNKNOWN, seed).fit(seen, grades)
        return self

    def predict(self, answers: Sequence[GradedAnswer]) -> FloatArray:
        """A grade an answer, from 0 to the highest that was learnt from; their own grades are not looked at."""
        if not answers:
            return np.zeros(0)
        seen = alone(self._lexicon, answers)
        is_known = np.array([one.question in self._questions for one in answers])
        by_evidence = self._known.predict(np.hstack([seen, self._evidence.about(answers, vectors_of(self._lexicon, answers))]))
        grades = np.where(is_known, by_evidence, self._unknown.predict(seen))
        return np.asarray(np.clip(grades, 0, self._highest), dtype=float)


def lexicon_of(answers: Sequence[GradedAnswer]) -> Lexicon:
    """Of all that is written in these answers, their questions and references."""
    return Lexicon([text for one in answers for text in (one.text, one.reference, one.question)])


def folds(number: int, parts: int, seed: int) -> list[Places]:
    """The places 0 to number - 1, at random in this many parts of nearly one size.

    >>> sorted(len(part) for part in folds(7, 3, 0))
    [2, 2, 3]
    """
    return np.array_split(np.random.default_rng(seed).permutation(number), parts)


def apart(answers: Sequence[GradedAnswer], held: Places) -> list[GradedAnswer]:
    """All answers but those at some places."""
    out = frozenset(held.tolist())
    return [answer for place, answer in enumerate(answers) if place not in out]


def _crosswise(answers: Sequence[GradedAnswer], vectors: Any, seed: int) -> FloatArray:
    """Evidence on each answer from the others alone."""
    parts, rows = folds(len(answers), INNER, seed), []
    for held in parts:
        others = Evidence(apart(answers, held), vectors[np.delete(np.arange(len(answers)), held)])
        rows.append(others.about([answers[place] for place in held], vectors[held]))
    return np.asarray(np.vstack(rows)[np.argsort(np.concatenate(parts))], dtype=float)


def _trees(shape: dict[str, int], seed: int) -> Any:
    ensemble = import_module("sklearn.ensemble")
    return ensemble.GradientBoostingRegressor(**shape, learning_rate=0.04, subsample=0.6, max_features=0.3, random_state=seed)
