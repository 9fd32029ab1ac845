"""Which rating withstands what: the table of another program within sampling error, and no worse than it."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.settings import SimulationConfig
from vivavoce.luna.simulation_tables import ATTACKS, over_trials, withstand

PRINTED = {
    "All are honest": (0.90, 0.94, 0.95),
    "30% do": (8.97, 1.18, 1.24),
    "50% do": (14.94, 1.50, 1.83),
    "All are honest, each with a severity of deviation 15": (3.06, 2.31, 1.52),
}
"""By attack: mean, robust, severity; N = 100, T = 1,000. The other program's two robust ratings weigh guessers otherwise."""


@pytest.mark.slow
def test_the_table() -> None:
    rows = {row.attack.words: row for row in withstand(SimulationConfig(seed=7))}
    assert list(rows) == [attack.words for attack in ATTACKS]
    for words, numbers in PRINTED.items():
        for method, number in zip(METHODS, numbers, strict=True):
            found = rows[words].mean[method]
            assert found.value is not None
            # three errors of a difference between two means over 100 trials; half an interval is 1.98 errors
            margin = 3 * 2**0.5 * (found.interval.upper - found.value) / 1.98 + 0.005
            assert found.value < number + margin
            if method == "mean":
                assert found.value > number - margin
    bloc = rows["A bloc of 50% guesses 0"].mean
    assert all(24 < (bloc[method].value or 0.0) < 28 for method in METHODS)  # half of all guesses: half of the mean value
    late = rows["30% begin honest, and guess 0 in the second half"].mean
    assert (late["robust"].value or 9.0) < 1.3 < 7 < (late["mean"].value or 0.0)
    # by 30% of 20 guesses that give 100 in place of a value of 50 on average
    boosted = rows["30% guess 100 for one player, honestly for others"].mean
    assert (boosted["mean"].value or 0.0) == pytest.approx(15, abs=4.5)


def test_a_single_trial_is_no_interval_and_a_rating_may_be_too_low() -> None:
    rows = {row.attack.words: row.mean["mean"] for row in withstand(SimulationConfig(players=20, trials=2))}
    assert (rows["10% guess 0 for one player, honestly for others"].value or 0.0) < 0
    one = np.array([-3.0])
    assert over_trials(one, lowest=-100.0) == Estimate(-3.0, Interval(-100.0, 100.0), 1)
    assert over_trials(-one) == Estimate(3.0, Interval(0.0, 100.0), 1)


def test_each_attack_does_what_it_says() -> None:
    rows = withstand(SimulationConfig(players=20, trials=2))
    assert len({row.attack.words for row in rows}) == len(rows) == len(ATTACKS)
    assert all(set(row.mean) == set(METHODS) for row in rows)
