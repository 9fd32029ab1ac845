"""Seeded error rates where the judge knows all but which answer people grade."""

from math import sqrt

import pytest

from tests.validity.counting_judge import CASES, CountingJudgeCase, error_rates

RUNS = 4_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""
SOME = ("counts to five", "counts to five, against the candidate")
"""The others take as long, and are left to the study."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name, marks=[] if c.name in SOME else [pytest.mark.study]) for c in CASES]
)
def test_wrong_verdicts_are_as_rare_as_promised_whatever_the_judge_counts(case: CountingJudgeCase) -> None:
    errors = error_rates(case, runs=RUNS)
    wrong = (errors.understands,) if case.score < 0.7 else (errors.understands, errors.does_not_understand)
    assert max(wrong) <= 0.05 + SLACK


@pytest.mark.parametrize("case", CASES[:2], ids=lambda case: case.name)
def test_a_small_study_can_tell_a_place_that_is_known(case: CountingJudgeCase) -> None:
    errors = error_rates(case, runs=40)
    # 40 runs at 5%: eight errors or more have a chance of .07% (binomial), and the seed is fixed
    assert max(errors.understands, errors.does_not_understand) < 8 / 40
    assert errors.every_so_many > 0.9


def test_a_true_score_of_a_half_passed_where_the_place_was_known() -> None:
    errors = error_rates(CASES[-1], runs=40)
    assert errors.understands == 0
    assert errors.every_so_many > 0.6
