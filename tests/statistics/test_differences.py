"""E-processes for paired differences."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import BettingTest
from vivavoce.statistics.differences import (
    FRACTIONS,
    DifferenceTests,
    difference_bounds,
)

DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=40)


def test_independent_draws_by_hand() -> None:
    # the mean over u of (1 + u)(1 - u) 1: two wins would be the mean of (1 + u)^2, a tie changes nothing
    tests = DifferenceTests([0.0])
    path = tests.update([[1.0, -1.0, 0.0]])
    assert np.exp(path[0]) == pytest.approx([np.mean(1 + FRACTIONS), *[np.mean(1 - FRACTIONS**2)] * 2])


def test_without_replacement_by_hand() -> None:
    # x = 1 of N = 4 at m = 1/2: fractions earn 1 + u; conditioned bets have p = 1/2 + u/2 and earn p / m = 1 + u; their mean
    tests = DifferenceTests([0.0], population=4)
    assert np.exp(tests.update([[1.0]])[0, 0]) == pytest.approx(1.5)
    # then m_2 = (2 - 1) / 3 = 1/3. x = 0: fractions 1 - u; p_2 = min(1, 1/3 + 4 (1/2) u / 3), factor (1 - p_2) / (2/3)
    ahead = np.minimum(1, 1 / 3 + 2 * FRACTIONS / 3)
    expected = np.mean(np.concatenate([(1 + FRACTIONS) * (1 - FRACTIONS), (1 + FRACTIONS) * (1 - ahead) * 3 / 2]))
    assert np.exp(tests.update([[-1.0]])[0, 0]) == pytest.approx(expected)


def test_the_conditioned_half_is_the_test_for_means() -> None:
    rng = np.random.default_rng(0)
    d = rng.choice([-1.0, 0.0, 1.0], size=60)
    middle = 0.5
    mean = BettingTest(middle, alternatives=middle + middle * FRACTIONS, weights=np.ones(FRACTIONS.size), population=80)
    conditioned = mean.update((1 + d) / 2)
    fixed = np.zeros(60)  # by the formula, one bet at a time
    capital, total = np.ones(FRACTIONS.size), 0.0
    for index, x in enumerate((1 + d) / 2):
        m = (80 * middle - total) / (80 - index)
        capital *= 1 + FRACTIONS * (x / m - 1)
        total += x
        fixed[index] = np.log(capital.mean())
    both = np.logaddexp(conditioned, fixed) - np.log(2)
    assert DifferenceTests([0.0], population=80).update(d[None]) == pytest.approx(both[None])


@settings(max_examples=50, deadline=None)
@given(DIFFERENCES, st.integers(0, 30), st.booleans())
def test_the_evidence_falls_as_the_null_rises(differences: list[float], left: int, finite: bool) -> None:
    population = len(differences) + left if finite else None
    nulls = np.linspace(-0.9, 0.9, 13)
    path = DifferenceTests(nulls, population=population).update(np.tile(differences, (nulls.size, 1)))
    ever = np.maximum.accumulate(np.concatenate([np.zeros((nulls.size, 1)), path], axis=1), axis=1)
    assert (np.diff(np.minimum(ever, 1e3), axis=0) <= 1e-9).all()


@settings(max_examples=30, deadline=None)
@given(DIFFERENCES, st.integers(0, 30))
def test_all_at_once_and_one_by_one_is_the_same(differences: list[float], left: int) -> None:
    population = len(differences) + left
    whole, single, last = (DifferenceTests([0.0, -0.1], population=population) for _ in range(3))
    d = np.tile(differences, (2, 1))
    path = whole.update(d)
    steps = np.concatenate([single.update(d[:, index, None]) for index in range(d.shape[1])], axis=1)
    assert steps == pytest.approx(path)
    assert last.take(d) == pytest.approx(path[:, -1], abs=1e-6)


def test_a_null_that_the_draws_have_refuted_is_impossible() -> None:
    path = DifferenceTests([0.0], population=4).update([[1.0, 1.0, 1.0]])  # 3 of 4 won: at least +.5 whatever the last is
    assert path[0, -1] == np.inf


def test_under_the_null_the_e_value_has_mean_one_over_all_orders() -> None:
    # two won, two lost: D = 0, the edge of the null; all 4! orders are equally likely, at each moment
    orders = np.array(list(permutations([1.0, 1.0, -1.0, -1.0])))
    path = DifferenceTests(np.zeros(len(orders)), population=4).update(orders[:, :3])
    assert np.exp(path).mean(axis=0) == pytest.approx([1.0, 1.0, 1.0])


@pytest.mark.parametrize("population", [None, 400])
def test_bounds_hold_at_every_moment(population: int | None) -> None:
    rng = np.random.default_rng(3)
    base = np.repeat([1.0, 0.0, -1.0], [80, 280, 40])  # D = .1
    d = np.array([rng.permutation(base) if population else rng.choice(base, 400) for _ in range(200)])
    missed = np.zeros(200, dtype=bool)
    for n in (10, 50, 150, 300):
        low, high = difference_bounds(d[:, :n], d[:, :n], 0.1, population=population)
        missed |= (low > 0.1) | (high < 0.1)
        assert (low <= d[:, :n].mean(axis=1) + 1e-9).all()
        assert (high >= d[:, :n].mean(axis=1) - 1e-9).all()
    assert missed.mean() <= 0.1 + 3 * (0.1 * 0.9 / 200) ** 0.5


def test_bounds_and_test_agree_at_zero() -> None:
    rng = np.random.default_rng(5)
    d = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.65, 0.25], size=(60, 90))
    low, _ = difference_bounds(d, d, 0.05)
    assert ((low >= 0) == (DifferenceTests(np.zeros(60)).take(d) >= np.log(2 / 0.05))).all()


@pytest.mark.parametrize("population", [None, 200])
def test_an_end_of_an_interval_is_where_the_evidence_reaches_its_threshold(population: int | None) -> None:
    rng = np.random.default_rng(7)
    d = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.65, 0.25], size=(20, 90))
    low, _ = difference_bounds(d, d, 0.05, population=population)

    def excess(null: float, row: np.ndarray) -> float:
        return float(np.clip(DifferenceTests([null], population=population).take(row[None])[0] - np.log(2 / 0.05), -30, 30))

    # the witness: scipy's own search, to a far smaller tolerance
    ends = [brentq(excess, -0.99, row.mean(), args=(row,), xtol=1e-9) for row in d]
    assert np.abs(low - ends).max() < 0.0002


def test_what_is_not_known_widens_the_interval() -> None:
    known = difference_bounds([[1.0, 0.0, 1.0, 0.0] * 20], [[1.0, 0.0, 1.0, 0.0] * 20], 0.05)
    unknown = difference_bounds([[0.0, 0.0, 1.0, 0.0] * 20], [[1.0, 0.0, 1.0, 1.0] * 20], 0.05)
    assert unknown[0][0] < known[0][0]
    assert unknown[1][0] > known[1][0]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(BadInput, match="strictly between"):
        DifferenceTests([1.0])
    with pytest.raises(BadInput, match=r"\[-1, 1\]"):
        DifferenceTests([0.0]).update([[1.5]])
    with pytest.raises(BadInput, match="population of 2"):
        DifferenceTests([0.0], population=2).update([[0.0, 0.0, 0.0]])
    low, high = difference_bounds(np.zeros((1, 0)), np.zeros((1, 0)), 0.05)
    assert (low[0], high[0]) == (-1.0, 1.0)
