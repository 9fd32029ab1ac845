"""Models in both tests: explain-query-test and a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import Any

from vivavoce.formats.interval import Estimate, Interval


@dataclass(frozen=True, slots=True)
class Pairing:
    """One model and category in both tests."""

    model: str
    category: str
    eqt: float
    benchmark: float
    eqt_rank: float
    """Among the models of the category, 1 the best; ties share the mean rank."""
    benchmark_rank: float
    eqt_interval: Interval | None = None
    """95%, by concept; None where it is not known."""
    benchmark_interval: Interval | None = None

    @property
    def drop(self) -> Estimate:
        """The benchmark's accuracy less that in explain-query-test; the interval of a difference of independent figures
        (MOVER).

        Its ends are as far off as those of the two that pull it there, square to square (`zou2008`); all that is possible where
        one is not known.
        """
        value = self.benchmark - self.eqt
        if self.eqt_interval is None or self.benchmark_interval is None:
            return Estimate(value, Interval(-1.0, 1.0), 1)
        ours, theirs = self.eqt_interval, self.benchmark_interval
        down = hypot(self.benchmark - theirs.lower, ours.upper - self.eqt)
        up = hypot(theirs.upper - self.benchmark, self.eqt - ours.lower)
        return Estimate(value, Interval(max(-1.0, value - down), min(1.0, value + up)), 1)


@dataclass(frozen=True, slots=True)
class Correlation:
    """How two lists of numbers go together. Where there is too little for a correlation its value is None."""

    pearson: Estimate
    """95% by Fisher's z."""
    spearman: Estimate
    """95% by Fisher's z with the variance of Bonett and Wright."""
    p_pearson: float | None
    """Two-sided, by Student's t, as if observations were independent."""
    p_spearman: float | None
    problem: str = ""
    """Why there is no correlation."""


def correlation_as_json(correlation: Correlation) -> dict[str, Any]:
    """A correlation as JSON values."""
    return {
        "pearson": correlation.pearson.as_json(),
        "spearman": correlation.spearman.as_json(),
        "p_pearson": correlation.p_pearson,
        "p_spearman": correlation.p_spearman,
        "problem": correlation.problem,
    }
