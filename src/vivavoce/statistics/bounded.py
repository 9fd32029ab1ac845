"""Means and shares with intervals that reach as far as is possible where there is too little to say more."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.clustered import Groups, mean_interval, share_interval

_ROUNDING = 1e-12
"""Share of a number below which a difference is none."""


def bounded_mean(values: ArrayLike, groups: Groups, *, smallest: float = 0.0, largest: float = 1.0) -> Bounds:
    """Interval for the mean of values that cannot lie outside of `smallest` and `largest`, of which some share a group.

    `clustered.mean_interval`, kept within what is possible; all that is possible where there is too little for an interval.
    Equal values have no spread, which is no certainty: then values as far off as can be may make up as much as an interval for
    the share of an event allows that was never seen.

    Parameters
    ----------
    values: one number an observation; may be none.
    groups: as many, as for `mean_interval`.
    smallest, largest: what a value can be; may be infinite.

    >>> lower, upper = bounded_mean([0.5, 1.0, 0.0, 0.5], [()] * 4)
    >>> round(lower, 3), round(upper, 3)  # 0.5 -+ 3.182 * 0.408 / 2, and no less than 0
    (0.0, 1.0)
    >>> tuple(bounded_mean([], [], smallest=-1.0))
    (-1.0, 1.0)
    >>> lower, upper = bounded_mean([1.0] * 4, [()] * 4)  # an event never seen in 4 may have a share of .6024
    >>> round(lower, 4), upper
    (0.3976, 1.0)
    """
    array = np.asarray(values, dtype=np.float64)
    try:
        if array.size > 1 and np.ptp(array) <= _ROUNDING * abs(array).max():
            value, unseen = float(array.mean()), share_interval(np.zeros(array.size, dtype=bool), groups).upper
            lower, upper = value - (value - smallest) * unseen, value + (largest - value) * unseen
        else:
            lower, upper = mean_interval(array, groups)
    except NotEnoughEvidence:
        return Bounds(smallest, largest)
    return Bounds(max(smallest, lower), min(largest, upper))


def bounded_share(hits: ArrayLike, groups: Groups) -> Bounds:
    """Interval for a share: `clustered.share_interval`, or [0, 1] where there is too little for one.

    >>> tuple(bounded_share([True, False], ["one", "one"]))
    (0.0, 1.0)
    """
    try:
        return share_interval(hits, groups)
    except NotEnoughEvidence:
        return Bounds(0.0, 1.0)


def share_estimate(hits: ArrayLike, groups: Groups) -> Estimate:
    """A share with the interval of `bounded_share`; without a value where there are no observations.

    >>> share_estimate([True, False], ["one", "one"])
    Estimate(value=0.5, interval=Interval(lower=0.0, upper=1.0), n=2)
    """
    array = np.asarray(hits, dtype=bool)
    return Estimate(float(array.mean()) if array.size else None, Interval(*bounded_share(array, groups)), array.size)


def mean_estimate(values: ArrayLike, groups: Groups, *, smallest: float = 0.0, largest: float = 1.0) -> Estimate:
    """A mean with the interval of `bounded_mean`; without a value where there are no observations.

    >>> mean_estimate([], [], smallest=-1.0)
    Estimate(value=None, interval=Interval(lower=-1.0, upper=1.0), n=0)
    """
    array = np.asarray(values, dtype=np.float64)
    interval = Interval(*bounded_mean(array, groups, smallest=smallest, largest=largest))
    return Estimate(float(array.mean()) if array.size else None, interval, array.size)
