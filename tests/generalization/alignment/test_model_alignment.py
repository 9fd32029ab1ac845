"""Right answers by thirds of belief."""

from __future__ import annotations

import numpy as np
import pytest

from tests.generalization.alignment.aligned import pair, seen
from vivavoce.generalization.alignment.measures import believed_pairs, graded_model
from vivavoce.generalization.alignment.model_alignment import THIRDS, calibration, pooled
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.pairs import Beliefs
from vivavoce.statistics.clustered import share_interval


def test_the_ends_belong_to_the_outer_thirds() -> None:
    # equation (10): uncertain is .30 < b < .70
    rows = [pair("a", f"b{n}", True, posterior=b) for n, b in enumerate((0.0, 0.3, 0.31, 0.69, 0.7, 1.0))]
    people, model = seen(rows, {"a": True} | {f"b{n}": n in (1, 2, 4, 5) for n in range(6)})
    assert [third.holds(people).tolist() for third in THIRDS] == [
        [True, True, False, False, False, False],
        [False, False, True, True, False, False],
        [False, False, False, False, True, True],
    ]
    result = calibration(people, model, IndependentSets(people.groups, rng=np.random.default_rng(0)))
    # one of two, one of two, two of two; mean beliefs .15, .5, .85
    assert [share.value for share in result.shares] == [0.5, 0.5, 1.0]
    assert [third.belief for third in result.thirds.values()] == pytest.approx([0.15, 0.5, 0.85])
    assert [share.n for share in result.shares] == [2, 2, 2]
    assert list(result.thirds) == ["0-0.3", "0.3-0.7", "0.7-1"]


def test_every_belief_is_in_one_third_and_an_empty_third_has_no_value() -> None:
    rows = [pair(f"a{n}", f"b{n}", True, posterior=n / 100) for n in range(0, 101, 5)]
    people, model = seen(rows, {f"a{n}": True for n in range(0, 101, 5)} | {f"b{n}": True for n in range(0, 101, 5)})
    assert (np.sum([third.holds(people) for third in THIRDS], axis=0) == 1).all()
    people, model = seen(rows[:3], {f"a{n}": True for n in (0, 5, 10)} | {f"b{n}": False for n in (0, 5, 10)})
    low, middle, high = calibration(people, model, IndependentSets(people.groups, rng=np.random.default_rng(0))).shares
    assert (low.value, middle.value, high.value) == (0.0, None, None)
    assert (middle.n, middle.interval.lower, middle.interval.upper) == (0, 0.0, 1.0)


def test_people_together_are_a_sample_of_people() -> None:
    rng = np.random.default_rng(4)
    rows = [pair(f"a{n}", f"b{n}", True, posterior=0.9) for n in range(60)]
    people = believed_pairs(rows, Beliefs())
    # eight persons of very different skill
    persons = []
    for number in range(8):
        grades = {f"a{n}": True for n in range(60)} | {f"b{n}": bool(rng.random() < number / 7) for n in range(60)}
        persons.append(graded_model(people, grades, f"person {number}"))
    together = pooled("people", people, persons, sample=True, rng=np.random.default_rng(0), confidence=0.95).shares[2]
    assert together.n == 480
    assert together.value == pytest.approx(np.mean([model.right.mean() for model in persons]))
    # as wide as eight persons of skill 0 to 1 make it, far wider than 480 answers would be
    alike = share_interval(np.repeat([True, False], 240), [()] * 480)
    assert together.interval.upper - together.interval.lower > 4 * (alike.upper - alike.lower)
    estimate = pooled("people", people, persons[:1], sample=True, rng=np.random.default_rng(0), confidence=0.95).shares[2]
    assert (estimate.n, estimate.interval.lower, estimate.interval.upper) == (60, 0.0, 1.0)
    # as machines that are named they are all that is spoken of: the questions alone are a sample
    named = pooled("machines", people, persons, sample=False, rng=np.random.default_rng(0), confidence=0.95).shares[2]
    assert named.value == pytest.approx(together.value)
    assert named.interval.upper - named.interval.lower < 2 * (alike.upper - alike.lower)
