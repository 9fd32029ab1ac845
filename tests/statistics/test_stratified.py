"""Strata: closed forms, brute force over all strata that are allowed, and what must not depend on how values are fed in."""

from __future__ import annotations

from itertools import islice, product
from math import comb, inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize
from scipy.special import xlog1py, xlogy

from vivavoce.errors import BadInput
from vivavoce.statistics.stratified import (
    StratifiedTest,
    clean_answers_in_strata,
    log_imbalance,
    log_most_likely,
    log_most_likely_of_finite,
    proportional,
)

FOUR = (0.5, 0.3, 0.15, 0.05)
counts = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda pair: (min(pair), max(pair)))


def test_four_strata_without_failures_take_at_most_6167_questions() -> None:
    # by another program, with a mixture of its own: 6,167; a union of exact bounds at delta/4 each needs
    # sum p_i (1 - (.05/4)^(1/n_i)) <= .00052 with n_i = p_i n, which is n = 33,691
    masses = np.array(FOUR)
    assert clean_answers_in_strata(0.00052, 0.05, FOUR) == 6_135
    assert 6_135 <= 6_167
    assert (masses * (1 - (0.05 / 4) ** (1 / (masses * 33_691)))).sum() <= 0.00052
    assert (masses * (1 - (0.05 / 4) ** (1 / (masses * 33_690)))).sum() > 0.00052
    # the same formula for the default limit of 1%, as the documentation tells it: n = 1,736
    assert clean_answers_in_strata(0.01, 0.05, FOUR) == 318
    assert (masses * (1 - (0.05 / 4) ** (1 / (masses * 1_736)))).sum() <= 0.01
    assert (masses * (1 - (0.05 / 4) ** (1 / (masses * 1_735)))).sum() > 0.01


def test_without_events_it_is_the_closed_form() -> None:
    # in proportion, the null is likeliest with .00052 in every stratum; Q = .7 on "never", and the others add something
    order = list(islice(proportional(FOUR), 6_000))
    test = StratifiedTest(0.00052, FOUR, rare=True)
    log_e = float(test.update(np.zeros(6_000), order).below[-1])
    assert -6_000 * np.log1p(-0.00052) + log(0.7) < log_e < -6_000 * np.log1p(-0.00052)


def test_a_stratum_that_was_never_asked_may_hold_all_events() -> None:
    assert log_most_likely([0, 0], [1_000, 0], [0.9, 0.1], 0.05) == pytest.approx(0.0, abs=1e-4)
    assert log_most_likely([0, 0], [1_000, 0], [0.99, 0.01], 0.05) < -30  # but not more than its mass


def test_one_value_of_a_stratum_is_its_likeliest_mean() -> None:
    # one value each: 1 and 0 are certain with means of 1 and 0, and these make .5 in all
    assert log_most_likely([1, 0], [1, 1], [0.5, 0.5], 0.2) == pytest.approx(0.0)
    # of .7 and .3 they make .7, so that at .8 the second mean must be 1/3
    assert log_most_likely([1, 0], [1, 1], [0.7, 0.3], 0.8) == pytest.approx(log(2 / 3))


@settings(max_examples=60)
@given(strata=st.tuples(counts, counts, counts), least=st.floats(0.05, 0.95))
def test_the_most_likely_strata_against_a_general_optimiser(strata: tuple[tuple[int, int], ...], least: float) -> None:
    k, n = np.array(strata, dtype=float).T
    p = np.array([0.5, 0.3, 0.2])

    def loss(m: np.ndarray) -> float:
        return -float((xlogy(k, m) + xlog1py(n - k, -m)).sum())

    start = np.full(3, (1 + least) / 2)
    by_slsqp = minimize(
        loss, start, method="SLSQP", bounds=[(1e-9, 1 - 1e-9)] * 3, constraints=LinearConstraint(p[None], lb=least)
    )
    ours = float(log_most_likely(k, n, p, least))
    assert ours >= -by_slsqp.fun - 1e-4  # an upper bound on the likelihood of every null
    assert ours == pytest.approx(-by_slsqp.fun, abs=0.02)


@settings(max_examples=80)
@given(data=st.data())
def test_the_most_likely_finite_strata_against_all_of_them(data: st.DataObject) -> None:
    sizes = data.draw(st.tuples(*[st.integers(1, 7)] * 3))
    n = [data.draw(st.integers(0, size)) for size in sizes]
    k = [data.draw(st.integers(0, drawn)) for drawn in n]
    least = data.draw(st.integers(0, sum(sizes)))

    def log_likelihood(ones: int, size: int, drawn: int, sum_: int) -> float:
        ways = comb(size - drawn, ones - sum_) if ones >= sum_ else 0  # of placing the ones that were not drawn
        return log(ways / comb(size, ones)) if ways else -inf

    best = max(
        (
            sum(log_likelihood(*pair) for pair in zip(ones, sizes, n, k, strict=True))
            for ones in product(*(range(size + 1) for size in sizes))
            if sum(ones) >= least
        ),
        default=-inf,
    )
    assert float(log_most_likely_of_finite(k, n, sizes, least)) == pytest.approx(best, abs=1e-6)


@given(n=st.lists(st.integers(0, 30), min_size=3, max_size=3).filter(any), bet=st.floats(0.0, 1.4))
def test_the_imbalance_bounds_what_any_bet_may_gain_from_the_allocation(n: list[int], bet: float) -> None:
    # grid of means whose weighted mean is .7: the log of prod f(m_i)^n_i is never above it
    p = np.array([0.5, 0.3, 0.2])
    grid = np.linspace(0, 1, 21)
    first, second = np.meshgrid(grid, grid)
    third = (0.7 - p[0] * first - p[1] * second) / p[2]
    fits = (third >= 0) & (third <= 1)
    means = np.stack((first[fits], second[fits], third[fits]), axis=-1)
    gained = xlogy(np.array(n), np.maximum(1 + bet * (means - 0.7), 0.0)).sum(axis=-1)
    assert gained.max() <= float(log_imbalance(n, p)) + 1e-9


def test_no_stratum_lags_by_a_draw_and_finite_ones_end_together() -> None:
    order = np.array(list(islice(proportional(FOUR), 500)))
    drawn = np.cumsum(order[:, None] == np.arange(4), axis=0)
    assert np.abs(drawn - np.arange(1, 501)[:, None] * np.array(FOUR)).max() < 1
    assert sorted(proportional([0.6, 0.4], sizes=[6, 4])) == [0] * 6 + [1] * 4


@settings(max_examples=10, deadline=None)
@given(data=st.data(), finite=st.booleans(), rare=st.booleans())
def test_one_by_one_all_at_once_or_several_runs_at_once(data: st.DataObject, finite: bool, rare: bool) -> None:
    order = list(islice(proportional([0.6, 0.4], sizes=[12, 8]), data.draw(st.integers(1, 20))))
    runs = np.array(data.draw(st.lists(st.lists(st.booleans(), min_size=20, max_size=20), min_size=2, max_size=2)), dtype=float)
    runs = runs[:, : len(order)]
    tests = [StratifiedTest(0.3, [0.6, 0.4], sizes=[12, 8] if finite else None, rare=rare) for _ in range(3)]
    together, whole = tests[0].update(runs, order), tests[1].update(runs[1], order)
    single = [tests[2].update([x], [stratum]) for x, stratum in zip(runs[1], order, strict=True)]
    for side in ("above", "below"):
        assert getattr(together, side)[1] == pytest.approx(getattr(whole, side))
        assert [float(getattr(pair, side)[0]) for pair in single] == pytest.approx(getattr(whole, side).tolist())
    assert tuple(tests[1].bounds(0.05)) == pytest.approx(tuple(tests[2].bounds(0.05)))


def test_bounds_cover_and_meet_where_all_is_known() -> None:
    order = list(proportional([0.6, 0.4], sizes=[60, 40]))
    values = (np.arange(100) % 4 == 0).astype(float)
    test = StratifiedTest(0.3, [0.6, 0.4], sizes=[60, 40])
    test.update(values, order)
    assert tuple(test.bounds(0.05)) == pytest.approx((0.25, 0.25))
    open_ended = StratifiedTest(0.3, [0.6, 0.4])
    open_ended.update(values, order)
    lower, upper = open_ended.bounds(0.05)
    assert 0.1 < lower < 0.25 < upper < 0.45


@pytest.mark.slow
@pytest.mark.parametrize("finite", [False, True])
def test_bounds_cover_at_all_moments_together(finite: bool) -> None:
    """Seeded, 150 runs, looked at after every fiftieth value: misses at most 5% within three standard errors."""
    rng, misses = np.random.default_rng(13), 0
    order = list(proportional([0.6, 0.4], sizes=[120, 80]))
    for _ in range(150):
        strata = [rng.permutation(np.arange(size) < ones).astype(float) for size, ones in ((120, 108), (80, 20))]
        values = np.where(np.array(order) == 0, rng.random(200) < 0.9, rng.random(200) < 0.25).astype(float)
        if finite:
            left = [iter(stratum) for stratum in strata]
            values = np.array([next(left[stratum]) for stratum in order])
        test, missed = StratifiedTest(0.5, [0.6, 0.4], sizes=[120, 80] if finite else None), False
        for start in range(0, 200, 50):
            test.update(values[start : start + 50], order[start : start + 50])
            lower, upper = test.bounds(0.05)
            missed |= not lower - 1e-9 <= 0.64 <= upper + 1e-9  # .6 * .9 + .4 * .25
        misses += missed
    assert misses <= 150 * 0.05 + 3 * np.sqrt(150 * 0.05 * 0.95)


@pytest.mark.parametrize("masses", [[0.5, 0.6], [1.0, 0.0], [-0.5, 1.5]])
def test_masses_that_are_none_are_refused(masses: list[float]) -> None:
    with pytest.raises(BadInput, match="add up to 1"):
        StratifiedTest(0.5, masses)
    with pytest.raises(BadInput, match="strictly between"):
        StratifiedTest(1.5, [1.0])
    with pytest.raises(BadInput, match=r"\[0, 1\]"):
        StratifiedTest(0.5, [1.0]).update([2.0], [0])
