"""Figures of the thesis' chapter 3: each is what it says, in both readings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vivavoce.errors import UnknownName
from vivavoce.luna.settings import SimulationConfig
from vivavoce.luna.simulation_finding import examine_simulation
from vivavoce.luna.simulation_tables import DELAYS, FIGURES, MOMENTS, SHARES, curve, draw_figures, over_trials

FEW = SimulationConfig(trials=5)


@pytest.mark.long
def test_every_figure_has_its_points() -> None:
    found = draw_figures(list(FIGURES), SimulationConfig(players=8, steps=400, trials=2))
    places = {"games": MOMENTS, "share": SHARES, "delay": DELAYS}
    for drawn in found:
        for way in (drawn.corrected, drawn.as_published):
            assert tuple(point.x for point in way.points) == places[drawn.figure.across]
            assert (way.slope is not None) == (drawn.figure.across == "share")


def test_random_guessing_begins_at_a_third_and_ends_at_a_quarter() -> None:
    found = curve(FIGURES["3.1"], SimulationConfig(trials=50))
    # E|U - V| = 100 / 3 at first; later every rating comes near to 50, and E|U - 50| = 25
    assert found.points[0].mean.value == pytest.approx(100 / 3, abs=2)
    assert found.last.mean.value == pytest.approx(25.4, abs=1)


def test_the_later_quantile_guessing_begins_the_less_it_harms() -> None:
    found = [point.mean.value or 0.0 for point in curve(FIGURES["3.7"], FEW).points]
    assert found[0] > found[2] > found[5] > found[-1]


def test_a_robust_rating_withstands_what_the_mean_does_not() -> None:
    mean, robust = (curve(FIGURES["3.3"], replace(FEW, rating=rating)) for rating in ("mean", "robust"))
    assert (robust.points[3].mean.value or 9.0) < 1 < 10 < (mean.points[3].mean.value or 0.0)


def test_intervals_over_trials() -> None:
    found = over_trials(np.array([1.0, 2.0, 3.0, np.nan]))
    # t(.975; 2) = 4.303, and a deviation of 1
    assert found.n == 3
    assert found.interval.upper == pytest.approx(2 + 4.303 / 3**0.5, abs=1e-3)
    assert over_trials(np.array([np.nan])).value is None


def test_the_finding_says_both_readings() -> None:
    found = examine_simulation(["3.2", "3.5", "3.8"], FEW)
    assert "the thesis has 3.5, and with its program's slips it is 3." in found.statement
    assert "do not collapse" in found.statement
    assert found.honest is not None
    assert 0.35 < (found.honest.value or 0.0) < 0.42
    assert "All guess honestly: ratings end 0." in examine_simulation(["3.2"], FEW).statement


def test_an_unknown_figure_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"there is no figure '3\.9'"):
        draw_figures(["3.9"], FEW)
