"""E-processes for paired differences, also over strata."""

from __future__ import annotations

from itertools import islice, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import BettingTest, Floats
from vivavoce.statistics.differences import (
    FRACTIONS,
    DifferenceTests,
    StratifiedDifferenceTests,
    difference_bounds,
    stratified_difference_bounds,
)
from vivavoce.statistics.stratified import proportional

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


VALUES = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])


def path(
    d: Floats, order: list[int], masses: list[float], sizes: list[int] | None, *, null: float = 0.0, known: Floats | None = None
) -> Floats:
    """The log e-values after each difference, of shape (runs, n)."""
    tests, result = StratifiedDifferenceTests(len(d), masses, sizes=sizes), np.zeros(d.shape)
    for index, stratum in enumerate(order):
        tests.update(d[:, index], stratum, known=True if known is None else known[:, index])
        result[:, index] = tests.log_e(np.full(len(d), null))
    return result


def stopped_best(e: Floats, sequences: Floats) -> float:
    """The largest mean e-value of any way to stop, by going back from the end; all sequences are equally likely."""
    value = e[:, -1]
    for n in range(sequences.shape[1] - 1, -1, -1):
        _, same = np.unique(sequences[:, :n], axis=0, return_inverse=True)
        value = (np.bincount(same.ravel(), value) / np.bincount(same.ravel()))[same.ravel()]
        if n:
            value = np.maximum(value, e[:, n - 1])
    return float(value[0])


def test_one_stratum_of_independent_draws_is_the_test_without_strata() -> None:
    d = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], size=(5, 60))
    assert path(d, [0] * 60, [1.0], None) == pytest.approx(DifferenceTests(np.zeros(5)).update(d))


def test_two_strata_by_hand() -> None:
    # one win in each of two equal strata: prod (1 + u), the bound is 0 as both D_i = 0 are at hand; their mean over u
    values = path(np.ones((1, 2)), [0, 1], [0.5, 0.5], None)
    assert np.exp(values[0, 1]) == pytest.approx(np.mean((1 + FRACTIONS) ** 2))
    # after one alone: max over D_1 of ln(1 + u D_1) with D_1 / 2 <= 1/2 is at least that of D_1 = 1, so that it shows nothing
    assert values[0, 0] <= 1e-12


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([(2, 2), (3, 3), (4, 2), (3, 2, 1)]), st.data())
def test_no_way_to_stop_has_a_mean_above_one(sizes: tuple[int, ...], data: st.DataObject) -> None:
    lists = [data.draw(st.lists(VALUES, min_size=size, max_size=size)) for size in sizes]
    null = sum(map(sum, lists)) / sum(sizes)
    masses, order = [size / sum(sizes) for size in sizes], list(proportional(np.array(sizes) / sum(sizes), sizes=sizes))
    sequences = []
    for shuffled in product(*(permutations(values) for values in lists)):
        left = [iter(values) for values in shuffled]
        sequences.append([next(left[stratum]) for stratum in order])
    d = np.array(sequences)
    for side in (1.0, -1.0):
        e = np.exp(path(side * d, order, masses, list(sizes), null=side * null))
        assert stopped_best(e, d) <= 1 + 1e-9


@settings(max_examples=40, deadline=None)
@given(st.data(), st.booleans())
def test_it_is_below_the_martingale_on_every_path_even_where_differences_are_not_known(data: st.DataObject, once: bool) -> None:
    sizes = data.draw(st.lists(st.integers(1, 12), min_size=2, max_size=4))
    masses = [size / sum(sizes) for size in sizes]
    lists = [np.array(data.draw(st.lists(VALUES, min_size=size, max_size=size))) for size in sizes]
    means = [entry.mean() for entry in lists]
    null = float(np.dot(masses, means))
    order = list(islice(proportional(masses, sizes=sizes if once else None), sum(sizes)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    drawn = [rng.permutation(entry) if once else rng.choice(entry, sum(sizes)) for entry in lists]
    log_m, d, least = np.zeros(FRACTIONS.size), np.zeros((1, sum(sizes))), np.zeros((1, sum(sizes)))
    martingale, taken = [], [0] * len(sizes)
    for index, stratum in enumerate(order):
        n, size = taken[stratum], sizes[stratum]
        left = (size * means[stratum] - drawn[stratum][:n].sum()) / (size - n) if once else means[stratum]
        d[0, index] = drawn[stratum][n]
        least[0, index] = d[0, index] if rng.random() < 0.7 else -1.0
        taken[stratum] += 1
        log_m += np.log1p(FRACTIONS * d[0, index]) - np.log1p(FRACTIONS * left)
        martingale.append(np.log(np.exp(log_m).mean()))
    for values in (d, least):
        result = path(values, order, masses, sizes if once else None, null=null, known=values == d)
        assert (result[0] <= np.array(martingale) + 1e-9).all()


def shuffled(lists: list[Floats], runs: int, rng: np.random.Generator) -> tuple[Floats, list[int]]:
    """Differences of runs over strata in proportion, each once."""
    sizes = np.array([values.size for values in lists])
    order = list(proportional(sizes / sizes.sum(), sizes=sizes))
    d, where = np.zeros((runs, sizes.sum())), np.array(order)
    for stratum, values in enumerate(lists):
        d[:, where == stratum] = rng.permuted(np.tile(values, (runs, 1)), axis=1)
    return d, order


def test_it_takes_about_as_many_questions_as_without_strata() -> None:
    rng, sizes = np.random.default_rng(1), [200, 150, 80, 50, 20]
    lists = [np.repeat([1.0, -1.0, 0.0], [size // 4, size // 12, size - size // 4 - size // 12]) for size in sizes]
    d, order = shuffled(lists, 60, rng)
    masses, n = [size / 500 for size in sizes], 250
    over = path(d[:, :n], order[:n], masses, sizes) >= np.log(40)
    plain = DifferenceTests(np.zeros(60), population=500).update(rng.permuted(d, axis=1)[:, :n]) >= np.log(40)
    medians = [float(np.median(np.where(entry.any(axis=1), entry.argmax(axis=1), n))) for entry in (over, plain)]
    assert medians[0] < 1.25 * medians[1]


@pytest.mark.parametrize("once", [True, False])
def test_bounds_cover_at_every_moment(once: bool) -> None:
    rng, sizes = np.random.default_rng(2), [120, 60, 20]
    lists = [np.repeat([1.0, -1.0, 0.0], [size // 2, size // 10, size - size // 2 - size // 10]) for size in sizes]
    d, order = shuffled(lists, 150, rng)
    if not once:
        d = np.stack([rng.choice(lists[stratum], 150) for stratum in order], axis=1)
    missed, masses = np.zeros(150, dtype=bool), [0.6, 0.3, 0.1]
    for n in (12, 40, 100, 180):
        low, high = stratified_difference_bounds(
            d[:, :n], d[:, :n], order[:n], 0.1, masses=masses, sizes=sizes if once else None
        )
        missed |= (low > 0.4) | (high < 0.4)
    assert missed.mean() <= 0.1 + 3 * (0.1 * 0.9 / 150) ** 0.5
    assert (high - low).mean() < 0.5


def test_once_all_were_drawn_the_bounds_are_the_mean() -> None:
    d, order = shuffled([np.array([1.0, 0.0, -1.0, 1.0]), np.array([1.0, 0.0])], 3, np.random.default_rng(3))
    low, high = stratified_difference_bounds(d, d, order, 0.05, masses=[2 / 3, 1 / 3], sizes=[4, 2])
    assert low == pytest.approx(np.full(3, 1 / 3))
    assert high == pytest.approx(np.full(3, 1 / 3))


def test_bounds_and_test_agree_at_zero_and_rows_may_end_before_others() -> None:
    rng = np.random.default_rng(5)
    d = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.65, 0.25], size=(40, 80))
    order = list(islice(proportional([0.7, 0.3]), 80))
    d[20:, 50:] = np.nan
    low, _ = stratified_difference_bounds(d, d, order, 0.05, masses=[0.7, 0.3])
    whole = path(d[:20], order, [0.7, 0.3], None)[:, -1]
    short = path(d[20:, :50], order[:50], [0.7, 0.3], None)[:, -1]
    assert ((low >= 0) == (np.concatenate([whole, short]) >= np.log(2 / 0.05))).all()


def test_a_stratum_that_was_never_asked_may_hold_all_the_difference() -> None:
    low, high = stratified_difference_bounds(np.ones((1, 400)), np.ones((1, 400)), [0] * 400, 0.05, masses=[0.5, 0.5])
    assert low[0] < 0 < 0.9 < high[0]
    tests = StratifiedDifferenceTests(1, [0.4, 0.6], sizes=[4, 6])
    for _ in range(4):
        tests.update([1.0], 0)
    assert tests.log_e([0.0])[0] <= 0
    tests.update([1.0], 1)
    assert tests.log_e([0.0])[0] < np.inf  # five won of ten, but the other five may be lost
    tests.update([1.0], 1)
    assert tests.log_e([0.0])[0] == np.inf


def test_impossible_strata_are_refused() -> None:
    with pytest.raises(BadInput, match="add up to 1"):
        StratifiedDifferenceTests(1, [0.5, 0.4])
    tests = StratifiedDifferenceTests(1, [0.5, 0.5], sizes=[1, 1])
    with pytest.raises(BadInput, match=r"\[-1, 1\]"):
        tests.update([2.0], 0)
    tests.update([1.0], 0)
    with pytest.raises(BadInput, match="more differences than the 1 of a stratum"):
        tests.update([1.0], 0)
