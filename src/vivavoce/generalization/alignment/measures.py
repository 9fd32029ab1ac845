"""@@@
How well people's beliefs about a model fit what it can do: weighted generalized accuracy and cross-entropy (`vafa2024`).

Somebody saw a model answer one question, right or wrong, and believes with some chance that it will answer another right. With
y = 1 where it does, b the belief, and alpha how many times a mistake that was trusted costs more than a right answer that was
not used:

- weighted accuracy is sum(y b + alpha (1 - y)(1 - b)) / sum(y + alpha (1 - y)), between 0 and 1;
- weighted cross-entropy is sum(-y ln b - alpha (1 - y) ln(1 - b)) / sum(y + alpha (1 - y)).

Who weighs mistakes by alpha lets a model do what it will do right with a chance above alpha / (1 + alpha): the threshold.

---
Average beliefs of a survey that kept them as people gave them, in place of those behind the paper's tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate
from vivavoce.generalization.alignment.resampling import IndependentSets, Ratio
from vivavoce.generalization.answers import Grade, key_of
from vivavoce.generalization.config import Among
from vivavoce.generalization.pairs import Beliefs, Floats, Pair

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


@dataclass(frozen=True, slots=True)
class EstimatedBeliefs:
    """The three averages of `Beliefs`, each with its interval."""

    prior: Estimate
    after_right: Estimate
    after_wrong: Estimate

    def or_else(self, others: Beliefs) -> Beliefs:
        """As `Beliefs`; what the survey does not tell is taken from the others."""
        return Beliefs(
            **{
                name: value if (value := getattr(self, name).value) is not None else getattr(others, name)
                for name in ("prior", "after_right", "after_wrong")
            }
        )

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {name: getattr(self, name).as_json() for name in ("prior", "after_right", "after_wrong")}


def estimate_beliefs(
    pairs: Sequence[Pair], *, rng: np.random.Generator, confidence: float = CONFIDENCE, among: Among = "all"
) -> EstimatedBeliefs:
    """Mean belief before, after a right answer and after a wrong one, over the pairs that hold raw beliefs, by their weights.

    Intervals allow for pairs that share a question or a person; see `resampling`. A mean without any belief has no value.

    Appendix C of `vafa2024` takes the posterior over all who saw such an answer, which is the default. A mixture of "no change"
    and "a change to this mean" then moves beliefs too little, since those who did not change are in the mean as well; `among`
    "changed" takes it over those who did, and the mixture has the mean posterior that was observed.

    >>> told = [Pair("a", f"b{n}", "t", "t", n % 2 == 0, prior=0.5, posterior=0.5 + 0.25 * (n % 2 == 0)) for n in range(8)]
    >>> found = estimate_beliefs(told, rng=np.random.default_rng(0))
    >>> found.prior.value, found.after_right.value, found.after_wrong.value
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

    def mean(of: Callable[[Pair], float | None], counts: Callable[[Pair], bool]) -> Estimate:
        values = [of(row) if counts(row) else None for row in rows]
        weights = np.array([0.0 if value is None else row.weight for row, value in zip(rows, values, strict=True)])
        numbers = np.array([0.0 if value is None else value for value in values])
        return sets.estimate(Ratio(numbers * weights, weights, int(np.count_nonzero(weights))))

    def reached(row: Pair) -> bool:
        return among == "all" or bool(row.changed)

    return EstimatedBeliefs(
        prior=mean(lambda row: row.prior, lambda _: True),
        after_right=mean(lambda row: row.posterior, lambda row: row.previous_correct and reached(row)),
        after_wrong=mean(lambda row: row.posterior, lambda row: not row.previous_correct and reached(row)),
    )


def averages(
    pairs: Sequence[Pair],
    given: Mapping[str, float],
    *,
    rng: np.random.Generator,
    confidence: float = CONFIDENCE,
    among: Among = "all",
) -> tuple[Beliefs, EstimatedBeliefs | None]:
    """The averages behind beliefs that nobody said: those given by name, else the raw ones among the pairs, else the paper's.

    Also the estimates from the pairs; None where no belief is raw.

    >>> averages([Pair("a", "b", "t", "t", True)], {"prior": 0.5}, rng=np.random.default_rng(0))
    (Beliefs(prior=0.5, after_right=0.663, after_wrong=0.551), None)
    """
    raw = [pair for pair in pairs if pair.posterior is not None]
    estimated = estimate_beliefs(raw, rng=rng, confidence=confidence, among=among) if raw else None
    return replace(estimated.or_else(Beliefs()) if estimated else Beliefs(), **given), estimated
