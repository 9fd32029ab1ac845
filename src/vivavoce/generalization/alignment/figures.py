"""The figures of models compared with people's beliefs about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from vivavoce.formats.interval import Estimate
from vivavoce.generalization.alignment.calibration import Calibration
from vivavoce.generalization.alignment.deployment import ModelUse
from vivavoce.generalization.alignment.resampling import RatioDifference


@dataclass(frozen=True, slots=True)
class ModelAlignment:
    """One model compared with people's beliefs about it; estimates stand in the order of the finding's thresholds and rules."""

    model: str
    pairs: int
    """Pairs of questions that count."""
    unanswered: int
    """Pairs without a graded answer of the model to one of the two."""
    unseen: int
    """Pairs that nobody judged after what the model really did with the first question."""
    contradicting: int
    """Questions with contradicting grades, which count as not answered."""
    right: Estimate
    """The share of second questions answered right."""
    accuracy: tuple[Estimate, ...]
    cross_entropy: tuple[Estimate, ...]
    loss: tuple[Estimate, ...]
    calibration: Calibration
    deployment: tuple[ModelUse, ...]

    def as_json(self, thresholds: tuple[float, ...]) -> dict[str, Any]:
        """As JSON values, by threshold."""
        by_threshold = {
            name: {f"{t:g}": one.as_json() for t, one in zip(thresholds, getattr(self, name), strict=True)}
            for name in ("accuracy", "cross_entropy", "loss")
        }
        counts = ("pairs", "unanswered", "unseen", "contradicting")
        return {**by_threshold, "right": self.right.as_json(), **{name: getattr(self, name) for name in counts}}


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """Two models at the same pairs of questions: the first less the second."""

    first: str
    second: str
    measure: Literal["accuracy", "cross_entropy"]
    threshold: float
    difference: RatioDifference

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        names = {name: getattr(self, name) for name in ("first", "second", "measure", "threshold")}
        return names | self.difference.as_json()
