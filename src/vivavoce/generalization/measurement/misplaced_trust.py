"""Misplaced trust: a right answer raised the belief in the next answer, and that was wrong (Figure 4 of `vafa2024`).

For a person who trusts above a threshold t, such a mistake costs t times the belief, as in `measures.cost_per_question`. As in
`vafa2024` only pairs after a right answer are considered; a belief that rises after a wrong answer is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import stdtrit

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.generalization.alignment.measures import BelievedPairs, Flags, GradedModel
from vivavoce.generalization.alignment.resampling import IndependentSets
from vivavoce.generalization.pairs import (
    Beliefs,
    Floats,
    QuestionPair,
)


@dataclass(frozen=True, slots=True)
class MisplacedPair:
    """A pair of questions after which people trusted a model more, and it was wrong."""

    model: str
    pair: QuestionPair
    before: float
    """Mean belief before the answer was seen."""
    after: Estimate
    """Mean belief afterwards; the interval is 0 to 1 for one person's belief and for a predicted one."""
    people: int
    """Number of people; 0 for a predicted belief."""


@dataclass(frozen=True, slots=True)
class ModelTrust:
    """How often trust in one model is misplaced, and what that costs."""

    of_pairs: Estimate
    """The share of all pairs in which trust rose and the model was wrong."""
    of_trusted: Estimate
    """The share of mistakes among pairs in which trust rose."""
    cost: Estimate
    """Cost of misplaced trust per pair, at the strictest threshold."""


@dataclass(frozen=True, slots=True)
class MisplacedTrust:
    """Misplaced trust in some models."""

    threshold: float
    models: Mapping[str, ModelTrust]
    """The costliest first."""
    pairs: tuple[MisplacedPair, ...]
    """The costliest first."""
    found: int
    """Number for all models; `pairs` may be fewer."""


def misplaced_trust(
    believed: BelievedPairs,
    models: Sequence[GradedModel],
    beliefs: Beliefs,
    sets: IndependentSets,
    *,
    threshold: float,
    most: int,
) -> MisplacedTrust:
    """Where people trusted these models more and the models were wrong, the costliest pairs first.

    beliefs: averages; the prior is used for pairs without a belief before.
    threshold: determines the cost of mistakes.
    most: number of pairs to list.
    """
    before = np.array([beliefs.prior if row.prior is None else row.prior for row in believed.rows])
    rose = np.array([row.previous_correct for row in believed.rows], dtype=bool) & (believed.beliefs > before)
    known = [model for model in models if model.used.any()]
    trust = {model.model: _of_model(believed, model, rose, sets, threshold) for model in known}
    known.sort(key=lambda model: -(trust[model.model].cost.value or 0.0))  # stable
    pairs = [pair for model in known for pair in _pairs(believed, model, before, sets.confidence)]
    pairs.sort(key=lambda pair: (-(pair.after.value or 0.0), pair.before - (pair.after.value or 0.0)))  # stable
    return MisplacedTrust(threshold, {model.model: trust[model.model] for model in known}, tuple(pairs[:most]), len(pairs))


def _of_model(believed: BelievedPairs, model: GradedModel, rose: Flags, sets: IndependentSets, threshold: float) -> ModelTrust:
    used, trusted = model.used.astype(float), (model.used & rose).astype(float)
    wrong = trusted * ~model.right
    of_pairs = sets.share(believed.summed(wrong, used))
    cost = sets.estimate(believed.of_beliefs(lambda beliefs: wrong * threshold * beliefs, used))
    if cost.value == 0:  # without mistakes, the bound on their share also bounds their cost
        cost = Estimate(0.0, Interval(0.0, threshold * of_pairs.interval.upper), cost.n)
    return ModelTrust(of_pairs, sets.share(believed.summed(wrong, trusted)), cost)


def _pairs(believed: BelievedPairs, model: GradedModel, before: Floats, confidence: float) -> list[MisplacedPair]:
    """The pairs in which the mean belief in a model rose after a right answer, and it was wrong."""
    after_right = np.array([row.previous_correct for row in believed.rows], dtype=bool)
    by_unit: dict[int, list[int]] = {}
    for row in np.flatnonzero(model.used & ~model.right & after_right):
        by_unit.setdefault(int(believed.unit[row]), []).append(int(row))
    pairs = []
    for rows in by_unit.values():
        values, first = believed.beliefs[rows], believed.rows[rows[0]]
        start = float(before[rows].mean())
        if values.mean() > start:
            people = sum(believed.rows[row].posterior is not None for row in rows)
            pairs.append(MisplacedPair(model.model, first.questions, start, _mean(values, people, confidence), people))
    return pairs


def _mean(values: Floats, people: int, confidence: float) -> Estimate:
    """The mean, with Student's interval if it comes from several people."""
    mean = float(values.mean())
    if people < 2 or people != values.size:
        return Estimate(mean, Interval(0.0, 1.0), values.size)
    half = float(stdtrit(people - 1, (1 + confidence) / 2)) * float(values.std(ddof=1)) / sqrt(people)
    return Estimate(mean, Interval(max(0.0, mean - half), min(1.0, mean + half)), people)
