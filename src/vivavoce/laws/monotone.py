"""Quantities that can only grow, or only shrink, with time: the one law here that is not of probability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from vivavoce.errors import BadInput

DIRECTION: Final[Mapping[str, int]] = {"increasing": 1, "decreasing": -1}
LARGEST: Final = 1e150
"""Of a quantity, in size: beyond it sums and squares overflow."""


@dataclass(frozen=True, slots=True)
class Monotonicity:
    """How far a series is from the order that it must have."""

    metric: float
    """From 0 to 1."""
    repair: Mapping[str, float]
    """The nearest series in the right order, by least squares."""


def monotonicity(law: str, forecasts: Mapping[str, float]) -> Monotonicity:
    """(1 - Spearman's rank correlation with the numbers that the statements are called) / 2, the paper's metric.

    Ties get mean ranks. The correlation of a series of equal values is not defined; such a series never goes the wrong way, and
    its metric is 0. A series with a tie that never goes the wrong way has a small metric all the same, as printed.

    Raises `BadInput` for fewer than three statements, names that are no numbers or not distinct, and quantities beyond 1e150.

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
                f"the forecast {value:g} of '{key[:40]}' is no quantity: give a number of at most {LARGEST:g} in size"
            )
    order = np.argsort(years)
    series = np.array(list(forecasts.values()), dtype=float)[order]
    forward = DIRECTION[law] * series
    fitted = DIRECTION[law] * isotonic_regression(forward).x
    keys = np.array(list(forecasts))[order]
    found = 0.0 if np.ptp(series) == 0 else (1 - np.corrcoef(np.arange(len(series)), rankdata(forward))[0, 1]) / 2
    nearest = {str(key): float(value) for key, value in zip(keys, fitted, strict=True)}
    return Monotonicity(float(np.clip(found, 0, 1)), {key: nearest[key] for key in forecasts})


def _number(key: str) -> float:
    try:
        number = float(key)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadInput(f"the statement '{key[:40]}' of a monotone law must be called by a number, such as a year")
    return number
