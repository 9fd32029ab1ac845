"""The difference of two means whose observations come from the same few sources, of which some have both.

Take the observations of both groups in one regression on a constant and on which group it is, with errors that are correlated
within a source. The variance is the bias-reduced one of `bell2002` ("CR2"), the interval Student's t at Satterthwaite's degrees
of freedom for it. At its two ends it is what everybody knows: where no source has two observations its standard error is
Welch's, and where each source has one in either group it is the paired t test, degrees of freedom and all.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, check_confidence


class MeanDifference(NamedTuple):
    """How far one mean lies above another."""

    value: float
    """Second less first."""
    bounds: Bounds
    error: float
    """Standard error."""
    degrees: float
    """Of freedom."""
    p: float
    """Two-sided: the chance of a difference at least as large, were there none in truth."""


def mean_difference(
    values: ArrayLike, second: ArrayLike, sources: Sequence[Hashable], *, confidence: float = 0.95
) -> MeanDifference:
    """The mean of the second group less that of the first, robust to observations that share a source.

    Parameters
    ----------
    values: one number an observation, finite.
    second: as many truth values: whether it is of the second group.
    sources: as many: who it comes from.

    Raises `NotEnoughEvidence` where a group has fewer than two sources, or where nothing varies.

    >>> found = mean_difference([1, 2, 4, 3, 3, 6], [False, False, False, True, True, True], ["a", "b", "c", "a", "b", "c"])
    >>> round(found.value, 3), round(found.error, 3), round(found.degrees, 3)  # paired: differences 2, 1, 2
    (1.667, 0.333, 2.0)
    """
    array, group = np.asarray(values, dtype=np.float64), np.asarray(second, dtype=bool)
    check_confidence(confidence)
    if array.ndim != 1 or array.shape != group.shape or len(sources) != array.size or not np.isfinite(array).all():
        raise BadInput("give a finite number, a group and a source for each observation")
    source = np.array(_numbered(sources), dtype=np.int64)
    counts = np.array([np.bincount(source[group == which], minlength=source.max(initial=-1) + 1) for which in (False, True)])
    if array.size == 0 or ((counts > 0).sum(axis=1) < 2).any():
        raise NotEnoughEvidence("a group has fewer than two sources; a difference of means needs at least 2 in each")
    sizes = counts.sum(axis=1).astype(float)
    means = np.array([array[~group].mean(), array[group].mean()])
    residuals = array - means[group.astype(int)]
    sums = np.array(
        [np.bincount(source[group == which], residuals[group == which], counts.shape[1]) for which in (False, True)]
    )
    weights = np.array([[-1.0], [1.0]]) / sizes[:, None] / np.sqrt(1 - counts / sizes[:, None])
    variance = float(((weights * sums).sum(axis=0) ** 2).sum())
    if variance <= 0:
        raise NotEnoughEvidence("all observations of a group are the same: how far they vary is not known")
    value, degrees = float(means[1] - means[0]), _degrees(counts, sizes, weights)
    error = sqrt(variance)
    half = float(stdtrit(degrees, (1 + confidence) / 2)) * error
    p = 2 * float(stdtr(degrees, -abs(value) / error))
    return MeanDifference(value, Bounds(value - half, value + half), error, degrees, p)


def _degrees(counts: Floats, sizes: Floats, weights: Floats) -> float:
    """Satterthwaite's, were all observations independent and of one variance: (tr M)² / tr M², M = diag(d) - Σ u u' / n."""
    diagonal, pull = (counts * weights**2).sum(axis=0), counts * weights
    trace = float(diagonal.sum() - (pull**2 / sizes[:, None]).sum())
    crossed = (pull @ pull.T) ** 2 / np.outer(sizes, sizes)
    square = float((diagonal**2).sum() - 2 * (diagonal * pull**2 / sizes[:, None]).sum() + crossed.sum())
    return trace**2 / square


def _numbered(sources: Sequence[Hashable]) -> list[int]:
    """Each source as a number, in order of first appearance."""
    known: dict[Hashable, int] = {}
    return [known.setdefault(one, len(known)) for one in sources]
