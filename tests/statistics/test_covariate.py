"""Bets on what predictions leave unexplained: fair to every list that keeps the null, whatever the predictions are worth."""

from __future__ import annotations

from copy import deepcopy
from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from vivavoce.errors import BadInput
from vivavoce.statistics.confidence_sequences import mean_above, mean_below
from vivavoce.statistics.covariate import SHARE, Predictions, ResidualSpread, ResidualTests, mixed, shares_of
from vivavoce.statistics.differences import DifferenceTests

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
    near = norm.pdf(p, 0.7, 0.1) + norm.pdf(p, 0.55, 0.1)
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
