"""Several claims on one pair's answers, and further candidates: wrong at most delta of the time; 2,000 records a case."""

from math import sqrt

import pytest

from tests.validity.shared_claims import CASES, MARGIN, claims, dummies, held_for_real

RUNS = 2_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize(("difference", "ties", "population"), CASES)
def test_whatever_is_claimed_of_one_pair(difference: float, ties: float, population: int | None) -> None:
    counts = claims(difference, ties=ties, population=population, runs=RUNS)
    assert counts.any <= 0.05 + SLACK


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("difference", [0.0, 0.1])
def test_equal_and_better_releases_pass_with_a_tenth_more_questions_at_most(difference: float) -> None:
    counts = claims(difference, ties=0.5, population=None, runs=RUNS)
    assert counts.questions_of_gate <= 1.1 * counts.questions_of_gate_before


@pytest.mark.slow
@pytest.mark.study
def test_further_candidates_do_not_begin_again() -> None:
    assert dummies(runs=RUNS) <= 0.05 + SLACK
    assert dummies(runs=RUNS, numbered=False) > 0.2  # as it was when a list of candidates was counted by itself


@pytest.mark.slow
@pytest.mark.study
def test_certificates_comparison_gate_and_sweep_on_one_record() -> None:
    for difference in (0.0, -MARGIN):
        assert held_for_real(difference, runs=RUNS) <= 0.05 + SLACK
