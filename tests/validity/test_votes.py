"""Seeded error rates of certificates, comparisons and gates on votes."""

from itertools import product
from math import sqrt

import pytest

from tests.validity.draws import GRADE
from tests.validity.votes import CASES, PAIRS, VoteCase, VotePair, error_rates, majority, paired_error_rates, worth

RUNS = 4_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""


def test_votes_stand_exactly_at_the_boundary() -> None:
    for counts in product(range(6), repeat=3):
        if sum(counts):
            assert worth(*counts, 0) == pytest.approx((majority(counts),) * 2)
    assert [case.voter.mean for case in CASES] == pytest.approx([GRADE] * len(CASES))
    assert [pair.first.mean - pair.second.mean for pair in PAIRS] == pytest.approx([pair.difference for pair in PAIRS])


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_each_wrong_verdict_is_as_rare_as_promised(case: VoteCase) -> None:
    assert max(error_rates(case, runs=RUNS)) <= 0.05 + SLACK


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("pair", [pytest.param(pair, id=pair.name) for pair in PAIRS])
def test_so_are_wrong_statements_and_wrong_gates(pair: VotePair) -> None:
    assert max(paired_error_rates(pair, runs=RUNS)) <= 0.05 + SLACK


def test_a_small_study_that_can_tell() -> None:
    # 60 runs at 5%: nine errors or more have a chance of .3% (binomial), and the seed is fixed
    assert max(error_rates(CASES[1], runs=60)) < 9 / 60
    assert max(paired_error_rates(PAIRS[5], runs=60)) < 9 / 60
