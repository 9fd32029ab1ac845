"""A grader of single answers: boosted trees on similarity to question and reference, and on graded answers to the same
question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from math import fsum
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vivavoce.errors import NotEnoughEvidence
from vivavoce.luna.predict.answers import GradedResponse
from vivavoce.luna.predict.predictor import FloatArray, text_module

LONGEST_READ: Final = 4_000
"""Characters of a text that are read."""
MOST_TERMS: Final = 50_000
"""The most words, and the most groups of characters."""
MOST_NEAR: Final = 2_000
"""Graded answers to one question that an answer is compared with."""
_WORD: Final = re.compile(r"[^\W_]+")
_ENDINGS: Final = ("ations", "ation", "ings", "ing", "edly", "ed", "ly", "es", "s")
_RIDGES: Final = (0.3, 1.5)
_PRIOR: Final = 2.0
"""Number of answers with the overall mean grade that are added to each question's."""
_NEAR: Final = 10.0
"""The weight of a graded answer is the exponential of its similarity times this."""

Places = NDArray[np.intp]


def words_of(text: str) -> list[str]:
    """Words in lower case without common English endings.

    >>> words_of("Pointers are pointing at A[0].")
    ['pointer', 'are', 'point', 'at', 'a', '0']
    """
    return [_stem(word) for word in _WORD.findall(text[:LONGEST_READ].lower())]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


class TermRarity:
    """The rarity of words and of groups of two to five characters, learnt from texts without their grades.

    Raises `MissingExtra` without scikit-learn.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        text = text_module("sklearn.feature_extraction.text", "scikit-learn")
        distinct = [*sorted({name[:LONGEST_READ] for name in texts}), "a"]  # "a": the texts may have no word
        settings = {"sublinear_tf": True, "max_features": MOST_TERMS}
        self._words = text.TfidfVectorizer(tokenizer=words_of, token_pattern=None, lowercase=False, **settings).fit(distinct)
        self._groups = text.TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), **settings).fit(distinct)
        self._rarity = dict(zip(self._words.get_feature_names_out().tolist(), self._words.idf_.tolist(), strict=True))
        self._rarest = max(self._rarity.values())

    def vectors(self, texts: Sequence[str]) -> tuple[Any, Any]:
        """Two sparse matrices of rows of length 1 or 0: words, and groups of characters."""
        distinct = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        read, rows = [text[:LONGEST_READ] for text in distinct], [distinct[text] for text in texts]
        return self._words.transform(read)[rows], self._groups.transform(read)[rows]

    def weight(self, words: set[str]) -> float:
        """The total rarity of some words; an unknown one is as rare as the rarest."""
        return fsum(self._rarity.get(word, self._rarest) for word in words)


def alone(lexicon: TermRarity, answers: Sequence[GradedResponse]) -> FloatArray:
    """One row for each answer: its length, and its similarity to reference and question, without grades."""
    counted = np.array([_counted(lexicon, answer) for answer in answers])
    texts = ([first.text for first in answers], [first.reference for first in answers], [first.question for first in answers])
    (words, groups), (reference, groups_there), (question, groups_asked) = (lexicon.vectors(some) for some in texts)
    pairs = ((words, reference), (words, question), (reference, question), (groups, groups_there), (groups, groups_asked))
    return np.column_stack([counted, *(np.asarray(first.multiply(second).sum(axis=1)).ravel() for first, second in pairs)])


def _counted(lexicon: TermRarity, answer: GradedResponse) -> list[float]:
    texts, key_words, question_words = (words_of(text) for text in (answer.text, answer.reference, answer.question))
    own, key, known = set(texts), set(key_words), set(question_words)
    new = key - known
    pairs, key_pairs = (set(pairwise(words)) for words in (texts, key_words))
    weight = lexicon.weight
    return [
        len(texts),
        np.log1p(len(texts)),
        len(key_words),
        len(question_words),
        len(texts) / max(1, len(key_words)),
        len(own) / max(1, len(texts)),
        _part(weight(own & key), weight(key)),
        _part(weight(own & key), weight(own)),
        _part(weight(own & new), weight(new)),
        weight(own & new),
        _part(weight(own - known - key), weight(own)),
        _part(weight(own & known), weight(own)),
        len(pairs & key_pairs) / max(1, len(key_pairs)),
        answer.text.count(","),
        any(character.isdigit() for character in answer.text[:LONGEST_READ]),
    ]


def _part(some: float, everything: float) -> float:
    return some / everything if everything else 0.0


def vectors_of(lexicon: TermRarity, answers: Sequence[GradedResponse]) -> Any:
    """Words and groups of characters, one row for each answer: the product of two rows is 2 for equal texts."""
    return sparse.hstack(lexicon.vectors([answer.text for answer in answers])).tocsr()


class GradedEvidence:
    """Graded answers as evidence about others to the same questions; `vectors` come from `vectors_of`."""

    def __init__(self, answers: Sequence[GradedResponse], vectors: Any) -> None:
        self._grades = grades_of(answers)
        self._mean = float(self._grades.mean())
        self._places = dict(places_by_question(answers, most=MOST_NEAR))
        self._vectors = vectors

    def about(self, answers: Sequence[GradedResponse], vectors: Any) -> FloatArray:
        """One row for each answer, from other answers' grades on its question; all rows are equal without any.

        The columns are the mean grade and the number of grades; a ridge regression within the question at two strengths; grades
        of the nearest answers in three ways; the similarity of the nearest, and on which side of the median it is.
        """
        columns = np.tile([self._mean, 0, *[self._mean] * 5, 0, 0], (len(answers), 1))
        for question, here in places_by_question(answers):
            there = self._places.get(question)
            if there is not None:
                columns[here] = self._of_question(vectors[here], there)
        return columns

    def _of_question(self, vectors: Any, there: Places) -> FloatArray:
        grades, own = self._grades[there], self._vectors[there]
        mean = (grades.sum() + _PRIOR * self._mean) / (grades.size + _PRIOR)
        likeness = (vectors @ own.T).toarray()
        inner = (own @ own.T).toarray()
        ridges = [mean + likeness @ np.linalg.solve(inner + ridge * np.eye(grades.size), grades - mean) for ridge in _RIDGES]
        weights = np.exp(_NEAR / 2 * likeness)
        nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :3]
        three = np.take_along_axis(likeness, nearest, axis=1)
        good = grades >= np.median(grades)
        side = likeness[:, good].mean(axis=1) - (likeness[:, ~good].mean(axis=1) if not good.all() else 0.0)
        columns = [
            np.full(len(likeness), mean),
            np.full(len(likeness), grades.size),
            *ridges,
            (weights @ grades) / weights.sum(axis=1),
            ((three * grades[nearest]).sum(axis=1) + 0.4 * mean) / (three.sum(axis=1) + 0.4),
            grades[nearest[:, 0]],
            likeness.max(axis=1),
            side,
        ]
        return np.column_stack(columns)


def grades_of(answers: Sequence[GradedResponse]) -> FloatArray:
    """The grades, in order."""
    return np.array([answer.grade for answer in answers], dtype=float)


def places_by_question(answers: Sequence[GradedResponse], *, most: int | None = None) -> Iterator[tuple[str, Places]]:
    """Each question with the indices of its answers, at most the first `most`."""
    places: dict[str, list[int]] = {}
    for index, answer in enumerate(answers):
        places.setdefault(answer.question, []).append(index)
    for question, indices in places.items():
        yield question, np.array(indices[:most])


INNER: Final = 10
"""Parts of the training answers. The trees see evidence from other parts, and so learn how far to trust it."""
FEWEST: Final = 20
"""The fewest answers to learn from."""
_KNOWN: Final = {"n_estimators": 250, "max_depth": 4, "min_samples_leaf": 8}
_UNKNOWN: Final = {"n_estimators": 120, "max_depth": 3, "min_samples_leaf": 20}
"""Fewer and shallower trees, since rules for all questions are simpler than those for known ones."""


class AnswerGrader:
    """Boosted trees on similarity and on graded answers.

    An answer to a known question is graded from its similarity to question and reference, and from the grades of similar
    answers. An answer to a new question is graded from the similarity alone, by separate trees.

    >>> facts = [("Capital of France?", "Paris", 5), ("Capital of France?", "Lyon", 0), ("Colour of grass?", "green", 5)]
    >>> some = [GradedResponse(question, text, grade) for question, text, grade in facts * 10]
    >>> new = [GradedResponse("Capital of France?", text, 0) for text in ("Paris", "Lyon")]
    >>> right, wrong = AnswerGrader().fit(some).predict(new)
    >>> bool(right > 4 > 2 > wrong)
    True
    """

    def fit(self, answers: Sequence[GradedResponse], *, seed: int = 0) -> Self:
        """Learn from graded answers; the same answers and seed give the same grader.

        Raises `NotEnoughEvidence` for fewer than 20 answers, and `MissingExtra` without scikit-learn.
        """
        if len(answers) < FEWEST:
            raise NotEnoughEvidence(f"{len(answers)} graded answers; a grader needs at least {FEWEST}")
        self._lexicon = lexicon_of(answers)
        vectors = vectors_of(self._lexicon, answers)
        self._evidence = GradedEvidence(answers, vectors)
        self._questions = frozenset(answer.question for answer in answers)
        grades = grades_of(answers)
        self._highest = float(grades.max())
        seen = alone(self._lexicon, answers)
        self._known = _trees(_KNOWN, seed).fit(np.hstack([seen, _crosswise(answers, vectors, seed)]), grades)
        self._unknown = _trees(_UNKNOWN, seed).fit(seen, grades)
        return self

    def predict(self, answers: Sequence[GradedResponse]) -> FloatArray:
        """A grade for each answer, from 0 to the highest grade learnt from; their own grades are ignored."""
        if not answers:
            return np.zeros(0)
        seen = alone(self._lexicon, answers)
        is_known = np.array([answer.question in self._questions for answer in answers])
        by_evidence = self._known.predict(np.hstack([seen, self._evidence.about(answers, vectors_of(self._lexicon, answers))]))
        grades = np.where(is_known, by_evidence, self._unknown.predict(seen))
        return np.asarray(np.clip(grades, 0, self._highest), dtype=float)


def lexicon_of(answers: Sequence[GradedResponse]) -> TermRarity:
    """The rarity of terms in these answers, their questions and references."""
    return TermRarity([text for answer in answers for text in (answer.text, answer.reference, answer.question)])


def folds(number: int, parts: int, seed: int) -> list[Places]:
    """The numbers 0 to number - 1 at random in this many parts of nearly equal size.

    >>> sorted(len(part) for part in folds(7, 3, 0))
    [2, 2, 3]
    """
    return np.array_split(np.random.default_rng(seed).permutation(number), parts)


def apart(answers: Sequence[GradedResponse], held: Places) -> list[GradedResponse]:
    """All answers except those at some indices."""
    out = frozenset(held.tolist())
    return [answer for index, answer in enumerate(answers) if index not in out]


def _crosswise(answers: Sequence[GradedResponse], vectors: Any, seed: int) -> FloatArray:
    """Evidence about each answer from the other parts only."""
    parts, rows = folds(len(answers), INNER, seed), []
    for held in parts:
        others = GradedEvidence(apart(answers, held), vectors[np.delete(np.arange(len(answers)), held)])
        rows.append(others.about([answers[index] for index in held], vectors[held]))
    return np.asarray(np.vstack(rows)[np.argsort(np.concatenate(parts))], dtype=float)


def _trees(shape: dict[str, int], seed: int) -> Any:
    ensemble = import_module("sklearn.ensemble")
    return ensemble.GradientBoostingRegressor(**shape, learning_rate=0.04, subsample=0.6, max_features=0.3, random_state=seed)
