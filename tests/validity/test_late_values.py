"""Grades that are missing, and become known when an adversary wants it: gates at the margin pass at most delta of the time."""

from math import sqrt

import pytest

from tests.validity.late_values import CASES, LateValueCase, last_known, wrong_passes

RUNS = 4_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[] if index < 2 else [pytest.mark.study])
        for index, case in enumerate(case for case in CASES if case.hidden == 0.3)
    ],
)
def test_no_one_gains_by_hiding_grades(case: LateValueCase) -> None:
    assert wrong_passes(case, runs=RUNS) <= 0.05 + SLACK


def test_bets_on_what_was_known_last_would_err() -> None:
    case = LateValueCase(0.05, 0.3, graded=False, finite=False, hidden=0.3)
    assert last_known(case, runs=200) > 0.3
    assert wrong_passes(case, runs=200) < 20 / 200  # 200 runs at 5%: 20 or more have a chance of .3% (binomial)
