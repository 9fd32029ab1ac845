"""Tables of answers: what is refused, and what parts of one are."""

from __future__ import annotations

import pickle

import pytest

from vivavoce.errors import BadInput
from vivavoce.luna.predict.answers import PeopleTable, PersonAnswer, people_of

ANN = (PersonAnswer("Ann", "1", "yes", 1.0), PersonAnswer("Ann", "2", "no", 0.5))
BOB = (PersonAnswer("Bob", "2", "yes", 0.0),)


def test_a_rating_is_the_mean_grade() -> None:
    table = people_of((*ANN, *BOB))
    assert table.ratings == {"Ann": 0.75, "Bob": 0.0}
    assert table.graded
    assert table.people == ("Ann", "Bob")
    assert table.questions == ("1", "2")
    assert table.of("Ann") == ANN


def test_parts_keep_the_order_and_the_ratings() -> None:
    table = people_of((*ANN, *BOB))
    assert table.only(["Bob"]) == PeopleTable(BOB, {"Bob": 0.0})
    assert table.only(["Bob", "Ann"]) == table
    assert table.unrated().ratings == {}
    assert not table.unrated().graded
    assert table.without_grades() == people_of(
        [PersonAnswer("Ann", "1", "yes"), PersonAnswer("Ann", "2", "no"), PersonAnswer("Bob", "2", "yes")],
        {"Ann": 0.75, "Bob": 0.0},
    )


def test_other_processes_can_have_it() -> None:
    table = people_of((*ANN, *BOB))
    again = pickle.loads(pickle.dumps(table))
    assert again == table
    assert again.of("Bob") == BOB


@pytest.mark.parametrize(
    ("answers", "ratings", "words"),
    [
        ((), None, "there are no answers"),
        ((*ANN, ANN[0]), None, "Ann answers 1 2 times"),
        ((*ANN, PersonAnswer("Bob", "2", "yes")), None, "2 of 3 answers have a grade"),
        (ANN, {"Ann": 0.5}, "grades and ratings"),
        ((PersonAnswer("Ann", "1", "yes", 1.5),), None, "a grade of Ann is 1.5"),
        ((PersonAnswer("Ann", "1", "yes"),), {"Ann": float("nan")}, "a rating of Ann is nan"),
        ((PersonAnswer("Ann", "1", "yes"),), {}, "Ann has no rating"),
        ((PersonAnswer("Ann", "1", "yes"),), {"Ann": 0.5, "Bob": 0.5}, "Bob, who has no answers"),
    ],
)
def test_what_is_no_table_is_refused(answers: tuple[PersonAnswer, ...], ratings: dict[str, float] | None, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        people_of(answers, ratings)
