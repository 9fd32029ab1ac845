"""The rehearsal's world does what it says."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.survey.simulated_world import SUBJECTS, TASKS_EACH, SimulatedPeople, make_world
from vivavoce.settings import settings_of


def test_people_change_as_often_as_the_rule_says() -> None:
    # 40,000 answers: the standard error of the share is below .0025, and moods of 2,667 persons add about .0015.
    rng = np.random.default_rng(0)
    world = make_world(rng, questions=400)
    places = world.pool(40_000, rng)
    said = world.asked(places, rng)
    share = np.mean([bool(one["belief_change"]) for one in said])
    assert share == pytest.approx(world.true_shares(places).mean(), abs=0.012)
    assert len({one["person"] for one in said}) == 2_667  # 40,000 by 15, rounded up


@pytest.mark.long
def test_the_average_over_moods_is_that_of_many_moods() -> None:
    rng = np.random.default_rng(1)
    world = make_world(rng, questions=400, people=SimulatedPeople(spread=1.0))
    places = world.pool(5, rng)
    moods = rng.normal(0, 1.0, 200_000)
    by_hand = [world.chance(np.repeat(places[[place]], moods.size, axis=0), moods).mean() for place in range(5)]
    assert world.true_shares(places) == pytest.approx(by_hand, abs=0.002)


def test_a_change_follows_the_answer_and_nothing_else_moves() -> None:
    rng = np.random.default_rng(2)
    world = make_world(rng, questions=400)
    places = world.pool(3_000, rng)
    for (first, _), said in zip(places, world.asked(places, rng), strict=True):
        step = float(str(said["posterior"])) - float(str(said["prior"]))
        assert np.sign(step) == (0 if not said["belief_change"] else 1 if world.right[first] else -1)


def test_the_smallest_world_has_a_question_for_each_task() -> None:
    (questions,) = (one for one in settings_of(RehearsalConfig) if one.name == "questions")
    assert questions.bounds is not None
    assert questions.bounds.least == SUBJECTS * TASKS_EACH


def test_pairs_are_of_two_questions() -> None:
    rng = np.random.default_rng(3)
    places = make_world(rng, questions=20).pool(2_000, rng)
    assert (places[:, 0] != places[:, 1]).all()
    assert set(places.ravel()) == set(range(20))
