"""Binomial coefficients, by logarithms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from vivavoce.statistics.betting import Floats


def log_choose(n: int, k: NDArray[np.integer]) -> Floats:
    """ln C(n, k) for 0 <= k <= n.

    >>> np.exp(log_choose(5, np.array([2]))).round(9).tolist()
    [10.0]
    """
    found: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return found
