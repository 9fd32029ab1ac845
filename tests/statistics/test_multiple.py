from math import exp, inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.statistics.multiple import e_bh, false_discovery_threshold, family_wise

LISTS = st.lists(st.floats(-20, 20) | st.just(-inf) | st.just(inf), max_size=30)


def plainly(log_e: list[float], delta: float) -> set[int]:
    """e-BH by its definition, counting for every k."""
    total = len(log_e)
    for k in range(total, 0, -1):
        needed = log(total / (k * delta)) - 1e-9
        large = {i for i, value in enumerate(log_e) if value >= needed}
        if len(large) >= k:
            return large
    return set()


@given(LISTS, st.floats(0.001, 0.5))
def test_e_bh_is_what_its_definition_says(log_e: list[float], delta: float) -> None:
    assert set(e_bh(log_e, delta)) == plainly(log_e, delta)


@given(LISTS, st.floats(0.001, 0.5))
def test_family_wise_rejects_no_more_than_e_bh(log_e: list[float], delta: float) -> None:
    assert set(family_wise(log_e, delta)) <= set(e_bh(log_e, delta))


def test_one_test_alone_needs_one_over_delta() -> None:
    assert e_bh([log(20)], 0.05) == family_wise([log(20)], 0.05) == (0,)
    assert e_bh([log(19.9)], 0.05) == family_wise([log(19.9)], 0.05) == ()


def test_by_hand() -> None:
    # J = 5, delta = .05: 100, 50, 33.3, 25, 20 for the largest ... the fifth largest
    assert e_bh([log(e) for e in (99, 21, 34, 3, 34)], 0.05) == (0, 2, 4)
    assert e_bh([log(e) for e in (99, 21, 33, 3, 34)], 0.05) == ()
    assert e_bh([log(e) for e in (20, 20, 20, 20, 20)], 0.05) == (0, 1, 2, 3, 4)
    assert family_wise([log(e) for e in (99, 101, 34, 3, 34)], 0.05) == (1,)
    assert exp(false_discovery_threshold(5, 0, 0.05)) == pytest.approx(100)  # none yet: what the first would need alone


def test_nothing_to_test_rejects_nothing() -> None:
    assert e_bh([], 0.05) == ()


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1])
def test_delta_must_be_a_share(delta: float) -> None:
    with pytest.raises(BadInput, match="delta"):
        e_bh([1.0], delta)
