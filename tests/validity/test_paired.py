"""How often a paired test finds a difference where there is none on average, and differences are skewed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from vivavoce.statistics.clustered import Groups
from vivavoce.statistics.differences import paired_test

pytestmark = [pytest.mark.slow, pytest.mark.study]

RUNS, ROUNDS, LEVEL = 4_000, 399, 0.05
MOST = 0.06 + 2 * (0.06 * 0.94 / RUNS) ** 0.5
"""Of the runs: 6%, and two standard errors of the study."""
UNBOUNDED = 1e6
Drawn = Callable[[np.random.Generator], tuple[NDArray[np.float64], Groups]]


def lognormal(rng: np.random.Generator, n: int, deviation: float = 1.0) -> NDArray[np.float64]:
    """Of mean 0."""
    return np.asarray(np.exp(deviation * rng.standard_normal(n)) - np.exp(deviation**2 / 2))


def alone(n: int, deviation: float) -> Drawn:
    """Independent differences."""
    return lambda rng: (lognormal(rng, n, deviation), [()] * n)


def in_sets(sets: int) -> Drawn:
    """Sets of one to five differences, which share most of what they are."""

    def drawn(rng: np.random.Generator) -> tuple[NDArray[np.float64], Groups]:
        repeat = np.repeat(np.arange(sets), rng.integers(1, 6, sets))
        return lognormal(rng, sets)[repeat] + lognormal(rng, repeat.size) / 2, [(str(number),) for number in repeat]

    return drawn


def in_pairs(base: int, number: int) -> Drawn:
    """Differences of pairs of base questions, which all hang together."""

    def drawn(rng: np.random.Generator) -> tuple[NDArray[np.float64], Groups]:
        pairs = np.array(list(combinations(range(base), 2)))
        pairs = pairs[rng.permutation(len(pairs))[:number]]
        effects = lognormal(rng, base)
        return effects[pairs].sum(axis=1) + lognormal(rng, number), [tuple(map(str, pair)) for pair in pairs]

    return drawn


def errors(drawn: Drawn, largest: float = UNBOUNDED, runs: int = RUNS) -> float:
    """The share of runs in which the mean of 0 is rejected."""
    rng = np.random.default_rng(4)
    values = [paired_test(*drawn(rng), largest=largest, rng=rng, rounds=ROUNDS).p for _ in range(runs)]
    return float(np.mean(np.array(values) <= LEVEL))


@pytest.mark.parametrize("deviation", [0.5, 0.75, 1.0])
@pytest.mark.parametrize("n", [20, 25, 30, 50, 100])
def test_skewed_differences_are_seldom_taken_for_a_difference(n: int, deviation: float) -> None:
    value = errors(alone(n, deviation))
    print(n, deviation, value)
    assert value <= MOST


@pytest.mark.parametrize("sets", [20, 26, 30, 50])
def test_skewed_sets_are_drawn_whole(sets: int) -> None:
    value = errors(in_sets(sets))
    print(sets, value)
    assert value <= MOST


@pytest.mark.parametrize(("base", "number"), [(10, 45), (20, 100), (40, 78), (60, 106)])
def test_skewed_pairs_that_hang_together(base: int, number: int) -> None:
    value = errors(in_pairs(base, number))
    print(base, number, value)
    assert value <= MOST


@pytest.mark.parametrize("n", [5, 10, 19])
def test_few_bounded_differences_are_bet_on(n: int) -> None:
    """The worst for tests that look at the spread: nearly always a little worse, seldom much better."""

    def drawn(rng: np.random.Generator) -> tuple[NDArray[np.float64], Groups]:
        return np.where(rng.random(n) < 1 / 11, 1.0, -0.1), [()] * n

    value = errors(drawn, largest=1.0)
    print(n, value)
    assert value <= LEVEL


def test_signs_that_are_flipped_err_more_often() -> None:
    """The study can tell: they take differences for symmetric."""
    rng, n = np.random.default_rng(5), 30
    values = np.stack([lognormal(rng, n) for _ in range(RUNS)])
    flipped = abs(values @ rng.choice([-1.0, 1.0], (n, 999)))
    p = (1 + (flipped >= abs(values.sum(axis=1))[:, None]).sum(axis=1)) / 1000
    assert np.mean(p <= LEVEL) > 0.085


def test_a_difference_is_found() -> None:
    """Normal differences at which the t test has a power of 78%."""
    powers = {}
    for n in (20, 30, 50, 100):
        rng = np.random.default_rng(6)
        values = [
            paired_test(rng.normal(2.8 / n**0.5, 1, n), [()] * n, largest=UNBOUNDED, rng=rng, rounds=ROUNDS).p
            for _ in range(1_000)
        ]
        powers[n] = float(np.mean(np.array(values) <= LEVEL))
    print(powers)
    assert powers[20] > 0.5
    assert powers[100] > 0.7
