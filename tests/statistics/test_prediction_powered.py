"""Bets on values that predictions correct."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.statistics.confidence_sequences import mean_above, mean_bounds
from vivavoce.statistics.prediction_powered import Correction, PredictedTest, predicted_bounds

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


@pytest.mark.parametrize(
    ("x", "g", "f"), [([1.1], [0.5], [0.5]), ([1.0], [-0.1], [0.5]), ([1.0], [0.5], [np.nan]), ([1.0, 0.0], [0.5], [0.5])]
)
def test_what_is_out_of_range_is_refused(x: list[float], g: list[float], f: list[float]) -> None:
    with pytest.raises(BadInput):
        corrected(x, g, f)
    with pytest.raises(BadInput, match="at least 1"):
        Correction(further=0)
    with pytest.raises(BadInput):
        PredictedTest(0.5).update([0.5], [2.1])
