"""How well people's beliefs about models fit what these do, as a value: what it says, and what it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from vivavoce.generalization.align import alpha_of
from vivavoce.generalization.align_caveats import caveats_of, headline_of, rest_of
from vivavoce.generalization.beliefs import Beliefs
from vivavoce.generalization.calibration import Calibration
from vivavoce.generalization.deployment import Deployment
from vivavoce.generalization.dominance import Dominance
from vivavoce.generalization.estimated_beliefs import EstimatedBeliefs
from vivavoce.generalization.resampling import Difference
from vivavoce.interview.finding import Estimate, Signature


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
    deployment: tuple[Deployment, ...]

    def as_json(self, thresholds: tuple[float, ...]) -> dict[str, Any]:
        """As JSON values, by threshold."""
        by_threshold = {
            name: {f"{t:g}": one.as_json() for t, one in zip(thresholds, getattr(self, name), strict=True)}
            for name in ("accuracy", "cross_entropy", "loss")
        }
        counts = ("pairs", "unanswered", "unseen", "contradicting")
        return {**by_threshold, "right": self.right.as_json(), **{name: getattr(self, name) for name in counts}}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models at the same pairs of questions: the first less the second."""

    first: str
    second: str
    measure: Literal["accuracy", "cross_entropy"]
    threshold: float
    difference: Difference

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        names = {name: getattr(self, name) for name in ("first", "second", "measure", "threshold")}
        return names | self.difference.as_json()


@dataclass(frozen=True, slots=True)
class Alignment:
    """Some models compared with people's beliefs about them."""

    models: tuple[ModelAlignment, ...]
    comparisons: tuple[Comparison, ...]
    pooled: tuple[Calibration, ...]
    """Of people together and of machines together, where it was said who are people."""
    dominance: Dominance
    thresholds: tuple[float, ...]
    rules: tuple[str, ...]
    beliefs: Beliefs
    """The averages behind beliefs that nobody said."""
    estimated: EstimatedBeliefs | None
    """The averages of the raw beliefs among the pairs; None where there are none."""
    given: bool
    """Whether `beliefs` were given by the caller."""
    sources: Mapping[str, int]
    """Rows by where their belief comes from."""
    without: int
    """Rows without any belief."""
    highest: float
    """Belief."""
    pairs: int
    """Pairs of questions with a belief."""
    sets: int
    """Of pairs that share nothing with one another."""
    drawn_again: bool
    """Whether intervals come from drawing sets again."""
    confidence: float
    signature: Signature

    @property
    def best(self) -> ModelAlignment:
        """The model that answers most right; raises `ValueError` where there is none."""
        return max((one for one in self.models if one.right.value is not None), key=lambda one: one.right.value or 0.0)

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        return headline_of(self)

    @property
    def statement(self) -> str:
        """The result in plain words, the verdict first."""
        return f"{self.headline} {rest_of(self)}".strip()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What was not shown."""
        return caveats_of(self)

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; null for what is not known."""
        beliefs = {name: getattr(self.beliefs, name) for name in ("prior", "after_right", "after_wrong")}
        return {
            "statement": self.statement,
            "caveats": list(self.caveats),
            "models": {one.model: one.as_json(self.thresholds) for one in self.models},
            "thresholds": [{"threshold": t, "alpha": alpha_of(t)} for t in self.thresholds],
            "differences": [one.as_json() for one in self.comparisons],
            "calibration": {one.who: one.as_json() for one in (*(model.calibration for model in self.models), *self.pooled)},
            "deployment": {
                model.model: {rule: one.as_json() for rule, one in zip(self.rules, model.deployment, strict=True)}
                for model in self.models
            },
            "dominance": self.dominance.as_json(),
            "beliefs": beliefs | {"estimated": self.estimated.as_json() if self.estimated else None},
            "sources": dict(self.sources),
            "without_belief": self.without,
            "pairs": self.pairs,
            "sets": self.sets,
            "confidence": self.confidence,
            "signature": self.signature.line,
        }
