"""The plan that a gate prints before it asks: the chances of simulated gates, beside those of another simulation."""

import numpy as np
import pytest

from tests.validity.gate import _differences, _first
from vivavoce.certificate.attempts import delta_of
from vivavoce.certificate.comparison.gate_plan import ASSUMED, plan_gate
from vivavoce.statistics.differences import DifferenceTests


@pytest.mark.parametrize(("drop", "budget"), [(0.0, 200), (0.1, 200)])
def test_the_chance_of_a_verdict_is_that_of_gates(drop: float, budget: int) -> None:
    plan = plan_gate(0.1, 0.05, budget)
    runs, rng = 400, np.random.default_rng(1)
    d = _differences(rng, runs, drop, 1 - ASSUMED, None)[:, :budget]
    tests = [DifferenceTests(np.full(runs, null)).update(side) for null, side in ((-0.1, d), (0.0, -d))]
    looks = np.minimum(*(_first(one, delta_of(0.05, 1)) for one in tests))
    forecast = plan.worse if drop else plan.equal
    # standard errors: .05 of 100 simulated gates, .025 of 400
    assert forecast.decided == pytest.approx(np.isfinite(looks).mean(), abs=3 * 0.056)
    assert forecast.mean == pytest.approx(np.minimum(looks + 1, budget).mean(), rel=0.15)


def test_a_larger_budget_and_a_wider_margin_decide_more() -> None:
    chances = [[plan_gate(margin, 0.05, budget).equal.decided for budget in (50, 200, 1_000)] for margin in (0.05, 0.1)]
    assert np.all(np.diff(chances, axis=0) >= 0)
    assert np.all(np.diff(chances, axis=1) >= 0)
    assert plan_gate(0.1, 0.05, 1_000).equal.median is not None


def test_it_says_what_to_expect() -> None:
    words = plan_gate(0.1, 0.05, 1_000).words
    assert "drawn with replacement and answered afresh" in words
    assert (
        "at most 1\u202f000 questions: if both are equally good, 100% of such gates reach a verdict, half of them within"
        in words
    )
    assert "; if NEW is worse by 0.10, " in words
