"""Every combination that is not refused gives a wrong verdict at most as often as it says."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from tests.validity.grid import DELTA, SCOPES, SIZE, Combination, error_rate, median_questions, sound

RUNS = 30


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("cell", sound(), ids=lambda cell: cell.name)
def test_a_combination_is_wrong_at_most_that_often(cell: Combination) -> None:
    # above it in one of 10,000 studies at most, even if every cell errs as often as it may
    assert error_rate(cell, RUNS, seed=5) <= binom.isf(1e-6, RUNS // 2, DELTA) / (RUNS // 2)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("cell", [cell for cell in sound() if cell.procedure == "sequential"], ids=lambda cell: cell.name)
def test_a_good_candidate_is_found_to_be_good(cell: Combination) -> None:
    median, understood = median_questions(cell, 10)
    assert understood >= 0.5
    assert median < SIZE * SCOPES
