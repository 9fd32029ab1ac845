"""Every combination that is not refused gives a wrong verdict at most as often as it says."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from tests.validity.grid import DELTA, SIZE, Combination, sound, study

RUNS = 30


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("cell", sound(), ids=lambda cell: cell.name)
def test_a_combination_is_seldom_wrong_and_finds_a_good_candidate_good(cell: Combination) -> None:
    row = study(cell, RUNS, seed=5)
    # above it in one of 10,000 studies at most, even if every cell errs as often as it may
    assert max(row.wrong_at, row.wrong_above) <= binom.isf(1e-6, RUNS, DELTA)
    if cell.procedure == "sequential":
        assert row.understood >= 0.5
        assert row.median < SIZE
