"""The trend by size: a known slope comes out, and its interval is as wide as pairs that are drawn again make it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.generalization.alignment.aligned import answers, world
from vivavoce.generalization.alignment.measures import believed_pairs, graded_model, right_share, weighted_accuracy
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.measurement.measurement import SizeTrend, size_trend
from vivavoce.generalization.pairs import Beliefs

SIZES = {"small": 1e8, "middle": 1e9, "large": 1e10}


def found(seed: int, skills: dict[str, float], sizes: dict[str, float] = SIZES, n: int = 300) -> SizeTrend | None:
    pairs, grades = world(n, np.random.default_rng(seed), skills=skills)
    people, told = believed_pairs(pairs, Beliefs()), answers(**grades)
    models = [graded_model(people, told.of(name), name) for name in told.models]
    sets = IndependentSets(people.groups, rng=np.random.default_rng([seed, 1]))
    return size_trend(people, models, sizes, (0.5, 0.99), sets)


def test_the_slope_is_that_of_numpy() -> None:
    pairs, grades = world(50, np.random.default_rng(5), skills={"small": 0.3, "middle": 0.5, "large": 0.9})
    people, told = believed_pairs(pairs, Beliefs()), answers(**grades)
    models = [graded_model(people, told.of(name), name) for name in told.models]
    sets = IndependentSets(people.groups, rng=np.random.default_rng(0))
    one = size_trend(people, models, SIZES, (0.5, 0.99), sets)
    assert one is not None
    for name, threshold, values in (
        ("right", None, [right_share(people, model).value for model in models]),
        ("accuracy", 0.99, [weighted_accuracy(people, model, 99.0).value for model in models]),
    ):
        slope = np.polyfit([8.0, 9.0, 10.0], [value or 0.0 for value in values], 1)[0]
        assert one.of(name, threshold).value == pytest.approx(slope)
    assert list(one.sizes) == ["small", "middle", "large"]


@pytest.mark.long
def test_a_known_slope_is_in_95_percent_of_the_intervals() -> None:
    """Right answers rise by .2 a tenfold size; 60 worlds, of which 95% binomially are 53 to 60."""
    held = 0
    for seed in range(60):
        one = found(seed, {"small": 0.4, "middle": 0.6, "large": 0.8}, n=80)
        assert one is not None
        interval = one.of("right").interval
        held += interval.lower <= 0.2 <= interval.upper
    assert held >= 53


def test_two_sizes_are_no_trend() -> None:
    skills = {"small": 0.4, "middle": 0.6, "large": 0.8}
    assert found(0, skills, {"small": 1e8, "large": 1e10}) is None
    assert found(0, skills, {"small": 1e8, "middle": 1e8, "large": 1e10}) is None
    assert found(0, skills, {}) is None
