"""The random effect between people."""

from __future__ import annotations

from math import exp, log, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from vivavoce.errors import NotEnoughEvidence
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.people import LARGEST, differences, log_likelihood


def planted(rng: np.random.Generator, *, people: int, answers: int, sigma: float, told: bool = True) -> list[Pair]:
    """Answers of people whose differences are known."""
    pairs = []
    for person in range(people):
        mood = sigma * rng.normal()
        for _ in range(answers):
            chance = rng.uniform(0.1, 0.8)
            moved = rng.random() < 1 / (1 + exp(-log(chance / (1 - chance)) - mood))
            pairs.append(Pair("a?", "b?", "s", "s", True, bool(moved), str(person), pred=chance if told else None))
    return pairs


def test_the_likelihood_is_the_integral_that_it_stands_for() -> None:
    changed, linear, person = np.array([True, True, False, True]), np.array([0.3, -0.5, 0.2, 1.0]), np.array([0, 0, 0, 1])

    def integrand(z: float, places: list[int]) -> float:
        product = exp(-z * z / 2) / sqrt(2 * pi)
        for place in places:
            chance = 1 / (1 + exp(-linear[place] - 1.3 * z))
            product *= chance if changed[place] else 1 - chance
        return product

    by_hand = sum(log(quad(integrand, -12, 12, args=(places,))[0]) for places in ([0, 1, 2], [3]))
    value, slope = log_likelihood(changed, linear, person, 1.3)
    for place, step in enumerate(1e-5 * np.eye(4)):  # central differences
        ends = (log_likelihood(changed, linear + side * step, person, 1.3)[0] for side in (1, -1))
        assert slope[place] == pytest.approx((next(ends) - next(ends)) / 2e-5, abs=1e-6)
    assert value == pytest.approx(by_hand, abs=1e-8)


def test_planted_differences_are_found() -> None:
    found = differences(planted(np.random.default_rng(0), people=60, answers=15, sigma=1.0))
    assert 1.0 in found.sigma.interval
    assert found.sigma.n == 60
    assert found.answers == 900
    assert found.p < 1e-6
    assert found.typical.lower < 0.25 < 0.6 < found.typical.upper


def test_people_who_do_not_differ() -> None:
    found = differences(planted(np.random.default_rng(1), people=60, answers=15, sigma=0.0, told=False))
    assert found.sigma.interval.lower == 0.0
    assert found.sigma.interval.upper < 0.6
    assert found.p > 0.05


def test_people_who_always_or_never_change() -> None:
    pairs = [Pair("a?", "b?", "s", "s", True, person % 2 == 0, str(person)) for person in range(20) for _ in range(10)]
    assert differences(pairs).sigma.interval.upper == LARGEST


@pytest.mark.parametrize("people", [0, 4])
def test_too_few_people(people: int) -> None:
    with pytest.raises(NotEnoughEvidence, match="5 people"):
        differences(planted(np.random.default_rng(2), people=people, answers=15, sigma=1.0))


def test_pairs_without_a_person_say_nothing_about_differences() -> None:
    with pytest.raises(NotEnoughEvidence, match="0 people"):
        differences([Pair("a?", "b?", "s", "s", True, place % 2 == 0) for place in range(100)])


@pytest.mark.slow
def test_intervals_cover_and_the_test_keeps_its_level() -> None:
    """At level .95 at most 6 of 40 intervals miss (binomial, p < .01), and as few of 40 tests reject what is true."""
    rng = np.random.default_rng(4)
    missed = sum(0.8 not in differences(planted(rng, people=30, answers=10, sigma=0.8)).sigma.interval for _ in range(40))
    rejected = sum(differences(planted(rng, people=30, answers=10, sigma=0.0)).p < 0.05 for _ in range(40))
    assert missed <= 6
    assert rejected <= 6
