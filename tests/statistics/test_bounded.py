"""Intervals that reach as far as is possible where there is too little to say more."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.statistics.clustered import (
    bounded_mean,
    bounded_share,
    mean_estimate,
    mean_interval,
    share_estimate,
    share_interval,
)

VALUES = st.lists(st.floats(-1, 1), max_size=12)


def test_with_enough_it_is_the_interval_kept_within_bounds() -> None:
    values, groups = [0.1, 0.2, 0.3, 0.2, 0.1], [()] * 5
    assert bounded_mean(values, groups) == mean_interval(values, groups)
    lower, upper = mean_interval([0, 1, 1, 1], [()] * 4)
    assert upper > 1
    assert lower < 0
    assert tuple(bounded_mean([0, 1, 1, 1], [()] * 4)) == (0.0, 1.0)
    assert tuple(bounded_mean([0, 1, 1, 1], [()] * 4, smallest=-1.0)) == (lower, 1.0)
    assert bounded_share([True, False, True], "abc") == share_interval([True, False, True], "abc")


def test_too_little_reaches_everywhere() -> None:
    assert tuple(bounded_mean([0.5], ["a"], smallest=-1.0)) == (-1.0, 1.0)
    assert tuple(bounded_mean([0.5, 0.6], ["a", "a"])) == (0.0, 1.0)
    assert tuple(bounded_mean([], [], largest=inf)) == (0.0, inf)
    assert tuple(bounded_share([], [])) == (0.0, 1.0)


@pytest.mark.parametrize("value", [-1.0, 0.0, 0.25, 1.0])
def test_equal_values_leave_room_for_what_was_never_seen(value: float) -> None:
    # Never seen in 3 groups: 1 - .025^(1/3).
    unseen = 1 - 0.025 ** (1 / 3)
    for values in ([value] * 6, [value, *[value * (1 + 1e-15)] * 5]):
        lower, upper = bounded_mean(values, list("aabbcc"), smallest=-1.0)
        assert (lower, upper) == pytest.approx((value - (value + 1) * unseen, value + (1 - value) * unseen))


@given(VALUES, st.data())
def test_the_mean_lies_within_and_all_within_the_possible(values: list[float], data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.sampled_from("abc"), min_size=len(values), max_size=len(values)))
    lower, upper = bounded_mean(values, groups, smallest=-1.0)
    assert -1 <= lower <= upper <= 1
    if values:
        assert lower - 1e-12 <= sum(values) / len(values) <= upper + 1e-12


def test_estimates_have_the_value_the_interval_and_the_number() -> None:
    found = share_estimate([True, False, True], "abc")
    assert (found.value, found.n) == (2 / 3, 3)
    assert (found.interval.lower, found.interval.upper) == tuple(bounded_share([True, False, True], "abc"))
    # half-width t.975 at 2 degrees, 4.303, times .1 / sqrt(3)
    mean = mean_estimate([0.1, 0.2, 0.3], [()] * 3, smallest=-1.0)
    assert (mean.value, mean.interval.lower, mean.interval.upper) == pytest.approx(
        (0.2, 0.2 - 0.24841, 0.2 + 0.24841), abs=1e-5
    )
    assert (share_estimate([], []).value, mean_estimate([], []).n) == (None, 0)
