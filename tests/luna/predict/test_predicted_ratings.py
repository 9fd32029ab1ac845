"""What was learnt is applied: ratings with intervals, what is left out is told, and guesses in a game."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.luna.predict.pupils import RIGHT, pupils
from vivavoce.errors import BadInput
from vivavoce.luna.predict.answers import Answer, People, people_of
from vivavoce.luna.predict.model_store import Kept
from vivavoce.luna.predict.predicted_ratings import FOLDS, guesser, learn, left_out_errors, predict_ratings
from vivavoce.luna.predict.predictor import Constant, FloatArray

pytest.importorskip("sklearn")
TRAIN = pupils(30)


@pytest.fixture(scope="module")
def pupils_kept() -> Kept:
    return learn(TRAIN, "com")


def test_new_pupils_are_rated_near_their_mean_grades() -> None:
    new = pupils(30, seed=1)
    told: list[str] = []
    found = predict_ratings(learn(TRAIN, on_progress=told.append), new, source="new.csv")
    assert len(told) == 2
    # a right answer is one of 13 texts, all seen in training: the mean grade can be told
    assert all(abs(one.rating - new.ratings[one.person]) < 0.05 for one in found.predictions)
    assert all(0 <= one.lower <= one.rating <= one.upper <= 1 for one in found.predictions)
    assert found.as_json()["figures"]["ratings"]["pupil 0"] == found.predictions[0].as_json()
    assert "30 people are given ratings from 0" in found.statement
    assert len(found.caveats) == 2


def test_errors_are_those_of_people_left_out(pupils_kept: Kept) -> None:
    assert pupils_kept.about.errors == tuple(left_out_errors(TRAIN, "com", folds=FOLDS).tolist())
    assert (pupils_kept.about.people, pupils_kept.about.answered, pupils_kept.about.questions) == (30, 5, tuple(RIGHT))


def test_grades_of_those_who_are_rated_are_not_looked_at(pupils_kept: Kept) -> None:
    new = pupils(5, seed=2)
    graded_badly = people_of(replace(one, grade=0.0) for one in new.answers)
    assert predict_ratings(pupils_kept, new).predictions == predict_ratings(pupils_kept, graded_badly).predictions


def test_unknown_questions_and_few_answers_are_told(pupils_kept: Kept) -> None:
    asked = people_of([Answer("ann", "2 + 2?", "4"), Answer("ann", "Why?", "So."), *pupils(1).unrated().answers])
    found = predict_ratings(pupils_kept, asked)
    assert (found.unknown, found.sparse) == (1, 1)
    assert "1 question is not among the 5" in found.caveats[2]
    assert "1 person has answered fewer" in found.caveats[3]
    with pytest.raises(BadInput, match="has answered none"):
        predict_ratings(pupils_kept, people_of([Answer("ann", "Why?", "So.")]))


def test_a_predictor_that_was_made_up_is_found_out(pupils_kept: Kept) -> None:
    class MadeUp(Constant):
        def predict(self, people: People) -> FloatArray:
            return np.array([np.nan])

    with pytest.raises(BadInput, match="a rating of nan"):
        predict_ratings(Kept(MadeUp(), pupils_kept.about), pupils(1))


def test_too_few_people_to_leave_some_out_is_told_and_no_error() -> None:
    kept = learn(pupils(10))  # as few as the modern regressor learns from
    assert kept.about.errors == ()
    found = predict_ratings(kept, pupils(1, seed=3))
    assert (found.predictions[0].lower, found.predictions[0].upper) == (0.0, 1.0)
    assert "Its error is not known" in found.statement
    assert len(learn(pupils(12)).about.errors) == 12


def test_a_guess_in_a_game_where_the_questions_are_known(pupils_kept: Kept) -> None:
    guess, questions = guesser(pupils_kept), list(RIGHT)
    high, low = guess(questions, [right[0] for right in RIGHT.values()]), guess(questions, ["no idea"] * 5)
    assert high is not None
    assert low is not None
    assert 100 >= high > 80 > 20 > low >= 0
    one = pupils(1, seed=4)
    assert (
        guess(questions, [answer.text for answer in one.answers])
        == 100 * predict_ratings(pupils_kept, one).predictions[0].rating
    )
    # everybody learnt from had answered five of the questions; the order does not matter, nor do blanks around them
    assert guess([*questions[:4], "Why?"], ["4"] * 5) is None
    assert guess([f" {question} " for question in reversed(questions)], ["no idea"] * 5) == low
    assert guess([questions[0]] * 5, ["Paris"] * 5) is None
