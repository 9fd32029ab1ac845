"""What forecasts show in numbers: one forecaster on one law, two on the same tuples, and a number that is said too often."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from vivavoce.consistency.forecasts.each import Scored
from vivavoce.consistency.forecasts.references import Reference
from vivavoce.formats.interval import Estimate

BINS = 20
"""Of a histogram, over the metric from 0 to 1; what is above 1 is in the last."""
PAIRED = ("neg", "paraphrase")
"""Laws whose forecasts stand in pairs, as Figure 3 of `fluri2024` draws them."""


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """Two forecasts that belong together, and how often they were given."""

    first: float
    second: float
    times: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What one forecaster's tuples of one law show."""

    forecaster: str
    law: str
    metric: str
    """What the metric is, in short."""
    n: int
    """Tuples with all forecasts readable; all numbers but `unreadable` are of these."""
    unreadable: int
    """Tuples with a forecast that could not be read or did not come."""
    mean: Estimate
    """Of the metric."""
    strong: Estimate
    """Share of tuples with a metric above .2; on a user's own law, of .2 or more."""
    violation: Estimate | None
    """Mean distance to the nearest coherent forecasts, in nats; None for quantities."""
    random: Reference
    constant: Reference
    distinct: int
    """Different values among the forecasts."""
    forecasts: int
    """Forecasts, in all."""
    extreme: bool
    """Whether a probability is exactly 0 or 1."""
    shared: bool
    """Whether some tuples share base questions; the intervals then allow for it."""
    histogram: tuple[int, ...]
    """Tuples by metric, in `BINS` bins."""
    worst: tuple[Scored, ...]
    """The largest violations, by metric, the largest first."""
    in_order: Scored | None = None
    """A series of quantities that never goes the wrong way, if there is one; the first."""
    points: tuple[Point, ...] = ()
    """Forecasts of an event with those of its negation, or of the first wording with each other one; empty for other laws."""

    def as_json(self) -> dict[str, Any]:
        """The summary as JSON values; the names are part of the public face."""
        return {
            "forecaster": self.forecaster,
            "law": self.law,
            "metric": self.metric,
            "n": self.n,
            "unreadable": self.unreadable,
            "mean": self.mean.as_json(),
            "strong": self.strong.as_json(),
            "violation": None if self.violation is None else self.violation.as_json(),
            "random": asdict(self.random),
            "constant": asdict(self.constant),
            "distinct": self.distinct,
            "forecasts": self.forecasts,
            "shared": self.shared,
            "histogram": list(self.histogram),
            "worst": [scored.as_json() for scored in self.worst],
        }


@dataclass(frozen=True, slots=True)
class Paired:
    """Two forecasters on the same tuples of one law."""

    law: str
    first: str
    second: str
    n: int
    """Tuples that both answered readably."""
    difference: Estimate
    """Mean of the first one's metric minus the second one's."""
    p: float | None
    """Of the difference, by `statistics.paired.paired_test`; None for too few tuples."""
    first_only: int
    """Tuples that are strong violations of the first one alone."""
    second_only: int
    p_strong: float | None
    """Of their numbers: McNemar's exact test, or `paired_test` where tuples share base questions."""
    p_adjusted: float | None
    """`p`, multiplied after Holm for all comparisons of the finding."""

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "law": self.law,
            "first": self.first,
            "second": self.second,
            "n": self.n,
            "difference": self.difference.as_json(),
            "p": self.p,
            "p_adjusted": self.p_adjusted,
            "first_only_strong": self.first_only,
            "second_only_strong": self.second_only,
            "p_strong": self.p_strong,
        }


@dataclass(frozen=True, slots=True)
class Favourite:
    """A number that one forecaster gave to more than half of all different questions."""

    forecaster: str
    value: float
    count: int
    questions: int
    """Different ones with a forecast."""
