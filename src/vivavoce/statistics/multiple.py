"""Multiple testing with e-values: which nulls to reject so that the whole list keeps an error rate.

Both rules hold for any dependence between the e-values, and for e-processes at any time. The module is small because
comparisons and families of claims share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import check_delta

_ROUNDING = 1e-9
"""Rounding errors of sums of logarithms."""


def false_discovery_threshold(tests: int, rejected: int, delta: float) -> float:
    """ln(tests / (rejected delta)): how large each log e-value must be to reject this many together.

    tests: at least 1. rejected: 0 counts as 1, which gives the threshold for the first rejection.

    >>> round(false_discovery_threshold(14, 1, 0.05), 3), round(false_discovery_threshold(14, 14, 0.05), 3)
    (5.635, 2.996)
    """
    check_delta(delta)
    return log(tests / (max(1, rejected) * delta))


def e_bh(log_e: Sequence[float], delta: float) -> tuple[int, ...]:
    """The e-BH rule: the indices of the nulls to reject, so that the expected share of true ones among them is at most delta.

    With J e-values it rejects the k largest, where k is the greatest number such that the k-th largest is at least
    J / (k delta). More exactly the expected share is at most delta times the share of true nulls among all J.

    log_e: natural logarithms of e-values, each with expectation at most 1 under its null. Raises `BadInput` for a delta
    outside (0, 1).

    >>> e_bh([log(60.0), log(5.0), log(31.0), log(20.0)], 0.05)  # 80, 40, 27, 20 are needed of the first, second ... largest
    ()
    >>> e_bh([log(60.0), log(5.0), log(41.0), log(20.0)], 0.05)
    (0, 2)

    Source: `wang2022`.
    """
    return tuple(np.flatnonzero(e_bh_each(np.array(log_e, dtype=np.float64), delta)).tolist())


def e_bh_each(log_e: Floats, delta: float) -> NDArray[np.bool_]:
    """Which nulls the e-BH rule rejects, for many lists at once: logarithms of shape (..., J), lists along the last axis."""
    check_delta(delta)
    falling = -np.sort(-log_e, axis=-1)
    together = np.arange(1, log_e.shape[-1] + 1)
    needed = np.log(max(1, together.size) / (together * delta)) - _ROUNDING
    largest = np.where(falling >= needed, together, 0).max(axis=-1, initial=0, keepdims=True)
    rank = np.argsort(np.argsort(-log_e, axis=-1, kind="stable"), axis=-1, kind="stable")
    rejected: NDArray[np.bool_] = rank < largest
    return rejected


def family_wise(log_e: Sequence[float], delta: float) -> tuple[int, ...]:
    """The indices of the nulls to reject, so that any true one is among them with probability at most delta: e >= J / delta.

    By Markov's inequality for each of them, and Bonferroni's for all (`dunn1961`).

    >>> family_wise([log(60.0), log(5.0), log(41.0), log(80.0)], 0.05)
    (3,)
    """
    check_delta(delta)
    needed = log(max(1, len(log_e)) / delta) - _ROUNDING
    return tuple(index for index, value in enumerate(log_e) if value >= needed)
