"""The e-process against hand calculations, closed forms, and the one property that matters: it is fair under the null."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from vivavoce.errors import BadInput
from vivavoce.statistics.betting import BettingTest
from vivavoce.statistics.confidence_sequences import mean_above, mean_below, rate_above, rate_below

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
    for make in (mean_above, mean_below):
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
    test = mean_above(null)
    distinct, counts = np.unique(values, return_counts=True)
    assert float(test.after(distinct, counts)) == pytest.approx(float(test.update(values)[-1]), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("null", [0.01, 0.3, 0.7])
@pytest.mark.parametrize("make", [mean_above, mean_below, rate_below, rate_above])
def test_fair_at_the_null(make: object, null: float) -> None:
    """E[e-value] = 1: the sum over the number K of ones of binomial probability times e-value."""
    n = 40
    test = make(null)  # type: ignore[operator]
    k = np.arange(n + 1)
    e = np.exp(test.after([0.0, 1.0], np.stack((n - k, k), axis=-1)))
    assert binom.pmf(k, n, null) @ e == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize(("make", "better"), [(mean_above, 0.6), (mean_below, 0.8), (rate_below, 0.8), (rate_above, 0.6)])
def test_unfair_to_itself_inside_the_null(make: object, better: float) -> None:
    """Further inside the null (.7) the expected e-value is below 1."""
    k = np.arange(41)
    e = np.exp(make(0.7).after([0.0, 1.0], np.stack((40 - k, k), axis=-1)))  # type: ignore[operator]
    assert binom.pmf(k, 40, better) @ e < 1


@settings(max_examples=15)
@given(values=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=5))
def test_fair_without_replacement_over_all_orders(values: list[float]) -> None:
    """The mean e-value over all orders of a population whose mean is the null is at most 1, after every draw."""
    null = float(np.mean(values))
    if not 0.05 < null < 0.95:
        return
    for make in (mean_above, mean_below):
        paths = [make(null, population=len(values)).update(order) for order in permutations(values)]
        assert (np.exp(paths).mean(axis=0) <= 1 + 1e-9).all()


def test_binary_bets_without_replacement_are_hypergeometric_likelihood_ratios() -> None:
    # 50 values of which 30 are ones by the bet and 20 by the null; K ones in n draws
    rng = np.random.default_rng(0)
    values = rng.permutation(np.repeat([1.0, 0.0], 25))
    path = BettingTest(0.4, alternatives=[0.6], weights=[1], population=50).update(values[:40])
    n = np.arange(1, 41)
    k = np.cumsum(values[:40])
    expected = np.asarray(hypergeom.logpmf(k, 50, 30, n) - hypergeom.logpmf(k, 50, 20, n))
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
