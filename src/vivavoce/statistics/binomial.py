"""Binomial coefficients and probabilities, by logarithms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

from vivavoce.statistics.betting import Floats


def log_choose(n: int, k: NDArray[np.integer]) -> Floats:
    """ln C(n, k) for 0 <= k <= n.

    >>> np.exp(log_choose(5, np.array([2]))).round(9).tolist()
    [10.0]
    """
    found: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return found


def binomial_probabilities(most: int, n: int, rate: float) -> Floats:
    """The probabilities of 0, 1, ..., `most` events in `n` trials.

    >>> binomial_probabilities(3, 2, 0.5).round(9).tolist()
    [0.25, 0.5, 0.25, 0.0]
    """
    k = np.arange(min(most, n) + 1)
    found = np.exp(log_choose(n, k) + xlogy(k, rate) + xlog1py(n - k, -rate))
    return np.pad(found, (0, most + 1 - k.size))
