"""Ten attempts on one record: wrong verdicts at most delta for all of them together; 4,000 records."""

from math import sqrt

import pytest

from tests.validity.attempts import study

RUNS = 4_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""


@pytest.mark.slow
@pytest.mark.study
def test_ten_attempts_err_as_rarely_as_one_may() -> None:
    spent, whole = study(runs=RUNS)
    assert spent.passed <= 0.05 + SLACK
    assert spent.failed <= 0.05 + SLACK
    assert min(whole.passed, whole.failed) > 0.2  # what ten examinations find that are not counted
