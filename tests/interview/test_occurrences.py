"""Counts of questions, in little memory."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.interview.requests import Occurrences


@given(st.lists(st.integers(0, 30), max_size=200))
def test_counts_are_those_of_a_counter(numbers: list[int]) -> None:
    counted, occurrences = Counter[str](), Occurrences()
    for number in numbers:
        digest = sha256(str(number).encode()).hexdigest()
        assert occurrences[digest] == counted[digest]
        assert occurrences.add(digest) == counted[digest]
        counted[digest] += 1
