"""A planted rate of failed tool calls lies in the interval of the finding, whenever the examination stops."""

from __future__ import annotations

from typing import Any

import pytest

from tests.validity.agents import CASES, REQUIRED, RUNS, coverage


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_planted_rate_lies_in_the_interval(case: dict[str, Any]) -> None:
    counts = coverage(RUNS, **case)
    assert counts.calls >= REQUIRED * counts.runs
    assert counts.score >= REQUIRED * counts.runs


@pytest.mark.long
def test_it_does_in_a_small_study() -> None:
    counts = coverage(25, calls=2, grade=0.7)
    # of 25 at 95% fewer than 20 have a chance of 0.1% (binomial), and the seeds are fixed
    assert min(counts.calls, counts.score) >= 20
    assert counts.questions > 10
