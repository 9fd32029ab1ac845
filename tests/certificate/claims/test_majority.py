"""The vote of several answers: its value, what cannot be read, and that its mean is what the claim is about."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from vivavoce.certificate.certify import Composition
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.draws import Draws, voted
from vivavoce.certificate.claims.repeated_answers import DrawsFinding
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.certificate.features import refusal
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question

SCORES = {"a": 1.0, "b": 0.5, "c": 0.0}
UNREAD = Grade(0.0, False, Outcome.UNREADABLE, upper=1.0)
ABSENT = Grade(0.0, False, Outcome.NO_ANSWER)


def said(answer: str, *, unacceptable: bool = False) -> Grade:
    return Grade(SCORES[answer], unacceptable, read_as=answer)


@pytest.mark.parametrize(
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
    assert abs(np.mean(values) - binom.sf(2, 5, p)) < 0.022
    assert binom.sf(2, 5, p) > p, "which is not the mean of p"


def test_a_judge_counts_no_votes() -> None:
    assert refusal({"vote", "judge"})
    assert Composition(draws=Draws(3, "vote")).draws == Draws(3, "vote")


@pytest.mark.slow
@pytest.mark.study
def test_a_voting_system_at_the_boundary_is_rarely_judged() -> None:
    rng, runs, wrong = np.random.default_rng(0), 2_000, {Verdict.PASS: 0, Verdict.FAIL: 0}
    grade = float(binom.sf(2, 5, 0.61))
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
