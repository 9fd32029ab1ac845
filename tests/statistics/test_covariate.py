"""Bets on what predictions leave unexplained: fair to every list that keeps the null, whatever the predictions are worth."""

from __future__ import annotations

from copy import deepcopy
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm

from vivavoce.errors import BadInput
from vivavoce.statistics.covariate import SHARE, Predictions, ResidualTest, ResidualTests, Shifted, mixed, shares_of
from vivavoce.statistics.mean import mean_above, mean_below

SIZE = 8
scores = st.sampled_from([0.0, 0.25, 1.0])


def predictions(features: list[float]) -> Predictions:
    return Predictions(np.array(features)[:, None], prior=[1.0], precision=[2.0])


@settings(max_examples=50, deadline=None)
@given(
    values=st.lists(scores, min_size=SIZE, max_size=SIZE),
    features=st.lists(st.floats(-6, 6), min_size=SIZE, max_size=SIZE),
    drawn=st.integers(0, SIZE - 2),
    unread=st.sets(st.integers(0, SIZE - 1)),
    expected=st.lists(st.floats(0, 1), max_size=3),
)
def test_a_bet_is_fair_to_every_list_whose_mean_is_the_null(
    values: list[float], features: list[float], drawn: int, unread: set[int], expected: list[float]
) -> None:
    # the null is the mean of the list itself, so that the mean over the units left is what it leaves for them; of what cannot
    # be read the lower end is taken, 0, and the expectation is at most 1
    null = float(np.mean(values))
    if not 0.01 < null < 0.99:
        return
    tests = ResidualTests(null, predictions(features), population=SIZE, expected=expected)
    ends = [0.0 if place in unread else value for place, value in enumerate(values)]
    before = (0.0, 0.0)
    for place in range(drawn):
        before = tests.take(place, ends[place], leans=place in unread)
    factors = []
    for place in range(drawn, SIZE):
        after = deepcopy(tests).take(place, ends[place], leans=place in unread)
        factors.append([exp(then - now) if now > -inf else 1.0 for then, now in zip(after, before, strict=True)])
    above, below = np.mean(factors, axis=0)
    assert above <= 1 + 1e-6
    if ends == values and min(before) > -inf:
        assert (above, below) == pytest.approx((1, 1), abs=1e-6)


@settings(max_examples=50, deadline=None)
@given(
    features=st.lists(st.floats(-20, 20), min_size=2, max_size=30),
    mean=st.floats(0.001, 0.999),
    drawn=st.lists(st.booleans(), max_size=12),
)
def test_predictions_have_the_mean_that_they_are_to_have(features: list[float], mean: float, drawn: list[bool]) -> None:
    known = predictions(features)
    taken = drawn[: len(features) - 1]
    for place, right in enumerate(taken):
        known.observe(place, float(right))
    left = [known.at(mean, place) for place in range(len(taken), len(features))]
    each = np.array([one.drawn for one in left])
    assert each.mean() == pytest.approx(mean, abs=1e-9)
    assert each.var() == pytest.approx(left[0].variance, abs=1e-9)
    assert left[0].least == pytest.approx(each.min(), abs=1e-9)
    assert left[0].most == pytest.approx(each.max(), abs=1e-9)


@pytest.mark.parametrize("mirrored", [False, True])
def test_without_predictions_it_is_the_plain_bet(mirrored: bool) -> None:
    values = np.random.default_rng(0).permutation(np.repeat([0.0, 1.0], [12, 18]))
    test, plain = (
        ResidualTest(0.5, population=30, mirrored=mirrored),
        (mean_below if mirrored else mean_above)(0.5, population=30),
    )
    for value in values[:25]:
        flat = test.take(float(value), foreseen=lambda mean: Shifted(mean, 0.0, mean, mean))
        assert flat == pytest.approx(plain.update([value])[0], abs=1e-9)


def test_a_bet_by_hand() -> None:
    # four values, null 1/2; predictions .2, .4, .6, .8 have mean 1/2, variance .05. For the alternative p a bet on the value
    # with prediction .2 earns, where it is 1, 1 + c (1/2 - w (.2 - 1/2))
    p = 0.5 + 0.5 * (np.arange(60) + 0.5) / 60
    w = p * (1 - p) / (p * (1 - p) + (p - 0.5) ** 2)
    c = np.minimum((p - 0.5) / (0.25 - w**2 * 0.05), 1 / (0.5 + w * 0.3))
    shares = p * (1 - p) / (p * (1 - p)).sum()
    by_hand = log(float(shares @ (1 + c * (0.5 - w * (0.2 - 0.5)))))
    test = ResidualTest(0.5, population=4)
    assert test.take(1.0, foreseen=lambda mean: Shifted(0.2, 0.05, 0.2, 0.8)) == pytest.approx(by_hand)


@given(null=st.floats(0.01, 0.99), expected=st.lists(st.floats(0, 1), max_size=5))
def test_half_of_the_capital_at_least_is_shared_out_as_without_expected_means(null: float, expected: list[float]) -> None:
    alternatives = null + (1 - null) * (np.arange(60) + 0.5) / 60
    shares, plain = shares_of(alternatives, expected), shares_of(alternatives)
    assert shares.sum() == pytest.approx(1)
    assert (shares >= 0.5 * plain).all()


@pytest.mark.parametrize("mirrored", [False, True])
def test_means_of_others_share_out_half_of_the_capital(mirrored: bool) -> None:
    # the first value is 1, or 0 where the null is "at least": each alternative multiplies its capital by p / m
    m, theirs = (0.4, [0.3, 0.45]) if mirrored else (0.6, [0.7, 0.55])
    p = 0.6 + 0.4 * (np.arange(60) + 0.5) / 60
    near = norm.pdf(p, 0.7, 0.1) + norm.pdf(p, 0.55, 0.1)
    shares = 0.5 * p * (1 - p) / (p * (1 - p)).sum() + 0.5 * near / near.sum()
    test = ResidualTest(m, population=9, mirrored=mirrored, expected=theirs)
    found = test.take(0.0 if mirrored else 1.0, foreseen=lambda mean: Shifted(mean, 0.0, mean, mean))
    assert found == pytest.approx(log(float(shares @ p) / 0.6))


def test_an_unlikely_success_counts_for_more_than_a_likely_one() -> None:
    features = [-2.0, 2.0] * 10
    hard, easy = (ResidualTests(0.5, predictions(features), population=20).take(place, 1.0)[0] for place in (0, 1))
    assert hard > easy > 0


def test_the_regression_is_that_of_a_program_of_another_kind() -> None:
    rng = np.random.default_rng(1)
    features, values = rng.normal(size=(40, 2)), rng.integers(0, 2, 40).astype(float)
    known = Predictions(features, prior=[1.0, 0.0], precision=[3.0, 5.0])
    for place in range(20):  # the last fit is after as many as are there, so that it has seen all
        known.observe(place, values[place])

    def loss(b: np.ndarray) -> float:
        logits = b[0] + features[:20] @ b[1:]
        fit = np.logaddexp(0, logits) - values[:20] * logits
        return float(fit.sum() + 0.5 * (0.1 * b[0] ** 2 + 3 * (b[1] - 1) ** 2 + 5 * b[2] ** 2))

    assert known.coefficients == pytest.approx(minimize(loss, np.zeros(3)).x, abs=0.01)


def test_what_is_believed_of_predictions_is_learned() -> None:
    rng = np.random.default_rng(2)
    logits = rng.normal(size=300) * 2
    right = (rng.random(300) < 1 / (1 + np.exp(-logits))).astype(float)
    belief, slope = {}, {}
    for name, told in (("right", logits), ("worthless", rng.permutation(logits)), ("inverted", -logits)):
        known = Predictions(told[:, None], prior=[1.0], precision=[10.0])
        lowest = 1.0
        for place in range(200):
            known.observe(place, right[place])
            lowest = min(lowest, known.belief)
        belief[name], slope[name] = (lowest, known.belief), known.coefficients[1]
    assert belief["right"][1] > 0.99
    assert belief["worthless"][1] < 0.2
    assert belief["inverted"][0] < 0.01 < 0.9 < belief["inverted"][1]  # given up, then turned round
    assert slope["inverted"] < -0.5 < 0.5 < slope["right"]


def test_a_share_of_the_capital_bets_as_if_there_were_no_predictions() -> None:
    assert mixed([3.0], -inf) == pytest.approx([3.0 + log(SHARE)])
    assert mixed([0.0], 0.0) == pytest.approx([0.0])


def test_an_impossible_null_is_refuted_and_a_settled_one_left_alone() -> None:
    tests = ResidualTests(0.5, predictions([0.0, 1.0, 2.0, 3.0]), population=4)
    path = [tests.take(place, 1.0) for place in range(4)]
    assert [above == inf for above, _ in path] == [False, False, True, True]
    assert all(np.isfinite(below) or below == -inf for _, below in path)


@pytest.mark.parametrize("null", [0.0, 1.0])
def test_a_null_must_leave_room(null: float) -> None:
    with pytest.raises(BadInput, match="strictly between"):
        ResidualTest(null, population=3)
