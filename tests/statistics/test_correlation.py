"""Correlation, and exchangeable events."""

from __future__ import annotations

from itertools import permutations, product
from math import atanh, comb, exp, log, sqrt, tanh

import numpy as np
import pytest
import scipy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.statistics import exchangeable
from vivavoce.statistics.agreement import mean_ranks, p_value, pearson, spearman
from vivavoce.statistics.exchangeable import change_evidence


@given(st.lists(st.integers(-3, 3) | st.floats(allow_nan=False), max_size=30))
def test_they_are_scipys(values: list[float]) -> None:
    assert np.array_equal(mean_ranks(values), scipy.stats.rankdata(np.asarray(values, dtype=float)))


PAIRS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=4, max_size=30)


def split(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    first, second = [number for number, _ in pairs], [other for _, other in pairs]
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    return first, second


@given(PAIRS)
def test_pearson_is_scipys(pairs: list[tuple[int, int]]) -> None:
    first, second = split(pairs)
    pair, scipys = pearson(first, second), scipy.stats.pearsonr(first, second)
    assert pair.value == pytest.approx(scipys.statistic, abs=1e-12)
    if abs(pair.value) < 1 - 1e-9:
        assert pair.p == pytest.approx(scipys.pvalue, abs=1e-9)
        assert tuple(pair.bounds) == pytest.approx(tuple(scipys.confidence_interval(0.95)), abs=1e-9)


@given(PAIRS)
def test_spearman_is_scipys(pairs: list[tuple[int, int]]) -> None:
    first, second = split(pairs)
    pair, scipys = spearman(first, second), scipy.stats.spearmanr(first, second)
    assert pair.value == pytest.approx(scipys.statistic, abs=1e-12)
    if len(pairs) > 8 and abs(pair.value) < 1 - 1e-9:
        assert pair.p == pytest.approx(scipys.pvalue, abs=1e-9)
    assert pair.bounds.lower - 1e-12 <= pair.value <= pair.bounds.upper + 1e-12


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=4, max_size=5))
def test_a_few_ranks_are_counted_over_all_permutations(pairs: list[tuple[int, int]]) -> None:
    first, second = split(pairs)
    seen = abs(scipy.stats.spearmanr(first, second).statistic)
    others = [abs(scipy.stats.spearmanr(first, order).statistic) for order in permutations(second)]
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
    assert pair.p == pytest.approx(2 * scipy.stats.t.sf(abs(weights[0] / error), 14))


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


LOOKS = range(10, 151, 10)


def e_value(values: tuple[int, ...], population: int | None) -> float:
    return exp(change_evidence(np.array(values, dtype=bool), populations=(population,)).log_e) if values else 1.0


def likeliest(values: tuple[int, ...], population: int | None) -> float:
    """The largest probability of the sequence under the null, by trying rates on a grid, or all numbers of ones."""
    n, k = len(values), sum(values)
    if population is None:
        return max(p**k * (1 - p) ** (n - k) for p in [i / (60 * n) for i in range(60 * n + 1)])
    return max(comb(population - n, ones - k) / comb(population, ones) for ones in range(k, population - n + k + 1))


@each_case("population", [None, 9, 14])
@each_case("n", [1, 2, 5, 9])
def test_what_it_bets_with_is_one_distribution(n: int, population: int | None) -> None:
    """E max P = Q, and the Q of all sequences add up to 1."""
    everything = list(product((0, 1), repeat=n))
    assert sum(e_value(x, population) * likeliest(x, population) for x in everything) == pytest.approx(1)
    for x in everything[:40]:
        if n < 9:
            now, then = e_value(x, population) * likeliest(x, population), [(*x, last) for last in (0, 1)]
            assert now == pytest.approx(sum(e_value(y, population) * likeliest(y, population) for y in then))


def best_stop(x: tuple[int, ...], ones: int, population: int) -> float:
    """What the best rule for stopping is worth from here on (Snell's envelope), with so many ones among the population."""
    left = population - len(x)
    now = e_value(x, population)
    if not left:
        return now
    chance = (ones - sum(x)) / left
    further = ((1, chance), (0, 1 - chance))
    return max(now, sum(p * best_stop((*x, value), ones, population) for value, p in further if p > 0))


@pytest.mark.parametrize("population", [1, 4, 9])
def test_no_rule_for_stopping_gains_without_replacement(population: int) -> None:
    for ones in range(population + 1):
        assert best_stop((), ones, population) <= 1 + 1e-9


def test_two_values_by_hand() -> None:
    """KT gives 1 a probability of 1/2 and 1 again one of 3/4. w_1 = 1 - 1/log2(3), the rest 1/log2(3) = .6309.

    Q(10) = .3691 / 4 + .6309 / 8 = .1711, and max p (1-p) = 1/4: e = .6845. Of a population of 2, one of each is 1/2 at most.
    """
    assert e_value((1, 0), None) == pytest.approx(0.6845, abs=1e-4)
    assert e_value((1, 0), 2) == pytest.approx(0.3423, abs=1e-4)


@given(st.lists(st.booleans(), max_size=60), st.integers(0, 40))
def test_ones_and_zeros_may_be_exchanged(values: list[bool], more: int) -> None:
    for population in (None, len(values) + more):
        pair = change_evidence(values, populations=(population,))
        turned = change_evidence([not value for value in values], populations=(population,))
        assert pair.log_e == pytest.approx(turned.log_e, abs=1e-9)
        assert 0 <= pair.after <= max(0, len(values) - 1)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=1, max_size=60))
def test_strata_may_be_renamed_and_empty_ones_change_nothing(drawn: list[tuple[bool, int]]) -> None:
    values, strata = zip(*drawn, strict=True)
    pair = change_evidence(values, strata=strata, populations=(None, 70, 80))
    renamed = change_evidence(values, strata=[2 - s for s in strata], populations=(80, 70, None))
    further = change_evidence(values, strata=strata, populations=(None, 70, 80, 7))
    assert pair.log_e == pytest.approx(renamed.log_e, abs=1e-9)
    assert pair.log_e == pytest.approx(further.log_e, abs=1e-9)


def test_strata_of_different_rates_are_no_change() -> None:
    """A hard category every second time; all of it last would be a change, if the strata were not told apart."""
    strata = np.tile([0, 1], 50)
    assert change_evidence(strata == 0, strata=strata, populations=(None, None)).log_e < 0
    last = np.sort(strata)
    assert change_evidence(last == 0, strata=last, populations=(None, None)).log_e < 0
    assert change_evidence(last == 0).log_e > 40


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=1, max_size=40), st.integers(1, 9))
def test_blocks_of_any_length_give_the_same(drawn: list[tuple[bool, int]], block: int) -> None:
    values, strata = zip(*drawn, strict=True)
    populations = (None, 60, 60)
    whole = change_evidence(values, strata=strata, populations=populations)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(exchangeable, "_BLOCK", block)
        pair = change_evidence(values, strata=strata, populations=populations)
    assert pair.log_e == pytest.approx(whole.log_e, abs=1e-9)
    assert pair.after == whole.after


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(BadInput, match="more values than the population of 3"):
        change_evidence([True] * 4, populations=(3,))
    with pytest.raises(BadInput, match="give each value one of them"):
        change_evidence([True] * 4, strata=[0, 0, 0, 2], populations=(None, None))
    assert change_evidence([]) == (0.0, 0)


def test_it_finds_the_candidate_that_tires_and_where() -> None:
    """The likelihood ratio of "all right, then all wrong" against the best single rate is 1 / (p^60 (1-p)^20) at p = 3/4: about
    exp(45); what was not known beforehand costs the difference."""
    pair = change_evidence([True] * 60 + [False] * 20)
    assert pair.after == 60
    ratio = -(60 * log(0.75) + 20 * log(0.25))
    assert ratio - 15 < pair.log_e < ratio


def power(before: float, since: float, n: int, *, runs: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    rates = np.where(np.arange(n) < 60, before, since)
    return float(np.mean([change_evidence(rng.random(n) < rates).log_e >= log(20) for _ in range(runs)]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "since", "n", "least"),
    [(1.0, 0.0, 80, 0.999), (1.0, 0.5, 100, 0.95), (0.95, 0.5, 200, 0.95), (0.95, 0.6, 200, 0.7)],
)
def test_power_against_one_that_tires_after_60(before: float, since: float, n: int, least: float) -> None:
    assert power(before, since, n, runs=1_000, seed=17) >= least


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "population"), [(0.5, None), (0.7, None), (0.95, None), (0.7, 150), (0.9, 200), (0.5, 1_000)])
def test_a_fixed_candidate_shows_a_change_in_at_most_one_of_twenty(rate: float, population: int | None) -> None:
    """4,000 runs, looked at every ten questions: the share that ever reaches 20, and the mean where a verdict might stop."""
    runs, ever, stopped = 4_000, 0, []
    rng = np.random.default_rng(4)
    for _ in range(runs):
        values = rng.random(150) < rate if population is None else rng.permutation(population)[:150] < rate * population
        path = [change_evidence(values[:n], populations=(population,)).log_e for n in LOOKS]
        ever += max(path) >= log(20)
        # stopped when the last ten are worst, as a candidate's luck would have it
        worst = next((i for i, n in enumerate(LOOKS) if values[n - 10 : n].mean() <= rate - 0.25), len(path) - 1)
        stopped.append(exp(path[worst]))
    assert ever / runs <= 0.05
    assert np.mean(stopped) <= 1 + 3 * np.std(stopped) / runs**0.5
