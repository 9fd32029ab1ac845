"""Do better models drop more? The plain slope says yes where nothing drops; ours errs as often as it says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.papers.eqt_table1 import CORRELATION
from vivavoce.eqt.drop_trend import Halves, drop_trend, instrumented
from vivavoce.errors import BadInput
from vivavoce.formats.json_values import to_json

QUESTIONS = 400
"""Of the benchmark, in a half; and of EQT a tenth."""


ABILITY, LUCK = 0.06, 0.08
"""Spreads: the two tests correlate at .0036 / .0100, as in the paper."""


def simulated(rng: np.random.Generator, models: int, *, steeper: float = 1.0) -> list[Halves]:
    """Both tests measure one ability, each with its own luck of the same spread; in EQT the ability counts `1 / steeper`."""
    ability = rng.normal(0, ABILITY, models)
    bench = np.clip(0.6 + ability + rng.normal(0, LUCK, models), 0.02, 0.98)
    eqt = np.clip(0.5 + (ability + rng.normal(0, LUCK, models)) / steeper, 0.02, 0.98)
    halves = [
        (rng.binomial(QUESTIONS, bench) / QUESTIONS, rng.binomial(QUESTIONS // 10, eqt) / (QUESTIONS // 10)) for _ in range(2)
    ]
    (b1, q1), (b2, q2) = halves
    return [Halves(str(i), (b1[i], b2[i]), (q1[i], q2[i])) for i in range(models)]


@pytest.mark.parametrize("models", [8, 20])
def test_where_nothing_drops_the_plain_slope_finds_it_and_ours_does_not(models: int) -> None:
    """A simulated null: error rates over 600 tables; 5% with a standard deviation of .9%, and 8% is more than three above."""
    rng = np.random.default_rng(4)
    plain = ours = 0
    slopes = []
    for _ in range(600):
        trend = drop_trend(simulated(rng, models))
        plain += trend.plain.interval.lower > 0
        assert trend.p is not None
        ours += trend.p < 0.05
        slopes.append(trend.plain.value or 0.0)
    assert ours / 600 <= 0.08
    assert plain / 600 >= (0.3 if models == 8 else 0.6)
    # 1 - cov(b, q) / var b: .0036 over .0100 and the noise of 800 questions, .0003
    assert np.mean(slopes) == pytest.approx(1 - 0.0036 / 0.0103, abs=0.05)


def test_where_better_models_do_drop_more_it_is_found() -> None:
    """EQT spreads a third as much; Oldham's slope is (var B - var Q) / (2 var M)."""
    rng = np.random.default_rng(5)
    true_b = ABILITY**2 + LUCK**2
    true_q, between = true_b / 9, ABILITY**2 / 3
    expected = (true_b - true_q) / 2 / ((true_b + true_q + 2 * between) / 4)
    trends = [drop_trend(simulated(rng, 20, steeper=3.0)) for _ in range(300)]
    assert np.mean([trend.p is not None and trend.p < 0.05 for trend in trends]) > 0.5
    held = [trend.slope.interval.lower <= expected <= trend.slope.interval.upper for trend in trends]
    assert np.mean(held) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 300)
    assert np.median([trend.slope.value or 0.0 for trend in trends]) == pytest.approx(expected, abs=0.08)


def test_few_questions_of_one_test_do_not_pull_the_slope() -> None:
    """Without halves, the noise of forty questions makes EQT spread more, and its slope negative."""
    rng = np.random.default_rng(6)
    naive, ours = [], []
    for _ in range(400):
        models = simulated(rng, 30)
        both = np.array([[np.mean(halves.benchmark), np.mean(halves.eqt)] for halves in models])
        naive.append(np.polyfit(both.mean(axis=1), both[:, 0] - both[:, 1], 1)[0])
        ours.append(drop_trend(models).slope.value or 0.0)
    assert np.mean(naive) < -0.1
    assert abs(np.median(ours)) < 0.06


def test_the_plain_slope_of_two_tests_that_spread_alike_is_one_less_the_correlation() -> None:
    """The paper's r = .361 by itself gives a slope of .64: by the closed form, and by a large sample."""
    rng = np.random.default_rng(7)
    both = rng.multivariate_normal([0.5, 0.5], 0.01 * np.array([[1, CORRELATION], [CORRELATION, 1]]), 20_000)
    slope = stats.linregress(both[:, 0], both[:, 0] - both[:, 1]).slope
    assert slope == pytest.approx(1 - CORRELATION, abs=0.02)


def test_the_interval_holds_what_the_test_does_not_reject() -> None:
    """By scipy's correlation test at slopes within, at and beyond the ends."""
    rng = np.random.default_rng(8)
    z = rng.normal(size=12)
    x, y = z + rng.normal(0, 0.4, 12), 0.7 * z + rng.normal(0, 0.4, 12)
    slope, p = instrumented(z, x, y)
    assert slope.value == pytest.approx(np.cov(z, y)[0, 1] / np.cov(z, x)[0, 1])
    assert p == pytest.approx(stats.pearsonr(z, y).pvalue)
    for end, sign in ((slope.interval.lower, -1), (slope.interval.upper, 1)):
        assert stats.pearsonr(z, y - end * x).pvalue == pytest.approx(0.05)
        assert stats.pearsonr(z, y - (end + sign * 0.05) * x).pvalue < 0.05
        assert stats.pearsonr(z, y - (end - sign * 0.05) * x).pvalue > 0.05


def test_its_own_instrument_is_least_squares() -> None:
    """Coefficient and interval by scipy."""
    rng = np.random.default_rng(9)
    x = rng.normal(size=15)
    y = 0.3 * x + rng.normal(size=15)
    estimate, _ = instrumented(x, x, y)
    by_scipy = stats.linregress(x, y)
    half = stats.t.ppf(0.975, 13) * by_scipy.stderr
    assert estimate.value == pytest.approx(by_scipy.slope)
    ends = (by_scipy.slope - half, by_scipy.slope + half)
    assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx(ends)


def test_where_all_models_lie_on_a_line_rounding_takes_no_interval_away() -> None:
    """EQT at .5 for all: the drop is twice the mean of both, less 1; discriminants are 0 but for rounding, of either sign."""
    for shift in range(50):
        models = [Halves(str(n), (0.1 + n / 7 + shift / 999, 0.1 + n / 7 + shift / 999), (0.5, 0.5)) for n in range(5)]
        slope = drop_trend(models).slope
        assert slope.value == pytest.approx(2)
        assert [slope.interval.lower, slope.interval.upper] == pytest.approx([2, 2], abs=1e-3)


def test_too_little_is_said_and_never_a_slope_of_0() -> None:
    same = [Halves(str(i), (0.5, 0.5), (0.4, 0.4)) for i in range(6)]
    trend = drop_trend(same)
    assert (trend.slope.value, trend.p) == (None, None)
    assert "alike" in trend.problem
    noise = np.random.default_rng(1).random((5, 4))
    weak = drop_trend([Halves(str(i), (a, b), (c, d)) for i, (a, b, c, d) in enumerate(noise)])
    assert not math.isfinite(weak.slope.interval.upper)
    assert "too little" in weak.problem
    slope = to_json(weak)["slope"]
    assert (slope["lower"], slope["upper"]) == (None, None)
    with pytest.raises(BadInput):
        drop_trend([Halves("a", (1.5, 0.5), (0.4, 0.4))])


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 4), min_size=4, max_size=8))
def test_any_table_gives_an_interval_around_its_slope(table: list[tuple[float, float, float, float]]) -> None:
    trend = drop_trend([Halves(str(i), (a, b), (c, d)) for i, (a, b, c, d) in enumerate(table)])
    for estimate in (trend.plain, trend.slope):
        if estimate.value is not None and math.isfinite(estimate.interval.lower):
            assert estimate.interval.lower - 1e-6 <= estimate.value <= estimate.interval.upper + 1e-6
