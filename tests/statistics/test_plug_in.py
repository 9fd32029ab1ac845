"""Plug-in bets on paired differences: the log-optimal size, validity by enumeration, and the lower bound for unknown values."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import DifferenceTests
from vivavoce.statistics.plug_in import PairedDifferenceTests, PlugInBets, log_optimal_bet, margin_bounds

VALUES = [-1.0, -0.5, 0.0, 0.25, 1.0]
DIFFERENCES = st.lists(st.sampled_from(VALUES), min_size=1, max_size=40)


def capital(d: list[float], null: float, margin: float, population: int | None) -> Floats:
    """Log capital after each known value, by the formulas of the docstring, one at a time."""
    path, squares, total, log_capital = [], 0.5, 0.0, 0.0
    for n, value in enumerate(d):
        left = 1.0 if population is None else (population - n) / population
        c = null if population is None else (population * null - total) / (population - n)
        q, r = squares / (n + 5), min(margin / left, 0.9)
        roots = np.roots([r * (1 - r**2), q - 2 * r**2, -r])  # where the derivative of the expected logarithm is 0
        bet = min(float(max(roots)), 1 / (1 + c) if c > -1 else np.inf)
        with np.errstate(divide="ignore"):
            log_capital += float(np.log(max(1 + bet * (value - c), 0.0)))
        path.append(log_capital)
        squares, total = squares + value**2, total + value
    return np.array(path)


@pytest.mark.parametrize(("q", "r"), [(0.01, 0.02), (0.1, 0.02), (0.3, 0.05), (0.9, 0.3), (0.01, 0.2)])
def test_the_bet_is_log_optimal_for_equal_candidates(q: float, r: float) -> None:
    def loss(bet: float) -> float:
        return -float(q / 2 * np.log((1 + bet * r) ** 2 - bet**2) + (1 - q) * np.log(1 + bet * r))

    best = minimize_scalar(loss, bounds=(0, 1 / (1 - r) - 1e-9), method="bounded", options={"xatol": 1e-10})
    assert log_optimal_bet(q, r) == pytest.approx(best.x, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(DIFFERENCES, st.integers(1, 30), st.booleans(), st.sampled_from([-0.5, -0.05, 0.0, 0.3]))
def test_known_values_by_the_formulas(d: list[float], left: int, finite: bool, null: float) -> None:
    population = len(d) + left if finite else None
    possible = population is None or np.cumsum(d).max() < population * null  # elsewhere the mixture says that it is impossible
    path = PlugInBets([null], 0.05, population=population).update([d], [d])[0]
    if possible:
        assert path == pytest.approx(capital(d, null, 0.05, population), abs=1e-9)


def test_the_mean_is_at_most_one_over_all_orders_and_over_all_sequences() -> None:
    # three lost, one won, one alike of 5: D = -.4, the edge of the null; all orders are equally likely
    orders = np.array(list(permutations([-1.0, -1.0, -1.0, 1.0, 0.0])))
    path = PlugInBets(np.full(len(orders), -0.4), 0.4, population=5).update(orders[:, :4], orders[:, :4])
    assert np.exp(path).mean(axis=0) == pytest.approx(np.ones(4))
    # independent draws of -1, 0 and 1 with D = -.1
    drawn = np.array(list(product([-1.0, 0.0, 1.0], repeat=7)))
    chance = np.array([0.2, 0.7, 0.1])[(drawn + 1).astype(int)].prod(axis=1)
    path = PlugInBets(np.full(len(drawn), -0.1), 0.1).update(drawn, drawn)
    assert chance @ np.exp(path) == pytest.approx(np.ones(7))


def test_capital_is_not_monotone_in_earlier_values() -> None:
    d = np.array([[first, *[0.0] * 20] for first in (-1.0, 0.0, 1.0)])
    assert np.exp(PlugInBets([-0.2] * 3, 0.2).update(d, d)[:, -1]) == pytest.approx([7.1, 71.6, 68.2], abs=0.05)


@settings(max_examples=80, deadline=None)
@given(DIFFERENCES, st.integers(0, 30), st.booleans(), st.sampled_from([-0.5, -0.05, 0.0]), st.integers(0, 9))
def test_unknown_values_never_raise_the_capital(d: list[float], left: int, finite: bool, null: float, seed: int) -> None:
    """Whatever is hidden, and however far, the reported capital is at most the one with the true values."""
    rng, true = np.random.default_rng(seed), np.array(d)
    population = len(d) + left if finite else None
    if population is not None and np.cumsum(true).max() >= population * null:
        return
    hidden = rng.random((12, true.size)) < rng.random((12, 1))
    low = np.where(hidden, np.maximum(true - rng.choice([0.5, 2.0], (12, 1)), -1.0), true)
    high = np.where(hidden, np.minimum(true + rng.choice([0.5, 2.0], (12, 1)), 1.0), true)
    bound = PlugInBets(np.full(12, null), 0.05, population=population).update(low, high)
    assert (bound <= capital(d, null, 0.05, population) + 1e-9).all()


@settings(max_examples=50, deadline=None)
@given(DIFFERENCES, st.integers(0, 30), st.booleans())
def test_the_capital_falls_as_the_null_rises(d: list[float], left: int, finite: bool) -> None:
    nulls, population = np.linspace(-0.9, 0.9, 13), len(d) + left if finite else None
    rows = np.tile(d, (nulls.size, 1))
    path = PlugInBets(nulls, 0.05, population=population).update(rows, rows)
    if population is not None:  # a null that is refuted counts as impossible
        path[np.cumsum(rows, axis=1) >= population * nulls[:, None] - 1e-9] = 1e3
    assert (np.diff(np.minimum(np.maximum.accumulate(path, axis=1), 1e3), axis=0) <= 1e-9).all()


@settings(max_examples=30, deadline=None)
@given(DIFFERENCES, st.integers(0, 9))
def test_all_at_once_one_by_one_and_to_the_end_are_the_same(d: list[float], left: int) -> None:
    low = np.tile(d, (2, 1))
    high = np.minimum(low + np.array([[0.0], [0.5]]), 1.0)
    whole, single, last = (PlugInBets([0.0, -0.1], 0.1, population=len(d) + left) for _ in range(3))
    path = whole.update(low, high)
    steps = [single.update(low[:, n, None], high[:, n, None]) for n in range(len(d))]
    assert np.concatenate(steps, axis=1) == pytest.approx(path)
    ended = [np.concatenate([ends, np.full((2, 3), np.nan)], axis=1)[:, : len(d) + left] for ends in (low, high)]
    assert last.take(*ended) == pytest.approx(path[:, -1])


def test_half_of_the_capital_is_on_the_mixture_and_directions_are_tested_by_it_alone() -> None:
    d = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], size=(3, 50), p=[0.1, 0.7, 0.2])
    better, worse, no_worse, no_better = PairedDifferenceTests(3, 0.02, aim=0.05).update(d, d)
    mixture = [DifferenceTests(np.full(3, null)).update(side) for null, side in ((0, d), (0, -d), (-0.02, d), (-0.02, -d))]
    plug_in = [PlugInBets(np.full(3, -0.02), 0.05).update(side, side) for side in (d, -d)]
    assert better == pytest.approx(mixture[0])
    assert worse == pytest.approx(mixture[1])
    assert np.exp(no_worse) == pytest.approx((np.exp(mixture[2]) + np.exp(plug_in[0])) / 2)
    assert np.exp(no_better) == pytest.approx((np.exp(mixture[3]) + np.exp(plug_in[1])) / 2)
    assert (no_worse >= better - np.log(2) - 1e-9).all()  # one event for a direction and all margins


def test_pairs_can_be_dropped() -> None:
    d = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], size=(3, 20))
    whole, fewer = PairedDifferenceTests(3, 0.1, aim=0.1), PairedDifferenceTests(3, 0.1, aim=0.1)
    expected = whole.update(d, d)[:, [0, 2], 10:]
    fewer.update(d[:, :10], d[:, :10])
    fewer.drop(np.array([False, True, False]))
    assert fewer.update(d[[0, 2], 10:], d[[0, 2], 10:]) == pytest.approx(expected)


@pytest.mark.parametrize("population", [None, 400])
def test_bounds_hold_at_every_moment_and_agree_with_the_test(population: int | None) -> None:
    rng, base = np.random.default_rng(3), np.repeat([1.0, 0.0, -1.0], [20, 360, 20])
    d = np.array([rng.permutation(base) if population else rng.choice(base, 400) for _ in range(200)])
    missed = np.zeros(200, dtype=bool)
    for n in (50, 150, 300):
        some, tests = d[:, :n], PairedDifferenceTests(200, 0.05, aim=0.05, population=population)
        low, high = margin_bounds(some, some, 0.1, margin=0.05, aim=0.05, population=population)
        missed |= (low > 0) | (high < 0)
        assert ((low >= -0.05) == (tests.update(some, some)[2, :, -1] >= np.log(20))).all()
    assert missed.mean() <= 0.1 + 3 * (0.1 * 0.9 / 200) ** 0.5


@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_a_margin_without_meaning_is_refused(margin: float) -> None:
    with pytest.raises(BadInput, match="margin of the bets"):
        PlugInBets([0.0], margin)
