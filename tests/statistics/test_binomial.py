"""Binomial probabilities are those of SciPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from vivavoce.statistics.binomial import binomial_probabilities


@given(most=st.integers(0, 40), n=st.integers(0, 3_000), rate=st.floats(0, 1))
def test_they_are_scipys(most: int, n: int, rate: float) -> None:
    np.testing.assert_allclose(
        binomial_probabilities(most, n, rate), binom.pmf(np.arange(most + 1), n, rate), rtol=1e-10, atol=1e-300
    )
