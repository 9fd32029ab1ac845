"""The gate at both boundaries, finite and not, with few ties and many: each wrong verdict at most delta; 4,000 runs a case."""

from math import sqrt

import pytest

from tests.validity.gate import BOUNDARIES, CASES, wrong_verdicts

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
    found = wrong_verdicts(boundary, margin=margin, ties=ties, population=population, runs=RUNS, seed=0)
    assert found.wrong <= 0.05 + SLACK
