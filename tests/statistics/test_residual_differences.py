"""Bets on what predictions of differences leave unexplained: fair to every list that keeps the null."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.statistics.differences import DifferenceTests
from vivavoce.statistics.residual_differences import DifferencePredictions, ResidualDifferenceTests, Spread

SIZE = 7
FLAT = Spread(0.0, 0.0, 0.0, 0.0)


@settings(max_examples=40, deadline=None)
@given(
    differences=st.lists(st.sampled_from([-1.0, -0.5, 0.0, 1.0]), min_size=SIZE, max_size=SIZE),
    features=st.lists(st.floats(-3, 3), min_size=SIZE, max_size=SIZE),
    drawn=st.integers(0, SIZE - 2),
)
def test_a_bet_is_fair_to_every_list_whose_mean_is_the_null(
    differences: list[float], features: list[float], drawn: int
) -> None:
    null = float(np.mean(differences))
    if abs(null) > 0.98:
        return
    known = DifferencePredictions(np.array(features)[:, None], prior=np.array([0.7]), precision=np.array([2.0]), trust=0.8)
    tests, log_e = ResidualDifferenceTests(np.array([null]), population=SIZE), np.zeros(1)
    for place in range(drawn):
        log_e = tests.take(np.array([differences[place]]), [known.at(place)])
        known.observe(place, differences[place])
    if not np.isfinite(log_e).all():
        return
    after = [deepcopy(tests).take(np.array([differences[place]]), [known.at(place)])[0] for place in range(drawn, SIZE)]
    assert np.mean(np.exp(np.array(after) - log_e)) == pytest.approx(1, abs=1e-6)


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=1, max_size=20))
def test_without_predictions_it_is_the_plain_bet(differences: list[float]) -> None:
    nulls = np.array([0.0, -0.1])
    plain, tests = DifferenceTests(nulls, population=20), ResidualDifferenceTests(nulls, population=20)
    for one in differences:
        d = np.array([one, -one])
        assert tests.take(d, [FLAT, FLAT]) == pytest.approx(plain.update(d[:, None])[:, 0], abs=1e-9)


def test_a_bet_by_hand() -> None:
    # null 0, so m = 1/2; a prediction of -.4 beside a mean of 0, the largest +.4: in x -.2 and .2. On a tie, x = 1/2, the
    # largest fixed bet 1 / (.5 + .2) earns 1 + (0 + .2) / .7
    test = ResidualDifferenceTests(np.zeros(1), population=10)
    told = np.array([[-0.2, 0.04, -0.2, 0.2]])
    factors = test._factors(np.array([[0.5]]), np.array([[0.5]]), told, 10)[0]
    u = (np.arange(20) + 0.5) / 20
    assert factors[:20] == pytest.approx(1 + u * 0.2 / 0.7)
    p = 0.5 + 0.5 * u
    w = p * (1 - p) / (p * (1 - p) + (p - 0.5) ** 2)
    c = np.minimum((p - 0.5) / (0.25 - w**2 * 0.04), 1 / (0.5 + w * 0.2))
    assert factors[20:] == pytest.approx(1 + c * w * 0.2)


def test_predictions_are_those_of_least_squares_with_a_penalty() -> None:
    rng = np.random.default_rng(3)
    z, d = rng.normal(size=(30, 2)), rng.integers(-1, 2, 30).astype(float)
    known = DifferencePredictions(z, prior=np.array([0.5, 0.0]), precision=np.array([3.0, 4.0]))
    for place in range(20):
        known.observe(place, d[place])
    x, penalty, prior = np.column_stack([np.ones(20), z[:20]]), np.diag([0.1, 3, 4]), np.array([0, 0.5, 0])
    b = prior + np.linalg.solve(x.T @ x + penalty, x.T @ (d[:20] - x @ prior))
    left = known.belief * np.clip(np.column_stack([np.ones(10), z[20:]]) @ b, -1, 1)
    found = [known.at(place) for place in range(20, 30)]
    assert [one.drawn for one in found] == pytest.approx(left - left.mean())
    assert (found[0].variance, found[0].most) == pytest.approx((left.var(), left.max() - left.mean()))


def test_worthless_predictions_are_soon_believed_no_more() -> None:
    rng = np.random.default_rng(4)
    d = rng.integers(-1, 2, 300).astype(float)
    for told, least, most in ((d, 0.99, 1.0), (rng.permutation(d), 0.0, 0.3)):
        known = DifferencePredictions(told[:, None], prior=np.array([0.5]), precision=np.array([4.0]))
        for place in range(150):
            known.observe(place, d[place])
        assert least <= known.belief <= most
        assert (known.explained > 0.7) == (told is d)


def test_a_null_must_leave_room() -> None:
    with pytest.raises(BadInput, match="strictly between"):
        ResidualDifferenceTests(np.array([1.0]), population=3)
