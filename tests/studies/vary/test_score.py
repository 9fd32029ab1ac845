"""Counting flips, by hand; and the certificate against the closed form of its e-process."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.studies.vary.planted import scope
from vivavoce.interview.candidate import Prompt
from vivavoce.statistics.confidence_sequences import rate_boundary
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.effects import Event, LimitTest, Rate, RateDifference, limit_test_of
from vivavoce.studies.scope_subjects import subjects_of
from vivavoce.studies.variations.kinds import Wording
from vivavoce.studies.variations.varied_question import AGAIN, VariedAnswers, VariedQuestion, WordingRequest, vary
from vivavoce.studies.vary import _case, _treatments

FLIPPED, SAME, UNKNOWN = True, False, None
CONFIG = VaryConfig(vary=("order",), variants=2)
CLUSTER = vary(subjects_of(scope(1), CONFIG), CONFIG)[0]


def alone(number: int) -> list[tuple[int]]:
    return [(n,) for n in range(number)]


def heard(*replies: str | None, again: str | None = "red", cluster: VariedQuestion = CLUSTER) -> VariedAnswers:
    """The answer to the question as it is, then to its variants."""
    kinds = ["", AGAIN, *["order"] * (len(replies) - 1)]
    answers = [replies[0], again, *replies[1:]]
    asked = (WordingRequest(kind, Wording("?"), Prompt("?")) for kind in kinds)
    return VariedAnswers(cluster, tuple(zip(asked, answers, strict=True)))


@each_case(
    ("answers", "outcome"),
    [
        (("red", "red", "red"), False),
        (("red", "RED", "red"), False),
        (("0.5", ".5", "0.50"), False),
        (("red", "red", "blue"), True),
        (("red", None, "blue"), True),
        ((None, "red", "blue"), True),  # two variants differ, so one of them differs from whatever was said
        (("red", None, "red"), None),
        ((None, "red", "red"), None),
        ((None, None, None), None),
    ],
)
def test_what_cannot_be_read_is_open_and_no_flip(answers: tuple[str | None, ...], outcome: Event) -> None:
    assert heard(*answers).flipped("order") is outcome
    assert heard(*answers, again=answers[0]).flipped(AGAIN) is (None if answers[0] is None else False)


@each_case("delta", [0.01, 0.05, 0.1])
@each_case("limit", [0.02, 0.05, 0.125, 0.5])
def test_the_bound_that_is_told_lies_on_the_side_of_the_verdict(limit: float, delta: float) -> None:
    verdicts = set()
    for n in (1, 15, 31, 64, 162, 300):
        for events in {0, n // 4, n}:
            test = LimitTest.of([True] * events + [False] * (n - events), alone(n), limit=limit, delta=delta)
            verdicts.add(test.verdict)
            if test.verdict == "undecided":
                continue
            side, _, bound = test.shown.rpartition(" ")
            number, value = float(bound.rstrip("%")) / 100, float(test.measured.rstrip("%")) / 100
            if test.verdict == "pass":
                assert (side, value <= number <= limit + 1e-9) == ("at most", True), test
            else:
                assert (side, value >= number >= limit - 1e-9) == ("above", True), test
    assert verdicts == {"pass", "fail", "undecided"}


@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=60))
def test_the_interval_holds_for_whatever_became_of_what_is_open(outcomes: list[Event]) -> None:
    n, flipped, maybe = len(outcomes), outcomes.count(True), sum(outcome is not False for outcome in outcomes)
    rate = Rate.of(outcomes, alone(n))
    assert (rate.least, rate.most) == (flipped / n, maybe / n)
    # Clopper and Pearson by scipy's beta distribution
    lower = 0.0 if flipped == 0 else scipy.stats.beta.ppf(0.025, flipped, n - flipped + 1)
    upper = 1.0 if maybe == n else scipy.stats.beta.ppf(0.975, maybe + 1, n - maybe)
    assert rate.interval.lower == pytest.approx(lower)
    assert rate.interval.upper == pytest.approx(upper)


def test_the_excess_by_hand() -> None:
    # 30 and 10 of 100: [.2124, .3998] and [.0490, .1762]
    rate = Rate.of([FLIPPED] * 30 + [SAME] * 70, alone(100))
    control = Rate.of([FLIPPED] * 10 + [SAME] * 90, alone(100))
    difference = RateDifference.of(rate, control)
    assert difference.least == difference.most == pytest.approx(0.2)
    assert difference.interval.lower == pytest.approx(0.2 - np.hypot(0.30 - 0.2124, 0.1762 - 0.10), abs=1e-3)
    assert difference.interval.upper == pytest.approx(0.2 + np.hypot(0.3998 - 0.30, 0.10 - 0.0490), abs=1e-3)


def test_what_is_open_widens_the_excess_both_ways() -> None:
    rate, control = Rate.of([FLIPPED, UNKNOWN, SAME, SAME], alone(4)), Rate.of([UNKNOWN] + [SAME] * 3, alone(4))
    difference = RateDifference.of(rate, control)
    assert (difference.least, difference.most) == (0.0, 0.5)
    assert difference.interval.lower < 0 < 0.5 < difference.interval.upper


def test_nothing_asked_is_unknown_and_not_0() -> None:
    nothing = Rate.of([], [])
    excess = RateDifference.of(nothing, nothing)
    assert (nothing.least, nothing.most, excess.least, excess.most) == (None, None, None, None)
    assert limit_tested([], limit=0.1) is None


def limit_tested(answers: list[VariedAnswers], *, limit: float, population: int | None = None) -> LimitTest | None:
    cases = [_case(each) for each in answers]
    return limit_test_of(cases, _treatments(CONFIG), "flipped", limit=limit, delta=0.05, population=population)


def clusters(number: int) -> list[VariedQuestion]:
    return vary(subjects_of(scope(number), VaryConfig(vary=("order",), questions=number)), CONFIG)


def test_robust_after_as_many_questions_as_planned_and_no_sooner() -> None:
    needed = next(rate_boundary(0.1, 0.05))
    all_of_them = [heard("red", "red", "red", cluster=cluster) for cluster in clusters(needed)]
    test, sooner = (limit_tested(some, limit=0.1) for some in (all_of_them, all_of_them[:-1]))
    assert test is not None
    assert sooner is not None
    assert (test.verdict, sooner.verdict) == ("pass", "undecided")
    assert test.log_e_pass >= -log(0.05) > sooner.log_e_pass


def test_what_is_open_proves_nothing_either_way() -> None:
    some = clusters(100)
    unread = [heard("red", None, "red", cluster=cluster) for cluster in some]
    test = limit_tested(unread, limit=0.1)
    assert test is not None
    assert test.verdict == "undecided"
    flipped = [heard("red", "blue", "red", cluster=cluster) for cluster in some]
    test = limit_tested(flipped, limit=0.1)
    assert test is not None
    assert test.verdict == "fail"


def test_of_a_scope_asked_whole_the_rate_is_known() -> None:
    some = clusters(20)
    heard_all = [heard("red", "blue" if n < 2 else "red", "red", cluster=cluster) for n, cluster in enumerate(some)]
    verdicts = [limit_tested(heard_all, limit=limit, population=20) for limit in (0.09, 0.11)]
    assert [test.verdict for test in verdicts if test] == ["fail", "pass"]
