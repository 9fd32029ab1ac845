"""Betting, and confidence sequences from it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadInput
from vivavoce.statistics.betting import BettingTest, Floats
from vivavoce.statistics.confidence_sequences import (
    clean_bets,
    mean_above,
    mean_below,
    mean_bounds,
    mean_passes,
    rate_above,
    rate_below,
    rate_bounds,
)

unit_values = st.lists(st.floats(0, 1), min_size=1, max_size=300)
nulls = st.floats(0.05, 0.95)


def test_hand_calculation_of_a_mixture() -> None:
    # null .5, bets .6 and .9 at half the capital each; outcomes 1, 0:
    # after 1: (.6/.5 + .9/.5)/2 = (1.2 + 1.8)/2 = 1.5; then 0: (1.2 * .4/.5 + 1.8 * .1/.5)/2 = (.96 + .36)/2 = .66
    test = BettingTest(0.5, alternatives=[0.6, 0.9], weights=[1, 1])
    assert np.exp(test.update([1, 0])) == pytest.approx([1.5, 0.66])


def test_hand_calculation_with_partial_credit() -> None:
    # lambda = (.9 - .5)/(.5 * .5) = 1.6; x = .75: 1 + 1.6 * .25 = 1.4
    assert np.exp(BettingTest(0.5, alternatives=[0.9], weights=[1]).update(0.75)) == pytest.approx([1.4])


def test_hand_calculation_without_replacement() -> None:
    # 4 values, null: at most 2 ones; bet: 3 ones. Draw 1, 1: P(11|3 of 4) = 3/4 * 2/3 = 1/2, P(11|2 of 4) = 2/4 * 1/3 = 1/6
    test = BettingTest(0.5, alternatives=[0.75], weights=[1], population=4)
    assert np.exp(test.update([1, 1])) == pytest.approx([1.5, 3.0])
    assert test.update(1)[0] == np.inf  # three ones: "at most 2" is impossible
    assert test.n == 3


@given(values=unit_values, null=nulls, data=st.data())
def test_values_may_come_one_by_one_or_all_at_once(values: list[float], null: float, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(values)))
    for make in (mean_above, mean_below, mean_passes):
        for population in (None, len(values) + 3):
            whole = make(null, population=population).update(values)
            parts = make(null, population=population)
            pieces = np.concatenate([parts.update(values[:cut]), *(parts.update(value) for value in values[cut:])])
            np.testing.assert_allclose(pieces, whole, rtol=1e-9, atol=1e-9)


@given(values=unit_values, null=nulls)
def test_below_mirrors_above(values: list[float], null: float) -> None:
    for population in (None, len(values)):
        above = mean_above(1 - null, population=population).update(1 - np.array(values))
        below = mean_below(null, population=population).update(values)
        np.testing.assert_allclose(below, above, rtol=1e-6, atol=1e-6)


@given(values=unit_values, null=nulls)
def test_i_i_d_evidence_depends_on_the_counts_alone(values: list[float], null: float) -> None:
    for test in (mean_above(null), mean_passes(null)):
        distinct, counts = np.unique(values, return_counts=True)
        assert float(test.after(distinct, counts)) == pytest.approx(float(test.update(values)[-1]), rel=1e-9, abs=1e-9)


@each_case("null", [0.01, 0.3, 0.7])
@each_case("make", [mean_above, mean_below, mean_passes, rate_below, rate_above])
def test_fair_at_the_null(make: object, null: float) -> None:
    """E[e-value] = 1: the sum over the number K of ones of binomial probability times e-value."""
    n = 40
    test = make(null)  # type: ignore[operator]
    k = np.arange(n + 1)
    e = np.exp(test.after([0.0, 1.0], np.stack((n - k, k), axis=-1)))
    assert scipy.stats.binom.pmf(k, n, null) @ e == pytest.approx(1, rel=1e-9)


@each_case(("make", "better"), [(mean_above, 0.6), (mean_passes, 0.6), (mean_below, 0.8), (rate_below, 0.8), (rate_above, 0.6)])
def test_unfair_to_itself_inside_the_null(make: object, better: float) -> None:
    """Further inside the null (.7) the expected e-value is below 1."""
    k = np.arange(41)
    e = np.exp(make(0.7).after([0.0, 1.0], np.stack((40 - k, k), axis=-1)))  # type: ignore[operator]
    assert scipy.stats.binom.pmf(k, 40, better) @ e < 1


@settings(max_examples=15)
@given(values=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=5))
def test_fair_without_replacement_over_all_orders(values: list[float]) -> None:
    """The mean e-value over all orders of a population whose mean is the null is at most 1, after every draw."""
    null = float(np.mean(values))
    if not 0.05 < null < 0.95:
        return
    for make in (mean_above, mean_below, mean_passes):
        paths = [make(null, population=len(values)).update(order) for order in permutations(values)]
        assert (np.exp(paths).mean(axis=0) <= 1 + 1e-9).all()


def test_binary_bets_without_replacement_are_hypergeometric_likelihood_ratios() -> None:
    # 50 values of which 30 are ones by the bet and 20 by the null; K ones in n draws
    rng = np.random.default_rng(0)
    values = rng.permutation(np.repeat([1.0, 0.0], 25))
    path = BettingTest(0.4, alternatives=[0.6], weights=[1], population=50).update(values[:40])
    n = np.arange(1, 41)
    k = np.cumsum(values[:40])
    expected = np.asarray(scipy.stats.hypergeom.logpmf(k, 50, 30, n) - scipy.stats.hypergeom.logpmf(k, 50, 20, n))
    undecided = k <= 20
    np.testing.assert_allclose(path[undecided], expected[undecided], atol=1e-9)
    assert (path[k > 20] == np.inf).all()


def test_a_long_run_neither_overflows_nor_forgets() -> None:
    # 1,000 right answers against .7 with one bet on .95: 1000 ln(.95/.7); then 2,000 wrong ones: + 2000 ln(.05/.3)
    test = BettingTest(0.7, alternatives=[0.95], weights=[1])
    assert test.update(np.ones(1_000))[-1] == pytest.approx(1_000 * np.log(0.95 / 0.7))
    assert test.update(np.zeros(2_000))[-1] == pytest.approx(1_000 * np.log(0.95 / 0.7) + 2_000 * np.log(0.05 / 0.3))


@pytest.mark.parametrize("limit", [0.00052, 1e-6])
def test_events_without_end_at_a_tiny_limit_do_not_overflow(limit: float) -> None:
    # 300 events in a row: the bet on .3 alone, with 1/40 of the capital, multiplies by .3/limit each time
    path = rate_above(limit).update(np.ones(300))
    least = np.arange(1, 301) * np.log(0.3 / limit) - np.log(40)
    assert (path >= least - 1e-9).all()
    assert (path <= least + np.log(40) + 1e-9).all()  # no bet wins more


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_values_outside_the_unit_interval_are_refused(value: float) -> None:
    with pytest.raises(BadInput, match=r"\[0, 1\]"):
        mean_above(0.5).update([0.5, value])


def test_more_values_than_the_population_are_refused() -> None:
    with pytest.raises(BadInput, match="population of 3"):
        mean_above(0.5, population=3).update(np.ones(4))


def test_alternatives_on_both_sides_are_refused() -> None:
    with pytest.raises(BadInput, match="one side"):
        BettingTest(0.5, alternatives=[0.4, 0.6], weights=[1, 1])


LN_20 = float(np.log(20))


def exact_median(test: BettingTest, score: float, *, up_to: int) -> int:
    """Median number of zeros and ones that the test needs, by dynamic programming over the number of ones."""
    alive, ended = np.array([1.0]), 0.0
    for n in range(1, up_to + 1):
        alive = np.append(alive * (1 - score), 0.0) + np.append(0.0, alive * score)
        k = np.arange(n + 1)
        passed = test.after([0.0, 1.0], np.stack((n - k, k), axis=-1)) >= LN_20
        ended += float(alive[passed].sum())
        alive[passed] = 0.0
        if ended >= 0.5:
            return n
    raise AssertionError(f"no median up to {up_to}")


@each_case(("score", "published"), [(0.75, 563), (0.8, 119), (0.9, 26), (0.95, 13)])
def test_median_questions_two_point(score: float, published: int) -> None:
    """Exact medians 569, 120, 26, 13, against a simulation made elsewhere."""
    assert exact_median(mean_above(0.7), score, up_to=700) == pytest.approx(published, rel=0.05)


@each_case(("score", "median"), [(0.75, 534), (0.8, 126), (0.9, 27), (0.95, 12)])
def test_median_questions_until_a_pass(score: float, median: int) -> None:
    """`bench/score_bets.py` has the means, from another program."""
    assert exact_median(mean_passes(0.7), score, up_to=700) == median


@each_case("population", [None, 200])
def test_a_pass_has_few_bets_for_right_or_wrong_at_grades_from_six_tenths_on(population: int | None) -> None:
    values = np.random.default_rng(1).random(60) < 0.9
    for grade, partial in ((0.59, False), (0.7, True)):
        path = mean_above(grade, population=population, partial_credit=partial).update(values)
        assert mean_passes(grade, population=population, partial_credit=partial).update(values) == pytest.approx(path)
    # by hand, the few alternatives are on average .51246 of the way from the grade to 1, and the others half of it
    first = 0.855 * 0.51246 + 0.145 * 0.5
    assert np.exp(mean_passes(0.6).update([1.0])) == pytest.approx([1 + first * 0.4 / 0.6], rel=1e-5)


@pytest.mark.parametrize("population", [100, 1_000])
def test_lists_of_right_answers_need_a_tenth_fewer_until_a_pass(population: int) -> None:
    """Values of 0 and 1 that are drawn once, seeded; right answers alone by counting."""
    rng, wrong, needed = np.random.default_rng(8), population // 20, []
    for _ in range(200):
        order, tests = rng.permutation(np.repeat([1.0, 0.0], [population - wrong, wrong])), make_both(population)
        needed.append([int(np.argmax(test.update(order) >= LN_20)) + 1 for test in tests])
    above, passes = np.mean(needed, axis=0)
    assert passes < 0.93 * above
    right = [int(np.argmax(test.update(np.ones(50)) >= LN_20)) + 1 for test in make_both(population)]
    assert right[1] <= right[0] - 2


def make_both(population: int) -> tuple[BettingTest, BettingTest]:
    """Against .7, with the bets for any mean and with those for a pass."""
    return mean_above(0.7, population=population), mean_passes(0.7, population=population)


@pytest.mark.parametrize(
    ("score", "partial_credit", "published"),
    [
        *((0.75, False, 78), (0.8, False, 36), (0.9, False, 18), (0.95, False, 15)),
        *((0.75, True, 67), (0.8, True, 30), (0.9, True, 15), (0.95, True, 12)),
    ],
)
def test_median_questions_beta(score: float, partial_credit: bool, published: int) -> None:
    """Beta scores of concentration 10, seeded, against simulations by other programs."""
    rng = np.random.default_rng(7)
    needed = []
    for _ in range(2_000):
        path = mean_above(0.7, partial_credit=partial_credit).update(rng.beta(10 * score, 10 * (1 - score), 256))
        needed.append(int(np.argmax(path >= LN_20)) + 1 if path.max() >= LN_20 else 256)
    assert np.median(needed) == pytest.approx(published, rel=0.05)


def test_values_with_partial_credit_have_more_on_the_highest_tenth() -> None:
    # the alternatives have a mean of .85, and the highest tenth one of .985: (.6 x .85 + .4 x .985) / .7 after one 1
    assert np.exp(mean_above(0.7, partial_credit=True).update([1.0])) == pytest.approx([0.904 / 0.7])
    assert np.exp(mean_above(0.7).update([1.0])) == pytest.approx([0.85 / 0.7])


@pytest.mark.parametrize("population", [None, 200])
@pytest.mark.parametrize("score", [0.8, 0.9])
def test_partial_credit_needs_a_tenth_fewer_values(score: float, population: int | None) -> None:
    """Beta scores of concentration 10, seeded, against the bets for 0 and 1."""
    rng, needed = np.random.default_rng(8), []
    for _ in range(300):
        values = rng.beta(10 * score, 10 * (1 - score), 200)
        tests = [mean_above(0.7, population=population, partial_credit=partial) for partial in (False, True)]
        needed.append([int(np.argmax(test.update(values) >= LN_20)) + 1 for test in tests])
    plain, partial = np.mean(needed, axis=0)
    assert partial < 0.88 * plain


@each_case(("events", "n"), [(0, 6_282), (1, 13_640), (2, 18_141), (3, 22_238), (4, 26_034)])
def test_questions_for_the_unacceptable_limit(events: int, n: int) -> None:
    test = rate_below(0.00052)
    assert float(test.after([0, 1], [n - 1 - events, events])) < LN_20 <= float(test.after([0, 1], [n - events, events]))


def test_clean_answers_by_closed_form() -> None:
    # E = .5 (1 - .00052)^-n + (the rest, at most as much each): the clean bet alone has 20 at n = ln 40 / -ln(.99948) = 7,093
    path = rate_below(0.00052).update(np.zeros(7_093))
    assert int(np.argmax(path >= LN_20)) + 1 == 6_282
    # w0 = .9 reaches it at 5,850
    rates, _ = clean_bets(0.00052)
    eager = BettingTest(0.00052, alternatives=rates, weights=[0.9] + [0.1 / 40] * 40)
    assert int(np.argmax(eager.update(np.zeros(6_000)) >= LN_20)) + 1 == 5_850


@pytest.mark.parametrize("population", [1_000, 5_000, 10_000])
def test_finite_scope_needs_what_hypergeometric_chances_demand(population: int) -> None:
    """With one forbidden number D of events only (1 of 1,000), anytime costs no more than the exact fixed-n 950."""
    path = rate_below(0.00052, population=population).update(np.zeros(population))
    needed = int(np.argmax(path >= LN_20 - 1e-9)) + 1
    fixed = {1_000: 950, 5_000: 3_158, 10_000: 3_930}[population]
    assert fixed <= needed <= 1.12 * fixed
    if population == 1_000:
        assert needed == fixed


def test_rate_above_finds_frequent_events() -> None:
    # 3 in 100 at a limit of .001 is 30 times too many; 1 in 10,000 is no evidence at all
    assert rate_above(0.001).update(np.r_[np.ones(3), np.zeros(97)])[-1] > LN_20
    assert rate_above(0.001).update(np.r_[1.0, np.zeros(9_999)])[-1] < 0


@settings(max_examples=60, deadline=None)
@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=60), more=st.integers(0, 40))
def test_mean_bounds_hold_the_mean_so_far(values: list[float], more: int) -> None:
    mean = float(np.mean(values))
    for population in (None, len(values) + more):
        bounds = mean_bounds(values, 0.05, population=population)
        assert 0 <= bounds.lower <= mean + 1e-6
        assert mean - 1e-6 <= bounds.upper <= 1


def test_mean_bounds_end_where_the_test_ends() -> None:
    """The lower end is the null that the test at delta/2 is just about to reject."""
    values = np.random.default_rng(3).beta(8, 2, 200)
    for population in (None, 260):
        lower = mean_bounds(values, 0.05, population=population).lower
        assert mean_above(lower - 1e-4, population=population).update(values)[-1] > np.log(40)
        assert mean_above(lower + 1e-4, population=population).update(values)[-1] < np.log(40)


@pytest.mark.parametrize("population", [None, 30, 200])
def test_evidence_falls_as_the_null_rises(population: int | None) -> None:
    """Or else the nulls that are not rejected would be no interval."""
    rng = np.random.default_rng(5)
    for n, score in ((3, 0.5), (12, 0.9), (29, 0.2), (29, 0.95)):
        for values in ((rng.random(n) < score).astype(float), rng.beta(4 * score, 4 * (1 - score), n)):
            sure = 0.0 if population is None else values.sum() / population
            nulls = np.linspace(sure + 1e-6, min(1.0, values.mean()) - 1e-6, 40)
            evidence = [mean_above(null, population=population).update(values)[-1] for null in nulls if sure < null < 1]
            assert (np.diff(np.minimum(evidence, 1e6)) <= 1e-9).all()


def test_a_scope_asked_to_the_end_leaves_no_doubt() -> None:
    values = np.random.default_rng(3).random(150).round(2)
    bounds = mean_bounds(values, 0.05, population=150)
    assert bounds.lower == pytest.approx(values.mean(), abs=1e-3)
    assert bounds.upper == pytest.approx(values.mean(), abs=1e-3)
    assert rate_bounds(3, 150, 0.05, limit=0.01, population=150) == (0.02, 0.02)


@settings(max_examples=100, deadline=None)
@given(n=st.integers(1, 5_000), share=st.floats(0, 1), limit=st.floats(1e-4, 0.2), more=st.integers(0, 500))
def test_rate_bounds_hold_the_rate_so_far(n: int, share: float, limit: float, more: int) -> None:
    events = round(share * n)
    lower, upper = rate_bounds(events, n, 0.05, limit=limit)
    assert 0 <= lower <= events / n <= upper <= 1
    finite = rate_bounds(events, n, 0.05, limit=limit, population=n + more)
    assert events / (n + more) <= finite.lower <= finite.upper <= (events + more) / (n + more)


def test_rate_bounds_by_hand() -> None:
    # no event in n trials: ln M - n ln(1 - m) = ln 20 at the upper end, M = .5 + .5 B(.5, b + n)/B(.5, b), b = .5/.001 = 500
    # n = 5,000: B(.5, 5500)/B(.5, 500) = sqrt(500/5500) to 4 digits = .3015, M = .6508; m = 1 - exp((ln .6508 - ln 20)/5000)
    expected = -np.expm1((np.log(0.5 + 0.5 * np.sqrt(500 / 5500)) - LN_20) / 5_000)
    assert rate_bounds(0, 5_000, 0.05, limit=0.001).upper == pytest.approx(expected, rel=1e-3)


@pytest.mark.slow
def test_rate_bounds_cover_at_all_moments_together() -> None:
    """Exact: the chance that a rate of .003 ever leaves the sequence within 3,000 trials is at most 5%."""
    rate, alive, left = 0.003, np.array([1.0]), 0.0
    for n in range(1, 3_001):
        alive = np.append(alive * (1 - rate), 0.0) + np.append(0.0, alive * rate)
        alive = alive[:60]
        out = np.array([not _covers(k, n, rate) if mass > 1e-12 else False for k, mass in enumerate(alive)])
        left += float(alive[out].sum())
        alive[out] = 0.0
    assert 0.005 < left <= 0.05


@each_case("events", [0, 1, 5, 40])
def test_rate_bounds_of_finite_scopes_cover_at_all_moments_together(events: int) -> None:
    """Exact: the chance that so many events among 60 ever leave the sequence is at most 5%."""
    alive, left = np.zeros(events + 1), 0.0
    alive[0] = 1.0
    for n in range(1, 61):
        one_more = (events - np.arange(events + 1)) / (60 - n + 1)  # the chance that the n-th draw is an event
        alive = alive * (1 - one_more) + np.append(0.0, (alive * one_more)[:-1])
        for k in np.flatnonzero(alive > 1e-12).tolist():
            lower, upper = rate_bounds(k, n, 0.05, limit=0.02, population=60)
            if not lower <= events / 60 <= upper:
                left += float(alive[k])
                alive[k] = 0.0
    assert left <= 0.05
    assert left + alive.sum() == pytest.approx(1)


def _covers(events: int, n: int, rate: float) -> bool:
    lower, upper = rate_bounds(events, n, 0.05, limit=0.001)
    return lower <= rate <= upper


@pytest.mark.slow
@pytest.mark.parametrize("population", [None, 400])
def test_mean_bounds_cover_at_all_moments_together(population: int | None) -> None:
    """Seeded, 150 runs, looked at after every thirtieth value up to 300: misses at most 5% within three standard errors."""
    rng = np.random.default_rng(11)
    misses = 0
    for _ in range(150):
        values: Floats = rng.choice([0.0, 0.3, 1.0], size=400, p=[0.2, 0.2, 0.6])
        mean = 0.66 if population is None else float(values.mean())
        looks = (mean_bounds(values[:n], 0.05, population=population) for n in range(30, 301, 30))
        misses += any(not look.lower <= mean <= look.upper for look in looks)
    assert misses <= 150 * 0.05 + 3 * np.sqrt(150 * 0.05 * 0.95)


def test_ville_exactly() -> None:
    """The chance that the e-process ever reaches 20 within 1,000 values at the null .7, by dynamic programming: at most 5%."""
    test = mean_above(0.7)
    alive, crossed = np.array([1.0]), 0.0
    for n in range(1, 1_001):
        alive = np.append(alive * 0.3, 0.0) + np.append(0.0, alive * 0.7)
        k = np.arange(n + 1)
        likely = (alive > 1e-15).nonzero()[0]
        passed = np.zeros(n + 1, dtype=bool)
        passed[likely] = test.after([0.0, 1.0], np.stack((n - k, k), axis=-1)[likely]) >= LN_20
        crossed += float(alive[passed].sum())
        alive[passed] = 0.0
    assert alive.sum() + crossed == pytest.approx(1)
    assert 0.01 < crossed <= 0.05
