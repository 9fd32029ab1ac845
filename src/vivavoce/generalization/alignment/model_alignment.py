"""Figures of one model compared with people's beliefs: its measures, and right answers by thirds of belief (Appendix F)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

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


THIRDS: Final = (
    BeliefThird("expected wrong", 0.0, LOW),
    BeliefThird("uncertain", LOW, HIGH),
    BeliefThird("expected right", HIGH, 1.0),
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Right answers to questions that people expected wrong, were uncertain about, and expected right."""

    who: str
    thirds: tuple[Estimate, ...]
    """The share of right answers in each of `THIRDS`; without a value if there is no such belief."""
    believed: tuple[float | None, ...]
    """The mean belief in each."""

    def as_json(self) -> dict[str, Any]:
        """By the name of each third, as JSON values."""
        rows = zip(THIRDS, self.thirds, self.believed, strict=True)
        return {f"{third.lower:g}-{third.upper:g}": share.as_json() | {"belief": belief} for third, share, belief in rows}


def calibration(believed: BelievedPairs, model: GradedModel, sets: IndependentSets) -> Calibration:
    """A model's right answers by thirds of belief."""
    shares, beliefs = [], []
    for third in THIRDS:
        inside = (model.used & third.holds(believed)).astype(float)
        shares.append(sets.share(believed.summed(inside * model.right, inside)))
        beliefs.append(believed.summed(inside * believed.beliefs, inside).value)
    return Calibration(model.model, tuple(shares), tuple(beliefs))


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
    shares, beliefs = [], []
    for third in THIRDS:
        inside = [(model.used & third.holds(believed)).astype(float) for model in several]
        parts = [believed.summed(flags * one.right, flags) for flags, one in zip(inside, several, strict=True)]
        share = sets.share(_joined(parts))
        shares.append(replace(share, interval=Interval(0.0, 1.0)) if sample and len(several) == 1 else share)
        beliefs.append(_joined([believed.summed(flags * believed.beliefs, flags) for flags in inside]).value)
    return Calibration(who, tuple(shares), tuple(beliefs))


def _joined(parts: Sequence[Ratio]) -> Ratio:
    return Ratio(
        np.concatenate([part.numerator for part in parts]),
        np.concatenate([part.denominator for part in parts]),
        sum(part.n for part in parts),
    )


@dataclass(frozen=True, slots=True)
class ModelAlignment:
    """A model compared with people's beliefs; estimates are in the order of the finding's thresholds and rules."""

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
    """The difference of two models on the same pairs of questions: the first minus the second."""

    first: str
    second: str
    measure: Literal["accuracy", "cross_entropy"]
    threshold: float
    difference: RatioDifference

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        names = {name: getattr(self, name) for name in ("first", "second", "measure", "threshold")}
        return names | self.difference.as_json()
