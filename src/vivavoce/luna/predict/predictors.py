"""All rating predictors by name, and linear regression on features, by least squares or the lasso (`silver2016`, section
5.2.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal, Self, cast
from urllib.parse import parse_qsl

import numpy as np
from scipy import sparse

from vivavoce.errors import BadInput, UnknownName
from vivavoce.luna.predict.answers import Key, PeopleTable, Sheet, keys_of, sheet_of
from vivavoce.luna.predict.features import (
    AnswerFeature,
    KeyLikeness,
    NearestAnswers,
    QuestionItems,
    WordBag,
    WordVectors,
    grade_sheet,
    restored,
    state_of,
)
from vivavoce.luna.predict.modern import ModernRegressor
from vivavoce.luna.predict.predictor import (
    FloatArray,
    MeanRating,
    RandomRating,
    RatingPredictor,
    check_known,
    learners,
    text_module,
)
from vivavoce.luna.predict.wordnet_features import SemanticNets, Synsets

ALPHA: Final = 0.1
"""The thesis' penalty of the lasso, in scikit-learn's convention. For ratings in [0, 1] it leaves almost no weights."""
_NONE: Final = 1e-12
"""Eigenvalues below this share of the largest are rounding errors."""


@dataclass(slots=True)
class LinearPredictor:
    """A regression on one or several features."""

    name: str
    features: tuple[AnswerFeature, ...]
    by: Literal["ols", "lasso"] = "ols"
    questions: tuple[str, ...] = ()
    intercept: float = 0.0
    weights: FloatArray = field(default_factory=lambda: np.zeros(0))

    def fit(self, people: PeopleTable, *, seed: int = 0) -> Self:
        """Learn from people with ratings; the answer key is the given one, or made from the answers."""
        ratings = learners(people)
        sheet = sheet_of(people, people.questions)
        keys, grades = keys_of(people), grade_sheet(people)
        self.questions = people.questions
        self.features = tuple(_fitted(feature, sheet, ratings, keys, grades) for feature in self.features)
        columns = self._columns(sheet)
        self.intercept, self.weights = (least_squares if self.by == "ols" else lasso)(columns, ratings)
        return self

    def predict(self, people: PeopleTable) -> FloatArray:
        """Ratings, clipped to [0, 1]. Raises `BadInput` for a person who answered none of the questions."""
        check_known(self.questions, people)
        columns = self._columns(sheet_of(people, self.questions))
        return np.asarray(np.clip(self.intercept + columns @ self.weights, 0, 1), dtype=float)

    def state(self) -> dict[str, Any]:
        """Questions, features, intercept and weights."""
        return {
            "questions": list(self.questions),
            "features": [state_of(feature) for feature in self.features],
            "intercept": self.intercept,
            "weights": self.weights,
        }

    def from_state(self, state: Mapping[str, Any]) -> Self:
        """The predictor with this state."""
        features = tuple(restored(*pair) for pair in zip(self.features, state["features"], strict=True))
        result = replace(
            self,
            features=features,
            questions=tuple(map(str, state["questions"])),
            intercept=float(state["intercept"]),
            weights=np.asarray(state["weights"], dtype=float),
        )
        columns = result._columns([[""]] * len(result.questions))
        if result.weights.shape != (columns.shape[1],) or not np.isfinite([result.intercept, *result.weights]).all():
            raise BadInput(f"the state of '{self.name}' does not have one finite weight for each of {columns.shape[1]} columns")
        return result

    def _columns(self, sheet: Sheet) -> sparse.csr_array:
        return sparse.csr_array(sparse.hstack([sparse.csr_array(feature.columns(sheet)) for feature in self.features]))


def _fitted(
    feature: AnswerFeature, sheet: Sheet, ratings: FloatArray, keys: tuple[Key, ...], grades: FloatArray | None
) -> AnswerFeature:
    """The feature fitted to these people; `grades` if there are any."""
    if isinstance(feature, QuestionItems):
        return replace(feature, others=keys[1:]).fit_to(sheet, ratings, keys[0], grades)
    fitted = feature.fit(sheet, ratings, keys[0])
    return replace(fitted, others=keys[1:]) if isinstance(fitted, KeyLikeness | WordVectors | SemanticNets) else fitted


def least_squares(columns: sparse.csr_array, ratings: FloatArray) -> tuple[float, FloatArray]:
    """Intercept and weights; among many solutions the one with the smallest weights, as in scikit-learn.

    >>> intercept, weights = least_squares(sparse.csr_array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0]))
    >>> round(intercept, 9), weights.round(9).tolist()
    (1.0, [2.0])
    """
    means = np.asarray(columns.mean(axis=0)).ravel()
    if columns.shape[1] < columns.shape[0]:
        weights = np.linalg.lstsq(columns.toarray() - means, ratings - ratings.mean(), rcond=None)[0]
        return float(ratings.mean() - means @ weights), np.asarray(weights, dtype=float)
    between = columns @ means
    # use the products of centred rows, because there are fewer people than words
    products = (columns @ columns.T).toarray() - between[:, None] - between + means @ means
    values, vectors = np.linalg.eigh(products)
    kept = values > _NONE * max(float(values[-1]), _NONE)
    part = vectors[:, kept] @ ((vectors[:, kept].T @ (ratings - ratings.mean())) / values[kept])
    weights = np.asarray(columns.T @ part - means * part.sum(), dtype=float)
    return float(ratings.mean() - means @ weights), weights


def lasso(columns: sparse.csr_array, ratings: FloatArray) -> tuple[float, FloatArray]:
    """Intercept and weights by scikit-learn's lasso; raises `MissingExtra`."""
    model = text_module("sklearn.linear_model", "scikit-learn").Lasso(alpha=ALPHA)
    model.fit(columns.toarray(), ratings)
    return float(model.intercept_), np.asarray(model.coef_, dtype=float)


Options = Mapping[str, str]

FEATURES: Final[Mapping[str, Callable[[Options], AnswerFeature]]] = MappingProxyType(
    {
        "bwo": lambda options: KeyLikeness("bwo"),
        "fwo": lambda options: KeyLikeness("fwo"),
        "ced": lambda options: KeyLikeness("ced"),
        "wed": lambda options: KeyLikeness("wed"),
        "wcs": lambda options: WordVectors(),
        "snl": lambda options: SemanticNets(options.get("wordnet", "")),
        "bow": lambda options: WordBag("words", options.get("by") == "question"),
        "big": lambda options: WordBag("bigrams", options.get("by") == "question"),
        "syn": lambda options: Synsets(options.get("wordnet", ""), options.get("by") == "question"),
        "nno": lambda options: NearestAnswers("nno"),
        "nnc": lambda options: NearestAnswers("nnc"),
        "nnw": lambda options: NearestAnswers("nnw"),
    }
)
"""The twelve of `silver2016`, section 5.2.2."""
ITEMS: Final = "items"
"""Statistics of the questions: a predictor by itself, and an option of the others."""
OF_WORDNET: Final = ("snl", "syn")
"""Features that need WordNet, which is not part of the package. `com` leaves them out unless it gets WordNet's folder."""

_FIT: Final = {"fit": ("ols", "lasso"), "items": ("no", "yes")}
_BY: Final = {"by": ("person", "question")}
_WORDNET: Final[Mapping[str, tuple[str, ...]]] = {"wordnet": ()}
OPTIONS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "constant": {},
        **dict.fromkeys(FEATURES, _FIT),
        "bow": _FIT | _BY,
        "big": _FIT | _BY,
        "snl": {**_FIT, **_WORDNET},
        "syn": {**_FIT, **_BY, **_WORDNET},
        "com": {**_FIT, **_BY, **_WORDNET},
        ITEMS: {"fit": _FIT["fit"]},
        "ran": {},
        "cbg": {},
        "modern": {"from": ("grades", "ratings"), "embeddings": ()},
    }
)
"""The options of each name and their values, the default first; no values for a folder or a model."""


def predictor(name: str) -> RatingPredictor:
    """An unfitted predictor.

    Parameters
    ----------
    name: `constant` and `cbg` (the mean), `ran` (random), one of the twelve features, `com` (ten of them together;
        all twelve with `wordnet`), `items` (statistics of the questions) or `modern`; then, after a
        question mark, options: `com?fit=lasso&by=question`, `com?items=yes`, `com?wordnet=FOLDER`,
        `modern?from=ratings`, `modern?embeddings=NAME_OR_FOLDER` of sentence-transformers (extra
        `neural`).

    Raises `UnknownName` and `BadInput`.

    >>> predictor("com?fit=lasso").name
    'com?fit=lasso'
    """
    which, _, query = name.partition("?")
    if which not in OPTIONS:
        raise UnknownName("predictor of ratings", which, OPTIONS)
    options = _options(which, query)
    if which in ("constant", "cbg"):
        return MeanRating(name)
    if which == "ran":
        return RandomRating(name)
    if which == "modern":
        return ModernRegressor(name, options.get("from") == "ratings", options.get("embeddings", ""))
    features = tuple(FEATURES[text](options) for text in (combined(name) or (which,)) if text != ITEMS)
    if which == ITEMS or options.get("items") == "yes":
        features = (*features, QuestionItems())
    return LinearPredictor(name, features, cast(Literal["ols", "lasso"], options.get("fit", "ols")))


def combined(name: str) -> tuple[str, ...]:
    """The features that `com` combines; empty for another predictor.

    >>> len(combined("com")), len(combined("com?wordnet=")), combined("bow")
    (10, 12, ())
    """
    which, _, query = name.partition("?")
    if which != "com":
        return ()
    return tuple(feature for feature in FEATURES if "wordnet" in _options(which, query) or feature not in OF_WORDNET)


def _options(which: str, query: str) -> Options:
    given: dict[str, str] = {}
    for option, value in parse_qsl(query.replace("+", "%2B"), keep_blank_values=True):
        if option not in OPTIONS[which]:
            raise UnknownName(f"option of '{which}'", option, OPTIONS[which])
        if option in given:
            raise BadInput(f"the option '{option}' of '{which}' is repeated: give it once")
        values = OPTIONS[which][option]
        if values and value not in values:
            raise UnknownName(f"{option} of '{which}'", value, values)
        given[option] = value
    if query and not given:
        raise BadInput(f"'{query[:60]}' are not options of '{which}': write them as name=value, with & between them")
    return given
