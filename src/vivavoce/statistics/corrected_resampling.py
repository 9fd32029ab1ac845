"""Means over random splits of the same data: how far would they be off with other data? (`nadeau2003`)"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE
from vivavoce.statistics.bounds import Bounds, check_confidence


class Resampled(NamedTuple):
    """A mean over splits."""

    mean: float
    bounds: Bounds
    p: float
    """Two-sided: the chance of a mean at least as far from 0, were it 0 in truth."""
    splits: int


def resampled_t(values: ArrayLike, *, tested: int, learnt: int, confidence: float = CONFIDENCE) -> Resampled:
    """The corrected resampled t test, and its interval.

    Splits share most of their data, so that their values lie nearer to each other than those of new data would: the usual t
    test would find a difference in noise, the surer the more splits. Here the variance of the mean over k splits is taken for
    s² (1/k + tested/learnt), with s² the variance of the values, at k - 1 degrees of freedom. The correction is an
    approximation: it takes the correlation of two splits for the share of the data that is tested.

    Parameters
    ----------
    values: one a split, such as an error, or the difference of two errors on the same split; finite.
    tested, learnt: observations on the two sides of each split.

    Raises `NotEnoughEvidence` for fewer than two splits, `BadInput` for numbers that cannot be.

    >>> found = resampled_t([1.0, 2.0, 3.0], tested=1, learnt=3, confidence=0.5)  # variance 1 (1/3 + 1/3), t.75 at 2: .816
    >>> found.mean, round(found.bounds.upper - 2, 4)
    (2.0, 0.6667)
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise BadInput("the values of splits must be one row of finite numbers")
    if array.size < 2:
        raise NotEnoughEvidence(f"{array.size} splits; the test needs at least 2")
    if tested < 1 or learnt < 1:
        raise BadInput(f"{tested} tested and {learnt} learnt from: both must be at least 1")
    check_confidence(confidence)
    mean = float(array.mean())
    error = sqrt(float(array.var(ddof=1)) * (1 / array.size + tested / learnt))
    half = float(stdtrit(array.size - 1, (1 + confidence) / 2)) * error
    p = 2 * float(stdtr(array.size - 1, -abs(mean) / error)) if error else float(mean == 0)
    return Resampled(mean, Bounds(mean - half, mean + half), p, array.size)
