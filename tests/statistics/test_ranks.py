"""Ranks are those of SciPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from vivavoce.statistics.correlation import mean_ranks


@given(st.lists(st.integers(-3, 3) | st.floats(allow_nan=False), max_size=30))
def test_they_are_scipys(values: list[float]) -> None:
    assert np.array_equal(mean_ranks(values), rankdata(np.asarray(values, dtype=float)))
