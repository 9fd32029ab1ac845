"""Numbers with their intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Interval:
    """All values from `lower` to `upper`, ends included.

    >>> 0.5 in Interval(0.4, 0.6)
    True
    """

    lower: float
    upper: float

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval and the number of observations behind it."""

    value: float | None
    """None where nothing was observed; never 0 in its place."""
    interval: Interval
    n: int

    def as_json(self) -> dict[str, Any]:
        """The estimate as JSON values; null in place of what is not known, or not bounded.

        >>> Estimate(0.5, Interval(0.0, math.inf), 1).as_json()
        {'value': 0.5, 'lower': 0.0, 'upper': None, 'n': 1}
        """
        ends = (end if math.isfinite(end) else None for end in (self.interval.lower, self.interval.upper))
        return {"value": self.value, **dict(zip(("lower", "upper"), ends, strict=True)), "n": self.n}
