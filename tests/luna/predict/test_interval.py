"""Intervals of predicted ratings."""

from __future__ import annotations

import numpy as np
import pytest

from tests.luna.predict.made_people import made_people
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.luna.predict.answers import Answer, people_of
from vivavoce.luna.predict.predicted_ratings import ends, left_out_errors, with_intervals
from vivavoce.luna.predict.predictors import predictor


def test_errors_of_people_left_out_by_hand() -> None:
    """Five people in five folds: each is predicted by the mean of the other four."""
    ratings = [0.0, 0.1, 0.2, 0.4, 0.8]
    people = people_of([Answer(str(n), "q", "yes", rating) for n, rating in enumerate(ratings)])
    by_hand = sorted(rating - (1.5 - rating) / 4 for rating in ratings)
    assert left_out_errors(people, "constant", folds=5).tolist() == pytest.approx(by_hand)
    with pytest.raises(NotEnoughEvidence, match="5 people in 6 folds"):
        left_out_errors(people, "constant", folds=6)


def test_ends_are_the_ranks_of_a_new_one_among_all() -> None:
    """Of 19 errors and a new one, all ranks are equally likely: between the 1st and the 19th lie 18 of 20 places, 90%."""
    errors = np.arange(19.0)
    assert ends(errors, level=0.9) == (0.0, 18.0)
    assert ends(errors, level=0.8) == (1.0, 17.0)
    assert ends(errors, level=0.95) == (-np.inf, np.inf)
    assert ends([], level=0.5) == (-np.inf, np.inf)


def test_ends_cover_as_often_as_they_say() -> None:
    """10,000 draws of 49 errors and a new one; the binomial's standard deviation is .4% at 80%."""
    draws = np.random.default_rng(1).standard_t(2, size=(10_000, 50))
    inside = [low <= new <= high for *known, new in draws for low, high in (ends(known, level=0.8),)]
    assert np.mean(inside) == pytest.approx(0.8, abs=0.016)


def test_intervals_stay_on_the_scale_and_hold_the_rating() -> None:
    people, new = made_people(40), made_people(40, seed=8)
    errors = left_out_errors(people, "bow", folds=4)
    found = with_intervals(predictor("bow").fit(people), new.unrated(), errors, level=0.9)
    assert [one.person for one in found] == list(new.people)
    assert all(0 <= one.lower <= one.rating <= one.upper <= 1 for one in found)
    wide = with_intervals(predictor("bow").fit(people), new.unrated(), [0.1], level=0.9)
    assert (wide[0].lower, wide[0].upper) == (0.0, 1.0)
    with pytest.raises(BadInput, match="a level of 1"):
        with_intervals(predictor("bow").fit(people), new.unrated(), errors, level=1)


@pytest.mark.slow
def test_people_not_seen_lie_inside_about_as_often_as_said() -> None:
    inside = []
    for seed in range(10):
        people, new = made_people(60, seed=seed), made_people(60, seed=1000 + seed)
        errors = left_out_errors(people, "modern", folds=5)
        found = with_intervals(predictor("modern").fit(people), new.unrated(), errors, level=0.9)
        inside += [one.lower - 1e-12 <= new.ratings[one.person] <= one.upper + 1e-12 for one in found]
    assert 0.85 < np.mean(inside) < 0.97
