"""Rules against what they say in words, over all pairs of outputs."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.relations import Rule, at_least, at_most, decreasing, equal, increasing, invariant

outputs = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=8)


@given(values=outputs)
def test_gaps_are_the_largest_over_all_pairs(values: list[float]) -> None:
    pairs = list(combinations(values, 2))
    assert invariant().distance(values) == max(abs(value - other) for value, other in pairs)
    assert increasing().distance(values) == max(before - after for before, after in pairs)
    assert decreasing().distance(values) == pytest.approx(max(after - before for before, after in pairs))
    assert at_least().distance(values) == max(other - values[0] for other in values[1:])
    assert at_most().distance(values) == max(values[0] - other for other in values[1:])


@given(values=outputs)
def test_increasing_is_decreasing_backwards(values: list[float]) -> None:
    assert increasing().violation(values) == pytest.approx(decreasing().violation(values[::-1]))
    assert (increasing(0).violation(values) == 0) == (values == sorted(values))


@given(value=st.floats(-1e6, 1e6), times=st.integers(1, 5))
def test_a_constant_breaks_no_ready_made_rule(value: float, times: int) -> None:
    for rule in (invariant(), increasing(), decreasing(), at_least(), at_most(), equal()):
        assert rule.violation([value] * times) == 0


def test_what_is_within_the_tolerance_is_no_violation_and_what_is_beyond_counts_in_full() -> None:
    assert invariant(0.25).violation([0.5, 0.75]) == 0
    assert invariant(0.25).violation([0.5, 0.875]) == 0.375
    assert increasing().violation([0.1 + 0.2, 0.3]) == 0  # 5.6e-17 too much


def test_labels_are_the_same_or_not() -> None:
    assert equal().violation(["bail", "bail", "bail"]) == 0
    assert equal().violation(["bail", "bail", "no bail"]) == 1


def test_a_rule_that_fails_is_the_fault_of_its_writer() -> None:
    with pytest.raises(BadInput, match=r"'odd' cannot be applied to outputs \(IndexError"):
        Rule("odd", gap=lambda y: y[7]).violation([1.0])
    with pytest.raises(BadInput, match="'odd' gives nan, not a finite number"):
        Rule("odd", gap=lambda y: float("nan")).violation([1.0])
    with pytest.raises(BadInput, match=r"'odd' cannot be applied to inputs \(KeyError"):
        Rule("odd", gap=lambda y: 0.0, applies=lambda x: bool(x[0]["age"])).holds_of([{}])
    with pytest.raises(BadInput, match="tolerance of 'the same output' is -1"):
        invariant(-1)
