"""Games needed to tell two versions apart: tables of power, a simulation of the test that is planned, deviations."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import ttest_ind

from vivavoce.errors import BadInput
from vivavoce.luna.config import MachinePlanConfig
from vivavoce.luna.machine_plan import STATED, guess_deviation, guesses_needed, plan_machine, power_of


@pytest.mark.parametrize(
    ("effect", "power", "number"),
    # Cohen (1988), table 2.4.1: n a group of a two-sided test at .05
    [(0.2, 0.80, 394), (0.5, 0.80, 64), (0.8, 0.80, 26), (0.2, 0.90, 527), (0.5, 0.90, 86), (0.8, 0.90, 34), (1.0, 0.90, 23)],
)
def test_numbers_are_those_of_the_tables(effect: float, power: float, number: int) -> None:
    assert guesses_needed(effect * 20, 20, power=power) == pytest.approx(number, abs=1)


def test_power_is_what_happens() -> None:
    rng = np.random.default_rng(0)
    number = guesses_needed(10.0, 20.0, power=0.9)
    one, other = rng.normal(50, 20, (4_000, number)), rng.normal(60, 20, (4_000, number))
    found = (ttest_ind(one, other, axis=1).pvalue < 0.05).mean()
    assert found == pytest.approx(power_of(10.0, 20.0, number), abs=3 * (0.9 * 0.1 / 4_000) ** 0.5)
    nothing = (ttest_ind(one, rng.normal(50, 20, one.shape), axis=1).pvalue < 0.05).mean()
    assert nothing == pytest.approx(0.05, abs=3 * (0.05 * 0.95 / 4_000) ** 0.5)


def test_it_is_the_fewest() -> None:
    for difference, power, alpha in ((1.0, 0.5, 0.05), (30.0, 0.9, 0.01), (90.0, 0.99, 0.05), (5.0, 0.05, 0.2)):
        number = guesses_needed(difference, 20.0, power=power, alpha=alpha)
        assert power_of(difference, 20.0, number, alpha=alpha) >= power
        assert number == 2 or power_of(difference, 20.0, number - 1, alpha=alpha) < power


def test_a_deviation_is_pooled_within_versions_and_its_interval_covers() -> None:
    rng = np.random.default_rng(3)
    hits, trials = 0, 300
    for _ in range(trials):
        targets, people = np.repeat([0, 1, 2], 12), np.tile(np.arange(12), 3)
        values = 20 * targets + rng.normal(0, 18, 36)
        found = guess_deviation(values.tolist(), targets.tolist(), people.tolist())
        assert found is not None
        hits += found.interval.lower <= 18 <= found.interval.upper
    assert 270 <= hits <= 299  # of 285; a jackknife over twelve people is not exact


def test_a_deviation_by_hand() -> None:
    found = guess_deviation([10, 20, 50, 70, 60], ["a", "a", "b", "b", "b"], range(5))
    assert found is not None
    # squares around the means 15 and 60: 25 + 25 + 100 + 100 + 0, at 3 degrees of freedom
    assert found.value == pytest.approx((250 / 3) ** 0.5)
    assert guess_deviation([10, 20, 50, 70], ["a", "a", "b", "b"], range(4)) is None
    assert guess_deviation([10] * 9, ["a"] * 9, range(9)) is None
    assert guess_deviation([], [], []) is None


def test_a_plan_says_what_it_rests_on() -> None:
    given = plan_machine(MachinePlanConfig(difference=10), deviation=20)
    assert "about 86 finished games with people for each version" in given.statement
    assert "is taken to be 20.0" in given.statement
    stated = plan_machine(MachinePlanConfig())
    assert [one.deviation for one in stated.plans] == list(STATED)
    assert "No site's guesses are at hand" in stated.statement
    values = json.loads(json.dumps(stated.as_json(), allow_nan=False))
    assert values["games_for_each_version"] == guesses_needed(5, 20)
    rng = np.random.default_rng(0)
    estimated = guess_deviation(rng.normal(50, 20, 40).tolist(), ["m"] * 40, range(40))
    found = plan_machine(MachinePlanConfig(), estimated=estimated)
    assert found.plans[0].guesses < found.plans[1].guesses < found.plans[2].guesses
    assert "with 95% from" in found.statement
    assert "In all" in str(found.report())


def test_what_cannot_be_planned() -> None:
    for deviation in (0.0, -1.0, 51.0, float("nan")):
        with pytest.raises(BadInput):
            plan_machine(MachinePlanConfig(), deviation=deviation)
    with pytest.raises(BadInput):
        plan_machine(MachinePlanConfig(difference=101))
    with pytest.raises(BadInput):
        guesses_needed(1e-6, 20)
