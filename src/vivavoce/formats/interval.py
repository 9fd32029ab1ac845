"""Numbers with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

CONFIDENCE: Final = 0.95
"""Level of every interval that does not give another."""


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
    """None if nothing was observed; never 0 instead."""
    interval: Interval
    n: int

    def is_largest(self, others: Iterable[Estimate]) -> bool:
        """Whether the intervals show that this value is larger than all others; a superlative requires it.

        The interval of each difference must lie above 0; it is computed from both intervals as if they were independent (MOVER,
        `zou2008`). Unknown values are left out. Without another value the answer is False.

        >>> best, next_, last = (Estimate(x, Interval(x - 0.1, x + 0.1), 50) for x in (0.9, 0.8, 0.6))
        >>> best.is_largest([next_, last]), best.is_largest([last])  # .1 < hypot(.1, .1) < .3
        (False, True)
        """
        known = [(other.value, other.interval.upper) for other in others if other.value is not None]
        if self.value is None or not known:
            return False
        below = self.value - self.interval.lower
        return all(self.value - value > math.hypot(below, upper - value) for value, upper in known)

    def is_smallest(self, others: Iterable[Estimate]) -> bool:
        """Whether the intervals show that this value is smaller than all others."""
        return self._negated.is_largest(other._negated for other in others)

    @property
    def _negated(self) -> Estimate:
        value = None if self.value is None else -self.value
        return Estimate(value, Interval(-self.interval.upper, -self.interval.lower), self.n)
