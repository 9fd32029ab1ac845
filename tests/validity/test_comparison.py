"""Seeded error rates of comparisons."""

from __future__ import annotations

import os
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from tests.validity.comparison import CASES, Case, error_rates, errors_of_many, recorded_pairs

RUNS = 4_000
SLACK = 3 * sqrt(0.05 * 0.95 / RUNS)
"""Three standard errors."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [pytest.param(one, id=one.name, marks=[] if place % 8 < 2 else [pytest.mark.study]) for place, one in enumerate(CASES)],
)
def test_wrong_statements_are_as_rare_as_promised(case: Case) -> None:
    assert error_rates(case, runs=RUNS).wrong <= 0.05 + SLACK


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("rule", ["any", "share"])
@pytest.mark.parametrize("better", [0.0, 0.2])
def test_so_they_are_among_many_candidates(rule: str, better: float) -> None:
    any_, share = errors_of_many(5, better, runs=200, rule=rule)
    # 200 runs at 5%: 20 or more have a chance of .3% (binomial), and the seed is fixed
    assert (any_ if rule == "any" else share) < 20 / 200


def test_a_small_study_that_can_tell() -> None:
    case = Case(0.0, 0.3, 0.05, finite=False, size=200)
    # 200 runs at 5%: 20 or more have a chance of .3% (binomial), and the seed is fixed
    assert error_rates(case, runs=200).wrong < 20 / 200
    assert error_rates(Case(0.2, 0.4, 0.05, finite=True, size=200), runs=200).stated == 1.0


@pytest.mark.slow
@pytest.mark.data
def test_pairs_take_fewer_questions_than_two_certificates() -> None:
    folder = os.environ.get("VIVA_DATA")
    if not folder or not (Path(folder) / "mmlu_pro").is_dir():
        pytest.skip("$VIVA_DATA does not name a folder with mmlu_pro/")
    found = [one for one in recorded_pairs(Path(folder), limit=8) if one.gap >= 0.05]
    assert len(found) > 40
    assert np.median([one.paired for one in found]) < 0.6 * np.median([one.apart for one in found])
    assert sum(one.wrong for one in found) <= 0.1 * len(found)
