"""What every feature of answers is.
Question-based features: how like is an answer to the right one? (BWO, FWO, CED and WED of `silver2016`, section 5.2.2)
The rating of the person who answered most alike (NNO, NNC and NNW of `silver2016`, section 5.2.2).
Bags of words, of pairs of words, and of words with their synonyms (BOW, BIG and SYN of `silver2016`, section 5.2.2).
Likeness of word vectors (WCS of `silver2016`, section 5.2.2).
Difficulty and discrimination of the questions, learnt from people whose ratings are known, as features of an answer sheet.

Where answers have grades, a question's difficulty is its mean grade (the higher, the easier), and its discrimination the
correlation of that grade with the mean of the person's *other* grades. From ratings alone an answer's nearness to the answer
key stands for its grade, and the rating for the others. Both come from the people learnt from alone; of the people to be rated
nothing but their answers is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib import import_module
from itertools import chain, pairwise
from typing import Any, Final, Literal, Protocol, Self, TypeVar, cast

import numpy as np
from pydantic import FiniteFloat, TypeAdapter, ValidationError
from scipy import sparse
from scipy.linalg import eigh

from vivavoce.errors import BadInput, MissingExtra
from vivavoce.formats.wording import first_problem
from vivavoce.luna.predict.answers import Key, PeopleTable, Sheet, content_words, distinct
from vivavoce.luna.predict.predictor import FloatArray

Columns = sparse.csr_array | FloatArray
"""One row a person."""
T = TypeVar("T")


class AnswerFeature(Protocol):
    """Numbers that describe a person's answers: a frozen dataclass of JSON values.

    What it learns is kept in tuples, which are empty before; its other fields are settings.
    """

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> Self:
        """The same feature with what it takes from people whose ratings are known, and from the answer key."""
        ...

    def columns(self, sheet: Sheet) -> Columns:
        """One row a person; texts to the questions that it was fitted on, in the same order."""
        ...


def state_of(feature: Any) -> dict[str, Any]:
    """What a fitted feature has learnt, as JSON values."""
    return {name: value for name, value in asdict(feature).items() if isinstance(value, tuple)}


def restored(empty: T, state: Mapping[str, Any]) -> T:
    """The feature that gave this state; raises `BadInput` for a state of anything else."""
    try:
        settings = {one.name: getattr(empty, one.name) for one in fields(cast(Any, empty))}
        learnt = {name: state[name] for name in state_of(empty)}
        return TypeAdapter(type(empty)).validate_python({**settings, **learnt})
    except KeyError as error:
        raise BadInput(f"no state of a {type(empty).__name__}: {error} is missing") from None
    except ValidationError as error:
        raise BadInput(f"no state of a {type(empty).__name__}: {first_problem(error)}") from None


def by_text(sheet: Sheet, value: Callable[[int, str], float]) -> FloatArray:
    """One column a question with a value for each text; each distinct text is looked at once."""
    table = np.zeros((len(sheet[0]) if sheet else 0, len(sheet)))
    for question, texts in enumerate(sheet):
        known, places = distinct(texts)
        table[:, question] = np.array([value(question, text) for text in known], dtype=float)[places]
    return table


def indicators(rows: Sequence[Sequence[Hashable]], terms: Mapping[Hashable, int]) -> sparse.csr_array:
    """1 where a row holds a term, however often; unknown terms are left out."""
    found = [sorted({terms[term] for term in row if term in terms}) for row in rows]
    starts = np.cumsum([0, *map(len, found)])
    places = np.array([place for row in found for place in row], dtype=np.int64)
    return cast(sparse.csr_array, sparse.csr_array((np.ones(places.size), places, starts), shape=(len(rows), len(terms))))


Words = tuple[str, ...]


def binary_word_overlap(answer: Words, right: Words) -> float:
    """1 if they share a word, else 0."""
    return float(bool(set(answer) & set(right)))


def fraction_word_overlap(answer: Words, right: Words) -> float:
    """Words that both hold among the words that either holds; 0 where neither holds any.

    >>> fraction_word_overlap(("free", "speech"), ("freedom", "speech")) == 1 / 3
    True
    """
    either = set(answer) | set(right)
    return len(set(answer) & set(right)) / len(either) if either else 0.0


def character_edit_distance(answer: Words, right: Words) -> float:
    """1 less the Levenshtein distance of the texts as a share of the longer one; 1 for two empty texts.

    >>> character_edit_distance(("cat",), ("cart",))
    0.75
    """
    return float(levenshtein().normalized_similarity(" ".join(answer), " ".join(right)))


def word_edit_distance(answer: Words, right: Words) -> float:
    """The same, of words in place of characters.

    >>> word_edit_distance(("hello", "world"), ("goodbye", "moon"))
    0.0
    """
    return float(levenshtein().normalized_similarity(answer, right))


Measure = Literal["bwo", "fwo", "ced", "wed"]
MEASURES: Final[Mapping[Measure, Callable[[Words, Words], float]]] = {
    "bwo": binary_word_overlap,
    "fwo": fraction_word_overlap,
    "ced": character_edit_distance,
    "wed": word_edit_distance,
}


@dataclass(frozen=True, slots=True)
class KeyLikeness:
    """One column a question: the likeness of the answer to the right one, both as content words."""

    measure: Measure
    key: Key = ()
    others: tuple[Key, ...] = ()
    """Further right answers: the nearest counts."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> KeyLikeness:
        """Takes the key alone."""
        return replace(self, key=key)

    def columns(self, sheet: Sheet) -> FloatArray:
        """Likeness, from 0 to 1."""
        measure, keys = MEASURES[self.measure], (self.key, *self.others)
        return by_text(sheet, lambda question, text: max(measure(content_words(text), key[question]) for key in keys))


def levenshtein() -> Any:
    """rapidfuzz' module of that distance; raises `MissingExtra`."""
    return _rapidfuzz("rapidfuzz.distance.Levenshtein")


def rapidfuzz_process() -> Any:
    """rapidfuzz' module of distances of many texts; raises `MissingExtra`."""
    return _rapidfuzz("rapidfuzz.process")


def _rapidfuzz(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise MissingExtra("rapidfuzz", extra="text") from None


Likeness = Literal["nno", "nnc", "nnw"]


@dataclass(frozen=True, slots=True)
class NearestAnswers:
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

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> NearestAnswers:
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


@dataclass(frozen=True, slots=True)
class WordBag:
    """One column a word, or a pair of neighbouring words: whether the person has used it.

    The thesis' text has a column for each question and word; its printed figures come out if all answers of a person are one
    bag, which is the default here: .106 against .073 with a column for each question.
    """

    of: Literal["words", "bigrams"]
    by_question: bool = False
    terms: tuple[tuple[int, str], ...] = ()
    """Question (0 where there is one bag) and term."""

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> WordBag:
        """Takes every term in use."""
        return replace(self, terms=tuple(sorted(set(chain.from_iterable(self.rows(sheet))))))

    def columns(self, sheet: Sheet) -> sparse.csr_array:
        """1 for each term in the person's answers; terms that nobody used when this was fitted are left out."""
        places: dict[Hashable, int] = {term: place for place, term in enumerate(self.terms)}
        return indicators(self.rows(sheet), places)

    def rows(self, sheet: Sheet) -> list[list[tuple[int, str]]]:
        """Everybody's terms."""
        rows: list[list[tuple[int, str]]] = [[] for _ in (sheet[0] if sheet else ())]
        for question, texts in enumerate(sheet):
            for row, text in zip(rows, texts, strict=True):
                row.extend((question if self.by_question else 0, term) for term in self._terms(content_words(text)))
        return rows

    def _terms(self, words: Sequence[str]) -> Sequence[str]:
        return words if self.of == "words" else [" ".join(pair) for pair in pairwise(words)]


DIMENSIONS: Final = 25
MOST_WORDS: Final = 600
"""That have vectors: the commonest."""


@dataclass(frozen=True, slots=True)
class WordVectors:
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

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> WordVectors:
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


FEWEST: Final = 10
"""People with an answer that a discrimination is told from; for fewer it is the mean of the other questions'."""


@dataclass(frozen=True, slots=True)
class QuestionItems:
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

    def fit(self, sheet: Sheet, ratings: FloatArray, key: Key) -> QuestionItems:
        """Takes the key, and what nearness to it says about each question."""
        return self.fit_to(sheet, ratings, key, None)

    def fit_to(self, sheet: Sheet, ratings: FloatArray, key: Key, grades: FloatArray | None) -> QuestionItems:
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


def grade_sheet(people: PeopleTable) -> FloatArray | None:
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
