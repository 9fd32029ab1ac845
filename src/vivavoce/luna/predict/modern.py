"""The modern regressor: how good each answer is, learnt from ratings alone or from grades, and a rating as their mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Any, Final, Self

import numpy as np
from scipy import sparse
from scipy.special import expit

from vivavoce.embeddings.embedding import Embedder, open_embedder
from vivavoce.errors import BadInput
from vivavoce.luna.predict.answers import People
from vivavoce.luna.predict.base import FloatArray, check_known, learners
from vivavoce.luna.predict.quality import Answered, Fit, Strength
from vivavoce.luna.predict.terms import Space, read
from vivavoce.luna.predict.texts import Sheet, distinct, sheet_of

FEWEST: Final = 10
"""People to learn from."""
FOLDS: Final = 3
"""Of the inner validation."""
_EQUAL, _LEARNT = inf, 0.1
STRENGTHS: Final = tuple(Strength(terms, questions) for terms in (0.05, 0.5) for questions in (_EQUAL, _LEARNT))
STRENGTHS_WITH_GRADES: Final = tuple(Strength(terms, _EQUAL) for terms in (0.02, 0.2))

Embed = Callable[[Sequence[str]], FloatArray]
"""Texts to rows, one a text."""


@dataclass(frozen=True, slots=True)
class Question:
    """What was learnt about one question."""

    space: Space
    weights: FloatArray
    """Of its terms: what they add to the logit of an answer's quality."""
    level: float
    meaning: FloatArray = field(default_factory=lambda: np.zeros(0))
    """What the directions of a sentence embedding add; empty without one."""

    def logits(self, texts: list[str], slope: float, embed: Embed) -> FloatArray:
        """Of the quality of these answers, as `read` gives them."""
        rows = self.space.rows(texts)
        return np.asarray(
            self.level + rows @ self.weights + embed(texts) @ self.meaning + slope * self.space.nearness(rows), dtype=float
        )


@dataclass(slots=True)
class Modern:
    """A rating is the weighted mean of the quality of a person's answers, and quality a logistic function of their text.

    An answer's text counts by its words and groups of characters, each question by itself, and by how near it is to what
    everybody says there, all questions together: what many say is mostly right. Quality lies between 0 and 1, so that one
    perfect rating says about all answers of that person that they are right, where a linear model learns from differences
    alone. With grades the quality of each answer is fitted to them; from ratings alone it is fitted to their means, and how
    much each question counts is learnt too, where that helps. How strongly the fit is held back is chosen by validation on
    people within those learnt from. An answer left out counts as an empty one. With a sentence embedding its directions count
    beside the words and groups of characters, as much as these together.
    """

    name: str = "modern"
    from_ratings: bool = False
    """Whether to leave grades unseen, also where there are some."""
    embeddings: str = ""
    """Name or folder of a model of sentence-transformers; empty: none. Needs the extra `neural`."""
    names: tuple[str, ...] = ()
    """Of the questions."""
    questions: tuple[Question, ...] = ()
    slope: float = 0.0
    """On nearness."""
    shares: FloatArray = field(default_factory=lambda: np.zeros(0))
    """Of the questions in a rating."""
    _opened: Embedder | None = field(default=None, repr=False, compare=False)

    def fit(self, people: People, *, seed: int = 0) -> Self:
        """Learn from people with ratings; the seed decides who validates whom within."""
        ratings = learners(people, fewest=FEWEST)
        sheet = sheet_of(people, people.questions)
        embed = self._embed()
        spaces, rows, answered = _described(sheet, embed)
        graded = people.graded and not self.from_ratings and len(people.answers) == answered.places.size
        told = _grades(people) if graded else ratings
        fit = Fit(answered)
        strength = _chosen(fit, told, ratings, STRENGTHS_WITH_GRADES if graded else STRENGTHS, seed)
        quality = fit.fit(np.arange(ratings.size), told, strength)
        self.names, self.slope, self.shares = people.questions, quality.slope, quality.questions
        learnt = [np.asarray(one.T @ terms, dtype=float) for one, terms in zip(rows, quality.terms, strict=True)]
        self.questions = tuple(
            Question(space, weights[: space.rarity.size], level, weights[space.rarity.size :])
            for space, weights, level in zip(spaces, learnt, quality.levels.tolist(), strict=True)
        )
        return self

    def _embed(self) -> Embed:
        if not self.embeddings:
            return lambda texts: np.zeros((len(texts), 0))
        if self._opened is None:
            self._opened = open_embedder(f"sentences:{self.embeddings}")
            self.embeddings = self._opened.name.removeprefix("sentences:")  # from now on this very model, to the last bit
        return self._opened.embed

    def predict(self, people: People) -> FloatArray:
        """Ratings. Raises `BadInput` for somebody who answered none of the questions."""
        check_known(self.names, people)
        return np.asarray(self.shares @ self.qualities(people), dtype=float)

    def qualities(self, people: People) -> FloatArray:
        """How good each answer seems, from 0 to 1: one row a question learnt from, one column a person."""
        found, embed = np.zeros((len(self.names), len(people.people))), self._embed()
        for row, question, texts in zip(found, self.questions, sheet_of(people, self.names), strict=True):
            some, places = distinct(read(texts))
            row[:] = expit(question.logits(some, self.slope, embed))[places]
        return found

    def state(self) -> dict[str, Any]:
        """All that was learnt; no whole answer of anybody is in it, but words of theirs are."""
        return {
            "names": list(self.names),
            "embeddings": self.embeddings,
            "slope": self.slope,
            "shares": self.shares,
            "questions": [
                {**one.space.state(), "weights": one.weights, "level": one.level, "meaning": one.meaning}
                for one in self.questions
            ],
        }

    def from_state(self, state: Mapping[str, Any]) -> Self:
        """The predictor that gave this state."""
        names, shares = tuple(map(str, state["names"])), np.asarray(state["shares"], dtype=float)
        questions = tuple(map(_question, state["questions"]))
        slope, embeddings = float(state["slope"]), str(state["embeddings"])
        if {one.meaning.size > 0 for one in questions} != {bool(embeddings)} or bool(embeddings) != ("?weights=" in embeddings):
            raise BadInput(f"the state of '{self.name}' does not say which embedding its questions know")
        if not (names and len(set(names)) == len(names) == len(questions) and shares.shape == (len(names),)):
            raise BadInput(f"the state of '{self.name}' has not one share and one name for each question")
        if not (isfinite(slope) and (shares >= 0).all() and abs(shares.sum() - 1) < 1e-6):
            raise BadInput(f"the state of '{self.name}' has shares of questions that are none")
        return replace(self, names=names, questions=questions, slope=slope, shares=shares, embeddings=embeddings)


def _described(sheet: Sheet, embed: Embed) -> tuple[list[Space], list[Any], Answered]:
    """For each question its space, the rows of its distinct answers, and all that the fit needs."""
    spaces, rows, nearness, places, before = [], [], [], [], 0
    for texts in map(read, sheet):
        some, own = distinct(texts)
        space, found = Space.of(some, np.bincount(own).astype(float))
        spaces.append(space)
        rows.append(sparse.csr_array(sparse.hstack([found, sparse.csr_array(embed(some))])))
        nearness.append(space.nearness(found))
        places.append(np.array(own) + before)
        before += len(some)
    likeness = [np.asarray((one @ one.T).toarray(), dtype=float) for one in rows]
    return spaces, rows, Answered(likeness, np.concatenate(nearness), np.array(places))


def _grades(people: People) -> FloatArray:
    grades = {(answer.person, answer.question): answer.grade for answer in people.answers}
    return np.array([[grades[person, question] for person in people.people] for question in people.questions], dtype=float)


def _chosen(fit: Fit, told: FloatArray, ratings: FloatArray, among: tuple[Strength, ...], seed: int) -> Strength:
    """The strength with the smallest squared error on people left out in turn."""
    fold = np.random.default_rng(seed).permutation(ratings.size) % FOLDS
    lost = dict.fromkeys(among, 0.0)
    for number in range(FOLDS):
        inner, outer = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        for strength in among:
            found = fit.ratings(fit.fit(inner, told[..., inner], strength), outer)
            lost[strength] += float(((found - ratings[outer]) ** 2).sum())
    return min(among, key=lost.__getitem__)


def _question(state: Mapping[str, Any]) -> Question:
    space, level = Space.from_state(state), float(state["level"])
    weights, meaning = (np.asarray(state[name], dtype=float) for name in ("weights", "meaning"))
    if weights.shape != space.rarity.shape or meaning.ndim != 1 or not isfinite(level):
        raise BadInput("the state of a question has not one weight for each term, or no level")
    if not (np.isfinite(weights).all() and np.isfinite(meaning).all()):
        raise BadInput("the state of a question has a weight that is no finite number")
    return Question(space, weights, level, meaning)
