"""The power of comparisons, and whether the plan knows it."""

from __future__ import annotations

from math import sqrt

import pytest

from tests.validity.power import DISCORDANCES, planned, shuffled


def check(discordance: float, *, runs: int) -> float:
    """The power by shuffled lists, which is that of the plan up to the errors of both; so are the quantiles."""
    plan = planned(discordance, runs=runs)
    lists = shuffled(*plan.answers.counts, runs=runs)
    assert plan.power.value is not None
    middle = (plan.power.value + lists.power) / 2
    assert abs(plan.power.value - lists.power) <= 4 * sqrt(2 * middle * (1 - middle) / runs) + 1e-9
    for level, estimate in ((0.45, plan.median), (0.55, plan.median)):
        # 45% and 55% of the lists are 4.5 standard errors from a half at 2,000 runs, 3 at 1,000
        assert (
            (lists.quantile(level) <= estimate.interval.upper)
            if level < 0.5
            else (lists.quantile(level) >= estimate.interval.lower)
        )
    return lists.power


@pytest.mark.long
def test_the_goal_is_met_at_a_tenth() -> None:
    assert check(0.1, runs=1_000) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("discordance", DISCORDANCES)
def test_the_plan_says_what_shuffled_lists_show(discordance: float) -> None:
    power = check(discordance, runs=2_000)
    assert power >= (0.9 if discordance <= 0.1 else 0.4)
