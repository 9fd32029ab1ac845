"""Wrong verdicts where a server fails some attempts: as rare as promised, whatever it fails at."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import pytest

from tests.validity.faults import SERVERS, Errors, costs, endless, finite, judge_and_people, naive

RUNS = 4_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""


@pytest.mark.slow
@pytest.mark.parametrize("study", [endless, finite])
def test_neither_verdict_is_wrong_more_often_than_promised(study: Callable[[int], Errors]) -> None:
    errors = study(RUNS)
    assert len(errors) == len(SERVERS)
    assert max(errors.values()) <= 0.05 + SLACK
    # of a server that fails instead of being wrong nothing is ever shown that is not so
    assert errors["100% in favour"] <= 0.05 + SLACK
    assert max(errors.values()) > 0.005  # there is something to be wrong about


@pytest.mark.slow
def test_nor_where_a_judge_and_people_grade() -> None:
    assert max(judge_and_people(300).values()) <= 0.05 + 3 * sqrt(0.05 * 0.95 / 300)


def test_wrong_verdicts_are_rare_in_a_small_study() -> None:
    # 200 runs at 5%: twenty errors or more have a chance of .3% (binomial), and the seed is fixed
    assert max(endless(200, looks=80).values()) < 20 / 200


def test_by_the_last_attempt_a_candidate_that_fails_instead_of_being_wrong_always_passes() -> None:
    # right in the end with a chance of 1 - .5^5 = .97: far above .7
    assert naive(50) > 0.95


@pytest.mark.slow
def test_what_rare_faults_cost() -> None:
    none, two, five = costs(500)
    # lower ends have a mean of .9 * .98 = .882 and .9 * .95 = .855: ln 20 / K(mean, .7) is 26, 32 and 46; medians are lower
    assert none == pytest.approx(26, abs=3)
    assert none < two <= 1.5 * none
    assert two < five <= 2.2 * none
