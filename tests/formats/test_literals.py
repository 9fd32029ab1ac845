"""Lists as Python, NumPy and JSON write them: read as they were, and never run."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.formats.literals import literal_of

SINGLE = st.text(max_size=8) | st.integers(-(10**9), 10**9) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)
LISTS = st.lists(SINGLE, max_size=5) | st.dictionaries(st.text(max_size=4), st.lists(SINGLE, max_size=3), max_size=3)


@given(LISTS)
def test_what_python_writes_is_read(value: Any) -> None:
    assert literal_of(repr(value)) == value
    assert literal_of(repr(tuple(value))) == list(value)


@given(
    st.lists(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1, max_size=8), min_size=1, max_size=5)
)
def test_what_numpy_and_json_write_is_read(texts: list[str]) -> None:
    assert literal_of(str(np.array(texts))) == texts
    assert literal_of(repr(np.array(texts, dtype=object))) == texts
    assert literal_of(json.dumps(texts)) == texts


@given(st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 2)), min_size=1, max_size=5))
def test_numbers_of_numpy_are_read(numbers: list[float]) -> None:
    assert literal_of(str(np.array(numbers))) == pytest.approx(numbers, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("['Rome', 'Roma'", "a list that is never closed"),
        ("['Rome', Roma]", "not a readable list, at 'Roma]'"),
        ("['Rome' ... 'Roma']", "was cut short"),
        ("['Rome'] + ['Roma']", "not a readable list, at"),
        ("[" * 9 + "1" + "]" * 9, "not a readable list"),
        ("[__import__('os').system('true')]", "not a readable list, at .__import__"),
        ("['a'" + ", 'a'" * 100_000, "never closed"),
        ("[" * 1_000_000, "not a readable list"),
    ],
)
def test_what_is_none_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        literal_of(text)
