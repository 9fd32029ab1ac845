"""The simulated world, and a rehearsed survey: later stages yield more changes, and weights undo the choice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vivavoce.errors import BadInput
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.survey.rehearsal import SUBJECTS, TASKS_EACH, SimulatedPeople, make_world, rehearse
from vivavoce.settings import settings_of


def test_people_change_as_often_as_the_rule_says() -> None:
    # 40,000 answers: the standard error of the share is below .0025, and moods of 2,667 persons add about .0015.
    rng = np.random.default_rng(0)
    world = make_world(rng, questions=400)
    places = world.pool(40_000, rng)
    answers = world.answers(places, rng)
    share = np.mean([bool(entry["belief_change"]) for entry in answers])
    assert share == pytest.approx(world.true_shares(places).mean(), abs=0.012)
    assert len({entry["person"] for entry in answers}) == 2_667  # 40,000 by 15, rounded up


@pytest.mark.long
def test_the_average_over_moods_is_that_of_many_moods() -> None:
    rng = np.random.default_rng(1)
    world = make_world(rng, questions=400, people=SimulatedPeople(spread=1.0))
    places = world.pool(5, rng)
    moods = rng.normal(0, 1.0, 200_000)
    by_hand = [world.chance(np.repeat(places[[index]], moods.size, axis=0), moods).mean() for index in range(5)]
    assert world.true_shares(places) == pytest.approx(by_hand, abs=0.002)


def test_a_change_follows_the_answer_and_nothing_else_moves() -> None:
    rng = np.random.default_rng(2)
    world = make_world(rng, questions=400)
    places = world.pool(3_000, rng)
    for (first, _), answer in zip(places, world.answers(places, rng), strict=True):
        step = float(str(answer["posterior"])) - float(str(answer["prior"]))
        assert np.sign(step) == (0 if not answer["belief_change"] else 1 if world.right[first] else -1)


def test_the_smallest_world_has_a_question_for_each_task() -> None:
    (questions,) = (setting for setting in settings_of(RehearsalConfig) if setting.name == "questions")
    assert questions.bounds is not None
    assert questions.bounds.least == SUBJECTS * TASKS_EACH


def test_pairs_are_of_two_questions() -> None:
    rng = np.random.default_rng(3)
    places = make_world(rng, questions=20).pool(2_000, rng)
    assert (places[:, 0] != places[:, 1]).all()
    assert set(places.ravel()) == set(range(20))


FOUR_CELLS = RehearsalConfig("previous-task")
"""A few answers suffice for this predictor."""


def test_later_stages_find_more_and_weights_tell_the_truth() -> None:
    result = rehearse(replace(FOUR_CELLS, stages=4, answers=600, pool=5_000))
    first, *later = result.stages
    for stage in later:
        assert (stage.changed.value or 0) > 1.5 * (first.changed.value or 1)
        assert result.truth in stage.weighted.interval
        assert stage.tenths[0] > 2 * stage.tenths[-1]
    assert [pair.stage for pair in result.pairs] == [stage for stage in range(1, 5) for _ in range(600)]
    assert len({pair.person for pair in result.pairs}) == 4 * 40
    assert (result.test.value or 0) > first.changed.interval.upper


def test_all_that_is_random_comes_from_the_seed() -> None:
    result, again, other = (rehearse(replace(FOUR_CELLS, stages=2, answers=60, pool=500, seed=seed)) for seed in (7, 7, 8))
    assert result == again != other


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"stages": 0}, "stages is 0"),
        ({"answers": 14}, "answers is 14: give a whole number from 15"),
        ({"test": 1}, "test is 1"),
        ({"pool": 50}, "pool is 50"),
        ({"pool": 200, "answers": 300}, "the pool has 200 pairs and a stage 300 answers"),
        ({"predictor": "stacked-logistik"}, "did you mean 'stacked-logistic'"),
    ],
)
def test_rehearsals_that_cannot_be(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        RehearsalConfig(**wrong)


@pytest.mark.slow
def test_the_weighted_generalisation_function_is_unbiased() -> None:
    """60 surveys: the mean error of each weighted cell is within three standard errors of 0; without weights some are not.

    Intervals that take pairs for drawn one by one are to miss no more often than 5% (at most 8% of 240 by chance, p > .01).
    """
    weighted: dict[str, list[float]] = {}
    unweighted: dict[str, list[float]] = {}
    missed = total = 0
    for seed in range(60):
        result = rehearse(replace(FOUR_CELLS, stages=3, answers=300, pool=2_000, seed=seed))
        for cell in result.cells:
            weighted.setdefault(cell.name, []).append((cell.weighted.value or 0) - cell.truth)
            unweighted.setdefault(cell.name, []).append(cell.unweighted - cell.truth)
            missed += cell.truth not in cell.weighted.interval
            total += 1
    for errors in weighted.values():
        assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(len(errors)) + 1e-9
    assert missed <= 0.08 * total
