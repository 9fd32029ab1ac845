"""Features of a person's answers (`silver2016`, section 5.2.2, except WordNet's), and statistics of the questions.

BWO, FWO, CED and WED compare an answer with the right one; WCS compares their word vectors. NNO, NNC and NNW use the rating of
the person with the most similar answer. BOW and BIG are bags of words and of pairs of words. For `items`, a question's
difficulty is its mean grade (the higher, the easier), and its discrimination the correlation of that grade with the mean of the
person's *other* grades. Without grades, an answer's similarity to the key replaces its grade, and the rating replaces the other
grades. Both use only the people to learn from; of the people to rate, only answers are used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import chain, pairwise
from typing import Any, Final, Literal, Protocol, Self, TypeVar, cast

import numpy as np
from pydantic import FiniteFloat, TypeAdapter, ValidationError
from scipy import sparse
from scipy.linalg import eigh

from vivavoce.errors import BadInput
from vivavoce.formats.wording import first_problem
from vivavoce.luna.predict.answers import Key, PeopleTable, Sheet, content_words, distinct
from vivavoce.luna.predict.predictor import FloatArray, text_module

Columns = sparse.csr_array | FloatArray
"""One row for each person."""
T = TypeVar("T")


class AnswerFeature(Protocol):
    """Numbers that describe a person's answers: a frozen dataclass of JSON values.

    Learnt values are tuples, empty before the fit; the other fields are settings.
    """

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> Self:
        """The feature fitted to people with known ratings and to the answer key."""
        ...

    def columns(self, sheet: Sheet) -> Columns:
        """One row for each person, for texts to the questions of the fit in the same order."""
        ...


def state_of(feature: Any) -> dict[str, Any]:
    """The learnt values of a fitted feature, as JSON values."""
    return {name: value for name, value in asdict(feature).items() if isinstance(value, tuple)}


def restored(empty: T, state: Mapping[str, Any]) -> T:
    """The feature with this state; raises `BadInput` for another state."""
    try:
        settings = {setting.name: getattr(empty, setting.name) for setting in fields(cast(Any, empty))}
        learnt = {name: state[name] for name in state_of(empty)}
        return TypeAdapter(type(empty)).validate_python({**settings, **learnt})
    except KeyError as error:
        raise BadInput(f"not a state of a {type(empty).__name__}: {error} is missing") from None
    except ValidationError as error:
        raise BadInput(f"not a state of a {type(empty).__name__}: {first_problem(error)}") from None


def by_text(sheet: Sheet, value: Callable[[int, str], float]) -> FloatArray:
    """One column for each question with a value for each text; each distinct text is computed once."""
    table = np.zeros((len(sheet[0]) if sheet else 0, len(sheet)))
    for question, texts in enumerate(sheet):
        known, places = distinct(texts)
        table[:, question] = np.array([value(question, text) for text in known], dtype=float)[places]
    return table


def indicators(rows: Sequence[Sequence[Hashable]], terms: Mapping[Hashable, int]) -> sparse.csr_array:
    """1 where a row contains a term; unknown terms are left out."""
    row_terms = [sorted({terms[term] for term in row if term in terms}) for row in rows]
    starts = np.cumsum([0, *map(len, row_terms)])
    places = np.array([index for row in row_terms for index in row], dtype=np.int64)
    return cast(sparse.csr_array, sparse.csr_array((np.ones(places.size), places, starts), shape=(len(rows), len(terms))))


Words = tuple[str, ...]


def binary_word_overlap(answer: Words, right: Words) -> float:
    """1 if they share a word, else 0."""
    return float(bool(set(answer) & set(right)))


def fraction_word_overlap(answer: Words, right: Words) -> float:
    """Shared words as a share of all words of the two; 0 if both are empty.

    >>> fraction_word_overlap(("free", "speech"), ("freedom", "speech")) == 1 / 3
    True
    """
    either = set(answer) | set(right)
    return len(set(answer) & set(right)) / len(either) if either else 0.0


def character_edit_distance(answer: Words, right: Words) -> float:
    """1 minus the Levenshtein distance divided by the longer length; 1 for two empty texts.

    >>> character_edit_distance(("cat",), ("cart",))
    0.75
    """
    return float(_rapidfuzz("distance.Levenshtein").normalized_similarity(" ".join(answer), " ".join(right)))


def word_edit_distance(answer: Words, right: Words) -> float:
    """The same for words instead of characters.

    >>> word_edit_distance(("hello", "world"), ("goodbye", "moon"))
    0.0
    """
    return float(_rapidfuzz("distance.Levenshtein").normalized_similarity(answer, right))


Measure = Literal["bwo", "fwo", "ced", "wed"]
MEASURES: Final[Mapping[Measure, Callable[[Words, Words], float]]] = {
    "bwo": binary_word_overlap,
    "fwo": fraction_word_overlap,
    "ced": character_edit_distance,
    "wed": word_edit_distance,
}


@dataclass(frozen=True, slots=True)
class KeyLikeness:
    """One column for each question: the similarity of the answer to the right one, both as content words."""

    measure: Measure
    key: Key = ()
    others: tuple[Key, ...] = ()
    """Further right answers: the most similar counts."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> KeyLikeness:
        """Uses the key only."""
        return replace(self, key=key)

    def columns(self, sheet: Sheet) -> FloatArray:
        """Similarity, from 0 to 1."""
        measure, keys = MEASURES[self.measure], (self.key, *self.others)
        return by_text(sheet, lambda question, text: max(measure(content_words(text), key[question]) for key in keys))


def _rapidfuzz(module: str) -> Any:
    return text_module(f"rapidfuzz.{module}", "rapidfuzz")


Likeness = Literal["nno", "nnc", "nnw"]


@dataclass(frozen=True, slots=True)
class NearestAnswers:
    """One column for each question: the rating of the person whose answer is most similar to this one.

    Similarity is the number of shared content words, or the smaller Levenshtein distance of characters or words. Among equally
    similar answers the first counts. A person with a known rating is their own neighbour, which reproduces the thesis' figure
    (.116). So the feature looks better in training than it is; leaving the person out would give .106.
    """

    by: Likeness
    texts: tuple[tuple[str, ...], ...] = ()
    """Content words of each distinct answer, joined by spaces, by question in order of first appearance."""
    ratings: tuple[tuple[FiniteFloat, ...], ...] = ()
    """The rating of the first person with that answer."""

    def __post_init__(self) -> None:
        if [len(text) for text in self.texts] != [len(rating) for rating in self.ratings] or not all(self.texts):
            raise ValueError("not one rating for each answer")

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> NearestAnswers:
        """Uses answers and ratings."""
        known, first = [], []
        for texts in sheet:
            answers, places = distinct([" ".join(content_words(text)) for text in texts])
            known.append(tuple(answers))
            first.append(tuple(float(ratings[places.index(index)]) for index in range(len(answers))))
        return replace(self, texts=tuple(known), ratings=tuple(first))

    def columns(self, sheet: Sheet) -> FloatArray:
        """Ratings of the nearest neighbours."""
        table = np.zeros((len(sheet[0]) if sheet else 0, len(sheet)))
        for question, texts in enumerate(sheet):
            asked, places = distinct([" ".join(content_words(text)) for text in texts])
            if asked:
                nearest = likeness(self.by, asked, self.texts[question]).argmax(axis=1)
                table[:, question] = np.array(self.ratings[question])[nearest][places]
        return table


def likeness(by: Likeness, some: Sequence[str], others: Sequence[str]) -> FloatArray:
    """Similarity of texts of content words, one row for each of `some`; only the order within a row has a meaning.

    >>> likeness("nno", ["bill of rights"], ["the bill", "rights of bill", ""]).tolist()
    [[1.0, 3.0, 0.0]]
    >>> likeness("nnc", ["cat"], ["cart", "cat"]).tolist(), likeness("nnw", ["a cat"], ["a dog", "cat"]).tolist()
    ([[-1.0, 0.0]], [[-1.0, -1.0]])
    """
    if by == "nno":
        words = [text.split() for text in others]
        places: dict[Hashable, int] = {
            word: index for index, word in enumerate(sorted({name for row in words for name in row}))
        }
        shared = indicators([text.split() for text in some], places) @ indicators(words, places).T
        return np.asarray(shared.toarray(), dtype=float)
    pieces = [list(map(str.split, texts)) for texts in (some, others)] if by == "nnw" else [some, others]
    distances = _rapidfuzz("process").cdist(*pieces, scorer=_rapidfuzz("distance.Levenshtein").distance, dtype=np.int32)
    return np.asarray(-distances, dtype=float)


@dataclass(frozen=True, slots=True)
class WordBag:
    """One column for each word, or pair of neighbouring words: whether the person has used it.

    The thesis' text has a column for each question and word. Its printed figures result if all answers of a person form one
    bag, which is the default here: .106, against .073 with a column for each question.
    """

    of: Literal["words", "bigrams"]
    by_question: bool = False
    terms: tuple[tuple[int, str], ...] = ()
    """Question (0 for one bag) and term."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> WordBag:
        """Uses every term of the answers."""
        return replace(self, terms=tuple(sorted(set(chain.from_iterable(self.rows(sheet))))))

    def columns(self, sheet: Sheet) -> sparse.csr_array:
        """1 for each term in the person's answers; terms unknown at the fit are left out."""
        places: dict[Hashable, int] = {term: index for index, term in enumerate(self.terms)}
        return indicators(self.rows(sheet), places)

    def rows(self, sheet: Sheet) -> list[list[tuple[int, str]]]:
        """Each person's terms."""
        rows: list[list[tuple[int, str]]] = [[] for _ in (sheet[0] if sheet else ())]
        for question, texts in enumerate(sheet):
            for row, text in zip(rows, texts, strict=True):
                row.extend((question if self.by_question else 0, term) for term in self._terms(content_words(text)))
        return rows

    def _terms(self, words: Sequence[str]) -> Sequence[str]:
        return words if self.of == "words" else [" ".join(pair) for pair in pairwise(words)]


DIMENSIONS: Final = 25
MOST_WORDS: Final = 600
"""The commonest words, which have vectors."""


@dataclass(frozen=True, slots=True)
class WordVectors:
    """One column for each question: the cosine between the mean word vectors of the answer and of the right one; 0 without
    vectors.

    The thesis has vectors trained on newspaper text. Here words in the same answers are similar (latent semantic analysis of
    these answers), so no download is needed.
    """

    key: Key = ()
    words: tuple[str, ...] = ()
    vectors: tuple[tuple[FiniteFloat, ...], ...] = ()
    """One for each word."""
    others: tuple[Key, ...] = ()
    """Further right answers: the most similar counts."""

    def __post_init__(self) -> None:
        if len(self.words) != len(self.vectors) or len({len(vector) for vector in self.vectors}) > 1:
            raise ValueError("not one vector for each word")

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> WordVectors:
        """Uses the key, and the words of the answers."""
        answers = sorted({content_words(text) for texts in sheet for text in texts} | set(key))
        counted = Counter(word for answer in answers for word in set(answer))
        words = sorted(sorted(counted, key=lambda word: (-counted[word], word))[:MOST_WORDS])
        places: dict[Hashable, int] = {word: index for index, word in enumerate(words)}
        vectors = _vectors(indicators(answers, places))
        return replace(self, key=key, words=tuple(words), vectors=tuple(map(tuple, vectors.tolist())))

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
    """One row for each word, from words that occur together in an answer; rarer words weigh more."""
    rarity = np.log((1 + answers.shape[0]) / (1 + answers.sum(axis=0))) + 1
    together = (answers.T @ answers).toarray() * rarity[:, None] * rarity
    if not together.size:
        return np.zeros((0, 0))
    values, result = eigh(together, subset_by_index=(max(0, len(together) - DIMENSIONS), len(together) - 1))
    return np.asarray(result * np.sqrt(np.maximum(values, 0)), dtype=float)


def _cosine(first: FloatArray, second: FloatArray) -> float:
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / lengths if lengths else 0.0


FEWEST: Final = 10
"""The fewest people with an answer for a discrimination; with fewer it is the mean of the other questions'."""


@dataclass(frozen=True, slots=True)
class QuestionItems:
    """Four columns about the questions that a person answered, and how well.

    They are the mean difficulty and the mean discrimination of the answered questions, the similarity of the answers to the key
    weighted by discrimination, and how far that similarity exceeds what the difficulty predicts.
    """

    key: Key = ()
    difficulty: tuple[FiniteFloat, ...] = ()
    """Difficulty by question; higher is easier."""
    discrimination: tuple[FiniteFloat, ...] = ()
    others: tuple[Key, ...] = ()
    """Further right answers."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> QuestionItems:
        """Uses the key, and statistics of the similarity to it."""
        return self.fit_to(sheet, ratings, key, None)

    def fit_to(self, sheet: Sheet, ratings: FloatArray, key: Key, grades: FloatArray | None) -> QuestionItems:
        """The same from grades if there are any.

        grades: shape (people, questions); NaN for a skipped question.
        """
        with_key = replace(self, key=key)
        scores = np.where(_answered(sheet), with_key.nearness(sheet), np.nan) if grades is None else grades
        rest = np.repeat(ratings[:, None], scores.shape[1], axis=1) if grades is None else _rest(grades)
        correlations = [_correlation(scores[:, index], rest[:, index]) for index in range(scores.shape[1])]
        known = [correlation for correlation in correlations if correlation is not None]
        usual = float(np.mean(known)) if known else 0.0
        means = [float(np.nanmean(column)) if np.isfinite(column).any() else 0.0 for column in scores.T]
        return replace(
            with_key,
            difficulty=tuple(means),
            discrimination=tuple(usual if correlation is None else correlation for correlation in correlations),
        )

    def nearness(self, sheet: Sheet) -> FloatArray:
        """Share of words in common with the nearest right answer, from 0 to 1: shape (people, questions)."""
        keys = (self.key, *self.others)

        def near(question: int, text: str) -> float:
            return max(fraction_word_overlap(content_words(text), key[question]) for key in keys)

        return by_text(sheet, near)

    def columns(self, sheet: Sheet) -> FloatArray:
        """One row for each person; all 0 for a person without answers."""
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


def grade_sheet(people: PeopleTable) -> FloatArray | None:
    """All grades, shape (people, questions), NaN for a skipped question; None without grades."""
    if not people.graded:
        return None
    rows = {person: index for index, person in enumerate(people.people)}
    columns = {question: index for index, question in enumerate(people.questions)}
    grades = np.full((len(rows), len(columns)), np.nan)
    for answer in people.answers:
        grades[rows[answer.person], columns[answer.question]] = answer.grade
    return grades


def _answered(sheet: Sheet) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return np.array([[bool(text.strip()) for text in texts] for texts in sheet], dtype=bool).T


def _rest(grades: FloatArray) -> FloatArray:
    """For each grade, the mean of the person's other grades; NaN without any."""
    number, total = np.isfinite(grades).sum(axis=1, keepdims=True), np.nansum(grades, axis=1, keepdims=True)
    own = np.isfinite(grades)
    left = number - own
    return np.where(left > 0, (total - np.nan_to_num(grades)) / np.maximum(left, 1), np.nan)


def _correlation(first: FloatArray, second: FloatArray) -> float | None:
    """Pearson's correlation of pairs known in both; None for few pairs, or if one list is constant."""
    known = np.isfinite(first) & np.isfinite(second)
    if known.sum() < FEWEST or np.ptp(first[known]) == 0 or np.ptp(second[known]) == 0:
        return None
    return float(np.corrcoef(first[known], second[known])[0, 1])


def _weighted(values: FloatArray, weights: FloatArray) -> FloatArray:
    total = weights.sum(axis=1)
    return np.asarray((values * weights).sum(axis=1) / np.where(total > 0, total, 1.0), dtype=float)
