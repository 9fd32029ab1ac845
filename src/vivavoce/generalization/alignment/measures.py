"""People's beliefs about models, and how well they fit: weighted generalized accuracy and cross-entropy (`vafa2024`).

A person saw a model's answer to one question, right or wrong, and believes with probability b that it will answer another one
right. Let y = 1 if it does, and let alpha be the cost of a trusted mistake relative to an unused right answer:

- weighted accuracy is sum(y b + alpha (1 - y)(1 - b)) / sum(y + alpha (1 - y)), between 0 and 1;
- weighted cross-entropy is sum(-y ln b - alpha (1 - y) ln(1 - b)) / sum(y + alpha (1 - y)).

A person with these costs uses a model where its chance of being right is above alpha / (1 + alpha), the threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate
from vivavoce.generalization.alignment.resampling import IndependentSets, Ratio
from vivavoce.generalization.config import Among
from vivavoce.generalization.pairs import BeliefPair, Beliefs, Floats, Grade, key_of

Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

NEAREST: Final = 0.005
"""Least distance of a belief from 0 and 1 in the cross-entropy: half a step of a slider in whole percents. Without it, one
person who was sure and wrong would make it infinite."""


class BeliefSource(StrEnum):
    """The origin of a belief."""

    RAW = "said by people"
    PREDICTED = "from a predicted change"
    LABELLED = "from an observed change"


@dataclass(frozen=True, slots=True)
class BelievedPairs:
    """Rows of beliefs, and the pair of questions that each row is about."""

    rows: tuple[BeliefPair, ...]
    beliefs: Floats
    """Belief that the second question will be answered right, one per row."""
    weights: Floats
    """How many pairs each row represents."""
    unit: Places
    """Index of each row's pair of questions; the same after a right and after a wrong answer."""
    keys: tuple[tuple[str, str], ...]
    """For each pair of questions: the keys of the first and of the second."""
    sources: Mapping[BeliefSource, int]
    """Number of rows by the origin of their belief."""
    without: int
    """Rows left out because they hold no belief."""
    drawn: Floats | None = None
    """The beliefs by each draw of the predictor, [draws, rows]; None if its error is unknown, or nothing was predicted."""

    @property
    def groups(self) -> list[frozenset[Hashable]]:
        """What each pair of questions can share with others: its questions and its people."""
        shared: list[set[Hashable]] = [{("question", first), ("question", second)} for first, second in self.keys]
        for row, unit in zip(self.rows, self.unit, strict=True):
            if row.person:
                shared[unit].add(("person", row.person))
        return [frozenset(group) for group in shared]

    def of_beliefs(self, value: Callable[[Floats], Floats], denominator: Floats, *, largest: float = 1.0) -> Ratio:
        """Like `summed` for values that depend on the beliefs, also by each draw of predicted ones."""
        ratio, below = self.summed(value(self.beliefs), denominator, largest=largest), float(self.weights @ denominator)
        return ratio if self.drawn is None or not below else replace(ratio, drawn=value(self.drawn) @ self.weights / below)

    def summed(self, numerator: Floats, denominator: Floats, *, largest: float = 1.0) -> Ratio:
        """Weighted sums of row values by pair of questions; `largest`: the largest possible value."""
        above, below = (
            np.bincount(self.unit, self.weights * values, len(self.keys)).astype(np.float64)
            for values in (numerator, denominator)
        )
        return Ratio(above, below, int(np.count_nonzero(self.weights * denominator)), largest)


@dataclass(frozen=True, slots=True)
class GradedModel:
    """The answers of one model to the pairs, and the rows that apply to it."""

    model: str
    used: Flags
    """Rows that show the model's actual result on the first question, and whose second question it answered."""
    right: Flags
    """Whether it answered the second question right; False in rows that are not used."""
    shown: Flags
    """Rows that show the model's actual result on the first question."""
    pairs: int
    """Pairs of questions with a used row."""
    unanswered: int
    """Pairs of questions without a graded answer of the model to both."""
    unseen: int
    """Pairs of questions without a belief after the model's actual result on the first."""


def believed_pairs(pairs: Sequence[BeliefPair], beliefs: Beliefs, drawn: Floats | None = None) -> BelievedPairs:
    """The beliefs of pairs: people's posterior, or else a mixture by the predicted or by the observed change.

    drawn: other chances of a change that the predictor could have given, [draws, pairs].

    Raises `NotEnoughEvidence` if no pair has any of the three.

    >>> pairs = [BeliefPair("2 + 2?", "3 + 4?", "s", "s", True, pred=0.5), BeliefPair("2 + 2?", "3 + 4?", "s", "s", False)]
    >>> people = believed_pairs(pairs, Beliefs())
    >>> people.beliefs.round(3).tolist(), people.without
    ([0.646], 1)
    """
    sourced = [(pair, *_sourced_value(pair)) for pair in pairs]
    known = [(pair, source, value) for pair, source, value in sourced if source is not None]
    if not known:
        raise NotEnoughEvidence(
            f"{len(pairs)} pairs without beliefs: add a column posterior, pred or belief_change ('viva people predict apply' "
            "adds pred)"
        )
    rows = tuple(pair for pair, _, _ in known)
    after, values = [pair.previous_correct for pair in rows], np.array([value for _, _, value in known])
    raw = np.array([source is BeliefSource.RAW for _, source, _ in known])
    is_predicted = np.array([source is BeliefSource.PREDICTED for _, source, _ in sourced])
    units: dict[tuple[str, str], int] = {}
    keys = {text: key_of(text) for pair in rows for text in (pair.q1, pair.q2)}
    unit = [units.setdefault((keys[pair.q1], keys[pair.q2]), len(units)) for pair in rows]
    return BelievedPairs(
        rows=rows,
        beliefs=np.where(raw, values, beliefs.after(values, after)),
        weights=np.array([pair.weight for pair in rows]),
        unit=np.array(unit, dtype=np.int64),
        keys=tuple(units),
        sources={source: sum(other is source for _, other, _ in known) for source in BeliefSource},
        without=len(sourced) - len(known),
        drawn=None if drawn is None or not is_predicted.all() else beliefs.after(drawn, after),
    )


def graded_model(believed: BelievedPairs, grades: Mapping[str, Grade], model: str) -> GradedModel:
    """Select the rows that match a model's actual results: after a right answer if it was right, after a wrong one if not.

    Parameters
    ----------
    grades: by key of the question, as `GradedAnswers.of` returns them.
    """
    both = [(grades.get(first), grades.get(second)) for first, second in believed.keys]
    first, second = (np.array([pair[side] for pair in both], dtype=object) for side in (0, 1))
    known_first, known_second = (np.array([grade is not None for grade in side], dtype=bool) for side in (first, second))
    truth_first, truth_second = (np.array([grade is True for grade in side], dtype=bool) for side in (first, second))
    after = np.array([row.previous_correct for row in believed.rows], dtype=bool)
    unit = believed.unit
    shown = known_first[unit] & (truth_first[unit] == after)
    used = shown & known_second[unit]
    answered = known_first & known_second
    reached = np.zeros(len(believed.keys), dtype=bool)
    reached[unit[used]] = True
    return GradedModel(
        model=model,
        used=used,
        right=truth_second[unit] & used,
        shown=shown,
        pairs=int(reached.sum()),
        unanswered=int((~answered).sum()),
        unseen=int((answered & ~reached).sum()),
    )


def alpha_of(threshold: float) -> float:
    """The cost of a trusted mistake relative to an unused right answer, for a person who trusts above a threshold.

    >>> alpha_of(0.5), round(alpha_of(0.95), 9)
    (1.0, 19.0)
    """
    if not 0 < threshold < 1:
        raise BadInput(f"the threshold is {threshold}: give a number strictly between 0 and 1")
    return threshold / (1 - threshold)


def weighted_accuracy(believed: BelievedPairs, model: GradedModel, alpha: float) -> Ratio:
    """Weighted generalized accuracy (equations 7 and 8), normalised to lie between 0 and 1."""
    y, used = model.right.astype(float), model.used.astype(float)
    return believed.of_beliefs(lambda b: used * (y * b + alpha * (1 - y) * (1 - b)), used * (y + alpha * (1 - y)))


def weighted_cross_entropy(believed: BelievedPairs, model: GradedModel, alpha: float) -> Ratio:
    """Weighted binary cross-entropy (Table 5), in nats; beliefs are clipped to `NEAREST` from 0 and 1."""
    y, used = model.right.astype(float), model.used.astype(float)

    def lost(beliefs: Floats) -> Floats:
        b = np.clip(beliefs, NEAREST, 1 - NEAREST)
        return np.asarray(-used * (y * np.log(b) + alpha * (1 - y) * np.log1p(-b)))

    return believed.of_beliefs(lost, used * (y + alpha * (1 - y)), largest=-log(NEAREST))


def cost_per_question(believed: BelievedPairs, model: GradedModel, alpha: float) -> Ratio:
    """Cost of wrong beliefs per question: unused right answers count 1 / (1 + alpha), trusted mistakes alpha / (1 + alpha).

    This is not in `vafa2024`. The paper's accuracy is normalised by the model's own answers: at a high threshold it says how
    beliefs fit a model's mistakes, not how many there are. Here a model with fewer mistakes costs less. Lower is better.
    """
    y, used = model.right.astype(float), model.used.astype(float)
    return believed.of_beliefs(lambda b: used * (y * (1 - b) + alpha * (1 - y) * b) / (1 + alpha), used)


def right_share(believed: BelievedPairs, model: GradedModel) -> Ratio:
    """The share of second questions that the model answers right."""
    used = model.used.astype(float)
    return believed.summed(used * model.right, used)


def common_pairs(believed: BelievedPairs, first: GradedModel, second: GradedModel) -> Flags:
    """Whether each pair of questions has used rows of both models."""
    both = np.ones(len(believed.keys), dtype=bool)
    for model in (first, second):
        reached = np.zeros(len(believed.keys), dtype=bool)
        reached[believed.unit[model.used]] = True
        both &= reached
    return both


def narrowed(believed: BelievedPairs, model: GradedModel, chosen: Flags) -> GradedModel:
    """Restrict a model's rows to chosen pairs of questions."""
    inside = chosen[believed.unit]
    used = model.used & inside
    return replace(model, used=used, right=model.right & used, shown=model.shown & inside, pairs=int(chosen.sum()))


FitMeasure = Callable[[BelievedPairs, GradedModel, float], Ratio]


def _sourced_value(pair: BeliefPair) -> tuple[BeliefSource | None, float]:
    if pair.posterior is not None:
        return BeliefSource.RAW, pair.posterior
    if pair.pred is not None:
        return BeliefSource.PREDICTED, pair.pred
    if pair.belief_change is not None:
        return BeliefSource.LABELLED, float(pair.belief_change)
    return None, 0.0


@dataclass(frozen=True, slots=True)
class EstimatedBeliefs:
    """The three averages of `Beliefs`, each with its interval."""

    prior: Estimate
    after_right: Estimate
    after_wrong: Estimate

    def or_else(self, others: Beliefs) -> Beliefs:
        """These averages as `Beliefs`, with unknown ones taken from the others."""
        return Beliefs(
            **{
                name: value if (value := getattr(self, name).value) is not None else getattr(others, name)
                for name in ("prior", "after_right", "after_wrong")
            }
        )


def estimate_beliefs(
    pairs: Sequence[BeliefPair], *, rng: np.random.Generator, confidence: float = CONFIDENCE, among: Among = "all"
) -> EstimatedBeliefs:
    """Weighted mean beliefs before, after a right answer and after a wrong one, over pairs with raw beliefs.

    Intervals allow for pairs that share a question or a person; see `resampling`. A mean without beliefs has no value.

    Appendix C of `vafa2024` averages the posterior over all people who saw such an answer, which is the default. The mean then
    includes unchanged beliefs, so a mixture of "no change" and "a change to this mean" moves beliefs too little. With `among`
    "changed" the mean is over changed beliefs, and the mixture reproduces the observed mean posterior.

    >>> pairs = [BeliefPair("a", f"b{n}", "t", "t", n % 2 == 0, prior=0.5, posterior=0.5 + (n % 2 == 0) / 4) for n in range(8)]
    >>> means = estimate_beliefs(pairs, rng=np.random.default_rng(0))
    >>> means.prior.value, means.after_right.value, means.after_wrong.value
    (0.5, 0.75, 0.5)
    """
    rows = list(pairs)
    groups = [
        frozenset(
            {("question", key_of(row.q1)), ("question", key_of(row.q2))} | ({("person", row.person)} if row.person else set())
        )
        for row in rows
    ]
    sets = IndependentSets(groups, rng=rng, confidence=confidence)

    def mean(of: Callable[[BeliefPair], float | None], counts: Callable[[BeliefPair], bool]) -> Estimate:
        values = [of(row) if counts(row) else None for row in rows]
        weights = np.array([0.0 if value is None else row.weight for row, value in zip(rows, values, strict=True)])
        numbers = np.array([0.0 if value is None else value for value in values])
        return sets.estimate(Ratio(numbers * weights, weights, int(np.count_nonzero(weights))))

    def reached(row: BeliefPair) -> bool:
        return among == "all" or bool(row.changed)

    return EstimatedBeliefs(
        prior=mean(lambda row: row.prior, lambda _: True),
        after_right=mean(lambda row: row.posterior, lambda row: row.previous_correct and reached(row)),
        after_wrong=mean(lambda row: row.posterior, lambda row: not row.previous_correct and reached(row)),
    )


def averages(
    pairs: Sequence[BeliefPair],
    given: Mapping[str, float],
    *,
    rng: np.random.Generator,
    confidence: float = CONFIDENCE,
    among: Among = "all",
) -> tuple[Beliefs, EstimatedBeliefs | None]:
    """The averages behind beliefs that were not measured: given by name, or else from raw beliefs, or else the paper's.

    Also returns the estimates from raw beliefs; None without any.

    >>> averages([BeliefPair("a", "b", "t", "t", True)], {"prior": 0.5}, rng=np.random.default_rng(0))
    (Beliefs(prior=0.5, after_right=0.663, after_wrong=0.551), None)
    """
    raw = [pair for pair in pairs if pair.posterior is not None]
    estimated = estimate_beliefs(raw, rng=rng, confidence=confidence, among=among) if raw else None
    return replace(estimated.or_else(Beliefs()) if estimated else Beliefs(), **given), estimated
