"""Figures of models compared with people's beliefs: measures, right answers by thirds of belief (Appendix F), and reversals.

A reversal is a better model that does worse once people choose what to use it for (Appendix B of `vafa2024`).
A model dominates another if it answers every question right that the other does, and at least one more. Under any fixed
distribution of questions it is then at least as good. Under the distribution that people choose it can be worse, because they
may trust the better one where it fails. Strict dominance is rare, so a model also counts as better if it answers
significantly more of the same questions right. Findings distinguish the two.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, Final, Literal

import numpy as np

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.generalization.alignment.deployment import ModelUse, UseRule, performance_in_use
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
from vivavoce.generalization.pairs import Floats, Grade
from vivavoce.statistics.bounds import upper_tail

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
    """Results by the span of each of `THIRDS`, in order."""

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
        parts = [believed.summed(flags * model.right, flags) for flags, model in zip(inside, several, strict=True)]
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
    """Two models of which the better one does worse once people choose questions."""

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


@dataclass(frozen=True, slots=True)
class TaskTrust:
    """What people expect of a model in one task, and its answers."""

    task: str
    belief: float
    """Mean belief that it answers a question of the task right; each question with a belief counts once."""
    right: int
    n: int
    """Questions of the task that it answered: those that beliefs are about, and those whose answers people saw."""

    @property
    def p(self) -> float:
        """P-value of "it answers at least as many of these questions right as people expect"."""
        return upper_tail(self.n - self.right, self.n, 1 - self.belief)


def trust_by_task(believed: BelievedPairs, model: GradedModel, grades: Mapping[str, Grade]) -> tuple[TaskTrust, ...]:
    """Beliefs after the model's actual results, and its answers, by task; `grades`: by key of the question."""
    beliefs: dict[str, dict[str, list[float]]] = {}
    answers: dict[str, dict[str, bool]] = {}
    for row, belief, unit, used in zip(believed.rows, believed.beliefs, believed.unit, model.used, strict=True):
        first, second = believed.keys[unit]
        if used:
            beliefs.setdefault(row.source2, {}).setdefault(second, []).append(float(belief))
        for task, key in ((row.source1, first), (row.source2, second)):
            if (grade := grades.get(key)) is not None:
                answers.setdefault(task, {})[key] = grade
    return tuple(
        TaskTrust(
            task, float(np.mean([np.mean(each) for each in of.values()])), sum(answers[task].values()), len(answers[task])
        )
        for task, of in beliefs.items()
    )
