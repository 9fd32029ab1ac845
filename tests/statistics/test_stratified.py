"""Strata: closed forms, all ways to stop, the martingale above it, unread values, and what must not depend on how it is fed."""

from __future__ import annotations

from itertools import islice, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.confidence_sequences import mean_above, mean_below, rate_above, rate_below
from vivavoce.statistics.differences import FRACTIONS, DifferenceTests
from vivavoce.statistics.stratified import (
    StratifiedTests,
    mean_above_in_strata,
    proportional,
    rate_above_in_strata,
    rate_below_in_strata,
    stratified_difference_bounds,
)

FOUR = (0.5, 0.3, 0.15, 0.05)


def clean_answers(limit: float, most: int) -> int:
    """How many answers without an event, in proportion to the four strata, show a rate below the limit at 5%."""
    order = list(islice(proportional(FOUR), most))
    return int((rate_below_in_strata(limit, FOUR).update(np.ones((1, most)), order)[0] >= np.log(20)).argmax()) + 1


def test_four_strata_without_failures_take_as_many_questions_as_none() -> None:
    # without strata 6,282, by another program with a mixture of its own 6,167; a union of exact bounds at delta/4 each needs
    # sum p_i (1 - (.05/4)^(1/n_i)) <= .00052 with n_i = p_i n, which is n = 33,691
    masses = np.array(FOUR)
    assert clean_answers(0.00052, 6_400) == 6_282
    assert (masses * (1 - (0.05 / 4) ** (1 / (masses * 33_691)))).sum() <= 0.00052
    assert (masses * (1 - (0.05 / 4) ** (1 / (masses * 33_690)))).sum() > 0.00052
    # the same formula for the default limit of 1%, as the documentation tells it: n = 1,736
    assert clean_answers(0.01, 400) == 326
    assert (masses * (1 - (0.05 / 4) ** (1 / (masses * 1_736)))).sum() <= 0.01
    assert (masses * (1 - (0.05 / 4) ** (1 / (masses * 1_735)))).sum() > 0.01


def test_one_stratum_of_independent_draws_has_the_bets_without_strata() -> None:
    x = np.random.default_rng(0).choice([0.0, 0.5, 1.0], p=[0.2, 0.1, 0.7], size=(1, 80))
    events, strata = (x == 0).astype(float), [0] * 80
    assert mean_above_in_strata(0.7, [1.0]).update(x, strata)[0] == pytest.approx(mean_above(0.7).update(x[0]))
    assert mean_above_in_strata(0.3, [1.0]).update(1 - x, strata)[0] == pytest.approx(mean_below(0.7).update(x[0]))
    assert rate_above_in_strata(0.05, [1.0]).update(events, strata)[0] == pytest.approx(rate_above(0.05).update(events[0]))
    # an unacceptable answer ends the bet that there is none
    assert rate_below_in_strata(0.3, [1.0]).update(1 - events, strata)[0] == pytest.approx(rate_below(0.3).update(events[0]))


def test_a_number_of_events_is_a_sharper_null_than_a_rate() -> None:
    # the limit of 4% allows 4 of 110, so that 5 are too many: a rate of 4.5%, and shares of events may be 4% and a little
    order, clean = list(proportional([0.6, 0.4], sizes=[66, 44]))[:70], np.ones((1, 70))
    tests = [rate_below_in_strata(0.04, [0.6, 0.4], sizes=[66, 44], whole=whole) for whole in (True, False)]
    numbers, shares = (test.update(clean, order)[0, -1] for test in tests)
    assert shares < numbers


@pytest.mark.parametrize("sizes", [None, (60, 40)])
def test_several_rows_are_those_taken_alone_and_in_parts(sizes: tuple[int, ...] | None) -> None:
    order, rng = list(islice(proportional([0.6, 0.4], sizes=sizes), 60)), np.random.default_rng(1)
    x, known = rng.random((3, 60)), rng.random((3, 60)) < 0.9
    together = mean_above_in_strata(0.4, [0.6, 0.4], sizes=sizes, rows=3)
    whole = together.update(x, order, known=known)
    for row in range(3):
        alone = mean_above_in_strata(0.4, [0.6, 0.4], sizes=sizes)
        parts = [alone.update(x[[row], at], order[at], known=known[[row], at]) for at in (slice(0, 25), slice(25, 60))]
        assert np.concatenate(parts, axis=1)[0] == pytest.approx(whole[row])
        assert alone.lowest(0.05)[0] == pytest.approx(together.lowest(0.05)[row])


@pytest.mark.slow
@pytest.mark.parametrize("finite", [False, True])
def test_bounds_of_scores_cover_at_all_moments_together(finite: bool) -> None:
    """Seeded, 1,000 runs, looked at after every tenth value: misses at most 5% within three standard errors."""
    rng, runs = np.random.default_rng(13), 1_000
    order = np.array(list(proportional([0.6, 0.4], sizes=[120, 80])))
    x = (rng.random((runs, 200)) < np.where(order == 0, 0.9, 0.25)).astype(float)
    if finite:
        for stratum, (size, ones) in enumerate(((120, 108), (80, 20))):
            x[:, order == stratum] = rng.permuted(np.tile(np.arange(size) < ones, (runs, 1)), axis=1)
    sizes = (120, 80) if finite else None
    below, above = (mean_above_in_strata(0.5, [0.6, 0.4], sizes=sizes, rows=runs) for _ in range(2))
    missed = np.zeros(runs, dtype=bool)
    for start in range(0, 200, 10):
        below.update(x[:, start : start + 10], order[start : start + 10])
        above.update(1 - x[:, start : start + 10], order[start : start + 10])
        missed |= (below.lowest(0.025) > 0.64 + 1e-6) | (1 - above.lowest(0.025) < 0.64 - 1e-6)  # .6 * .9 + .4 * .25
    assert missed.mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


def test_no_stratum_lags_by_a_draw_and_finite_ones_end_together() -> None:
    order = np.array(list(islice(proportional(FOUR), 500)))
    drawn = np.cumsum(order[:, None] == np.arange(4), axis=0)
    assert np.abs(drawn - np.arange(1, 501)[:, None] * np.array(FOUR)).max() < 1
    assert sorted(proportional([0.6, 0.4], sizes=[6, 4])) == [0] * 6 + [1] * 4


@pytest.mark.parametrize("masses", [[0.5, 0.6], [1.0, 0.0], [-0.5, 1.5]])
def test_masses_that_are_none_are_refused(masses: list[float]) -> None:
    with pytest.raises(BadInput, match="add up to 1"):
        mean_above_in_strata(0.5, masses)
    with pytest.raises(BadInput, match="strictly between"):
        mean_above_in_strata(1.5, [1.0])


VALUES = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])


def path(
    d: Floats,
    order: list[int],
    masses: list[float],
    sizes: list[int] | None = None,
    *,
    null: float = 0.0,
    known: Floats | None = None,
    tests: StratifiedTests | None = None,
) -> Floats:
    """The log e-values after each difference, of shape (runs, n)."""
    result = np.zeros(d.shape)
    tests = StratifiedTests(len(d), masses, sizes=sizes) if tests is None else tests
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
    fractions = np.array([0.02, 0.3, 0.7, 0.95])
    log_m, d, least = np.zeros(fractions.size), np.zeros((1, sum(sizes))), np.zeros((1, sum(sizes)))
    martingale, taken = [], [0] * len(sizes)
    for index, stratum in enumerate(order):
        n, size = taken[stratum], sizes[stratum]
        left = (size * means[stratum] - drawn[stratum][:n].sum()) / (size - n) if once else means[stratum]
        d[0, index] = drawn[stratum][n]
        least[0, index] = d[0, index] if rng.random() < 0.7 else -1.0
        taken[stratum] += 1
        log_m += np.log1p(fractions * d[0, index]) - np.log1p(fractions * left)
        martingale.append(np.log(np.exp(log_m).mean()))
    for values in (d, least):
        tests = StratifiedTests(1, masses, sizes=sizes if once else None, fractions=fractions)
        result = path(values, order, masses, tests=tests, null=null, known=values == d)
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
    tests = StratifiedTests(1, [0.4, 0.6], sizes=[4, 6])
    for _ in range(4):
        tests.update([1.0], 0)
    assert tests.log_e([0.0])[0] <= 0
    tests.update([1.0], 1)
    assert tests.log_e([0.0])[0] < np.inf  # five won of ten, but the other five may be lost
    tests.update([1.0], 1)
    assert tests.log_e([0.0])[0] == np.inf


def test_impossible_strata_are_refused() -> None:
    with pytest.raises(BadInput, match="add up to 1"):
        StratifiedTests(1, [0.5, 0.4])
    tests = StratifiedTests(1, [0.5, 0.5], sizes=[1, 1])
    with pytest.raises(BadInput, match=r"\[-1, 1\]"):
        tests.update([2.0], 0)
    tests.update([1.0], 0)
    with pytest.raises(BadInput, match="more values than the 1 of a stratum"):
        tests.update([1.0], 0)
