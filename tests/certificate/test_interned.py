"""Lists that keep equal values once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.certificate.evidence.inference import InternedList


@given(st.lists(st.integers(0, 400), max_size=900) | st.permutations(range(400)))
def test_it_is_the_list_of_all_values_whether_few_or_many_differ(values: list[int]) -> None:
    interned = InternedList[int]()
    for value in values:
        interned.append(value)
    assert list(interned) == values
    assert len(interned) == len(values)
    assert interned.column(float).tolist() == values
    assert interned.distinct == list(dict.fromkeys(values))
    assert not values or interned.last() == values[-1]
