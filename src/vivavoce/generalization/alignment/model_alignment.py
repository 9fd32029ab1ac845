"""@@@
Is what people doubt wrong, and what they trust right? Answers by thirds of belief (Appendix F of `vafa2024`).
---
The figures of models compared with people's beliefs about them."""

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
"""Ends of the middle third, which do not belong to it (equation 10)."""


@dataclass(frozen=True, slots=True)
class BeliefThird:
    """One region of belief."""

    name: str
    lower: float
    upper: float

    def holds(self, believed: BelievedPairs) -> Flags:
        """Which rows have a belief in it."""
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
    """Right answers where people expected them wrong, were uncertain, and expected them right."""

    who: str
    thirds: tuple[Estimate, ...]
    """The share of right answers in each of `THIRDS`; without a value where nobody had such a belief."""
    believed: tuple[float | None, ...]
    """The mean belief in each."""

    def as_json(self) -> dict[str, Any]:
        """By the name of each third, as JSON values."""
        told = zip(THIRDS, self.thirds, self.believed, strict=True)
        return {f"{third.lower:g}-{third.upper:g}": share.as_json() | {"belief": belief} for third, share, belief in told}


def calibration(believed: BelievedPairs, one: GradedModel, sets: IndependentSets) -> Calibration:
    """One model's right answers by thirds of belief."""
    shares, beliefs = [], []
    for third in THIRDS:
        inside = (one.used & third.holds(believed)).astype(float)
        shares.append(sets.share(believed.summed(inside * one.right, inside)))
        beliefs.append(believed.summed(inside * believed.beliefs, inside).value)
    return Calibration(one.model, tuple(shares), tuple(beliefs))


def pooled(
    who: str,
    believed: BelievedPairs,
    several: Sequence[GradedModel],
    *,
    sample: bool,
    rng: np.random.Generator,
    confidence: float,
) -> Calibration:
    """The same for several who answered, all answers together: such as some people, each after an own first answer.

    Where they are a `sample`, as people are of people, intervals also allow for the answers of one being alike, and with a
    single one there is none. Machines that are named are all that is spoken of.
    """
    groups: list[frozenset[Hashable]] = [
        group | ({("who", one.model)} if sample else set()) for one in several for group in believed.groups
    ]
    sets = IndependentSets(groups, rng=rng, confidence=confidence)
    shares, beliefs = [], []
    for third in THIRDS:
        inside = [(one.used & third.holds(believed)).astype(float) for one in several]
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
