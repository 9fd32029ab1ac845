"""Draws of a survey's stages, estimates that undo them, and a rehearsed survey in a simulated world."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.survey.cards import majority, sample_stage, sample_test, weighted_share
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


@each_case(
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


@given(size=st.integers(2, 400), share=st.floats(0.01, 1), seed=st.integers(0, 2**32 - 1), top=st.floats(0.01, 0.9))
def test_each_pair_at_most_once_and_weights_count_the_pool(size: int, share: float, seed: int, top: float) -> None:
    n = max(2, int(size * share))
    rng = np.random.default_rng(seed)
    draw = sample_stage(rng.random(size), n, rng=rng, top=top, epsilon=0.3)
    assert draw.indices.size == n == np.unique(draw.indices).size
    assert draw.weights.sum() == pytest.approx(size)  # both parts of the ranking are drawn from, whatever their sizes
    assert (draw.weights >= 1 - 1e-12).all()


def test_the_first_stage_is_uniform() -> None:
    draw = sample_stage(None, 50, rng=np.random.default_rng(0), pool=200)
    assert set(draw.weights) == {4.0}


def test_most_come_from_the_top_tenth() -> None:
    # 100 of 1,000: 70 from the top 100, each standing for 100/70; 30 from the other 900, each for 30.
    draw = sample_stage(-np.arange(1000.0), 100, rng=np.random.default_rng(0))
    assert (draw.indices < 100).sum() == 70
    assert draw.weights[draw.indices < 100] == pytest.approx(100 / 70)
    assert draw.weights[draw.indices >= 100] == pytest.approx(30)


def test_ties_are_broken_at_random() -> None:
    # Were equal chances kept in order, the top tenth would be the first hundred, and most draws would come from them.
    rng = np.random.default_rng(0)
    early = [(sample_stage(np.zeros(1000), 100, rng=rng).indices < 100).mean() for _ in range(50)]
    assert np.mean(early) == pytest.approx(0.1, abs=0.02)


def test_the_test_stage_is_two_thirds_from_the_top_hundredth() -> None:
    draw = sample_test(np.arange(10_000.0), 90, rng=np.random.default_rng(1))
    assert ((draw.indices >= 9_900).sum(), (draw.indices < 100).sum()) == (60, 30)


@each_case(
    ("given_", "words"),
    [
        ({"chances": [0.5], "n": 1}, "at least two pairs"),
        ({"chances": [0.5, float("nan")], "n": 2}, "finite"),
        ({"chances": [0.1, 0.2], "n": 1}, "at least 2"),
        ({"chances": [0.1, 0.2], "n": 3}, "drawn from"),
        ({"chances": None, "n": 3}, "size of the pool"),
        ({"chances": None, "n": 0, "pool": 3}, "at least 1"),
        ({"chances": [0.1, 0.2], "n": 2, "epsilon": 0.0}, "between 0 and 1"),
    ],
)
def test_what_cannot_be_drawn(given_: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        sample_stage(**given_, rng=np.random.default_rng(0))  # type: ignore[arg-type]


def test_majorities() -> None:
    assert majority([True] * 5 + [False] * 3) is True
    assert majority([False, False, True]) is False
    assert majority([True, False] * 4) is None
    assert majority([]) is None


def test_a_share_needs_both_kinds() -> None:
    with pytest.raises(NotEnoughEvidence):
        weighted_share([True, True, True], [1, 2, 3])


def test_equal_weights_are_no_weights() -> None:
    # 30 of 100: the share itself; standard error sqrt(.3 * .7 / 100) = .0458, on the log-odds scale .218, t(99) = 1.984:
    # logit(.3) -+ .433 = -1.280, -.414, that is .2175 and .3979.
    estimate = weighted_share([True] * 30 + [False] * 70, np.full(100, 7.0))
    assert estimate.value == pytest.approx(0.3)
    assert estimate.interval.lower == pytest.approx(0.2175, abs=5e-4)
    assert estimate.interval.upper == pytest.approx(0.3979, abs=5e-4)


@pytest.mark.long
def test_weights_undo_the_choice() -> None:
    """A predictor that knows the truth chooses: without weights the share is far too high, with weights it is right."""
    rng = np.random.default_rng(3)
    chances = rng.beta(1, 6, 3_000)
    changed = rng.random(3_000) < chances
    truth = changed.mean()
    weighted, plain, covered = [], [], 0
    for _ in range(2_000):
        draw = sample_stage(chances, 200, rng=rng)
        estimate = weighted_share(changed[draw.indices].tolist(), draw.weights)
        assert estimate.value is not None
        weighted.append(estimate.value)
        plain.append(changed[draw.indices].mean())
        covered += truth in estimate.interval
    assert np.mean(plain) > 2 * truth
    assert np.mean(weighted) == pytest.approx(truth, abs=4 * np.std(weighted) / np.sqrt(2_000))
    assert covered >= 0.93 * 2_000
