"""Simulated judges: errors are those of closed forms, intervals cover, and dishonest judges get what they deserve."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom, binomtest

from tests.validity.identification import JUDGED, Judges, World, draw_judgements, simulate_identification

UNBIASED = World(players=500, trials=40, bias=1e-9, passes=0.3, sensitivity=1.5)
PERSON = float(ndtr(ndtri(0.3) + 1.5))
"""How often an honest judge takes a person for one."""


def covered_by_hand(number: int) -> float:
    """How often Clopper and Pearson's interval holds a machine's chance, or a person's, with so many judgements."""
    held = 0.0
    for chance in (0.3, PERSON):
        for hits in range(number + 1):
            ends = binomtest(hits, number).proportion_ci(0.95, method="exact")
            held += float(binom.pmf(hits, number, chance)) * (ends.low <= chance <= ends.high) / 2
    return held


@pytest.mark.long
@pytest.mark.parametrize("number", [5, 40])
def test_the_error_is_the_binomial_one(number: int) -> None:
    """Of n judgements a share has the variance p (1 - p) / n: half of the players at .3, half at .835."""
    (row,) = simulate_identification(UNBIASED, [Judges(number)])
    expected = sqrt((0.3 * 0.7 + PERSON * (1 - PERSON)) / 2 / number)
    assert row.error.value == pytest.approx(expected, rel=0.1)  # 800 shares: 2.5% is one standard error, nearly
    assert row.expected_error.value is not None
    assert row.expected_error.value < expected
    assert row.coverage.value is not None
    assert row.coverage.value == pytest.approx(covered_by_hand(number), abs=0.02)
    assert row.dishonest_points.value is None


@pytest.mark.parametrize(("bias", "sensitivity"), [(0.5, 1.5), (1.5, 0.5)])
def test_players_pass_as_often_as_is_told_whatever_the_bias_of_judges(bias: float, sensitivity: float) -> None:
    config = World(players=2_000, bias=bias, sensitivity=sensitivity, passes=0.2)
    made, truth = draw_judgements(config, Judges(4_000), np.random.default_rng(5))
    for human, chance in ((False, 0.2), (True, float(ndtr(ndtri(0.2) + sensitivity)))):
        says = [identification.said.human for identification in made if identification.human is human]
        assert truth[-1 if human else 0] == pytest.approx(chance)
        assert np.mean(says) == pytest.approx(chance, abs=0.03)  # judges differ: 2,000 of them, .3 each, make .01


@pytest.mark.long
@pytest.mark.parametrize(
    ("dishonest", "bias_of_share", "points"),
    [
        ("machine", -0.5, -100.0),  # half right and certain: (100 - 300) / 2
        ("person", 0.5, -100.0),
        ("random", 0.0, -25.0),  # half right at 75%: (75 - 125) / 2
    ],
)
def test_dishonest_judges_by_hand(dishonest: str, bias_of_share: float, points: float) -> None:
    """Half of the judges: shares are the mean of honest ones and 0, 1 or a half."""
    judges = Judges(40, dishonest, 0.5)  # type: ignore[arg-type]
    (row,) = simulate_identification(UNBIASED, [judges])
    assert row.dishonest_points.value == pytest.approx(points, abs=6)
    assert row.honest_points.value is not None
    assert row.honest_points.value > 20
    value = 0.5 + bias_of_share
    off = sqrt(((0.3 - value) ** 2 + (PERSON - value) ** 2) / 2) / 2
    chance = sqrt(0.25 / 40)
    assert row.coverage.value is not None
    assert row.coverage.value < 0.8
    assert off - 0.02 < (row.error.value or 0) < sqrt(off**2 + chance**2) + 0.02


def test_the_same_numbers_come_again() -> None:
    config = World(players=10, trials=3, seed=4)
    first, second = (simulate_identification(config, [Judges(5), Judges(5, "machine", 0.3)]) for _ in range(2))
    assert first == second
    assert first[0].coverage.n == 3 * JUDGED
