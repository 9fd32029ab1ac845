"""Arms are drawn in balanced blocks by the seed; their differences are Welch's, of means of participants."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from tests.generalization.survey.simulated_arms import EFFECTS, simulated_survey, true_difference
from vivavoce.errors import BadInput
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.survey.arm_effects import MEASURES, arm_figures, compare_arms, difference
from vivavoce.generalization.survey.plan import Arm, checked_arms, drawn_arm
from vivavoce.generalization.survey.responses import SurveyResponse

NAMES = ("plain", "explanation", "card", "answers:3")


def said(
    person: str, arm: str, prior: float, posterior: float, *, right: bool = True, second: bool | None = None
) -> SurveyResponse:
    return SurveyResponse(
        BeliefPair("q", "z", "a", "b", right, prior=prior, posterior=posterior, person=person), arm, second_correct=second
    )


@given(st.integers(0, 2**32), st.integers(0, 50))
def test_each_block_holds_every_arm_once(seed: int, block: int) -> None:
    drawn = [drawn_arm(NAMES, seed, len(NAMES) * block + index) for index in range(len(NAMES))]
    assert sorted(drawn) == sorted(NAMES)


def test_every_order_of_arms_is_drawn_about_as_often() -> None:
    names = ("plain", "card", "confidence")
    orders = Counter(tuple(drawn_arm(names, seed, index) for index in range(3)) for seed in range(3_000))
    assert len(orders) == 6
    # 500 expected of each: more than 100 off is 4.9 standard deviations
    assert all(abs(number - 500) < 100 for number in orders.values())


def test_arms_do_not_hang_on_the_order_in_which_they_are_declared() -> None:
    assert [drawn_arm(NAMES, 1, n) for n in range(8)] == [drawn_arm(NAMES[::-1], 1, n) for n in range(8)]
    assert drawn_arm((), 1, 0) == ""


@pytest.mark.parametrize("names", [("plain",), ("plain", "plain"), ("plain", "nothing"), ("plain", "answers:1"), NAMES * 3])
def test_arms_that_are_none_are_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(BadInput):
        checked_arms(names)
    assert Arm.named("answers:5").answers == 5


def test_a_difference_is_welch_s() -> None:
    rng = np.random.default_rng(1)
    values, other = rng.uniform(0, 1, 17), rng.uniform(0.2, 0.5, 40)
    estimate, expected = difference(values, other), ttest_ind(values, other, equal_var=False).confidence_interval(0.95)
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((expected.low, expected.high))
    assert estimate.value == pytest.approx(values.mean() - other.mean())
    assert estimate.n == 57


def test_agreement_is_no_certainty() -> None:
    estimate = difference(np.zeros(10), np.zeros(10))
    # an event never seen in 10 has a share of up to .3085 (Clopper and Pearson): joined, the ends lie that far off
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((-0.3085, 0.3085), abs=1e-4)
    assert difference(np.array([]), np.ones(3)).value is None


def test_participants_count_once_however_many_pairs_they_answered() -> None:
    answers = [said("a", "plain", 0.5, 0.5)] * 9 + [said("b", "plain", 0.5, 0.7)]
    answers += [said("c", "card", 0.6, 0.9), said("d", "card", 0.6, 0.8)]
    plain, card = arm_figures(answers)
    assert (plain.arm, plain.people, plain.answers) == ("plain", 2, 10)
    assert plain.means["change"].value == pytest.approx(0.1)  # not .02, as over answers
    assert card.differences["change"].value == pytest.approx(0.25 - 0.1)
    assert card.differences["before"].value == pytest.approx(0.1)


def test_misplaced_trust_is_a_rise_after_a_right_answer_where_the_second_is_wrong() -> None:
    kinds = [
        (said("a", "plain", 0.5, 0.6, second=False), True),
        (said("a", "plain", 0.5, 0.6, second=True), False),
        (said("a", "plain", 0.5, 0.5, second=False), False),
        (said("a", "plain", 0.5, 0.6, right=False, second=False), False),
        (said("a", "plain", 0.5, 0.6), None),
    ]
    assert [response.misplaced for response, _ in kinds] == [expected for _, expected in kinds]
    figures = arm_figures([response for response, _ in kinds] + [said("b", "card", 0.5, 0.6, second=False)])
    assert figures[0].means["misplaced_trust"].value == 1 / 4  # of those of which it is known


def test_the_reference_is_plain_or_the_one_that_is_named() -> None:
    answers = [said(str(n), arm, 0.5, 0.6 + n / 100) for n, arm in enumerate(("card", "plain", "answers:2") * 2)]
    assert arm_figures(answers)[0].arm == "plain"
    assert [figures.arm for figures in arm_figures(answers, "card")] == ["card", "answers:2", "plain"]
    with pytest.raises(BadInput, match="unknown arm 'explanation'"):
        arm_figures(answers, "explanation")
    with pytest.raises(BadInput, match="one arm in these answers"):
        arm_figures(answers[:1])


def test_nobody_is_left_out_for_a_flag() -> None:
    rng = np.random.default_rng(3)
    answers = simulated_survey(24, rng)
    flagged = [
        SurveyResponse(response.pair, response.arm, second_correct=response.second_correct, flags=frozenset({"pasted"}))
        if response.pair.person in ("p0", "p1")
        else response
        for response in answers
    ]
    plain, marked = compare_arms(answers, source="s"), compare_arms(flagged, source="s")
    assert plain.unflagged == ()
    assert [figures.differences for figures in plain.arms] == [figures.differences for figures in marked.arms]
    assert sum(figures.people for figures in marked.unflagged) == 22
    assert any("2 participants are flagged" in caveat for caveat in marked.caveats)
    as_json = marked.as_json()
    assert as_json["figures"]["without_flagged"]["plain"]["people"] <= as_json["figures"]["arms"]["plain"]["people"]
    assert "Without flagged participants" in str(marked.report())


@pytest.mark.long
def test_synthetic_participants_have_the_effects_that_they_are_said_to_have() -> None:
    figures = arm_figures(simulated_survey(8_000, np.random.default_rng(5)))
    for figure in figures[1:]:
        for measure in MEASURES:
            assert figure.differences[measure].value == pytest.approx(true_difference(EFFECTS[figure.arm], measure), abs=0.01)
