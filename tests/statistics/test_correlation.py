"""Ranks and correlations against scipy."""

from __future__ import annotations

from itertools import permutations
from math import atanh, sqrt, tanh

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import rankdata

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.statistics.correlation import mean_ranks, p_value, pearson, spearman


@given(st.lists(st.integers(-3, 3) | st.floats(allow_nan=False), max_size=30))
def test_they_are_scipys(values: list[float]) -> None:
    assert np.array_equal(mean_ranks(values), rankdata(np.asarray(values, dtype=float)))


PAIRS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=4, max_size=30)


def split(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    first, second = [number for number, _ in pairs], [other for _, other in pairs]
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    return first, second


@given(PAIRS)
def test_pearson_is_scipys(pairs: list[tuple[int, int]]) -> None:
    first, second = split(pairs)
    pair, scipys = pearson(first, second), stats.pearsonr(first, second)
    assert pair.value == pytest.approx(scipys.statistic, abs=1e-12)
    if abs(pair.value) < 1 - 1e-9:
        assert pair.p == pytest.approx(scipys.pvalue, abs=1e-9)
        assert tuple(pair.bounds) == pytest.approx(tuple(scipys.confidence_interval(0.95)), abs=1e-9)


@given(PAIRS)
def test_spearman_is_scipys(pairs: list[tuple[int, int]]) -> None:
    first, second = split(pairs)
    pair, scipys = spearman(first, second), stats.spearmanr(first, second)
    assert pair.value == pytest.approx(scipys.statistic, abs=1e-12)
    if len(pairs) > 8 and abs(pair.value) < 1 - 1e-9:
        assert pair.p == pytest.approx(scipys.pvalue, abs=1e-9)
    assert pair.bounds.lower - 1e-12 <= pair.value <= pair.bounds.upper + 1e-12


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=4, max_size=5))
def test_a_few_ranks_are_counted_over_all_permutations(pairs: list[tuple[int, int]]) -> None:
    first, second = split(pairs)
    seen = abs(stats.spearmanr(first, second).statistic)
    others = [abs(stats.spearmanr(first, order).statistic) for order in permutations(second)]
    assert spearman(first, second).p == pytest.approx(np.mean(np.array(others) >= seen - 1e-9))


def test_bonett_and_wrights_interval_by_hand() -> None:
    # Ranks 1 2 3 4 5 against 1 3 2 5 4: sum of squares 4, r = 1 - 6 * 4 / 120 = .8; se = sqrt((1 + .64 / 2) / 2) = .8124.
    pair = spearman([1, 2, 3, 4, 5], [1, 3, 2, 5, 4])
    half = 1.959964 * sqrt((1 + 0.64 / 2) / 2)
    assert tuple(pair.bounds) == pytest.approx((tanh(atanh(0.8) - half), tanh(atanh(0.8) + half)), abs=1e-6)


def test_perfect_ranks_of_five_are_no_certainty() -> None:
    pair = spearman([1, 2, 3, 4, 5], [2, 4, 6, 8, 9])
    # The next smaller value of five ranks is 1 - 6 * 2 / 120 = .9.
    half = 1.959964 * sqrt((1 + 0.81 / 2) / 2)
    assert (pair.value, pair.bounds.upper) == (1.0, 1.0)
    assert pair.bounds.lower == pytest.approx(tanh(atanh(0.9) - half), abs=1e-6)
    assert pair.p == pytest.approx(2 / 120)
    assert spearman([1, 2, 3, 4, 5], [9, 8, 6, 4, 2]).bounds.upper == pytest.approx(-pair.bounds.lower)


def test_a_partial_correlation_spends_degrees_of_freedom() -> None:
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(5), 4)
    first, second = rng.normal(size=20) + group, rng.normal(size=20) + group
    left = [values - np.array([values[group == name].mean() for name in group]) for values in (first, second)]
    pair = pearson(*left, spent=4)
    # The coefficient of one in the regression of the other on it and four dummies has the same t, at 20 - 6 degrees.
    design = np.column_stack([first, *(group == index for index in range(5))])
    weights, residual, *_ = np.linalg.lstsq(design, second, rcond=None)
    error = sqrt(residual[0] / 14 * np.linalg.inv(design.T @ design)[0, 0])
    assert pair.p == pytest.approx(2 * stats.t.sf(abs(weights[0] / error), 14))


@settings(max_examples=40)
@given(PAIRS, st.floats(0.1, 9), st.floats(-9, 9))
def test_scale_and_order_do_not_matter_and_a_sign_turns_all(pairs: list[tuple[int, int]], scale: float, shift: float) -> None:
    first, second = split(pairs)
    moved = [scale * value + shift for value in first]
    for correlation in (pearson, spearman):
        before, after = correlation(first, second), correlation(moved[::-1], second[::-1])
        turned = correlation([-value for value in first], second)
        assert (after.value, *after.bounds) == pytest.approx((before.value, *before.bounds), abs=1e-6)
        assert (turned.value, turned.bounds.lower) == pytest.approx((-before.value, -before.bounds.upper), abs=1e-9)


def test_too_little_is_said() -> None:
    with pytest.raises(NotEnoughEvidence, match="3 pairs; a correlation with an interval needs at least 4"):
        pearson([1, 2, 3], [3, 2, 1])
    with pytest.raises(NotEnoughEvidence, match="5 pairs; a correlation with an interval needs at least 6"):
        spearman([1, 2, 3, 4, 5], [3, 2, 1, 4, 5], spent=2)
    with pytest.raises(NotEnoughEvidence, match="all numbers of one list are equal"):
        pearson([1, 1, 1, 1], [1, 2, 3, 4])
    with pytest.raises(BadInput, match="4 and 3 numbers"):
        pearson([1, 2, 3, 4], [1, 2, 3])
    with pytest.raises(BadInput, match="confidence is 95"):
        pearson([1, 2, 3, 5], [1, 2, 4, 3], confidence=95)
    with pytest.raises(BadInput, match="not finite"):
        spearman([1, 2, 3, float("nan")], [1, 2, 3, 4])


def test_the_p_value_is_scipys_for_perfect_and_for_none() -> None:
    assert p_value(0.0, 20) == pytest.approx(1.0)
    assert p_value(1.0, 20) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(("n", "rho"), [(10, 0.0), (10, 0.6), (70, 0.4), (30, -0.8)])
def test_intervals_cover_what_was_planted(n: int, rho: float) -> None:
    rng, rounds = np.random.default_rng(2), 4_000
    ranked = 6 / np.pi * np.arcsin(rho / 2)  # Spearman's correlation of two normal variables
    covered = np.zeros(2)
    for _ in range(rounds):
        first, second = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=n).T
        for index, (correlation, truth) in enumerate(((pearson, rho), (spearman, ranked))):
            lower, upper = correlation(first, second).bounds
            covered[index] += lower <= truth <= upper
    assert (covered / rounds).min() > 0.93, covered / rounds
