"""Difficulty and discrimination of questions as features: by hand, from the training part alone, and where they are of use."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.luna.predict.made_people import made_people
from vivavoce.luna.predict.answers import Answer, People, people_of
from vivavoce.luna.predict.comparison import errors_of, splits_of
from vivavoce.luna.predict.features import Items, grade_sheet
from vivavoce.luna.predict.predictor import targets
from vivavoce.luna.predict.predictors import predictor
from vivavoce.luna.settings import SplitsConfig

NAMES = ("items", "com?items=yes", "bow?items=yes", "fwo?items=yes")


def test_difficulty_and_discrimination_are_the_textbook_s() -> None:
    rng = np.random.default_rng(0)
    grades = (rng.random((40, 5)) < rng.random((40, 1))).astype(float)
    sheet = [["right" if one else "wrong" for one in column] for column in grades.T.tolist()]
    found = Items().fit_to(sheet, grades.mean(axis=1), (("right",),) * 5, grades)
    for place in range(5):
        others = np.delete(grades, place, axis=1).sum(axis=1)  # corrected item-rest, by hand
        assert found.difficulty[place] == pytest.approx(grades[:, place].mean())
        assert found.discrimination[place] == pytest.approx(np.corrcoef(grades[:, place], others)[0, 1])
    weights = np.maximum(found.discrimination, 0) / np.maximum(found.discrimination, 0).sum()
    columns = found.columns(sheet)
    assert columns[:, 2] == pytest.approx(grades @ weights)
    assert columns[:, 3] == pytest.approx((grades - found.difficulty) @ weights)
    assert columns[:, 0] == pytest.approx(np.full(40, np.mean(found.difficulty)))


def test_what_a_person_was_asked_counts_where_people_were_asked_different_things() -> None:
    easy, hard = (("yes",),) * 2
    items = Items((easy, hard), (0.9, 0.1), (0.5, 0.5))
    columns = items.columns([["yes", "", ""], ["", "yes", ""]])
    assert columns[:, 0].tolist() == [0.9, 0.1, 0.0]
    # to be right where it is hard says more
    assert columns[:, 3] == pytest.approx([0.1, 0.9, 0.0])


def test_a_left_out_question_is_no_wrong_answer() -> None:
    people = people_of([*(Answer(f"p{n}", "1", "yes", n % 2) for n in range(20)), Answer("p0", "2", "no", 1.0)])
    grades = grade_sheet(people)
    assert grades is not None
    assert np.isnan(grades[1:, 1]).all()
    found = Items().fit_to([["yes"] * 20, ["no"] + [""] * 19], targets(people), (("yes",), ("no",)), grades)
    assert found.difficulty == (0.5, 1.0)
    assert found.discrimination == (0.0, 0.0)  # nobody has enough other grades: nothing is known of either


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_those_to_be_rated_is_learnt(name: str) -> None:
    people = made_people(40)
    split = splits_of(people, SplitsConfig(2))[0]
    learn, test = people.only(split.learn), people.only(split.test)
    spoilt = [replace(one, grade=1 - (one.grade or 0), text=f"nonsense {one.text}") for one in test.answers]
    spoiled = people_of([*learn.answers, *spoilt])
    fitted, again = predictor(name).fit(learn), predictor(name).fit(spoiled.only(split.learn))
    assert np.array_equal(fitted.predict(test.unrated()), again.predict(test.unrated()))
    assert repr(fitted.state()) == repr(again.state())
    # nor does the answer of one person to be rated depend on who else is
    alone = test.only(test.people[:1]).unrated()
    assert fitted.predict(alone)[0] == pytest.approx(fitted.predict(test.unrated())[0])


def turned(people: People, of: tuple[str, ...]) -> People:
    """The same ratings, but these persons' grades stand at other questions."""
    grades = {person: [one.grade for one in people.of(person)] for person in of}
    answers = [replace(one, grade=grades[one.person].pop()) if one.person in grades else one for one in people.answers]
    return people_of(answers)


@pytest.mark.parametrize("name", NAMES)
def test_a_comparison_learns_about_questions_from_one_side_of_the_split(name: str) -> None:
    people = made_people(40)
    split = splits_of(people, SplitsConfig(2))[0]
    [found] = errors_of(people, [split], [name])
    assert list(errors_of(turned(people, split.test), [split], [name])) == [found]
    assert list(errors_of(turned(people, split.learn), [split], [name])) != [found]


def test_where_ratings_are_noise_nothing_is_predicted() -> None:
    rng = np.random.default_rng(4)
    correlations = []
    for seed in range(12):
        made = made_people(60, seed=seed)
        noise = {person: float(rng.random()) for person in made.people}
        people = People(made.without_grades().answers, noise)
        split = splits_of(people, SplitsConfig(2, seed=seed))[0]
        found = predictor("items").fit(people.only(split.learn)).predict(people.only(split.test).unrated())
        correlations.append(np.corrcoef(found, targets(people.only(split.test)))[0, 1] if np.ptp(found) else 0.0)
    # a leak would lift all of them; the mean of twelve correlations of 12 people has a standard error of about .09
    assert abs(np.mean(correlations)) < 0.27


def test_it_helps_where_questions_differ_from_person_to_person() -> None:
    rng = np.random.default_rng(6)
    answers, ratings = [], {}
    for person in range(120):
        skill = rng.random()
        ratings[f"p{person}"] = float(skill)
        for question in rng.choice(12, 4, replace=False):
            right = rng.random() < 1 / (1 + np.exp(-8 * (skill - question / 11)))
            answers.append(Answer(f"p{person}", f"q{question}", f"right {question}" if right else f"wrong{rng.integers(99)}"))
    key = {f"q{question}": (f"right {question}",) for question in range(12)}
    people = People(tuple(answers), ratings, key)
    errors: dict[str, list[float]] = {"items": [], "cbg": []}
    for split in splits_of(people, SplitsConfig(8)):
        for name, found in errors.items():
            learn, test = people.only(split.learn), people.only(split.test)
            off = predictor(name).fit(learn).predict(test.unrated()) - targets(test)
            found.append(float(np.sqrt((off**2).mean())))
    assert np.mean(errors["items"]) < 0.8 * np.mean(errors["cbg"])


@given(st.lists(st.lists(st.sampled_from(["", "yes", "no", "?"]), min_size=3, max_size=3), min_size=1, max_size=12))
def test_any_sheet_gives_finite_columns(rows: list[list[str]]) -> None:
    sheet = [list(column) for column in zip(*rows, strict=True)]
    fitted = Items().fit(sheet, np.linspace(0, 1, len(rows)), (("yes",), (), ("no",)))
    assert np.isfinite(fitted.columns(sheet)).all()
