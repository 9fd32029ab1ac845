"""Intervals for a mean and a share where observations are not independent, because some of them share a group.

Forecasts of one base question, decisions on one defendant, answers about one concept go up and down together: an interval that
takes them for independent is too narrow. An observation may belong to several groups (a conjunction is made from two base
questions); two observations may depend on each other if they share at least one (`cameron2011robust`, `aronow2015cluster`).

With residuals e_i = x_i - mean and S_ij = 1 where i and j share a group or are the same, the variance of the mean is
estimated by sum_ij S_ij e_i e_j / n^2, and then

- divided by 1 - (sum_ij S_ij) / n^2, the bias of the sum where observations are in truth independent. With G groups of equal
  size, one each, this is the usual factor G / (G - 1);
- never below the estimate for independent observations: the sum may be too small by chance, even negative;
- with Satterthwaite's degrees of freedom (`bell2002`), again for independent observations: G - 1 with G groups of equal size,
  n - 1 where nothing is shared, and few where one group or one hub holds much. Counting groups instead, G / (G - 1) with G - 1
  degrees of freedom, is simpler, but a 95% interval then covers 68% of the time where one of 51 groups holds half of all
  observations, and 86% with 5 by 100 crossed groups; this one 90% and 97% (tests/statistics/test_clustered.py).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, check_confidence
from vivavoce.statistics.cluster_dependence import ClusterDependence

Groups = Sequence[Collection[Hashable]]
"""For each observation the groups that it belongs to: none if it stands alone; a plain text is one group."""

_ROUNDING = 1e-9
"""Of a number of observations."""


class Spread(NamedTuple):
    """How uncertain a mean is."""

    variance: float
    """Of the mean, robust to shared groups; at least `independent`."""
    independent: float
    """What the variance would be if observations were independent."""
    degrees: float
    """Of freedom, for Student's t."""


def mean_interval(values: ArrayLike, groups: Groups, *, confidence: float = CONFIDENCE) -> Bounds:
    """Student's t interval for the mean of observations of which some share a group.

    Where nothing is shared it is the usual one, at n - 1 degrees of freedom.

    Parameters
    ----------
    values: one number an observation, finite.
    groups: as many; order and names do not matter.

    Raises `NotEnoughEvidence` for fewer than two observations, or where every observation shares a group with every other.

    >>> lower, upper = mean_interval([1, 2, 3, 4], [(), (), (), ()])
    >>> round(lower, 3), round(upper, 3)
    (0.446, 4.554)
    >>> lower, upper = mean_interval([1, 2, 3, 4, 3, 4], ["a", "a", "b", "b", "c", "c"])
    >>> round(lower, 3), round(upper, 3)
    (-0.035, 5.702)
    """
    array = checked(values, groups)
    check_confidence(confidence)
    spread = spread_of(array, ClusterDependence(groups))
    half = float(stdtrit(spread.degrees, (1 + confidence) / 2)) * sqrt(spread.variance)
    mean = float(array.mean())
    return Bounds(mean - half, mean + half)


def share_interval(hits: ArrayLike, groups: Groups, *, confidence: float = CONFIDENCE) -> Bounds:
    """Interval for a share where some observations share a group: Clopper and Pearson's at the effective number (`korn1998`).

    The effective number is n over the design effect (robust variance over that of independent observations, at least 1),
    times (t at n - 1 degrees of freedom / t at those of the variance)^2. Where all observations agree no variance can be
    estimated: then it is the number of observations, at least, that can be picked without any two sharing a group
    (`ClusterDependence.independent`; with one group each, the number of groups). Where nothing is shared it is Clopper and
    Pearson's.
    Where fewer than one observation would tell as much, as with two groups that differ, the interval is [0, 1].
    The variance holds for many groups: where hits are rare and one group holds many, a 95% interval covers 93% of the time.

    Parameters
    ----------
    hits: one truth value an observation.
    groups: as many; order and names do not matter.

    Raises `NotEnoughEvidence` for no observation, or where every observation shares a group with every other and they differ.

    >>> lower, upper = share_interval([True, False, False, False], [(), (), (), ()])
    >>> round(lower, 4), round(upper, 4)
    (0.0063, 0.8059)
    >>> lower, upper = share_interval([False] * 100, ["only"] * 100)  # as good as one observation
    >>> round(lower, 4), round(upper, 4)
    (0.0, 0.975)
    """
    array = checked(hits, groups)
    check_confidence(confidence)
    if not np.isin(array, (0.0, 1.0)).all():
        raise BadInput("a share is counted from truth values: give True or False for each observation")
    if array.size == 0:
        raise NotEnoughEvidence("no observations; a share needs at least 1")
    share, tail = float(array.mean()), (1 - confidence) / 2
    size = _effective(array, ClusterDependence(groups), confidence)
    if size < 1 - _ROUNDING:
        return Bounds(0.0, 1.0)
    lower = 0.0 if share == 0 else float(betaincinv(share * size, (1 - share) * size + 1, tail))
    upper = 1.0 if share == 1 else float(betaincinv(share * size + 1, (1 - share) * size, 1 - tail))
    return Bounds(lower, upper)


def spread_of(values: Floats, sharing: ClusterDependence) -> Spread:
    """How uncertain the mean of the values is; see the head of this file.

    Raises `NotEnoughEvidence` for fewer than two observations, or where every observation shares a group with every other.
    """
    n, partners = values.size, sharing.partners
    if n < 2:
        raise NotEnoughEvidence(f"{n} observation{'' if n else 's'}; the variance of a mean needs at least 2")
    pairs = float(partners.sum())
    if pairs >= n * n:
        raise NotEnoughEvidence(f"each of {n} observations shares a group with every other; a variance needs at least 2 groups")
    # with M = I - 11'/n: the trace of MS, and that of MSMS
    trace = n - pairs / n
    of_square = pairs - 2 * float(partners @ partners) / n + (pairs / n) ** 2
    residuals = values - values.mean()
    independent = float(residuals @ residuals) / n / (n - 1)
    robust = float(residuals @ sharing.sums(residuals)) / n**2 / (1 - pairs / n**2)
    return Spread(max(robust, independent), independent, trace**2 / of_square)


def checked(values: ArrayLike, groups: Groups) -> Floats:
    """The values as an array; raises `BadInput` for one that is not finite, or for too few or too many groups."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (len(groups),):
        raise BadInput(f"{array.size} observations and groups for {len(groups)}: give one collection of groups an observation")
    if not np.isfinite(array).all():
        raise BadInput("an observation is not a finite number: leave out what was not observed, and count it apart")
    return array


def _effective(hits: Floats, sharing: ClusterDependence, confidence: float) -> float:
    """This many independent observations would tell as much."""
    if np.ptp(hits) == 0:
        return sharing.independent
    spread = spread_of(hits, sharing)
    level = (1 + confidence) / 2
    shrunk = float(stdtrit(hits.size - 1, level) / stdtrit(spread.degrees, level)) ** 2
    return hits.size * spread.independent / spread.variance * shrunk
