"""Figures of one model compared with people's beliefs: its measures, and right answers by thirds of belief (Appendix F)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.generalization.alignment.deployment import ModelUse
from vivavoce.generalization.alignment.measures import BelievedPairs, Flags, GradedModel
from vivavoce.generalization.alignment.resampling import IndependentSets, Ratio, RatioDifference

LOW: Final = 0.3
HIGH: Final = 0.7
"""Ends of the middle third, exclusive (equation 10)."""


@dataclass(frozen=True, slots=True)
class BeliefThird:
    """A region of belief."""

    name: str
    lower: float
    upper: float

    def holds(self, believed: BelievedPairs) -> Flags:
        """Whether the belief of each row is in it."""
        b = believed.beliefs
        if self.lower > 0:
            return b >= self.lower if self.upper == 1 else (b > self.lower) & (b < self.upper)
        return b <= self.upper

    @property
    def span(self) -> str:
        """Its key in JSON."""
        return f"{self.lower:g}-{self.upper:g}"


THIRDS: Final = (
    BeliefThird("expected wrong", 0.0, LOW),
    BeliefThird("uncertain", LOW, HIGH),
    BeliefThird("expected right", HIGH, 1.0),
)


@dataclass(frozen=True, slots=True)
class CalibratedThird:
    """Right answers to questions in one third of belief."""

    share: Estimate
    """Share of right answers; without a value if there is no such belief."""
    belief: float | None
    """Mean belief."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Right answers to questions that people expected wrong, were uncertain about, and expected right."""

    who: str
    thirds: Mapping[str, CalibratedThird]
    """By the span of each of `THIRDS`, in their order."""

    @property
    def shares(self) -> tuple[Estimate, ...]:
        """The share of right answers in each third."""
        return tuple(third.share for third in self.thirds.values())


def calibration(believed: BelievedPairs, model: GradedModel, sets: IndependentSets) -> Calibration:
    """A model's right answers by thirds of belief."""
    thirds = {}
    for third in THIRDS:
        inside = (model.used & third.holds(believed)).astype(float)
        share = sets.share(believed.summed(inside * model.right, inside))
        thirds[third.span] = CalibratedThird(share, believed.summed(inside * believed.beliefs, inside).value)
    return Calibration(model.model, thirds)


def pooled(
    who: str,
    believed: BelievedPairs,
    several: Sequence[GradedModel],
    *,
    sample: bool,
    rng: np.random.Generator,
    confidence: float,
) -> Calibration:
    """The same for all answers of several people or several machines together.

    If they are a `sample`, as people are, intervals also allow for the dependence of one person's answers, and a single person
    has no interval. Machines are not a sample: the result is about the named ones only.
    """
    groups: list[frozenset[Hashable]] = [
        group | ({("who", model.model)} if sample else set()) for model in several for group in believed.groups
    ]
    sets = IndependentSets(groups, rng=rng, confidence=confidence)
    thirds = {}
    for third in THIRDS:
        inside = [(model.used & third.holds(believed)).astype(float) for model in several]
        parts = [
            believed.summed(flags * graded_model.right, flags) for flags, graded_model in zip(inside, several, strict=True)
        ]
        share = sets.share(_joined(parts))
        if sample and len(several) == 1:
            share = replace(share, interval=Interval(0.0, 1.0))
        belief = _joined([believed.summed(flags * believed.beliefs, flags) for flags in inside]).value
        thirds[third.span] = CalibratedThird(share, belief)
    return Calibration(who, thirds)


def _joined(parts: Sequence[Ratio]) -> Ratio:
    return Ratio(
        np.concatenate([part.numerator for part in parts]),
        np.concatenate([part.denominator for part in parts]),
        sum(part.n for part in parts),
    )


@dataclass(frozen=True, slots=True)
class ModelAlignment:
    """A model compared with people's beliefs; measures by threshold, and use by rule."""

    model: str
    pairs: int
    """Pairs of questions that count."""
    unanswered: int
    """Pairs without a graded answer of the model to both questions."""
    unseen: int
    """Pairs without a belief after the model's actual result on the first question."""
    contradicting: int
    """Questions with contradicting grades, which count as not answered."""
    right: Estimate
    """The share of second questions answered right."""
    accuracy: Mapping[float, Estimate]
    cross_entropy: Mapping[float, Estimate]
    loss: Mapping[float, Estimate]
    calibration: Calibration
    deployment: Mapping[str, ModelUse]


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """The difference of two models on the same pairs of questions: the first minus the second."""

    first: str
    second: str
    measure: Literal["accuracy", "cross_entropy"]
    threshold: float
    difference: RatioDifference
