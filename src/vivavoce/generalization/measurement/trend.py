"""Do beliefs fit larger models better? The slope of each measure over the size of the models (section 5 of `vafa2024`).

The paper reads the trend from the rows of Table 2. Here it is a least-squares slope a tenfold size, over these models, on the
pairs that all of them answered. What is drawn again for its interval are pairs, so that it speaks of these models alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from vivavoce.formats.interval import Estimate
from vivavoce.generalization.alignment.measures import (
    BelievedPairs,
    GradedModel,
    alpha_of,
    common_pairs,
    cost_per_question,
    narrowed,
    right_share,
    weighted_accuracy,
)
from vivavoce.generalization.alignment.resampling import IndependentSets

FEWEST: Final = 3
"""Different sizes: two models always lie on a line."""


@dataclass(frozen=True, slots=True)
class SizeSlope:
    """The change of one measure a tenfold size."""

    measure: str
    """`right_share`, `weighted_accuracy` or `cost_per_question`."""
    threshold: float | None
    """None for `right_share`."""
    change: Estimate

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"measure": self.measure, "threshold": self.threshold, **self.change.as_json()}


@dataclass(frozen=True, slots=True)
class SizeTrend:
    """How measures change with size."""

    sizes: Mapping[str, float]
    """By model, the smallest first."""
    pairs: int
    """Pairs of questions that all these models answered."""
    slopes: tuple[SizeSlope, ...]

    def of(self, measure: str, threshold: float | None = None) -> Estimate:
        """The change of a measure; raises `StopIteration` for one that is not there."""
        return next(one.change for one in self.slopes if (one.measure, one.threshold) == (measure, threshold))

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"sizes": dict(self.sizes), "pairs": self.pairs, "per_tenfold": [one.as_json() for one in self.slopes]}


def size_trend(
    believed: BelievedPairs,
    models: Sequence[GradedModel],
    sizes: Mapping[str, float],
    thresholds: Sequence[float],
    sets: IndependentSets,
) -> SizeTrend | None:
    """The trend over the models whose size is known; None for fewer than three sizes, or no pair that all answered."""
    sized = sorted((one for one in models if one.model in sizes and one.used.any()), key=lambda one: sizes[one.model])
    if len({sizes[one.model] for one in sized}) < FEWEST:
        return None
    shared = np.logical_and.reduce([common_pairs(believed, sized[0], one) for one in sized])
    if not shared.any():
        return None
    narrow = [narrowed(believed, one, shared) for one in sized]
    places = np.log10([sizes[one.model] for one in sized])
    times = (places - places.mean()) / ((places - places.mean()) ** 2).sum()
    measures: list[tuple[str, float | None, Any]] = [("right", None, right_share)]
    for threshold in thresholds:
        alpha = alpha_of(threshold)
        measures += [
            ("accuracy", threshold, partial(weighted_accuracy, alpha=alpha)),
            ("loss", threshold, partial(cost_per_question, alpha=alpha)),
        ]
    slopes = tuple(
        SizeSlope(
            name,
            threshold,
            sets.combination([(float(k), measure(believed, one)) for k, one in zip(times, narrow, strict=True)]),
        )
        for name, threshold, measure in measures
    )
    return SizeTrend({one.model: sizes[one.model] for one in sized}, int(shared.sum()), slopes)
