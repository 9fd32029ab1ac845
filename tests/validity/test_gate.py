"""The gate at both boundaries, finite and not, with few ties and many: each wrong verdict at most delta; 4,000 runs a case."""

from math import sqrt

import pytest

from tests.validity.gate import BOUNDARIES, CASES, sampled_verdicts, wrong_verdicts

RUNS = 4_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize(("margin", "ties", "population"), CASES)
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_wrong_verdict_comes_at_most_delta_of_the_time(
    boundary: str, margin: float, ties: float, population: int | None
) -> None:
    verdicts = wrong_verdicts(boundary, margin=margin, ties=ties, population=population, runs=RUNS, seed=0)
    assert verdicts.wrong <= 0.05 + SLACK


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_of_candidates_that_answer_at_random_a_list_run_to_its_end_shows_nothing(boundary: str) -> None:
    once, afresh, same = (
        sampled_verdicts(boundary, asking, runs=RUNS, seed=0) for asking in ("once", "afresh", "same each time")
    )
    assert once.wrong > 0.2
    assert max(afresh.wrong, same.wrong) <= 0.05 + SLACK
