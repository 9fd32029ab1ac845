"""The fit of the quality of answers."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit, logit

from vivavoce.luna.predict.modern import Answered, Fit, Strength, _of_grades, _of_ratings, weights
from vivavoce.luna.predict.predictor import FloatArray

RNG = np.random.default_rng(5)
ALONE = Answered([np.eye(2), np.eye(2)], np.zeros(4), np.array([[0, 0, 1, 1] * 5, [2, 3, 2, 3] * 5]))
"""Two questions with two answers each that have nothing in common; everybody in all four ways."""


@pytest.mark.parametrize("loss", [_of_ratings, _of_grades])
def test_derivatives_are_those_of_small_steps(loss: Callable[..., Any]) -> None:
    logits, logarithms = RNG.normal(size=(3, 4)), RNG.normal(size=3)
    told = RNG.random(4) if loss is _of_ratings else RNG.random((3, 4))
    _, by_answer, by_weight = loss(logits, told, logarithms)

    def at(flat: FloatArray) -> float:
        return float(loss(flat[:12].reshape(3, 4), told, flat[12:])[0])

    steps = approx_fprime(np.concatenate([logits.ravel(), logarithms]), at, 1e-6)
    assert np.concatenate([by_answer.ravel(), by_weight]) == pytest.approx(steps, rel=1e-3, abs=1e-3)


def test_weights_of_questions_have_the_sum_1() -> None:
    assert weights(np.array([0.0, np.log(3)])) == pytest.approx([0.25, 0.75])
    assert weights(np.array([1000.0, 1000.0])) == pytest.approx([0.5, 0.5])


def test_quality_is_found_from_ratings_alone() -> None:
    """Of both questions the first answer is worth .9, the second .2 and .4; each rating is the mean of two."""
    worth = np.array([0.9, 0.2, 0.9, 0.4])
    ratings = worth[ALONE.places].mean(axis=0)
    fit = Fit(ALONE)
    found = fit.fit(np.arange(20), ratings, Strength(1e-4, inf))
    assert fit.ratings(found, np.arange(4)) == pytest.approx(ratings[:4], abs=0.01)
    assert found.questions == pytest.approx([0.5, 0.5])
    # a rating tells the sum alone; that an answer is better than another of the same question by how much, it tells
    logits = np.concatenate([terms + level for terms, level in zip(found.terms, found.levels, strict=True)])
    quality = expit(logits)
    assert quality[0] - quality[1] == pytest.approx(0.7, abs=0.03)
    assert quality[2] - quality[3] == pytest.approx(0.5, abs=0.03)


def test_quality_is_found_from_grades() -> None:
    """Without a hold on it, quality is the share of right answers: 4 of 5 for one, 1 of 5 for the other."""
    grades = np.vstack([np.tile([1, 1, 0, 0], 5), np.ones(20)]).astype(float)
    grades[0, 0] = 0.0
    grades[0, 2] = 1.0
    found = Fit(ALONE).fit(np.arange(20), grades, Strength(1e-6, inf))
    assert found.terms[0] + found.levels[0] == pytest.approx(logit([0.9, 0.1]), abs=0.05)


def test_the_weight_of_a_question_is_learnt_where_it_may_be() -> None:
    worth = np.array([0.95, 0.05, 0.95, 0.05])
    ratings = np.array([0.9, 0.1]) @ worth[ALONE.places]
    found = Fit(ALONE).fit(np.arange(20), ratings, Strength(0.3, 0.01))
    assert found.questions[0] > 0.7
    assert Fit(ALONE).fit(np.arange(20), ratings, Strength(0.3, inf)).questions[0] == 0.5


def test_fits_to_some_people_see_no_others() -> None:
    ratings = np.linspace(0, 1, 20)
    some = np.arange(8)
    whole = Fit(ALONE).fit(some, ratings[some], Strength(0.1, 0.1))
    part = Fit(Answered(ALONE.likeness, ALONE.nearness, ALONE.places[:, some])).fit(some, ratings[some], Strength(0.1, 0.1))
    assert np.array_equal(whole.levels, part.levels)
