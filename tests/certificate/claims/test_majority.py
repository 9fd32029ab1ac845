"""Majorities of repeated answers, and candidates that vote."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.certificate.certify import Composition
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.draws import Draws, nulls_of, voted
from vivavoce.certificate.claims.repeated_answers import DrawsFinding
from vivavoce.certificate.config import refusal
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.errors import BadInput
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import UnitMean

SCORES = {"a": 1.0, "b": 0.5, "c": 0.0}
UNREAD = Grade(0.0, False, Outcome.UNREADABLE, upper=1.0)
ABSENT = Grade(0.0, False, Outcome.NO_ANSWER)


def said(answer: str, *, unacceptable: bool = False) -> Grade:
    return Grade(SCORES[answer], unacceptable, read_as=answer)


@each_case(
    ("grades", "value"),
    [
        ([said("a"), said("a"), said("c")], (1, 0, 1, 0)),
        ([said("c"), said("c"), said("a")], (0, 0, 0, 0)),
        ([said("a"), said("b"), said("c")], (0.5, 0, 0.5, 0)),
        ([said("c", unacceptable=True)] * 2 + [said("a")], (0, 1, 0, 1)),
        ([said("a"), said("c", unacceptable=True)], (0.5, 0.5, 0.5, 0.5)),
        ([said("a"), said("a"), UNREAD], (1, 0, 1, 0)),
        ([said("a"), UNREAD], (0, 0, 1, 1)),
        ([said("a"), said("a"), said("c"), UNREAD], (0, 0, 1, 1)),
        ([said("c"), ABSENT, ABSENT], (0, 0, 0, 0)),
        ([ABSENT], (0, 0, 0, 0)),
        ([Grade(1.0, False, read_as="4"), Grade(1.0, False, read_as="4.0"), said("c")], (1, 0, 1, 0)),
    ],
)
def test_the_value_of_a_vote(grades: list[Grade], value: tuple[float, ...]) -> None:
    assert voted(grades) == value


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), st.integers(0, 2))
def test_whatever_the_unread_said_lies_between_the_ends(answers: list[str], unread: int) -> None:
    known = [said(answer) for answer in answers]
    least = voted(known + [UNREAD] * unread)
    for others in product("abc", repeat=unread):
        whole = voted(known + [said(other) for other in others])
        assert least.score <= whole.score <= least.upper


def test_a_cluster_has_the_mean_of_its_votes() -> None:
    unit = (Question("1", "1?", accepted=("a",), weight=3), Question("2", "2?", accepted=("a",))) * 2
    grades = [said("a"), said("c"), said("a"), said("c")]
    assert Draws(2, "vote").value(unit, grades).score == 0.75


def test_its_mean_is_that_of_the_voting_system() -> None:
    rng, draws, p = np.random.default_rng(0), Draws(5, "vote"), 0.61
    unit = (Question("1", "1?", accepted=("a",)),) * 5
    values = [draws.value(unit, [said("a" if right else "c") for right in rng.random(5) < p]).score for _ in range(4_000)]
    # a binomial tail; 4,000 votes: standard error .0072, and three of them
    assert abs(np.mean(values) - scipy.stats.binom.sf(2, 5, p)) < 0.022
    assert scipy.stats.binom.sf(2, 5, p) > p, "which is not the mean of p"


def test_a_judge_counts_no_votes() -> None:
    assert refusal({"vote", "judge"})
    assert Composition(draws=Draws(3, "vote")).draws == Draws(3, "vote")


@pytest.mark.slow
@pytest.mark.study
def test_a_voting_system_at_the_boundary_is_rarely_judged() -> None:
    rng, runs, wrong = np.random.default_rng(0), 2_000, {Verdict.PASS: 0, Verdict.FAIL: 0}
    grade = float(scipy.stats.binom.sf(2, 5, 0.61))
    for _ in range(runs):
        test, votes = SequentialTest(Criterion(grade, None, 0.05), whole=False), rng.binomial(5, 0.61, 400) >= 3
        test.update(votes.astype(float), np.zeros(400))
        if test.verdict in wrong:
            wrong[test.verdict] += 1
    assert max(wrong.values()) / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5


def test_a_vote_of_one_reply_is_that_reply() -> None:
    alone, several = (DrawsFinding(Draws(n, "vote"), 0, 0, 0, 0, 0, (), identical=False).claimed for n in (1, 3))
    assert alone == DrawsFinding(Draws(1), 0, 0, 0, 0, 0, (), identical=False).claimed
    assert several == "the mean score of the answer that most of 3 replies to a question agree on"


RIGHT, HALF, WRONG = Grade(1.0, False), Grade(0.5, False), Grade(0.0, True)
GRADES = st.sampled_from([RIGHT, HALF, WRONG, UNREAD])
ONE = (Question("1", "1?"),)
CLAIMS = (Draws(3), Draws(3, "all-right"), Draws(3, "share", 0.9))


@pytest.mark.parametrize("draws", CLAIMS)
def test_values_by_hand(draws: Draws) -> None:
    unit = draws.repeated(ONE)
    mean = draws.claim == "mean"
    assert draws.value(unit, [RIGHT, RIGHT, RIGHT]) == UnitMean(1.0, 0.0, 1.0, 0.0)
    # (1 + 1/2 + 0) / 3 = 1/2; one of three is unacceptable; not all are right
    assert draws.value(unit, [RIGHT, HALF, WRONG]) == pytest.approx((0.5 if mean else 0, 1 / 3, 0.5 if mean else 0, 1 / 3))
    # two right, and one that nobody knows: from 2/3 to 1, and all right or not
    assert draws.value(unit, [RIGHT, UNREAD, RIGHT]) == pytest.approx((2 / 3 if mean else 0, 0, 1, 0))
    assert draws.none_right(unit, [WRONG, HALF, UNREAD]) == (0.0, 1.0)
    assert draws.none_right(unit, [WRONG, HALF, WRONG]) == (1.0, 1.0)


def test_a_cluster_counts_its_questions_by_weight() -> None:
    draws = Draws(2, "all-right")
    unit = draws.repeated((Question("1", "1?", weight=3.0, cluster="c"), Question("2", "2?", cluster="c")))
    assert [question.id for question in unit] == ["1", "2", "1", "2"]
    assert [question.id for question in draws.questions_of(unit)] == ["1", "2"]
    # the first is right both times, the second once: 3 of 4 by weight
    assert draws.value(unit, [RIGHT, RIGHT, RIGHT, WRONG]).score == 0.75
    assert draws.none_right(unit, [WRONG, RIGHT, WRONG, WRONG]) == (0.75, 0.75)


@given(st.sampled_from(CLAIMS), st.lists(GRADES, min_size=3, max_size=3), st.data())
def test_what_is_found_out_lies_between_the_ends(draws: Draws, grades: list[Grade], data: st.DataObject) -> None:
    unit = draws.repeated(ONE)
    known = [data.draw(st.sampled_from([RIGHT, HALF, WRONG])) if grade is UNREAD else grade for grade in grades]
    ends, value = draws.value(unit, grades), draws.value(unit, known)
    assert ends.score <= value.score == value.upper <= ends.upper
    least, most = draws.none_right(unit, grades)
    assert least <= draws.none_right(unit, known).least <= most


@given(st.integers(1, 12), st.floats(0, 1), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_the_nulls_bound_what_a_share_allows(number: int, p: float, reliability: float, share: float) -> None:
    """E over the outcomes of N answers, for a candidate of which a share has probability p: exact, by the binomial."""
    draws = Draws(number, "share", reliability)

    def expected(p: float) -> tuple[float, float]:
        chances = [comb(number, k) * p**k * (1 - p) ** (number - k) for k in range(number + 1)]
        unit = draws.repeated(ONE)
        outcomes = [[RIGHT] * k + [WRONG] * (number - k) for k in range(number + 1)]
        all_right = sum(c * draws.value(unit, grades).score for c, grades in zip(chances, outcomes, strict=True))
        none = sum(c * draws.none_right(unit, grades).least for c, grades in zip(chances, outcomes, strict=True))
        return all_right, none

    passes, fails, none_null = nulls_of(share, draws)
    # g = 1 or -r^N / (1 - r^N): in expectation at most 0 below r, and at most 1 anywhere
    together = reliability**number
    all_right, none = expected(p)
    g = all_right - (1 - all_right) * together / (1 - together)
    assert g <= (1 if p >= reliability else 0) + 1e-9
    if p < reliability:  # a share that is sure, and the others just short of it: no more passes than the null says
        assert share + (1 - share) * all_right <= passes + 1e-9
    else:  # a share that is just enough, and the others never right: no less than the null says
        assert share * all_right >= fails - 1e-9
        assert share * none + (1 - share) <= none_null + 1e-9


def test_what_cannot_be_meant() -> None:
    for problem, settings in (
        ("give at least 1", (0,)),
        ("needs '--set reliability=R'", (3, "share")),
        ("leave it out", (3, "mean", 0.9)),
        ("strictly between", (3, "share", 1.0)),
    ):
        with pytest.raises(BadInput, match=problem):
            Draws(*settings)
    assert Draws.given(None) is None
    for half in ((None, "mean"), (None, None, 0.9)):
        with pytest.raises(BadInput, match="give '--draws N'"):
            Draws.given(*half)
    for claim in CLAIMS:
        assert Draws.of(claim.settings) == claim
    assert Draws.of({"passing_grade": 0.7}) is None
    for odd in ({"draws": True, "draws_claim": "mean"}, {"draws": 3, "draws_claim": "most"}, {"draws": 3}):
        with pytest.raises(BadInput):
            Draws.of(odd)
