"""How well people's beliefs about a model fit what it can do: weighted generalized accuracy and cross-entropy (`vafa2024`).

Somebody saw a model answer one question, right or wrong, and believes with some chance that it will answer another right. With
y = 1 where it does, b the belief, and alpha how many times a mistake that was trusted costs more than a right answer that was
not used:

- weighted accuracy is sum(y b + alpha (1 - y)(1 - b)) / sum(y + alpha (1 - y)), between 0 and 1;
- weighted cross-entropy is sum(-y ln b - alpha (1 - y) ln(1 - b)) / sum(y + alpha (1 - y)).

Who weighs mistakes by alpha lets a model do what it will do right with a chance above alpha / (1 + alpha): the threshold.
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
from vivavoce.generalization.alignment.resampling import Ratio
from vivavoce.generalization.answers import Grade, key_of
from vivavoce.generalization.beliefs import Beliefs, Floats
from vivavoce.generalization.pairs import Pair

Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

NEAREST: Final = 0.005
"""To 0 or 1 that a belief may come in the cross-entropy: half a step of a slider in whole percents. Else one person who was
sure and wrong would make it infinite."""


class BeliefSource(StrEnum):
    """Where a belief comes from."""

    RAW = "said by people"
    PREDICTED = "from a predicted change"
    LABELLED = "from an observed change"


@dataclass(frozen=True, slots=True)
class BelievedPairs:
    """What people believe, row by row, and which pair of questions each row is about."""

    rows: tuple[Pair, ...]
    beliefs: Floats
    """That the second question will be answered right, one a row."""
    weights: Floats
    """How many pairs each row stands for."""
    unit: Places
    """The number of each row's pair of questions; the same after a right answer and after a wrong one."""
    keys: tuple[tuple[str, str], ...]
    """For each pair of questions the keys of the first and of the second."""
    sources: Mapping[BeliefSource, int]
    """Rows by where their belief comes from."""
    without: int
    """Rows left aside: nothing is known of a belief."""

    @property
    def groups(self) -> list[frozenset[Hashable]]:
        """What each pair of questions shares with others: its questions, and who was asked."""
        shared: list[set[Hashable]] = [{("question", one), ("question", other)} for one, other in self.keys]
        for row, unit in zip(self.rows, self.unit, strict=True):
            if row.person:
                shared[unit].add(("person", row.person))
        return [frozenset(one) for one in shared]

    def summed(self, numerator: Floats, denominator: Floats, *, largest: float = 1.0) -> Ratio:
        """Sums of values of rows over pairs of questions, each row with its weight; `largest`: what one can be at most."""
        above, below = (
            np.bincount(self.unit, self.weights * values, len(self.keys)).astype(np.float64)
            for values in (numerator, denominator)
        )
        return Ratio(above, below, int(np.count_nonzero(self.weights * denominator)), largest)


@dataclass(frozen=True, slots=True)
class GradedModel:
    """What one model did with the pairs, and which rows are about that."""

    model: str
    used: Flags
    """Rows that show what the model really did with the first question, and whose second question it answered."""
    right: Flags
    """Whether it answered the second question right; only where used."""
    shown: Flags
    """Rows that show what the model really did with the first question, whatever became of the second."""
    pairs: int
    """Pairs of questions with a row that is used."""
    unanswered: int
    """Pairs of questions that lack a graded answer of the model, to one of the two."""
    unseen: int
    """Pairs of questions that nobody judged after what the model really did with the first."""


def believed_pairs(pairs: Sequence[Pair], beliefs: Beliefs) -> BelievedPairs:
    """The beliefs of pairs: the posterior that people said, else a mixture by the predicted change, else by the observed one.

    Raises `NotEnoughEvidence` where no pair has any of the three.

    >>> pairs = [Pair("2 + 2?", "3 + 4?", "sums", "sums", True, pred=0.5), Pair("2 + 2?", "3 + 4?", "sums", "sums", False)]
    >>> found = believed_pairs(pairs, Beliefs())
    >>> found.beliefs.round(3).tolist(), found.without
    ([0.646], 1)
    """
    told = [(pair, *_told(pair)) for pair in pairs]
    kept = [(pair, source, value) for pair, source, value in told if source is not None]
    if not kept:
        raise NotEnoughEvidence(
            f"{len(pairs)} pairs, none with a belief: they need a column posterior, pred or belief_change "
            "('viva generalization predict' adds pred)"
        )
    rows = tuple(pair for pair, _, _ in kept)
    mixed = beliefs.after([value for _, _, value in kept], [pair.previous_correct for pair in rows])
    raw = np.array([source is BeliefSource.RAW for _, source, _ in kept])
    units: dict[tuple[str, str], int] = {}
    keys = {text: key_of(text) for pair in rows for text in (pair.q1, pair.q2)}
    unit = [units.setdefault((keys[pair.q1], keys[pair.q2]), len(units)) for pair in rows]
    return BelievedPairs(
        rows=rows,
        beliefs=np.where(raw, [value for _, _, value in kept], mixed),
        weights=np.array([pair.weight for pair in rows]),
        unit=np.array(unit, dtype=np.int64),
        keys=tuple(units),
        sources={source: sum(one is source for _, one, _ in kept) for source in BeliefSource},
        without=len(told) - len(kept),
    )


def graded_model(believed: BelievedPairs, grades: Mapping[str, Grade], model: str) -> GradedModel:
    """Which rows are about what a model really did: after a right answer where it was right, after a wrong one where wrong.

    Parameters
    ----------
    grades: by key of the question, as `Answers.of` gives them.
    """
    ends = [(grades.get(one), grades.get(other)) for one, other in believed.keys]
    first, second = (np.array([end[place] for end in ends], dtype=object) for place in (0, 1))
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
    """How many times a trusted mistake costs more than an unused right answer, for who deploys above a threshold.

    >>> alpha_of(0.5), round(alpha_of(0.95), 9)
    (1.0, 19.0)
    """
    if not 0 < threshold < 1:
        raise BadInput(f"the threshold is {threshold}; it must lie strictly between 0 and 1")
    return threshold / (1 - threshold)


def weighted_accuracy(believed: BelievedPairs, one: GradedModel, alpha: float) -> Ratio:
    """Weighted generalized accuracy (equations 7 and 8), normalised so that it lies between 0 and 1."""
    y, used, b = one.right.astype(float), one.used.astype(float), believed.beliefs
    return believed.summed(used * (y * b + alpha * (1 - y) * (1 - b)), used * (y + alpha * (1 - y)))


def weighted_cross_entropy(believed: BelievedPairs, one: GradedModel, alpha: float) -> Ratio:
    """Weighted binary cross-entropy (Table 5), in nats; beliefs count as at least `NEAREST` away from 0 and 1."""
    y, used = one.right.astype(float), one.used.astype(float)
    b = np.clip(believed.beliefs, NEAREST, 1 - NEAREST)
    lost = -used * (y * np.log(b) + alpha * (1 - y) * np.log1p(-b))
    return believed.summed(lost, used * (y + alpha * (1 - y)), largest=-log(NEAREST))


def cost_per_question(believed: BelievedPairs, one: GradedModel, alpha: float) -> Ratio:
    """What wrong beliefs cost a question: unused right answers count 1 / (1 + alpha), trusted mistakes alpha / (1 + alpha).

    Not in `vafa2024`. Its accuracy is divided by what a model's own answers weigh, so that at a high threshold it says how the
    beliefs fit a model's mistakes, not how many there are; here a model that makes fewer mistakes costs less. Lower is better.
    """
    y, used, b = one.right.astype(float), one.used.astype(float), believed.beliefs
    return believed.summed(used * (y * (1 - b) + alpha * (1 - y) * b) / (1 + alpha), used)


def right_share(believed: BelievedPairs, one: GradedModel) -> Ratio:
    """The share of second questions that the model answers right, whatever people believe."""
    used = one.used.astype(float)
    return believed.summed(used * one.right, used)


def common_pairs(believed: BelievedPairs, first: GradedModel, second: GradedModel) -> Flags:
    """Pairs of questions that both models answered and that were judged after what each did: a truth value a pair."""
    both = np.ones(len(believed.keys), dtype=bool)
    for one in (first, second):
        reached = np.zeros(len(believed.keys), dtype=bool)
        reached[believed.unit[one.used]] = True
        both &= reached
    return both


def narrowed(believed: BelievedPairs, one: GradedModel, chosen: Flags) -> GradedModel:
    """The same for chosen pairs of questions only."""
    inside = chosen[believed.unit]
    used = one.used & inside
    return replace(one, used=used, right=one.right & used, shown=one.shown & inside, pairs=int(chosen.sum()))


FitMeasure = Callable[[BelievedPairs, GradedModel, float], Ratio]


def _told(pair: Pair) -> tuple[BeliefSource | None, float]:
    if pair.posterior is not None:
        return BeliefSource.RAW, pair.posterior
    if pair.pred is not None:
        return BeliefSource.PREDICTED, pair.pred
    if pair.belief_change is not None:
        return BeliefSource.LABELLED, float(pair.belief_change)
    return None, 0.0
