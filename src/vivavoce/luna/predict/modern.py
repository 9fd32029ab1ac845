"""The modern regressor: learns each answer's quality from ratings or grades, and predicts a rating as their weighted mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Any, Final, NamedTuple, Self

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from vivavoce.embeddings.embedding import Embedder, open_embedder
from vivavoce.errors import BadInput
from vivavoce.luna.predict.answers import PeopleTable, Sheet, distinct, plain, sheet_of
from vivavoce.luna.predict.predictor import FloatArray, check_known, learners, text_module

MOST: Final = 20_000
"""The most words, and the most groups of characters, of one question: the commonest."""
LONGEST: Final = 1_000
"""Characters of an answer that are read."""
_FLOOR: Final = 0.01
"""Nearness of an answer unlike all others."""


@dataclass(frozen=True, slots=True)
class TermSpace:
    """The vector space of the answers to one question: rows of length 1, half words (1 or 2), half groups of 2 to 5
    characters.
    """

    terms: tuple[tuple[str, ...], tuple[str, ...]]
    """Words, and groups of characters, in alphabetical order."""
    rarity: FloatArray
    """The rarity of each term, words first."""
    centre: FloatArray
    """The mean row of all people."""

    @classmethod
    def of(cls, texts: Sequence[str], counts: FloatArray) -> tuple[TermSpace, sparse.csr_array]:
        """The space of these answers, and their rows in it; ratings are not used.

        Parameters
        ----------
        texts: distinct ones, as `read` returns them.
        counts: the number of people with each.
        """
        terms, rarity, blocks = [], [], []
        for counter in _counters():
            try:
                blocks.append(sparse.csr_array(counter.fit_transform(texts)))
            except ValueError:  # scikit-learn's "empty vocabulary": no text contains a term
                blocks.append(sparse.csr_array((len(texts), 0)))
                terms.append(())
                continue
            terms.append(tuple(counter.get_feature_names_out().tolist()))
            rarity.append(counter.idf_)
        rows = _beside(blocks)
        centre = np.asarray(rows.T @ (counts / counts.sum()), dtype=float)
        return cls((terms[0], terms[1]), np.concatenate([np.zeros(0), *rarity]), centre), rows

    def rows(self, texts: Sequence[str]) -> sparse.csr_array:
        """One row for each text; of length 0 without a known term."""
        ends = (0, len(self.terms[0]), self.rarity.size)
        blocks = []
        for counter, terms, start, end in zip(_counters(), self.terms, ends, ends[1:], strict=False):
            if not terms:
                blocks.append(sparse.csr_array((len(texts), 0)))
                continue
            counter.set_params(vocabulary=terms)
            counter.idf_ = self.rarity[start:end]
            blocks.append(sparse.csr_array(counter.transform(texts)))
        return _beside(blocks)

    def nearness(self, rows: sparse.csr_array) -> FloatArray:
        """Logarithm of the mean similarity to all answers, by groups of characters.

        Common answers are near in any spelling; nonsense is far.
        """
        words = len(self.terms[0])
        return np.asarray(np.log(_FLOOR + 2 * (rows[:, words:] @ self.centre[words:])), dtype=float)

    def state(self) -> dict[str, Any]:
        """Terms, rarity and centre."""
        return {"terms": [list(terms) for terms in self.terms], "rarity": self.rarity, "centre": self.centre}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> TermSpace:
        """The space with this state; raises `BadInput`."""
        words, groups = (tuple(map(str, terms)) for terms in state["terms"])
        rarity, centre = (np.asarray(state[name], dtype=float) for name in ("rarity", "centre"))
        if rarity.shape != centre.shape or rarity.shape != (len(words) + len(groups),):
            raise BadInput("the state of a space of answers does not have one rarity for each term")
        if not (np.isfinite(rarity).all() and np.isfinite(centre).all() and (rarity >= 0).all() and (centre >= 0).all()):
            raise BadInput("the state of a space of answers has a negative number, or one that is not finite")
        if any(list(terms) != sorted(set(terms)) for terms in (words, groups)):
            raise BadInput("the state of a space of answers has a term twice, or out of order")
        return cls((words, groups), rarity, centre)


def read(texts: Iterable[str]) -> list[str]:
    """Texts in the form that a space uses."""
    return [plain(text[:LONGEST]) for text in texts]


def _beside(blocks: Sequence[sparse.csr_array]) -> sparse.csr_array:
    return sparse.csr_array(sparse.hstack(blocks) / np.sqrt(2))


def _counters() -> tuple[Any, Any]:
    text = text_module("sklearn.feature_extraction.text", "scikit-learn")
    settings = {"sublinear_tf": True, "max_features": MOST}
    words = text.TfidfVectorizer(tokenizer=str.split, token_pattern=None, ngram_range=(1, 2), **settings)
    return words, text.TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), **settings)


SPREAD: Final = 0.05
"""Standard deviation of a rating around the mean quality of the answers, in the fit."""
STEPS: Final = 60
_JITTER: Final = 1e-6
_LOOSE: Final = 4.0
"""Standard deviation of the prior of levels and of the slope on nearness."""
_LEVEL: Final = 1.5
"""Prior of the level of a question: most answers of most people are right."""


class PriorStrength(NamedTuple):
    """Precisions of the priors: large ones regularise more."""

    terms: float
    """Precision of the part of quality that terms explain."""
    questions: float
    """Precision of the logarithms of the weights of questions; infinite for equal weights."""


@dataclass(frozen=True, slots=True)
class DistinctAnswers:
    """Distinct answers of all questions, one question after the other, and who gave which."""

    likeness: Sequence[FloatArray]
    """Products of the rows of the distinct answers to each question."""
    nearness: FloatArray
    """Nearness of each distinct answer, over all questions."""
    places: NDArray[np.intp]
    """One row for each question, one column for each person: the index of the answer."""

    @property
    def ends(self) -> list[int]:
        """The index at which the answers to each question begin, and the total number."""
        return [0, *np.cumsum([len(block) for block in self.likeness]).tolist()]


@dataclass(frozen=True, slots=True)
class AnswerQuality:
    """The fit: quality is the logistic function of level + terms + slope times nearness."""

    terms: tuple[FloatArray, ...]
    """By question: weight of each distinct answer; a new answer gets its share by similarity."""
    levels: FloatArray
    """One for each question."""
    slope: float
    questions: FloatArray
    """Weights of questions in a rating; their sum is 1."""


class QualityFit:
    """Fits of the same answers at several strengths and to several people; shared parts are computed once."""

    def __init__(self, answered: DistinctAnswers) -> None:
        self.answered = answered
        self.roots = [np.linalg.cholesky(block + _JITTER * np.eye(len(block))) for block in answered.likeness]
        self._ends = answered.ends

    def fit(self, people: NDArray[np.intp], targets: FloatArray, strength: PriorStrength) -> AnswerQuality:
        """The most likely quality.

        Parameters
        ----------
        people: columns of `places` to learn from.
        told: their ratings; or their grades, one row for each question.
        strength: of the priors; the questions' is unused in a fit to grades.
        """
        places = self.answered.places[:, people]
        count = len(self.roots)
        middle = np.zeros(self._ends[-1] + 2 * count + 1)
        spread = np.full(middle.size, strength.terms**-0.5)
        levels, rest = slice(self._ends[-1], self._ends[-1] + count), self._ends[-1] + count
        middle[levels] = _LEVEL
        spread[levels.start : rest + 1] = _LOOSE
        spread[rest + 1 :] = strength.questions**-0.5
        loss = _of_ratings if targets.ndim == 1 else _of_grades

        def lost(off: FloatArray) -> tuple[float, FloatArray]:
            at = middle + spread * off  # steps in units of the prior's spread converge quickly
            value, by_answer, by_weight = loss(self._logits(at)[places], targets, at[rest + 1 :])
            summed = np.bincount(places.ravel(), by_answer.ravel(), self._ends[-1]).astype(float)
            slopes = np.concatenate([self._back(summed), [summed @ self.answered.nearness], by_weight])
            return value + 0.5 * float(off @ off), spread * slopes + off

        optimum = scipy.optimize.minimize(
            lost, np.zeros(middle.size), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}
        ).x
        optimum = middle + spread * optimum
        parts = self._parts(optimum)
        terms = tuple(np.linalg.solve(root.T, part) for root, part in zip(self.roots, parts, strict=True))
        return AnswerQuality(terms, optimum[levels], float(optimum[rest]), weights(optimum[rest + 1 :]))

    def ratings(self, quality: AnswerQuality, people: NDArray[np.intp]) -> FloatArray:
        """Ratings of people whose answers are among these."""
        likeness = self.answered.likeness
        explained = [
            values @ terms + level for values, terms, level in zip(likeness, quality.terms, quality.levels, strict=True)
        ]
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
    """The logarithmic loss and its derivatives; a rating is the mean grade, so questions weigh equally."""
    value = float(np.logaddexp(0, logits).sum() - (grades * logits).sum())
    return value, expit(logits) - grades, np.zeros(logarithms.size)


FEWEST: Final = 10
"""The fewest people to learn from."""
FOLDS: Final = 3
"""Folds of the inner validation."""
_EQUAL, _LEARNT = inf, 0.1
STRENGTHS: Final = tuple(PriorStrength(terms, questions) for terms in (0.05, 0.5) for questions in (_EQUAL, _LEARNT))
STRENGTHS_WITH_GRADES: Final = tuple(PriorStrength(terms, _EQUAL) for terms in (0.02, 0.2))

Embed = Callable[[Sequence[str]], FloatArray]
"""Texts to rows, one for each text."""


@dataclass(frozen=True, slots=True)
class QuestionModel:
    """The model of one question."""

    space: TermSpace
    weights: FloatArray
    """The effect of each term on the logit of an answer's quality."""
    level: float
    meaning: FloatArray = field(default_factory=lambda: np.zeros(0))
    """The effect of each direction of a sentence embedding; empty without one."""

    def logits(self, texts: list[str], slope: float, embed: Embed) -> FloatArray:
        """Logits of the quality of these answers, given as `read` returns them."""
        rows = self.space.rows(texts)
        return np.asarray(
            self.level + rows @ self.weights + embed(texts) @ self.meaning + slope * self.space.nearness(rows), dtype=float
        )


@dataclass(slots=True)
class ModernRegressor:
    """A rating is the weighted mean of the quality of a person's answers, and quality a logistic function of their text.

    An answer's text counts by its words and groups of characters, for each question separately. It also counts by its nearness
    to all answers, for all questions together, since common answers are mostly right. Quality is between 0 and 1, so one
    perfect rating means that all answers of that person are right; a linear model learns only from differences. With grades,
    quality is fitted to them. With ratings alone, it is fitted to their means, and the weights of questions are learnt too if
    that helps. Validation on people within the training set chooses the strength of regularisation. A skipped question counts
    as an empty answer. With a sentence embedding, its directions count as much as words and groups of characters together.
    """

    name: str = "modern"
    from_ratings: bool = False
    """Whether to ignore grades."""
    embeddings: str = ""
    """Name or folder of a model of sentence-transformers; empty for none. It needs the extra `neural`."""
    names: tuple[str, ...] = ()
    """Names of the questions."""
    questions: tuple[QuestionModel, ...] = ()
    slope: float = 0.0
    """The effect of nearness."""
    shares: FloatArray = field(default_factory=lambda: np.zeros(0))
    """Weights of the questions in a rating."""
    _opened: Embedder | None = field(default=None, repr=False, compare=False)

    def fit(self, people: PeopleTable, *, seed: int = 0) -> Self:
        """Learn from people with ratings; the seed chooses the folds of the inner validation."""
        ratings = learners(people, fewest=FEWEST)
        sheet = sheet_of(people, people.questions)
        embed = self._embed()
        spaces, rows, answered = _described(sheet, embed)
        graded = people.graded and not self.from_ratings and len(people.answers) == answered.places.size
        targets = _grades(people) if graded else ratings
        fit = QualityFit(answered)
        strength = _chosen(fit, targets, ratings, STRENGTHS_WITH_GRADES if graded else STRENGTHS, seed)
        quality = fit.fit(np.arange(ratings.size), targets, strength)
        self.names, self.slope, self.shares = people.questions, quality.slope, quality.questions
        learnt = [np.asarray(row.T @ terms, dtype=float) for row, terms in zip(rows, quality.terms, strict=True)]
        self.questions = tuple(
            QuestionModel(space, weights[: space.rarity.size], level, weights[space.rarity.size :])
            for space, weights, level in zip(spaces, learnt, quality.levels.tolist(), strict=True)
        )
        return self

    def _embed(self) -> Embed:
        if not self.embeddings:
            return lambda texts: np.zeros((len(texts), 0))
        if self._opened is None:
            self._opened = open_embedder(f"sentences:{self.embeddings}")
            self.embeddings = self._opened.name.removeprefix("sentences:")  # now includes the digest of the model's files
        return self._opened.embed

    def predict(self, people: PeopleTable) -> FloatArray:
        """Ratings. Raises `BadInput` for a person who answered none of the questions."""
        check_known(self.names, people)
        return np.asarray(self.shares @ self.qualities(people), dtype=float)

    def qualities(self, people: PeopleTable) -> FloatArray:
        """The predicted quality of each answer, from 0 to 1: one row for each learnt question, one column for each person."""
        result, embed = np.zeros((len(self.names), len(people.people))), self._embed()
        for row, question, texts in zip(result, self.questions, sheet_of(people, self.names), strict=True):
            some, places = distinct(read(texts))
            row[:] = expit(question.logits(some, self.slope, embed))[places]
        return result

    def state(self) -> dict[str, Any]:
        """Everything learnt; it contains words of people's answers, but no whole answer."""
        return {
            "names": list(self.names),
            "embeddings": self.embeddings,
            "slope": self.slope,
            "shares": self.shares,
            "questions": [
                {**question.space.state(), "weights": question.weights, "level": question.level, "meaning": question.meaning}
                for question in self.questions
            ],
        }

    def from_state(self, state: Mapping[str, Any]) -> Self:
        """The predictor with this state."""
        names, shares = tuple(map(str, state["names"])), np.asarray(state["shares"], dtype=float)
        questions = tuple(map(_question, state["questions"]))
        slope, embeddings = float(state["slope"]), str(state["embeddings"])
        if {question.meaning.size > 0 for question in questions} != {bool(embeddings)} or bool(embeddings) != (
            "?weights=" in embeddings
        ):
            raise BadInput(f"the state of '{self.name}' does not name the embedding of its questions")
        if not (names and len(set(names)) == len(names) == len(questions) and shares.shape == (len(names),)):
            raise BadInput(f"the state of '{self.name}' does not have one share and one name for each question")
        if not (isfinite(slope) and (shares >= 0).all() and abs(shares.sum() - 1) < 1e-6):
            raise BadInput(f"the state of '{self.name}' has invalid shares of questions")
        return replace(self, names=names, questions=questions, slope=slope, shares=shares, embeddings=embeddings)


def _described(sheet: Sheet, embed: Embed) -> tuple[list[TermSpace], list[Any], DistinctAnswers]:
    """For each question its space, the rows of its distinct answers, and the data of the fit."""
    spaces, rows, nearness, places, before = [], [], [], [], 0
    for texts in map(read, sheet):
        some, own = distinct(texts)
        space, term_rows = TermSpace.of(some, np.bincount(own).astype(float))
        spaces.append(space)
        rows.append(sparse.csr_array(sparse.hstack([term_rows, sparse.csr_array(embed(some))])))
        nearness.append(space.nearness(term_rows))
        places.append(np.array(own) + before)
        before += len(some)
    likeness = [np.asarray((row @ row.T).toarray(), dtype=float) for row in rows]
    return spaces, rows, DistinctAnswers(likeness, np.concatenate(nearness), np.array(places))


def _grades(people: PeopleTable) -> FloatArray:
    grades = {(answer.person, answer.question): answer.grade for answer in people.answers}
    return np.array([[grades[person, question] for person in people.people] for question in people.questions], dtype=float)


def _chosen(
    fit: QualityFit, targets: FloatArray, ratings: FloatArray, among: tuple[PriorStrength, ...], seed: int
) -> PriorStrength:
    """The strength with the smallest squared error in cross-validation."""
    fold = np.random.default_rng(seed).permutation(ratings.size) % FOLDS
    lost = dict.fromkeys(among, 0.0)
    for number in range(FOLDS):
        inner, outer = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        for strength in among:
            predicted = fit.ratings(fit.fit(inner, targets[..., inner], strength), outer)
            lost[strength] += float(((predicted - ratings[outer]) ** 2).sum())
    return min(among, key=lost.__getitem__)


def _question(state: Mapping[str, Any]) -> QuestionModel:
    space, level = TermSpace.from_state(state), float(state["level"])
    weights, meaning = (np.asarray(state[name], dtype=float) for name in ("weights", "meaning"))
    if weights.shape != space.rarity.shape or meaning.ndim != 1 or not isfinite(level):
        raise BadInput("the state of a question does not have one weight for each term, or has no level")
    if not (np.isfinite(weights).all() and np.isfinite(meaning).all()):
        raise BadInput("the state of a question has a weight that is not finite")
    return QuestionModel(space, weights, level, meaning)
