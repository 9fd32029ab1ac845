"""How a respondent goes through a survey, whatever forms are sent, and in whatever order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadInput
from vivavoce.generalization.survey.plan import (
    CHECK_QUESTIONS,
    OVER,
    CompletionCodes,
    RespondentProgress,
    SurveyCard,
    SurveyPlan,
    SurveyStep,
    after_after,
    after_before,
    after_checks,
    after_consent,
    after_withdrawal,
    checked_belief,
    checked_cards,
)

PLAN = SurveyPlan("trust", "What do you expect?", CompletionCodes("D1", "F1", "W1"), pairs_each=3)
CARD = SurveyCard(1, "2 + 2?", "3 + 4?", "sums", "sums", "5", previous_correct=False)
RIGHT = {check.id: check.right for check in CHECK_QUESTIONS}

PLACES = st.integers(-1, 5)
EVENTS = st.lists(
    st.one_of(
        st.just(("agree", 0)),
        st.tuples(st.sampled_from(["pass", "fail"]), st.just(0)),
        st.tuples(st.sampled_from(["before", "after"]), PLACES),
        st.just(("next", 0)),  # what the page in front of the respondent would send
        *[st.just(("next", 0))] * 3,
        st.just(("withdraw", 0)),
    ),
    max_size=40,
)


def sent(progress: RespondentProgress, event: str, number: int) -> tuple[RespondentProgress, str]:
    """The progress after a form, and what was saved of it: `before`, `after` or nothing."""
    if event == "next":
        event, number = {
            SurveyStep.CONSENT: ("agree", 0),
            SurveyStep.CHECKS: ("pass", 0),
            SurveyStep.BEFORE: ("before", progress.place),
            SurveyStep.AFTER: ("after", progress.place),
        }.get(progress.step, ("agree", 0))
    match event:
        case "agree":
            after = after_consent(progress)
        case "pass" | "fail":
            after = after_checks(progress, RIGHT if event == "pass" else {})
        case "before":
            after = after_before(progress, number)
        case "after":
            after = after_after(progress, number, PLAN)
        case _:
            after = after_withdrawal(progress)
    return after, event if after != progress and event in ("before", "after") else ""


@given(EVENTS)
def test_no_order_of_forms_loses_or_doubles_an_answer(events: list[tuple[str, int]]) -> None:
    progress, kept = RespondentProgress(), list[tuple[str, int]]()
    for event, index in events:
        after, text = sent(progress, event, index)
        if text:
            assert progress.step not in OVER
            assert (text, progress.place) not in kept
            kept.append((text, progress.place))
        if event != "withdraw":
            assert after.place >= progress.place
            assert progress.step not in OVER or after == progress
            assert after.tries - progress.tries in (0, 1)
        assert after.step is not SurveyStep.FAILED or after.tries == 2
        progress = after
    # pairs are answered one after the other, each first before and then after
    whole = [(text, index) for index in (1, 2, 3) for text in ("before", "after")]
    assert kept == whole[: len(kept)]
    if progress.step is SurveyStep.DONE:
        assert kept == whole
    if progress.step in (SurveyStep.BEFORE, SurveyStep.AFTER):
        assert len(kept) == 2 * (progress.place - 1) + (progress.step is SurveyStep.AFTER)


@given(EVENTS)
def test_after_withdrawal_nothing_changes_any_more(events: list[tuple[str, int]]) -> None:
    progress = after_withdrawal(RespondentProgress(SurveyStep.AFTER, 2, 1))
    assert progress == RespondentProgress(SurveyStep.WITHDRAWN, 0, 0)
    for event, index in events:
        assert sent(progress, event, index) == (progress, "")


def test_two_tries() -> None:
    wrong = RIGHT | {CHECK_QUESTIONS[1].id: "higher"}
    first = after_checks(RespondentProgress(SurveyStep.CHECKS), wrong)
    assert first == RespondentProgress(SurveyStep.CHECKS, 0, 1)
    assert after_checks(first, RIGHT) == RespondentProgress(SurveyStep.BEFORE, 1, 1)
    assert after_checks(first, {"number": "\x00", "rubbish": "theirs"}) == RespondentProgress(SurveyStep.FAILED, 0, 2)


def test_each_check_has_one_right_option_and_the_options_differ() -> None:
    assert len(CHECK_QUESTIONS) == 2
    for check in CHECK_QUESTIONS:
        assert check.right in check.options
        assert len(set(check.options.values())) == len(check.options) == 3


@each_case(
    ("changes", "problem"),
    [
        ({"slug": ""}, "name"),
        ({"slug": "a" * 41}, "name"),
        ({"slug": "../../etc"}, "name"),
        ({"slug": "trust\n"}, "name"),
        ({"title": " "}, "title"),
        ({"title": "two\nlines"}, "title"),
        ({"pairs_each": 0}, "pairs"),
        ({"pairs_each": 101}, "pairs"),
        ({"answers_each": 0}, "answers"),
        ({"told": "nothing"}, "told"),
        ({"contact": "x" * 201}, "contact"),
        ({"return_url": "http://a.example"}, "https"),
        ({"return_url": "javascript:alert(1)"}, "https"),
        ({"return_url": "https://"}, "https"),
        ({"return_url": "https://a.example/\r\nx"}, "https"),
        ({"return_url": "https://me:pw@a.example/"}, "https"),
        ({"return_url": "https://[a"}, "https"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        replace(PLAN, **changes)


def test_codes_must_differ_and_be_plain() -> None:
    with pytest.raises(BadInput, match="codes are equal"):
        CompletionCodes("A", "B", "A")
    with pytest.raises(BadInput, match="failed"):
        CompletionCodes("A", "B&cc=A", "C")
    with pytest.raises(BadInput, match="not ended"):
        CompletionCodes("A", "B", "C").of(SurveyStep.AFTER)


def test_a_return_address_keeps_what_it_had() -> None:
    plan = replace(PLAN, return_url="https://a.example/done?study=1&x=")
    assert plan.return_address(SurveyStep.FAILED) == "https://a.example/done?study=1&x=&cc=F1"
    assert PLAN.return_address(SurveyStep.DONE) is None


@each_case("kept", [{}, {"codes": {}}, {"codes": 3}, {"slug": "a", "title": "b", "codes": {"done": "x"}}])
def test_what_is_no_plan_is_said(kept: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="not a plan"):
        SurveyPlan.from_json(kept)


@each_case("belief", [-0.01, 1.01, float("nan"), float("inf")])
def test_what_is_no_belief_is_refused(belief: float) -> None:
    with pytest.raises(BadInput, match="0 to 1"):
        checked_belief(belief)


@each_case(
    "changes", [{"q1": " "}, {"q2": ""}, {"shown": "x" * 20_001}, {"weight": 0.0}, {"weight": float("nan")}, {"by": "dog"}]
)
def test_a_card_that_cannot_be_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        replace(CARD, **changes)


def test_cards_have_to_fit_the_plan() -> None:
    cards = [replace(CARD, number=number) for number in (1, 2, 3)]
    assert checked_cards(cards, PLAN) == tuple(cards)
    with pytest.raises(BadInput, match="2 cards"):
        checked_cards(cards[:2], PLAN)
    with pytest.raises(BadInput, match="same number"):
        checked_cards([*cards, CARD], PLAN)


def test_nobody_is_told_that_a_person_is_a_machine() -> None:
    cards = [replace(CARD, number=1, by="person"), *(replace(CARD, number=number) for number in (2, 3))]
    with pytest.raises(BadInput, match="1 of the 3 shown answers are by people"):
        checked_cards(cards, PLAN)
    assert checked_cards(cards, replace(PLAN, told="either"))
