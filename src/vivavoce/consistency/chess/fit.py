"""The line through the logarithms of shares over nodes, as a value."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.formats.interval import Estimate, Interval


@dataclass(frozen=True, slots=True)
class Fit:
    """share = exp(intercept) * nodes ** slope, by least squares on logarithms."""

    threshold: float
    slope: Estimate
    """Its n is the number of node counts that the line is laid through."""
    intercept: float

    @property
    def tenfold(self) -> Estimate:
        """What share is left after a search ten times as long."""
        slope, ends = self.slope, self.slope.interval
        value = None if slope.value is None else 10**slope.value
        return Estimate(value, Interval(10**ends.lower, 10**ends.upper), slope.n)
