"""Quantities that can only grow, or only shrink, with time: single forecasts, and several draws of each quantity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

import numpy as np

from vivavoce.errors import BadInput, NotEnoughEvidence

DIRECTION: Final[Mapping[str, int]] = {"increasing": 1, "decreasing": -1}
LARGEST: Final = 1e150
"""The largest absolute value of a quantity: beyond it, sums and squares overflow."""


@dataclass(frozen=True, slots=True)
class Monotonicity:
    """How far a series is from the order that the law requires."""

    metric: float
    """From 0 to 1."""
    repair: Mapping[str, float]
    """The nearest series in the right order, by least squares."""


def monotonicity(law: str, forecasts: Mapping[str, float]) -> Monotonicity:
    """(1 - Spearman's rank correlation with the numbers that name the statements) / 2, the paper's metric.

    Ties get mean ranks. The correlation of a constant series is undefined; such a series obeys the law, so its metric is 0. A
    series that obeys the law with some ties still has a small positive metric, as in the paper.

    Raises `BadInput` for fewer than three statements, names that are not distinct numbers, and quantities beyond 1e150.

    >>> monotonicity("decreasing", {"2025": 9.58, "2028": 9.55, "2032": 9.56}).metric
    0.25
    """
    # to import these takes half a second, which those pay who ask about series, and not all who draw a page
    from scipy.optimize import isotonic_regression
    from scipy.stats import rankdata

    years = np.array([_number(key) for key in forecasts])
    if len(years) < 3 or len(set(years)) < len(years):
        raise BadInput(f"the law '{law}' needs at least three statements, named by different numbers such as years")
    for key, value in forecasts.items():
        if not abs(value) <= LARGEST:
            raise BadInput(
                f"the forecast {value:g} of '{key[:40]}' is not a quantity: give a number of at most {LARGEST:g} in size"
            )
    order = np.argsort(years)
    series = np.array(list(forecasts.values()), dtype=float)[order]
    forward = DIRECTION[law] * series
    fitted = DIRECTION[law] * isotonic_regression(forward).x
    keys = np.array(list(forecasts))[order]
    metric = 0.0 if np.ptp(series) == 0 else (1 - np.corrcoef(np.arange(len(series)), rankdata(forward))[0, 1]) / 2
    nearest = {str(key): float(value) for key, value in zip(keys, fitted, strict=True)}
    return Monotonicity(float(np.clip(metric, 0, 1)), {key: nearest[key] for key in forecasts})


def _number(key: str) -> float:
    try:
        number = float(key)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadInput(f"the statement '{key[:40]}' of a monotone law must have a number as its name, such as a year")
    return number


FEWEST_DRAWS: Final = 2
"""The fewest draws of a quantity with a spread."""
REACH: Final = 1.5
"""Whiskers reach to the last draw within this many interquartile ranges of the box (`fluri2024`, figure 14)."""


class QuantityQuartiles(NamedTuple):
    """The box plot of one quantity's draws."""

    low: float
    """End of the lower whisker."""
    first: float
    """Lower quartile."""
    median: float
    third: float
    high: float


@dataclass(frozen=True, slots=True)
class MonotoneNotions:
    """Three notions of a monotone series of intervals, each of which implies the previous one."""

    weak: bool
    """Some monotone curve runs through all intervals."""
    median: bool
    """The medians are monotone."""
    strong: bool
    """The medians and both ends of the intervals are monotone."""


def box_of(draws: Sequence[float]) -> QuantityQuartiles:
    """The box plot of some draws: quartiles by linear interpolation, whiskers to the last draw within 1.5 interquartile ranges.

    Raises `NotEnoughEvidence` for fewer than two draws.

    >>> box_of([1.0, 2.0, 3.0, 4.0, 100.0])  # 3 + 1.5 (4 - 2) is less than 100
    QuantityQuartiles(low=1.0, first=2.0, median=3.0, third=4.0, high=4.0)
    """
    if len(draws) < FEWEST_DRAWS:
        raise NotEnoughEvidence(f"{len(draws)} draws of a quantity: a spread needs at least {FEWEST_DRAWS}")
    array = np.sort(np.asarray(draws, dtype=float))
    first, median, third = (float(value) for value in np.quantile(array, (0.25, 0.5, 0.75)))
    reach = REACH * (third - first)
    within = array[(array >= first - reach) & (array <= third + reach)]
    # a whisker never ends inside of the box, though interpolated quartiles may lie beyond every draw within its reach
    return QuantityQuartiles(min(float(within[0]), first), first, median, third, max(float(within[-1]), third))


def notions(law: str, draws: Mapping[str, Sequence[float]]) -> MonotoneNotions:
    """Which notions of monotonicity a series of draws satisfies (`fluri2024`, appendix C.3.2).

    An interval is the range of a box plot's whiskers. The paper speaks of "prediction intervals", draws box plots, and requires
    only monotone medians in its metric. The strong notion here also requires monotone medians, so that it implies theirs.

    Parameters
    ----------
    law: `increasing` or `decreasing`; equal values are in order.
    draws: by the number that a statement is called, such as a year; at least two each.

    Raises `NotEnoughEvidence` for fewer draws.

    >>> record = {"2025": [9.5, 9.52, 9.55], "2030": [9.45, 9.5, 9.58]}  # the paper's own example of intervals
    >>> notions("decreasing", record)
    MonotoneNotions(weak=True, median=True, strong=False)
    """
    sign = DIRECTION[law]
    boxes = [box_of([sign * value for value in draws[year]]) for year in sorted(draws, key=float)]
    median = _rises([box.median for box in boxes])
    ends = _rises([box.low for box in boxes]) and _rises([box.high for box in boxes])
    highest = accumulate((box.low for box in boxes), max)
    weak = all(low <= box.high for low, box in zip(highest, boxes, strict=True))
    return MonotoneNotions(weak, median, median and ends)


def _rises(values: Sequence[float]) -> bool:
    return all(first <= second for first, second in pairwise(values))
