"""Free text in three outcomes: right, wrong only where the answer is closed, else not gradable by rule."""

from __future__ import annotations

from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.interview.candidate import Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.scopes.free_text import texts_differ, why_wrong
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import grade

Kind = Literal["right", "wrong", "assumed", "open"]


def graded(reply: str, *accepted: str, text: str = "Which is it?", **settings: object) -> Kind:
    earned = grade(Question("q", text, accepted=accepted, **settings), Reply(reply))  # type: ignore[arg-type]
    if earned.assumed:
        assert (earned.score, earned.upper_score) == (0, 1)
        return "assumed"
    if earned.upper_score > earned.score:
        assert earned.outcome is Outcome.UNREADABLE
        assert earned.why
        return "open"
    return "right" if earned.score == 1 else "wrong"


@each_case(
    ("accepted", "reply", "kind"),
    [
        ("Paris", "Answer: Paris", "right"), ("Paris", "The city is in Europe.", "open"), ("Paris", "Answer: Lyon", "assumed"),
        ("Paris", "Answer: Lyon.", "assumed"), ("Paris", "Lyon", "open"), ("Paris", "Answer: Paris? No, Lyon.", "open"),
        ("Paris", "Answer: the city of light by the Seine", "open"), ("Paris", "Answer: somewhere else", "assumed"),
        ("Netherlands", "Answer: Holland", "open"), ("Wolfgang Amadeus Mozart", "Answer: W. A. Mozart", "open"),
        ("United States of America", "Answer: USA", "open"), ("United Nations", "Answer: UN", "open"),
        ("Tchaikovsky", "Answer: Chaikovski", "open"), ("Peking", "Answer: 北京", "open"), ("Moscow", "Answer: Москва", "open"),
        ("carbon dioxide", "Answer: CO2", "open"), ("Köln", "Answer: Koeln", "right"), ("Köln", "Answer: Köln-Deutz", "open"),
        ("14 days", "Answer: 14 days", "right"), ("14 days", "14 days from delivery.", "right"),
        ("14 days", "Answer: 30 days", "wrong"), ("14 days", "Answer: two weeks", "open"), ("14 days",
        "Answer: 14 working days", "open"),
        ("14 days", "Answer: 2 weeks", "open"), ("9.90 €", "Answer: 4.90 €", "wrong"),
        ("yes", "No, you may not.", "wrong"), ("no", "Yes, of course.", "wrong"), ("yes", "Certainly.", "open"),
        ("yes", "Answer: Maybe", "open"), ("yes", "Answer: Lyon", "open"), ("no", "Nein.", "right"),
        ("because the axis is tilted towards the sun", "Answer: Axial tilt", "open"),
        ("Paris", "Blorp trund fliss gack wuss mip.", "wrong"), ("Paris", "Blorp trund.", "open"),
        ("Paris", "nitrogen, oxygen, argon, water vapour, neon, helium", "open"), ("Paris",
        "I have no opinion on that at all.", "open"),
        ("Paris", "Answer: I don't know", "wrong"), ("Paris", "Answer: none of them", "open"), ("Paris", "Answer: see above",
        "open"),
    ],
)  # fmt: skip
def test_three_outcomes(accepted: str, reply: str, kind: Kind) -> None:
    assert graded(reply, accepted) == kind


def test_a_rule_of_the_users_own_decides_everything() -> None:
    for reply in ("Answer: Holland", "The city is in Europe.", "Answer: Lyon"):
        assert graded(reply, "Netherlands", match="exact") == "wrong"
        assert graded(reply, "Netherlands", match="contains") == "wrong"
    assert graded("They call it the Netherlands there.", "Netherlands", match="contains") == "right"
    assert graded("They call it the Netherlands there.", "Netherlands", match="exact") == "wrong"


def test_listed_and_closed_answers_are_wrong_for_sure() -> None:
    assert graded("It is Lyon, of course.", "Paris", scores=(("Lyon", 0.0),)) == "wrong"
    assert graded("It is Lyon, of course.", "Paris", unacceptable=("Lyon",)) == "wrong"
    assert graded("It is Lyon, of course.", "Paris", closed=("Paris", "Lyon", "Nice")) == "wrong"
    assert graded("It is Lille, of course.", "Paris", closed=("Paris", "Lyon", "Nice")) == "open"
    assert graded("It is Lyon, not Paris.", "Paris", closed=("Paris", "Lyon", "Nice")) == "wrong"
    assert graded("It is Paris, not Lyon.", "Paris", closed=("Paris", "Lyon", "Nice")) == "right"


def test_what_is_closed_enters_the_digest() -> None:
    entry, other = (Question("q", "?", accepted=("a",), closed=closed).as_json() for closed in (("a", "b"), ("a", "c")))
    assert entry["closed"] != other["closed"]
    assert "closed" not in Question("q", "?", accepted=("a",)).as_json()


@given(number=st.integers(0, 10**6), other=st.integers(0, 10**6), unit=st.sampled_from(["days", "km", "€", "apples"]))
def test_numbers_with_a_unit_are_of_one_kind(number: int, other: int, unit: str) -> None:
    expected: Kind = "right" if number == other else "wrong"
    assert graded(f"Answer: {other} {unit}", f"{number} {unit}") == expected
    assert graded(f"Answer: at least {other} {unit}", f"{number} {unit}") != expected or expected == "wrong"


@given(name=st.sampled_from(["Lyon", "Vienna", "Marie Curie", "Oslo"]), accepted=st.sampled_from(["Paris", "Graz", "Tokyo"]))
def test_a_short_name_is_wrong_by_assumption_and_only_in_the_form(name: str, accepted: str) -> None:
    assert graded(f"Well.\nAnswer: {name}", accepted) == "assumed"
    assert graded(f"Well, {name} comes to mind when I think of it.", accepted) == "open"
    assert why_wrong(name, [accepted], in_form=False) is None


@each_case(
    ("first", "other", "differ"),
    [
        ("Paris", "paris.", False), ("Paris", "Lyon", True), ("yes", "Ja", False), ("yes", "no", True), ("14 days",
        "30 days", True),
        ("You may return it.", "It can be sent back.", None), ("Paris", "It is a city by the Seine.", None),
        ("Holland", "Netherlands", None), ("14 days", "two weeks", None),
    ],
)  # fmt: skip
def test_two_texts_differ_only_if_both_are_closed(first: str, other: str, differ: bool | None) -> None:
    assert texts_differ(first, other) is differ
    assert texts_differ(other, first) is differ


def test_two_spellings_of_what_is_right_are_one_answer() -> None:
    assert texts_differ("Holland", "Netherlands", ["Netherlands", "Holland"]) is False
