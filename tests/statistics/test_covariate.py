"""Evidence from a covariate, and from predictions."""

from __future__ import annotations

from copy import deepcopy
from math import inf, log

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadInput
from vivavoce.statistics.confidence_sequences import mean_above, mean_below, mean_bounds
from vivavoce.statistics.differences import DifferenceTests
from vivavoce.statistics.predictions import (
    SHARE,
    Correction,
    PredictedTest,
    Predictions,
    ResidualSpread,
    ResidualTests,
    mixed,
    predicted_bounds,
    shares_of,
)

SIZE = 8
FLAT = ResidualSpread(0.0, 0.0, 0.0, 0.0)
HALF_CONSTANT = np.full((2, 20), 0.5 / 20)


def predictions(features: list[float], trust: float = 0.8) -> Predictions:
    return Predictions(np.array(features)[:, None], prior=[0.7], precision=2.0, trust=trust)


@settings(max_examples=50, deadline=None)
@given(
    values=st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=SIZE, max_size=SIZE),
    features=st.lists(st.floats(-3, 3), min_size=SIZE, max_size=SIZE),
    drawn=st.integers(0, SIZE - 2),
    unread=st.sets(st.integers(0, SIZE - 1)),
    expected=st.lists(st.floats(0, 1), max_size=3),
    conditioned=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_a_bet_is_fair_to_every_list_whose_mean_is_the_null(
    values: list[float], features: list[float], drawn: int, unread: set[int], expected: list[float], conditioned: float
) -> None:
    # the null is the mean of the list itself, so that the mean over the units left is what it leaves for them; of what cannot
    # be read the lower end is taken, 0, and the expectation is at most 1
    null = float(np.mean(values))
    if not 0.01 < null < 0.99:
        return
    ends = [0.0 if index in unread else value for index, value in enumerate(values)]
    known = predictions(features)
    shares = conditioned * np.stack([shares_of(null, 9, expected), shares_of(1 - null, 9)])
    tests, log_e = ResidualTests([null, 1 - null], shares, population=SIZE), np.zeros(2)

    def taken(tests: ResidualTests, index: int) -> np.ndarray:
        predicted = known.at(index)
        return tests.take([ends[index], 1 - values[index]], [predicted, predicted.times(-1)])

    for index in range(drawn):
        log_e = taken(tests, index)
        known.observe(index, (ends[index] + values[index]) / 2)
    if not np.isfinite(log_e).all():
        return
    after = np.array([taken(deepcopy(tests), index) for index in range(drawn, SIZE)])
    above, below = np.exp(after - log_e).mean(axis=0)
    assert above <= 1 + 1e-6
    assert below == pytest.approx(1, abs=1e-6)
    if ends == values:
        assert above == pytest.approx(1, abs=1e-6)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=25))
def test_without_predictions_it_is_the_plain_bet_on_a_mean(values: list[float]) -> None:
    tests = ResidualTests([0.4, 0.6], [shares_of(0.4, 60), shares_of(0.6, 60)], population=30)
    plain = mean_above(0.4, population=30), mean_below(0.4, population=30)
    for value in values:
        by_hand = [test.update([value])[0] for test in plain]
        assert tests.take([value, 1 - value], [FLAT, FLAT]) == pytest.approx(by_hand, abs=1e-9)


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=1, max_size=20))
def test_without_predictions_it_is_the_plain_bet_on_a_difference(differences: list[float]) -> None:
    plain = DifferenceTests([0.0, -0.1], population=20)
    tests = ResidualTests([0.5, 0.45], HALF_CONSTANT, population=20)
    for difference in differences:
        d = np.array([difference, -difference])
        assert tests.take((1 + d) / 2, [FLAT, FLAT]) == pytest.approx(plain.update(d[:, None])[:, 0], abs=1e-9)


def test_a_bet_on_an_alternative_by_hand() -> None:
    # four values, null 1/2; predictions .2, .4, .6, .8 have mean 1/2, variance .05. For the alternative p a bet on the value
    # with prediction .2 earns, where it is 1, 1 + c (1/2 - w (.2 - 1/2))
    p = 0.5 + 0.5 * (np.arange(60) + 0.5) / 60
    w = p * (1 - p) / (p * (1 - p) + (p - 0.5) ** 2)
    c = np.minimum((p - 0.5) / (0.25 - w**2 * 0.05), 1 / (0.5 + w * 0.3))
    shares = p * (1 - p) / (p * (1 - p)).sum()
    by_hand = log(float(shares @ (1 + c * (0.5 - w * (0.2 - 0.5)))))
    test = ResidualTests([0.5], [shares_of(0.5, 60)], population=4)
    assert test.take([1.0], [ResidualSpread(-0.3, 0.05, -0.3, 0.3)]) == pytest.approx([by_hand])


def test_constant_bets_by_hand() -> None:
    # a prediction of .2 below the mean of those left, the largest .2 above it. On a value of 1/2, which the null expects, the
    # largest bet 1 / (.5 + .2) earns 1 + (0 + .2) / .7
    test = ResidualTests([0.5], np.zeros((1, 1)), population=10)
    u = (np.arange(20) + 0.5) / 20
    assert test.take([0.5], [ResidualSpread(-0.2, 0.04, -0.2, 0.2)]) == pytest.approx([log(np.mean(1 + u * 0.2 / 0.7))])


@given(null=st.floats(0.01, 0.99), expected=st.lists(st.floats(0, 1), max_size=5))
def test_half_of_the_capital_at_least_is_shared_out_as_without_expected_means(null: float, expected: list[float]) -> None:
    shares, plain = shares_of(null, 60, expected), shares_of(null, 60)
    assert shares.sum() == pytest.approx(1)
    assert (shares >= 0.5 * plain).all()


def test_means_of_others_share_out_half_of_the_capital() -> None:
    # the first value is 1: each alternative multiplies its capital by p / m
    p = 0.6 + 0.4 * (np.arange(60) + 0.5) / 60
    near = scipy.stats.norm.pdf(p, 0.7, 0.1) + scipy.stats.norm.pdf(p, 0.55, 0.1)
    shares = 0.5 * p * (1 - p) / (p * (1 - p)).sum() + 0.5 * near / near.sum()
    test = ResidualTests([0.6], [shares_of(0.6, 60, [0.7, 0.55])], population=9)
    assert test.take([1.0], [FLAT]) == pytest.approx([log(float(shares @ p) / 0.6)])


def test_an_unlikely_success_counts_for_more_than_a_likely_one() -> None:
    known = predictions([-0.5, 0.5] * 10)
    hard, easy = (
        ResidualTests([0.5], [shares_of(0.5, 60)], population=20).take([1.0], [known.at(index)])[0] for index in (0, 1)
    )
    assert hard > easy > 0


def test_predictions_are_those_of_least_squares_with_a_penalty() -> None:
    rng = np.random.default_rng(3)
    z, d = rng.normal(size=(30, 2)), rng.integers(-1, 2, 30).astype(float)
    known = Predictions(z, prior=[0.5, 0.0], precision=3.0)
    for index in range(20):  # the last fit is after as many as are there, so that it has seen all
        known.observe(index, d[index])
    x, penalty, prior = np.column_stack([np.ones(20), z[:20]]), np.diag([0.1, 3, 3]), np.array([0, 0.5, 0])
    b = prior + np.linalg.solve(x.T @ x + penalty, x.T @ (d[:20] - x @ prior))
    left = known.belief * np.clip(np.column_stack([np.ones(10), z[20:]]) @ b, -1, 1)
    rows = [known.at(index) for index in range(20, 30)]
    assert [pair.drawn for pair in rows] == pytest.approx(left - left.mean())
    assert (rows[0].variance, rows[0].most) == pytest.approx((left.var(), left.max() - left.mean()))


def test_worthless_predictions_are_soon_believed_no_more_and_inverted_ones_are_turned_round() -> None:
    rng = np.random.default_rng(4)
    d = rng.integers(-1, 2, 300).astype(float)
    beliefs: dict[str, list[float]] = {}
    explained: dict[str, float] = {}
    for name, features in (("right", d), ("worthless", rng.permutation(d)), ("inverted", -d)):
        known, beliefs[name] = Predictions(features[:, None], prior=[0.5], precision=4.0), []
        for index in range(150):
            known.observe(index, d[index])
            beliefs[name].append(known.belief)
        explained[name] = known.explained
    assert beliefs["right"][-1] > 0.99
    assert beliefs["worthless"][-1] < 0.3
    assert min(beliefs["inverted"]) < 0.2 < 0.99 < beliefs["inverted"][-1]
    assert explained["worthless"] < 0.1 < 0.7 < min(explained["right"], explained["inverted"])


def test_a_share_of_the_capital_bets_as_if_there_were_no_predictions() -> None:
    assert mixed([3.0], -inf) == pytest.approx([3.0 + log(SHARE)])
    assert mixed([0.0], 0.0) == pytest.approx([0.0])


def test_an_impossible_null_is_refuted_and_a_settled_one_left_alone() -> None:
    tests = ResidualTests([0.5, 0.5], HALF_CONSTANT, population=4)
    path = np.array([tests.take([1.0, 0.0], [FLAT, FLAT]) for _ in range(4)])
    assert (path[:, 0] == inf).tolist() == [False, False, True, True]
    assert (path[:, 1] < inf).all()


def test_tests_that_are_dropped_leave_the_others_as_they_were() -> None:
    three, two = (ResidualTests([0.5, 0.4, 0.6][:n], np.full((n, 20), 0.5 / 20), population=9) for n in (3, 2))
    for value in (1.0, 0.0):
        first, second = three.take([value] * 3, [FLAT] * 3), two.take([value] * 2, [FLAT] * 2)
        assert first[:2] == pytest.approx(second)
    three.drop(np.array([False, False, True]))
    assert three.take([1.0] * 2, [FLAT] * 2) == pytest.approx(two.take([1.0] * 2, [FLAT] * 2))


@pytest.mark.parametrize("null", [0.0, 1.0])
def test_a_null_must_leave_room(null: float) -> None:
    with pytest.raises(BadInput, match="strictly between"):
        ResidualTests([null], [shares_of(0.5, 3)], population=3)


UNIT = st.floats(0, 1)
BLOCKS = st.lists(st.tuples(UNIT, UNIT, UNIT), min_size=1, max_size=30)


def corrected(x: object, g: object, f: object, further: int = 4) -> np.ndarray:
    low, high = Correction(further=further).update(x, g, f)  # type: ignore[arg-type]
    assert (low == high).all()
    return low


@pytest.mark.parametrize(("share", "noise"), [(0.5, 0.3), (0.5, 1.0), (-0.5, 0.3)])  # weights of 1, between, and of 0
def test_the_weight_is_the_least_squares_slope_of_the_blocks_before_shrunk(share: float, noise: float) -> None:
    rng = np.random.default_rng(0)
    x, f = rng.random(40), rng.random(40)
    g = np.clip(share * x + max(-share, 0) + noise * rng.random(40), 0, 1)
    z = corrected(x, g, f, further=3)
    for t in (5, 17, 39):
        slope = np.polyfit(g[:t], x[:t], 1)[0]  # the witness: numpy's own least squares
        eta = min(1.0, max(0.0, slope / (1 + 1 / 3)))
        assert z[t] == pytest.approx(x[t] - eta * (g[t] - f[t]))


@given(BLOCKS)
def test_what_is_bet_on_keeps_its_range_and_a_block_never_weighs_itself(blocks: list[tuple[float, float, float]]) -> None:
    x, g, f = np.array(blocks).T
    z = corrected(x, g, f)
    assert z.min() >= -1
    assert z.max() <= 2
    other = x.copy()
    other[-1] = 1 - x[-1]  # another value in the last block moves its z by just as much: eta was settled before
    assert corrected(other, g, f)[-1] - z[-1] == pytest.approx(other[-1] - x[-1], abs=1e-12)


@given(BLOCKS, st.integers(0, 30))
def test_blocks_may_come_in_any_portions(blocks: list[tuple[float, float, float]], cut: int) -> None:
    x, g, f = np.array(blocks).T
    correction = Correction(further=4)
    parts = [correction.update(x[p], g[p], f[p])[0] for p in (slice(None, cut), slice(cut, None))]
    assert np.concatenate(parts) == pytest.approx(corrected(x, g, f), abs=1e-6)


@given(BLOCKS, st.data())
def test_whatever_a_missing_prediction_was_z_lies_between_its_ends(
    blocks: list[tuple[float, float, float]], data: st.DataObject
) -> None:
    x, g, f = np.array(blocks).T
    lost_g, lost_f = (np.array(data.draw(st.lists(st.booleans(), min_size=len(x), max_size=len(x)))) for _ in range(2))
    correction = Correction(further=4)
    ends = np.where(lost_g, 0, g), np.where(lost_f, 0, f)
    low, high = correction.update(x, *ends, predictions_at_most=np.where(lost_g, 1, g), fresh_at_most=np.where(lost_f, 1, f))
    # with nothing learnt from what is missing the weights are those of the lower ends
    eta = np.array(
        [
            (x[t] - Correction(further=4).update(x[: t + 1], np.r_[ends[0][:t], 1.0], np.zeros(t + 1))[0][t])
            for t in range(len(x))
        ]
    )
    true = x - eta * (g - f)
    assert (low <= true + 1e-9).all()
    assert (true <= high + 1e-9).all()
    assert low.min() >= -1
    assert high.max() <= 2


@pytest.mark.parametrize("bias", [-0.4, 0.0, 0.4])
def test_predictions_however_biased_leave_the_mean_where_it_is(bias: float) -> None:
    rng = np.random.default_rng(1)
    x = (rng.random((40_000, 5)) < 0.8).astype(float)
    g = np.clip(x + bias + 0.2 * rng.standard_normal(x.shape), 0, 1)
    z = corrected(x[:, -1], g[:, -1], g[:, :-1].mean(axis=1))
    # sd of z is at most .4, so a standard error is at most .002; four of them
    assert z.mean() == pytest.approx(0.8, abs=0.008)
    assert z.std() < x[:, -1].std()


def test_one_block_by_hand() -> None:
    # x = z = 1, null .5. Half: the mean over c in (0, 1) of 1 + c (1/.5 - 1) = 1.5; half: 1 + c (2/1.5 - 1), so 1 + 1/6
    assert np.exp(PredictedTest(0.5).update([1.0], [1.0])[-1]) == pytest.approx((1.5 + 7 / 6) / 2)
    # mirrored, x = z = 0: 1 + c ((2 - 0)/(2 - .5) - 1) the same
    assert np.exp(PredictedTest(0.5, mirrored=True).update([0.0], [0.0])[-1]) == pytest.approx((1.5 + 7 / 6) / 2)
    # the worst that can come, z = -1, costs less than the whole capital: the stake is below 1/(.5 + 1)
    assert np.exp(PredictedTest(0.5).update([0.0], [-1.0])[-1]) == pytest.approx((0.5 + 0.5) / 2)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=40))
def test_useless_predictions_cost_at_most_a_factor_of_two(values: list[float]) -> None:
    alone = mean_above(0.7).update(values)
    assert (PredictedTest(0.7).update(values, values) >= alone - np.log(2) - 1e-9).all()


def test_the_bounds_are_where_the_test_just_does_not_reject() -> None:
    rng = np.random.default_rng(2)
    x = (rng.random(120) < 0.8).astype(float)
    z = x - 0.7 * (x - 0.8)
    bounds = predicted_bounds(x, z, 0.05)
    assert bounds.lower < x.mean() < bounds.upper
    for null, mirrored in ((bounds.lower, False), (bounds.upper, True)):
        assert PredictedTest(null, mirrored=mirrored).update(x, z)[-1] == pytest.approx(np.log(2 / 0.05), abs=1e-3)
    alone = mean_bounds(x, 0.05)
    assert bounds.upper - bounds.lower < 0.7 * (alone.upper - alone.lower)
    assert predicted_bounds([], [], 0.05) == (0, 1)


@each_case(
    ("x", "g", "f"), [([1.1], [0.5], [0.5]), ([1.0], [-0.1], [0.5]), ([1.0], [0.5], [np.nan]), ([1.0, 0.0], [0.5], [0.5])]
)
def test_what_is_out_of_range_is_refused(x: list[float], g: list[float], f: list[float]) -> None:
    with pytest.raises(BadInput):
        corrected(x, g, f)
    with pytest.raises(BadInput, match="at least 1"):
        Correction(further=0)
    with pytest.raises(BadInput):
        PredictedTest(0.5).update([0.5], [2.1])
