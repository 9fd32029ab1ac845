"""Reversals: a better model that does worse once people choose what to use it for (Appendix B of `vafa2024`).

A model dominates another if it answers every question right that the other does, and at least one more. Under any fixed
distribution of questions it is then at least as good. Under the distribution that people choose it can be worse, because they
may trust the better one where it fails. Strict dominance is rare, so a model also counts as better if it answers
significantly more of the same questions right. Findings distinguish the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np

from vivavoce.generalization.alignment.deployment import UseRule, performance_in_use
from vivavoce.generalization.alignment.measures import (
    BelievedPairs,
    Flags,
    GradedModel,
    alpha_of,
    common_pairs,
    narrowed,
    right_share,
    weighted_accuracy,
)
from vivavoce.generalization.alignment.resampling import IndependentSets, Ratio, RatioDifference
from vivavoce.generalization.pairs import Floats

SHOWN: Final = 5
"""Largest number of pairs of questions shown as evidence."""


@dataclass(frozen=True, slots=True)
class PerformanceMeasure:
    """A measure of how well a model does once people choose."""

    name: str
    measure: Callable[[BelievedPairs, GradedModel], Ratio]
    share: bool
    """Whether it is a share of right answers."""


def accuracies(thresholds: Sequence[float]) -> tuple[PerformanceMeasure, ...]:
    """Weighted generalized accuracy at each threshold."""
    return tuple(
        PerformanceMeasure(f"accuracy:{t:g}", partial(weighted_accuracy, alpha=alpha_of(t)), share=False) for t in thresholds
    )


def performances(rules: Sequence[UseRule]) -> tuple[PerformanceMeasure, ...]:
    """Human-deployed performance by each rule."""
    return tuple(PerformanceMeasure(rule.name, partial(performance_in_use, rule=rule), share=True) for rule in rules)


@dataclass(frozen=True, slots=True)
class ReversalEvidence:
    """A pair of questions on which the overall worse model does better."""

    q1: str
    q2: str
    beliefs: tuple[float, float]
    """Belief that the second is answered right, about the better model and about the worse one."""
    right: tuple[bool, bool]
    """Whether the better model answers the second right, and the worse one."""


@dataclass(frozen=True, slots=True)
class Reversal:
    """Two models, the better of which does worse once people choose."""

    better: str
    worse: str
    dominates: bool
    """Whether the better one answers every question of these pairs right that the other does."""
    overall: RatioDifference
    """The better one's share of right answers minus the other's, on the same second questions."""
    by: str
    """Measure once people choose: `accuracy:T` or the name of a rule."""
    chosen: RatioDifference
    """The difference by this measure, below 0."""
    beyond_chance: bool
    """Whether the interval of `chosen` is below 0."""
    evidence: tuple[ReversalEvidence, ...]
    """The pairs that contribute most to it."""


@dataclass(frozen=True, slots=True)
class Dominance:
    """All pairs of models, and the reversals among them."""

    compared: int
    """Pairs of models with common pairs of questions."""
    ordered: int
    """Pairs of models in which one is better: it dominates, or answers significantly more right."""
    made: int
    """Comparisons of a better model with a worse one once people choose."""
    dominating: tuple[tuple[str, str], ...]
    """Pairs of models in which the first dominates the second."""
    reversals: tuple[Reversal, ...]
    """Significant ones first, then by size."""


def dominance(
    believed: BelievedPairs, models: Sequence[GradedModel], choices: Sequence[PerformanceMeasure], sets: IndependentSets
) -> Dominance:
    """Compare each two models on the pairs of questions that both answered.

    Parameters
    ----------
    choices: measures of how well a model does once people choose; see `accuracies` and `performances`.
    """
    compared, ordered, made, dominating, reversals = 0, 0, 0, [], []
    for two in combinations(models, 2):
        shared = common_pairs(believed, *two)
        if not shared.any():
            continue
        compared += 1
        narrow = [narrowed(believed, model, shared) for model in two]
        for better, worse in (narrow, narrow[::-1]):
            strictly = dominates(believed, better, worse)
            overall = sets.difference(right_share(believed, better), right_share(believed, worse))
            if strictly:
                dominating.append((better.model, worse.model))
            if strictly or overall.interval.lower > 0:
                ordered += 1
                measured = [(choice, choice.measure(believed, better), choice.measure(believed, worse)) for choice in choices]
                known = [
                    comparison for comparison in measured if comparison[1].value is not None and comparison[2].value is not None
                ]
                made += len(known)
                reversals += _reversals(believed, (better, worse), known, sets, (strictly, overall))
    reversals.sort(key=lambda reversal: (not reversal.beyond_chance, reversal.chosen.value or 0.0))
    return Dominance(compared, ordered, made, tuple(dominating), tuple(reversals))


def dominates(believed: BelievedPairs, first: GradedModel, second: GradedModel) -> bool:
    """Whether the first model answers every second question right that the other does, and at least one more (equation 3)."""
    values, other = _right_by_pair(believed, first), _right_by_pair(believed, second)
    return bool((values | ~other).all() and (values & ~other).any())


def _reversals(
    believed: BelievedPairs,
    two: tuple[GradedModel, GradedModel],
    measured: Sequence[tuple[PerformanceMeasure, Ratio, Ratio]],
    sets: IndependentSets,
    better: tuple[bool, RatioDifference],
) -> list[Reversal]:
    reversals = []
    for choice, ratio, other in measured:
        apart = sets.difference_of_shares(ratio, other) if choice.share else sets.difference(ratio, other)
        if apart.value is not None and apart.value < 0:
            evidence = _evidence(believed, two, sets.apart(ratio, other))
            beyond_chance = apart.interval.upper < 0
            reversals.append(Reversal(two[0].model, two[1].model, *better, choice.name, apart, beyond_chance, evidence))
    return reversals


def _evidence(believed: BelievedPairs, two: tuple[GradedModel, GradedModel], pulls: Floats) -> tuple[ReversalEvidence, ...]:
    """The pairs that lower the difference most, among those on which the better model is wrong."""
    better = _right_by_pair(believed, two[0])
    evidence: list[ReversalEvidence] = []
    for unit in np.argsort(pulls, kind="stable"):
        number, other = (_row(believed, model, unit) for model in two)
        if number is None or other is None or better[unit]:
            continue
        pair, beliefs = believed.rows[number], (float(believed.beliefs[number]), float(believed.beliefs[other]))
        evidence.append(ReversalEvidence(pair.q1, pair.q2, beliefs, (False, bool(two[1].right[other]))))
        if len(evidence) == SHOWN:
            break
    return tuple(evidence)


def _row(believed: BelievedPairs, model: GradedModel, unit: Any) -> int | None:
    rows = np.flatnonzero((believed.unit == unit) & model.used)
    return int(rows[0]) if rows.size else None


def _right_by_pair(believed: BelievedPairs, model: GradedModel) -> Flags:
    flags = np.zeros(len(believed.keys), dtype=bool)
    flags[believed.unit[model.right]] = True
    return flags
