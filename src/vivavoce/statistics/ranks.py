"""Ranks of values, of which equal ones share the mean of theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def mean_ranks(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """For each value its rank from 1 for the smallest; those that are equal have the mean of the ranks that they take.

    `scipy.stats.rankdata` gives the same; to import it takes as long as a short examination.

    >>> mean_ranks([3.0, 1.0, 3.0, 7.0]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, place, counts = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]
