"""A rehearsed survey: stages yield more and more, and weights undo the choice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vivavoce.errors import BadInput
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors import previous
from vivavoce.generalization.predictors.base import Predictor
from vivavoce.generalization.simulation.rehearse import Design, rehearse
from vivavoce.generalization.simulation.world import make_world


def fit(pairs: Sequence[Pair], rng: np.random.Generator) -> Predictor:
    """The four-cell predictor, which a few answers suffice for."""
    return previous.fit_with_task(pairs, rng=rng)


def test_later_stages_find_more_and_weights_tell_the_truth() -> None:
    rng = np.random.default_rng(0)
    found = rehearse(make_world(rng), fit, design=Design(stages=4, answers=600, pool=5_000), rng=rng)
    first, *later = found.stages
    for stage in later:
        assert (stage.changed.value or 0) > 1.5 * (first.changed.value or 1)
        assert found.truth in stage.weighted.interval
        assert stage.tenths[0] > 2 * stage.tenths[-1]
    assert [pair.stage for pair in found.pairs] == [stage for stage in range(1, 5) for _ in range(600)]
    assert len({pair.person for pair in found.pairs}) == 4 * 40
    assert (found.test.value or 0) > first.changed.interval.upper


def test_all_that_is_random_comes_from_the_seed() -> None:
    twice = [
        rehearse(make_world(rng), fit, design=Design(stages=2, answers=60, pool=500), rng=rng)
        for rng in (np.random.default_rng(7), np.random.default_rng(7))
    ]
    assert twice[0] == twice[1]


@pytest.mark.parametrize("wrong", [{"stages": 0}, {"answers": 14}, {"test": 1}, {"pool": 50}, {"pool": 200, "answers": 300}])
def test_designs_that_cannot_be(wrong: dict[str, int]) -> None:
    with pytest.raises(BadInput):
        Design(**wrong)


@pytest.mark.slow
def test_the_weighted_generalisation_function_is_unbiased() -> None:
    """60 surveys: the mean error of each weighted cell is within three standard errors of 0; without weights some are not.

    Intervals that take pairs for drawn one by one are to miss no more often than 5% (at most 8% of 240 by chance, p > .01).
    """
    weighted: dict[str, list[float]] = {}
    unweighted: dict[str, list[float]] = {}
    missed = total = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found = rehearse(make_world(rng), fit, design=Design(stages=3, answers=300, pool=2_000), rng=rng)
        for cell in found.cells:
            weighted.setdefault(cell.name, []).append((cell.weighted.value or 0) - cell.truth)
            unweighted.setdefault(cell.name, []).append(cell.unweighted - cell.truth)
            missed += cell.truth not in cell.weighted.interval
            total += 1
    for errors in weighted.values():
        assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(len(errors)) + 1e-9
    assert missed <= 0.08 * total
