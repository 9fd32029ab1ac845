"""Paired differences, and differences of means."""

from __future__ import annotations

import statistics
from itertools import combinations, permutations, product

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from tests.each_case import each_case
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.statistics.betting import BettingTest, Floats
from vivavoce.statistics.clustered import Groups
from vivavoce.statistics.differences import FRACTIONS, DifferenceTests, PairedTest, difference_bounds, mcnemar, paired_test
from vivavoce.statistics.plug_in import PairedDifferenceTests, PlugInBets, log_optimal_bet, margin_bounds

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
    ends = [scipy.optimize.brentq(excess, -0.99, row.mean(), args=(row,), xtol=1e-9) for row in d]
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


def outcome(values: ArrayLike, groups: Groups | None = None, *, largest: float = 10.0, rounds: int = 10_000) -> PairedTest:
    """With a generator of its own, each time the same."""
    array = np.asarray(values, dtype=float)
    shared = [()] * array.size if groups is None else groups
    return paired_test(array, shared, largest=largest, rng=np.random.default_rng(0), rounds=rounds)


def test_of_normal_differences_it_is_about_students_t() -> None:
    values = np.random.default_rng(5).normal(0.25, 1, 200)
    pair = outcome(values)
    assert pair[1:] == ("bootstrap", 200)
    t = float(values.mean() / values.std(ddof=1) * 200**0.5) * 200 / 203
    assert pair.p == pytest.approx(2 * scipy.stats.t.sf(abs(t), 199), rel=0.3)


def test_each_draw_of_the_bootstrap_has_a_spread_of_its_own() -> None:
    values = [0.3] * 17 + [-0.1, 0.2, 3.0]
    middle = statistics.fmean(values)
    draws = [[values[i] - middle for i in row] for row in np.random.default_rng(0).integers(0, 20, (999, 20))]
    beyond = middle / statistics.pstdev(values) * 20 / 23
    students = [statistics.fmean(draw) / (statistics.pstdev(draw) or 1e-9) for draw in draws]
    sides = [sum(t <= beyond for t in students), sum(t >= beyond for t in students), sum(abs(t) >= beyond for t in students)]
    assert outcome(values, rounds=999).p == max(2 * (1 + min(sides[:2])), 1 + sides[2]) / 1000


def test_the_smallest_p_is_that_of_the_rounds() -> None:
    assert outcome([0.5, 1.0] * 20, rounds=999).p == 2 / 1000  # never 0


def test_what_shares_a_group_is_drawn_together() -> None:
    values = np.random.default_rng(6).normal(0.3, 1, 40)
    copied, groups = np.repeat(values, 3), [(str(i // 3),) for i in range(120)]
    alone, together = outcome(values), outcome(copied, groups)
    assert together[1:] == alone[1:] == ("bootstrap", 40)
    assert together.p == alone.p
    assert outcome(copied).p < alone.p / 3


def test_few_sets_are_bet_on() -> None:
    # five differences of 1: bets of u = .025, .075, ... earn (1 + u)^5 on the one side and (1 - u)^5 on the other
    bets = (np.arange(20) + 0.5) / 20
    assert outcome([2.0] * 5, largest=2.0)[1:] == ("betting", 5)
    assert outcome([2.0] * 5, largest=2.0).p == pytest.approx(2 / (np.mean((1 + bets) ** 5) + np.mean((1 - bets) ** 5)))
    # a larger bound makes each of them say less, and differences of one set count as one
    assert outcome([2.0] * 5, largest=20.0).p > 0.9
    assert outcome([2.0] * 10, [(str(i // 2),) for i in range(10)], largest=2.0).p == outcome([2.0] * 5, largest=2.0).p
    # 22 sets, one of which holds 20 of 41 differences, tell no more than a few
    assert outcome(np.ones(41), [("one",)] * 20 + [()] * 21).method == "betting"


def test_what_hangs_together_is_left_to_t() -> None:
    values = np.random.default_rng(5).normal(1, 1, 45)
    pair = outcome(values, list(combinations(range(10), 2)))
    assert pair[1:] == ("t", 1)
    assert 0 < pair.p < 1


def test_equal_differences_are_no_certainty() -> None:
    assert outcome([0.0] * 30).p == 1
    assert outcome([0.1] * 30, largest=1.0).p > 0.01
    assert outcome([0.1] * 30, largest=1.0).method == "betting"


def test_what_cannot_be_tested_is_refused() -> None:
    with pytest.raises(NotEnoughEvidence):
        outcome([1.0])
    with pytest.raises(BadInput, match="rounds"):
        outcome([1.0, 2.0], rounds=0)
    for largest in (0.0, 1.0, np.inf):
        with pytest.raises(BadInput, match="largest"):
            outcome([1.0, 2.0], largest=largest)


@settings(max_examples=30)
@given(values=st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_the_sign_of_all_differences_does_not_matter_to_bets(values: list[float]) -> None:
    if len(values) < 20:
        assert outcome(values, largest=1.0).p == pytest.approx(outcome([-value for value in values], largest=1.0).p)
    assert 0 < outcome(values, largest=1.0, rounds=99).p <= 1


@given(pairs=st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_mcnemar_is_the_binomial_test_of_the_discordant(pairs: list[tuple[bool, bool]]) -> None:
    number, other = sum(a > b for a, b in pairs), sum(b > a for a, b in pairs)
    theirs = scipy.stats.binomtest(number, number + other).pvalue if number + other else 1.0
    assert mcnemar([a for a, _ in pairs], [b for _, b in pairs]) == pytest.approx(theirs)


def test_mcnemar_needs_pairs() -> None:
    with pytest.raises(BadInput, match="2 and 1 truth values"):
        mcnemar([True, False], [True])


VALUES = [-1.0, -0.5, 0.0, 0.25, 1.0]
DIFFERENCES_OF_VALUES = st.lists(st.sampled_from(VALUES), min_size=1, max_size=40)


def capital(d: list[float], null: float, margin: float, population: int | None) -> Floats:
    """Log capital after each known value, by the formulas of the docstring, one at a time."""
    path, squares, total, log_capital = [], 1.0, 0.0, 0.0
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


@each_case(("q", "r"), [(0.01, 0.02), (0.1, 0.02), (0.3, 0.05), (0.9, 0.3), (0.01, 0.2)])
def test_the_bet_is_log_optimal_for_equal_candidates(q: float, r: float) -> None:
    def loss(bet: float) -> float:
        return -float(q / 2 * np.log((1 + bet * r) ** 2 - bet**2) + (1 - q) * np.log(1 + bet * r))

    best = scipy.optimize.minimize_scalar(loss, bounds=(0, 1 / (1 - r) - 1e-9), method="bounded", options={"xatol": 1e-10})
    assert log_optimal_bet(q, r) == pytest.approx(best.x, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(DIFFERENCES_OF_VALUES, st.integers(1, 30), st.booleans(), st.sampled_from([-0.5, -0.05, 0.0, 0.3]))
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
    assert np.exp(PlugInBets([-0.2] * 3, 0.2).update(d, d)[:, -1]) == pytest.approx([9.5, 49.2, 45.7], abs=0.05)


@settings(max_examples=80, deadline=None)
@given(DIFFERENCES_OF_VALUES, st.integers(0, 30), st.booleans(), st.sampled_from([-0.5, -0.05, 0.0]), st.integers(0, 9))
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
@given(DIFFERENCES_OF_VALUES, st.integers(0, 30), st.booleans())
def test_the_capital_falls_as_the_null_rises(d: list[float], left: int, finite: bool) -> None:
    nulls, population = np.linspace(-0.9, 0.9, 13), len(d) + left if finite else None
    rows = np.tile(d, (nulls.size, 1))
    path = PlugInBets(nulls, 0.05, population=population).update(rows, rows)
    if population is not None:  # a null that is refuted counts as impossible
        path[np.cumsum(rows, axis=1) >= population * nulls[:, None] - 1e-9] = 1e3
    assert (np.diff(np.minimum(np.maximum.accumulate(path, axis=1), 1e3), axis=0) <= 1e-9).all()


@settings(max_examples=30, deadline=None)
@given(DIFFERENCES_OF_VALUES, st.integers(0, 9))
def test_all_at_once_one_by_one_and_to_the_end_are_the_same(d: list[float], left: int) -> None:
    low = np.tile(d, (2, 1))
    high = np.minimum(low + np.array([[0.0], [0.5]]), 1.0)
    whole, single, last = (PlugInBets([0.0, -0.1], 0.1, population=len(d) + left) for _ in range(3))
    path = whole.update(low, high)
    steps = [single.update(low[:, n, None], high[:, n, None]) for n in range(len(d))]
    assert np.concatenate(steps, axis=1) == pytest.approx(path)
    ended = [np.concatenate([ends, np.full((2, 3), np.nan)], axis=1)[:, : len(d) + left] for ends in (low, high)]
    assert last.take(*ended) == pytest.approx(path[:, -1])


@pytest.mark.parametrize("margin", [0.0, 0.02])
def test_half_of_the_capital_is_on_the_mixture_and_directions_are_tested_by_it_alone(margin: float) -> None:
    d = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], size=(3, 50), p=[0.1, 0.7, 0.2])
    better, worse, no_worse, no_better = PairedDifferenceTests(3, margin, aim=0.05).update(d, d)
    cases = [(null, side) for null in (0.0, -margin) for side in (d, -d)]
    bets = [DifferenceTests(np.full(3, null), fractions=FRACTIONS[1:]).update(side) for null, side in cases]
    plug_in = [np.exp(PlugInBets(np.full(3, null), 0.05).update(side, side)) for null, side in cases]
    mixture = [0.9 * np.exp(rest) + 0.1 * own for rest, own in zip(bets, plug_in, strict=True)]
    assert np.exp(better) == pytest.approx(mixture[0])
    assert np.exp(worse) == pytest.approx(mixture[1])
    assert np.exp(no_worse) == pytest.approx((mixture[2] + plug_in[2]) / 2)
    assert np.exp(no_better) == pytest.approx((mixture[3] + plug_in[3]) / 2)
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


@pytest.mark.parametrize("population", [None, 90])
def test_bounds_of_the_other_less_the_first_are_mirrored(population: int | None) -> None:
    least = np.tile([[1.0, 0.0, 0.5, -0.5, 0.0, 1.0]], 10)
    most = np.minimum(1.0, least + np.tile([0.0, 0.0, 0.25], 20))
    low, high = margin_bounds(least, most, 0.1, margin=0.05, aim=0.05, population=population)
    mirrored = margin_bounds(-most, -least, 0.1, margin=0.05, aim=0.05, population=population)
    assert -mirrored[1] == pytest.approx(low)
    assert -mirrored[0] == pytest.approx(high)


@pytest.mark.parametrize("population", [None, 90])
def test_rows_of_other_lengths_change_no_end(population: int | None) -> None:
    rng = np.random.default_rng(3)
    least = rng.choice([-1.0, 0.0, 1.0], size=(6, 70), p=[0.1, 0.5, 0.4])
    most = np.minimum(least + (rng.random(least.shape) < 0.05), 1.0)
    lengths = (0, 1, 8, 9, 33, 70)
    for row, length in enumerate(lengths):
        least[row, length:] = most[row, length:] = np.nan
    low, high = margin_bounds(least, most, 0.1, margin=0.02, aim=0.02, population=population)
    for row, length in enumerate(lengths):
        alone = least[row : row + 1, :length], most[row : row + 1, :length]
        ends = margin_bounds(*alone, 0.1, margin=0.02, aim=0.02, population=population)
        assert (low[row], high[row]) == (ends[0][0], ends[1][0])


@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_a_margin_without_meaning_is_refused(margin: float) -> None:
    with pytest.raises(BadInput, match="margin of the bets"):
        PlugInBets([0.0], margin)
