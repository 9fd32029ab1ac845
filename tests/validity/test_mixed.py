"""Seeded error rates of certificates on files that a rule grades in part, and graders the rest."""

from math import sqrt

import pytest

from tests.validity.mixed import CASES, SIZE, MixedGradingCase, error_rates, errors_on_a_file

RUNS = 4_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""
SOME = ("good judge, better where the rule grades", "harsh judge")
"""The others take as long, and are left to the study."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name, marks=[] if c.name in SOME else [pytest.mark.study]) for c in CASES]
)
def test_each_wrong_verdict_is_as_rare_as_promised(case: MixedGradingCase) -> None:
    errors = error_rates(case, runs=RUNS)
    assert max(*errors.alone, *errors.both) <= 0.05 + SLACK


@pytest.mark.slow
@pytest.mark.parametrize("right", [41, 42])
def test_so_it_is_on_a_file_that_is_asked_once(right: int) -> None:
    assert errors_on_a_file(right, runs=RUNS) <= 0.05 + SLACK


def test_wrong_verdicts_are_rare_in_a_small_study_that_can_tell() -> None:
    generous = next(case for case in CASES if case.name == "generous judge")
    assert generous.graded == pytest.approx(0.25)  # .75 x .85 + .25 x .25 = .7
    errors = error_rates(generous, runs=60)
    # 60 runs at 5%: nine errors or more have a chance of .3% (binomial), and the seed is fixed
    assert max(*errors.alone, *errors.both) < 9 / 60
    assert errors.judge_for_people > 0.9
    assert errors.waiting_skipped == 1.0
    # 42 of 60 are exactly .7 and pass in the end, 41 do not: an early look may err
    assert max(errors_on_a_file(right, runs=60) for right in (41, 42)) < 9 / 60
    assert SIZE == 60
