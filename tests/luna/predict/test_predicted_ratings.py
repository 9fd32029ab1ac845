"""Predicted ratings with intervals that cover, their finding, and predictors in files."""

from __future__ import annotations

import base64
import contextlib
import json
import pickle
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpies

from tests.luna.predict.people import RIGHT_OF_PUPILS, made_people, pupils
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.luna.predict import predicted_ratings
from vivavoce.luna.predict.answers import PeopleTable, PersonAnswer, people_of
from vivavoce.luna.predict.predicted_ratings import (
    FOLDS,
    KIND,
    SavedPredictor,
    check_replaceable,
    ends,
    guesser,
    learn,
    left_out_errors,
    load,
    predict_ratings,
    save,
    with_intervals,
)
from vivavoce.luna.predict.predictor import FloatArray, MeanRating
from vivavoce.luna.predict.predictors import predictor


def test_errors_of_people_left_out_by_hand() -> None:
    """Five people in five folds: each is predicted by the mean of the other four."""
    ratings = [0.0, 0.1, 0.2, 0.4, 0.8]
    people = people_of([PersonAnswer(str(n), "q", "yes", rating) for n, rating in enumerate(ratings)])
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
    predictions = with_intervals(predictor("bow").fit(people), new.unrated(), errors, level=0.9)
    assert [prediction.person for prediction in predictions] == list(new.people)
    assert all(0 <= prediction.lower <= prediction.rating <= prediction.upper <= 1 for prediction in predictions)
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
        predictions = with_intervals(predictor("modern").fit(people), new.unrated(), errors, level=0.9)
        inside += [
            prediction.lower - 1e-12 <= new.ratings[prediction.person] <= prediction.upper + 1e-12 for prediction in predictions
        ]
    assert 0.85 < np.mean(inside) < 0.97


pytestmark = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")
TRAIN = pupils(30)


@pytest.fixture(scope="module")
def pupils_kept() -> SavedPredictor:
    return learn(TRAIN, "com")


def test_new_pupils_are_rated_near_their_mean_grades(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicted_ratings, "FOLDS", 2)
    new = pupils(30, seed=1)
    messages: list[str] = []
    ratings = predict_ratings(learn(TRAIN, on_progress=messages.append), new, source="new.csv")
    assert len(messages) == 2
    # a right answer is one of 13 texts, all seen in training: the mean grade can be told
    assert all(abs(prediction.rating - new.ratings[prediction.person]) < 0.05 for prediction in ratings.predictions)
    assert all(0 <= prediction.lower <= prediction.rating <= prediction.upper <= 1 for prediction in ratings.predictions)
    assert ratings.as_json()["figures"]["ratings"]["pupil 0"] == asdict(ratings.predictions[0])
    assert "30 people get ratings from 0" in ratings.statement
    assert len(ratings.caveats) == 2


def test_errors_are_those_of_people_left_out(pupils_kept: SavedPredictor) -> None:
    assert pupils_kept.about.errors == tuple(left_out_errors(TRAIN, "com", folds=FOLDS).tolist())
    assert (pupils_kept.about.people, pupils_kept.about.answered, pupils_kept.about.questions) == (
        30,
        5,
        tuple(RIGHT_OF_PUPILS),
    )


def test_grades_of_those_who_are_rated_are_not_looked_at(pupils_kept: SavedPredictor) -> None:
    new = pupils(5, seed=2)
    graded_badly = people_of(replace(answer, grade=0.0) for answer in new.answers)
    assert predict_ratings(pupils_kept, new).predictions == predict_ratings(pupils_kept, graded_badly).predictions


def test_unknown_questions_and_few_answers_are_told(pupils_kept: SavedPredictor) -> None:
    asked = people_of([PersonAnswer("ann", "2 + 2?", "4"), PersonAnswer("ann", "Why?", "So."), *pupils(1).unrated().answers])
    ratings = predict_ratings(pupils_kept, asked)
    assert (ratings.unknown, ratings.sparse) == (1, 1)
    assert "1 question is not among the 5" in ratings.caveats[2]
    assert "1 person has answered fewer" in ratings.caveats[3]
    with pytest.raises(BadInput, match="has answered none"):
        predict_ratings(pupils_kept, people_of([PersonAnswer("ann", "Why?", "So.")]))


def test_a_predictor_that_was_made_up_is_found_out(pupils_kept: SavedPredictor) -> None:
    class UndefinedRating(MeanRating):
        def predict(self, people: PeopleTable) -> FloatArray:
            return np.array([np.nan])

    with pytest.raises(BadInput, match="a rating of nan"):
        predict_ratings(SavedPredictor(UndefinedRating(), pupils_kept.about), pupils(1))


def test_too_few_people_to_leave_some_out_is_told_and_no_error() -> None:
    kept = learn(pupils(5), "bow")  # as few as a linear predictor learns from
    assert kept.about.errors == ()
    ratings = predict_ratings(kept, pupils(1, seed=3))
    assert (ratings.predictions[0].lower, ratings.predictions[0].upper) == (0.0, 1.0)
    assert "Its error is unknown" in ratings.statement
    assert len(learn(pupils(6), "bow").about.errors) == 6


def test_a_guess_in_a_game_where_the_questions_are_known(pupils_kept: SavedPredictor) -> None:
    guess, questions = guesser(pupils_kept), list(RIGHT_OF_PUPILS)
    high, low = guess(questions, [right[0] for right in RIGHT_OF_PUPILS.values()]), guess(questions, ["no idea"] * 5)
    assert high is not None
    assert low is not None
    assert 100 >= high > 80 > 20 > low >= 0
    table = pupils(1, seed=4)
    assert (
        guess(questions, [answer.text for answer in table.answers])
        == 100 * predict_ratings(pupils_kept, table).predictions[0].rating
    )
    # everybody learnt from had answered five of the questions; the order does not matter, nor do blanks around them
    assert guess([*questions[:4], "Why?"], ["4"] * 5) is None
    assert guess([f" {question} " for question in reversed(questions)], ["no idea"] * 5) == low
    assert guess([questions[0]] * 5, ["Paris"] * 5) is None


FEW_PUPILS, ASKED = pupils(20), pupils(12, seed=1).unrated()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("kept") / "model.json"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(predicted_ratings, "FOLDS", 2)
        save(learn(FEW_PUPILS, "modern"), file)
    return file


@pytest.mark.parametrize("name", ["constant", "ran", "bwo", "ced", "wcs", "bow", "big?fit=lasso", "nno", "com", "modern"])
def test_what_is_kept_predicts_exactly_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicted_ratings, "FOLDS", 2)  # fewer learn how far off it is
    learnt = learn(FEW_PUPILS, name, training="pupils.csv")
    save(learnt, tmp_path / "model.json")
    opened = load(tmp_path / "model.json")
    assert opened.about == learnt.about
    assert predict_ratings(opened, ASKED).predictions == predict_ratings(learnt, ASKED).predictions
    save(opened, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def refused(file: Path, changed: Any, words: str) -> None:
    file.write_text(json.dumps(changed))
    with pytest.raises(BadFile, match=words):
        load(file)


def test_what_was_tampered_with_is_refused(model: Path, tmp_path: Path) -> None:
    whole, file = json.loads(model.read_text()), tmp_path / "other.json"
    refused(file, [whole], "not a rating predictor")
    refused(file, whole | {"kind": "other"}, "not a rating predictor")
    refused(file, whole | {"format": 2}, "reads format 1")
    refused(file, whole | {"about": whole["about"] | {"name": "pickle"}}, "there is no predictor of ratings 'pickle'")
    refused(file, whole | {"about": whole["about"] | {"name": "bow"}}, "fit it again")
    refused(file, whole | {"about": whole["about"] | {"seed": -1}}, "invalid content: 'seed'")
    refused(file, whole | {"about": None}, "fit it again")
    refused(file, {name: value for name, value in whole.items() if name != "state"}, "fit it again")
    values: tuple[Any, ...] = (None, [], {}, "x", [None], [[]])
    for name in whole["state"]:
        for value in values:
            refused(file, whole | {"state": whole["state"] | {name: value}}, "fit it again")


def test_arrays_that_are_none(model: Path, tmp_path: Path) -> None:
    whole, file = json.loads(model.read_text()), tmp_path / "other.json"
    shares = whole["state"]["shares"]

    def with_shares(**other: Any) -> Any:
        return whole | {"state": whole["state"] | {"shares": shares | other}}

    nan = base64.b64encode(np.full(5, np.nan).tobytes()).decode()
    refused(file, with_shares(**{"array of": "|O"}), "an array of")
    refused(file, with_shares(**{"array of": "<f4"}), "has 40 bytes")
    refused(file, with_shares(shape=[1 << 60, 1 << 60]), "has 40 bytes")
    refused(file, with_shares(shape=[-5, -1]), "has 40 bytes")
    refused(file, with_shares(shape=[1] * 40), "dimensions")
    refused(file, with_shares(base64=nan), "not finite")
    refused(file, with_shares(base64="!"), "fit it again")
    refused(file, with_shares(base64=None), "fit it again")
    deep: Any = 1
    for _ in range(20):
        deep = [deep]
    refused(file, whole | {"state": deep}, "more than 12 levels")


def test_no_pickle_is_opened(tmp_path: Path) -> None:
    file, path = tmp_path / "model.json", tmp_path / "told"
    file.write_bytes(pickle.dumps(_Trap(str(path))))
    with pytest.raises(BadFile, match="not JSON"):
        load(file)
    assert not path.exists()
    file.write_text("[" * 100_000)
    with pytest.raises(BadFile, match="not JSON"):
        load(file)
    file.write_text(f'{{"kind": "{KIND}", "format": NaN}}')
    with pytest.raises(BadFile, match="not JSON"):
        load(file)


class _Trap:
    def __init__(self, file: str) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.file),)


def test_size_is_bounded(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicted_ratings, "LARGEST", 100)
    with pytest.raises(BadFile, match="larger than"):
        load(model)


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damage_is_noticed_or_harmless(model: Path, tmp_path: Path, data: st.DataObject) -> None:
    text = bytearray(model.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    file = tmp_path / "damaged.json"
    file.write_bytes(text)
    with contextlib.suppress(BadInput):
        ratings = [prediction.rating for prediction in predict_ratings(load(file), ASKED).predictions]
        assert all(0 <= rating <= 1 for rating in ratings)


@given(numpies.arrays(st.sampled_from([np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_]), (2, 3)))
@settings(max_examples=30, deadline=None)
def test_arrays_come_back_exactly(array: Any) -> None:
    again = (
        predicted_ratings._read(json.loads(json.dumps(predicted_ratings._written({"x": [array]}))))["x"][0]
        if _finite(array)
        else array
    )
    assert again.dtype == array.dtype
    assert again.tobytes() == array.tobytes()


def _finite(array: Any) -> bool:
    return bool(np.isfinite(array).all())


def test_only_a_predictor_is_replaced(model: Path, tmp_path: Path) -> None:
    check_replaceable(model)
    check_replaceable(tmp_path / "new.json")
    (tmp_path / "empty").touch()
    check_replaceable(tmp_path / "empty")
    (tmp_path / "answers.csv").write_text("person,question\n")
    with pytest.raises(BadInput, match="is not a predictor"):
        check_replaceable(tmp_path / "answers.csv")
    with pytest.raises(BadFile, match="cannot be written: Is a directory"):
        check_replaceable(tmp_path)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be written"):
        save(learn(FEW_PUPILS, "constant"), tmp_path / "none" / "model.json")
    with pytest.raises(BadFile, match="cannot be read"):
        load(tmp_path / "none.json")
