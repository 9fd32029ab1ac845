"""Linear predictors, beside scikit-learn's regressions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import Lasso, LinearRegression  # type: ignore[import-untyped]

from tests.luna.predict.made_people import made_people
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.luna.predict.answers import Answer, people_of, sheet_of
from vivavoce.luna.predict.features import Bag
from vivavoce.luna.predict.predictors import ALPHA, Linear, least_squares, predictor


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 12), st.integers(1, 30), st.booleans())
def test_least_squares_is_that_of_scikit_learn(seed: int, people: int, columns: int, double: bool) -> None:
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(people, columns))
    if double:
        table = np.hstack([table, table[:, :1]])  # one column twice: the weights are shared out
    ratings = rng.random(people)
    intercept, weights = least_squares(sparse.csr_array(table), ratings)
    theirs = LinearRegression().fit(table, ratings)
    assert table @ weights + intercept == pytest.approx(theirs.predict(table), abs=1e-6)
    new = rng.normal(size=(3, table.shape[1]))
    if np.linalg.svd(table - table.mean(axis=0), compute_uv=False)[: min(people - 1, columns)].min() > 0.1:
        assert new @ weights + intercept == pytest.approx(theirs.predict(new), abs=1e-5)


def test_a_bag_of_words_by_lasso_is_that_of_scikit_learn() -> None:
    people = made_people(30)
    sheet = sheet_of(people, people.questions)
    columns = Bag("words").fit(sheet, np.zeros(0), ()).columns(sheet).toarray()
    ratings = np.array(list(people.ratings.values()))
    theirs = Lasso(alpha=ALPHA).fit(columns, ratings).predict(columns)
    assert predictor("bow?fit=lasso").fit(people).predict(people) == pytest.approx(theirs)


def test_predictions_stay_on_the_scale() -> None:
    learnt = people_of([Answer(f"p{n}", "q", "word " * n, n / 9) for n in range(10)])
    linear = Linear("wed", predictor("wed").fit(learnt).features)  # type: ignore[attr-defined]
    linear.questions, linear.intercept, linear.weights = ("q",), 5.0, np.array([1.0])
    assert linear.predict(learnt.unrated()).tolist() == [1.0] * 10


def test_too_few_people_and_people_without_ratings_are_refused() -> None:
    with pytest.raises(NotEnoughEvidence, match="4 people with ratings; to learn from them takes at least 5"):
        predictor("bow").fit(made_people(4))
    with pytest.raises(BadInput, match="no ratings to learn from"):
        predictor("bow").fit(made_people(20).unrated())
    with pytest.raises(BadInput, match="fit it first"):
        predictor("bow").predict(made_people(20))
    with pytest.raises(BadInput, match="Zoe has answered none of the 4 questions"):
        predictor("bow").fit(made_people(20)).predict(people_of([Answer("Zoe", "another?", "yes")]))
