"""The e-process for a change in the course of time: exact expectations on all orders, error studies, and its power."""

from __future__ import annotations

from itertools import product
from math import comb, exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.statistics import exchangeable
from vivavoce.statistics.exchangeable import change_evidence

LOOKS = range(10, 151, 10)


def e_value(values: tuple[int, ...], population: int | None) -> float:
    return exp(change_evidence(np.array(values, dtype=bool), populations=(population,)).log_e) if values else 1.0


def likeliest(values: tuple[int, ...], population: int | None) -> float:
    """The largest probability of the sequence under the null, by trying rates on a grid, or all numbers of ones."""
    n, k = len(values), sum(values)
    if population is None:
        return max(p**k * (1 - p) ** (n - k) for p in [i / (60 * n) for i in range(60 * n + 1)])
    return max(comb(population - n, ones - k) / comb(population, ones) for ones in range(k, population - n + k + 1))


@pytest.mark.parametrize("population", [None, 9, 14])
@pytest.mark.parametrize("n", [1, 2, 5, 9])
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
