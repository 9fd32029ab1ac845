"""Misplaced trust: where somebody saw a model answer right, believed more in its next answer, and it was wrong (Figure 4).

The cost of such a mistake to somebody who trusts above a threshold t is t times the belief in it, as in `measures.loss`. Pairs
are told apart after a right answer alone, as in `vafa2024`; a belief that rises although the answer was wrong is left aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import stdtrit

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.generalization.alignment.measures import BelievedPairs, Flags, GradedModel
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.pairs import Beliefs, Floats, Pair


@dataclass(frozen=True, slots=True)
class MisplacedPair:
    """A pair of questions on which people trusted a model more, and it was wrong."""

    model: str
    pair: Pair
    before: float
    """Mean belief before the answer was seen."""
    after: Estimate
    """Mean belief afterwards; any value is possible where it is one person's, or was predicted."""
    people: int
    """Who said so; 0 where it was predicted."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        pair = self.pair
        texts = {"q1": pair.q1, "q2": pair.q2, "source1": pair.source1, "source2": pair.source2}
        return {"model": self.model, **texts, "before": self.before, "after": self.after.as_json(), "people": self.people}


@dataclass(frozen=True, slots=True)
class ModelTrust:
    """How often trust in one model is misplaced, and what that costs."""

    model: str
    of_pairs: Estimate
    """The share of all pairs on which trust rose and the model was wrong."""
    of_trusted: Estimate
    """The share of mistakes among the pairs on which trust rose."""
    cost: Estimate
    """Of misplaced trust, a pair, at the strictest threshold."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {name: getattr(self, name).as_json() for name in ("of_pairs", "of_trusted", "cost")}


@dataclass(frozen=True, slots=True)
class MisplacedTrust:
    """Misplaced trust in some models."""

    threshold: float
    models: tuple[ModelTrust, ...]
    """Who costs most first."""
    pairs: tuple[MisplacedPair, ...]
    """The costliest first."""
    found: int
    """Of all models together; `pairs` may be fewer."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        models = {one.model: one.as_json() for one in self.models}
        return {
            "threshold": self.threshold,
            "models": models,
            "found": self.found,
            "pairs": [one.as_json() for one in self.pairs],
        }


def misplaced_trust(
    believed: BelievedPairs,
    models: Sequence[GradedModel],
    beliefs: Beliefs,
    sets: IndependentSets,
    *,
    threshold: float,
    most: int,
) -> MisplacedTrust:
    """Where people trusted these models more and were wrong, the costliest pairs first.

    Parameters
    ----------
    beliefs: the averages, of which the first is the belief before where a pair does not hold it.
    threshold: at which mistakes cost.
    most: pairs to list.
    """
    before = np.array([beliefs.prior if row.prior is None else row.prior for row in believed.rows])
    rose = np.array([row.previous_correct for row in believed.rows], dtype=bool) & (believed.beliefs > before)
    known = [one for one in models if one.used.any()]
    told = [_of_model(believed, one, rose, sets, threshold) for one in known]
    ranks = sorted(range(len(told)), key=lambda place: (-(told[place].cost.value or 0.0), place))
    found = [pair for place in ranks for pair in _pairs(believed, known[place], before, sets.confidence)]
    found.sort(key=lambda one: (-(one.after.value or 0.0), one.before - (one.after.value or 0.0)))  # ties stay in this order
    return MisplacedTrust(threshold, tuple(told[place] for place in ranks), tuple(found[:most]), len(found))


def _of_model(believed: BelievedPairs, one: GradedModel, rose: Flags, sets: IndependentSets, threshold: float) -> ModelTrust:
    used, trusted = one.used.astype(float), (one.used & rose).astype(float)
    wrong = trusted * ~one.right
    of_pairs = sets.share(believed.summed(wrong, used))
    cost = sets.estimate(believed.summed(wrong * threshold * believed.beliefs, used))
    if cost.value == 0:  # no mistake was seen, which bounds their cost by how many there may be
        cost = Estimate(0.0, Interval(0.0, threshold * of_pairs.interval.upper), cost.n)
    return ModelTrust(one.model, of_pairs, sets.share(believed.summed(wrong, trusted)), cost)


def _pairs(believed: BelievedPairs, one: GradedModel, before: Floats, confidence: float) -> list[MisplacedPair]:
    """The pairs on which the mean belief in a model rose after a right answer, and it was wrong."""
    after_right = np.array([row.previous_correct for row in believed.rows], dtype=bool)
    places: dict[int, list[int]] = {}
    for place in np.flatnonzero(one.used & ~one.right & after_right):
        places.setdefault(int(believed.unit[place]), []).append(int(place))
    found = []
    for rows in places.values():
        values, first = believed.beliefs[rows], believed.rows[rows[0]]
        start = float(before[rows].mean())
        if values.mean() > start:
            people = sum(believed.rows[row].posterior is not None for row in rows)
            found.append(MisplacedPair(one.model, first, start, _mean(values, people, confidence), people))
    return found


def _mean(values: Floats, people: int, confidence: float) -> Estimate:
    """With Student's interval, where several people said so."""
    mean = float(values.mean())
    if people < 2 or people != values.size:
        return Estimate(mean, Interval(0.0, 1.0), values.size)
    half = float(stdtrit(people - 1, (1 + confidence) / 2)) * float(values.std(ddof=1)) / sqrt(people)
    return Estimate(mean, Interval(max(0.0, mean - half), min(1.0, mean + half)), people)
