"""Evaluates predicted belief changes: overall, after right and wrong answers, and by task (Tables 1, 3 and 4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Interval
from vivavoce.generalization.evaluation.discrimination import auc, auc_interval, losses, weighted_interval, weighted_mean
from vivavoce.generalization.evaluation.evaluation_finding import (
    BINS,
    FEWEST,
    CalibrationBin,
    EvaluationPart,
    MeasuredValue,
    PredictorEvaluation,
    RocCurve,
    TaskScore,
)
from vivavoce.generalization.pairs import BeliefPair, Floats, PredictionOrigin
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.clustered import share_interval

_CURVE: Final = 200


def evaluate(
    pairs: Sequence[BeliefPair],
    chances: ArrayLike,
    *,
    origin: PredictionOrigin = PredictionOrigin(),  # noqa: B008 -- frozen
) -> PredictorEvaluation:
    """Measure how well these chances predict which beliefs change.

    Pairs without a label are left out and counted. Intervals allow for pairs that share a person or a question. Pairs count by
    their weight.

    Parameters
    ----------
    chances: one per pair, strictly between 0 and 1.
    origin: the predictor and the file of pairs, for the signature.

    Raises `BadInput` for invalid chances, and `NotEnoughEvidence` if no pair has a label.

    >>> labels = [True, True, False, False]
    >>> pairs = [BeliefPair(f"{n}?", f"{n}!", "a", "b", n % 2 == 0, changed) for n, changed in enumerate(labels)]
    >>> evaluation = evaluate(pairs, [0.9, 0.4, 0.4, 0.1])
    >>> evaluation.overall.auc.value, evaluation.right.auc.value, evaluation.wrong.n
    (0.875, 1.0, 2)
    """
    predicted = np.asarray(chances, dtype=float)
    if predicted.shape != (len(pairs),):
        raise BadInput(f"{len(pairs)} pairs and {predicted.size} chances: give one chance per pair")
    known = [index for index, pair in enumerate(pairs) if pair.changed is not None and pair.weight > 0]
    if not known:
        raise NotEnoughEvidence(
            f"none of {len(pairs)} pairs has a change of belief: add 'belief_change', or 'prior' and 'posterior'"
        )
    table = _PairTable([pairs[index] for index in known], predicted[known])
    every = np.ones(len(known), dtype=bool)
    return PredictorEvaluation(
        predictor=origin.predictor,
        source=origin.source,
        overall=table.part(every),
        right=table.part(table.right),
        wrong=table.part(~table.right),
        by_task_from=table.by_task(lambda pair: (pair.source1,)),
        by_task_to=table.by_task(lambda pair: (pair.source2,)),
        by_task_pair=table.by_task(lambda pair: (pair.source1, pair.source2)),
        bins=table.bins(),
        curve=table.curve(),
        in_sample=origin.in_sample,
        notes=origin.notes,
        unlabelled=origin.unlabelled + len(pairs) - len(known),
        people=len({pair.person for pair in table.pairs if pair.person}),
        weighted=bool(np.ptp(table.weights) > 0),
        signature=origin.signature(
            "generalization/evaluate",
            {"confidence": CONFIDENCE, "fewest": FEWEST, **({"in sample": True} if origin.in_sample else {})},
        ),
    )


def groups_of(pair: BeliefPair) -> Collection[Hashable]:
    """What a pair can share with others: its person and its questions."""
    person = {("person", pair.person)} if pair.person else set()
    return person | {("question", pair.q1), ("question", pair.q2)}


class _PairTable:
    """The labelled pairs, by column."""

    def __init__(self, pairs: Sequence[BeliefPair], chances: Floats) -> None:
        self.pairs = pairs
        self.chances = chances
        self.changed = np.array([bool(pair.changed) for pair in pairs])
        self.right = np.array([pair.previous_correct for pair in pairs])
        self.weights: Floats = np.array([pair.weight for pair in pairs], dtype=float)
        self.groups = [groups_of(pair) for pair in pairs]
        self.losses = losses(self.changed, chances)

    def part(self, inside: Floats) -> EvaluationPart:
        """Figures of some of the pairs."""
        indices = np.flatnonzero(inside)
        changed, chances, weights = self.changed[indices], self.chances[indices], self.weights[indices]
        groups = [self.groups[index] for index in indices]
        n = int(indices.size)
        if not n:
            none = MeasuredValue(None, None, "no pairs")
            return EvaluationPart(0, 0, None, none, none, none, none)
        share = weighted_mean(changed, weights)
        predicted = self.losses[indices]
        # the best constant is the share among these pairs
        constant = np.where(changed, share, 1 - share)
        of_constant = -np.log(np.where(constant > 0, constant, 1.0))

        def mean(values: Floats, least: float) -> MeasuredValue:
            value = weighted_mean(values, weights)
            return self._measured(value, lambda: weighted_interval(values, weights, groups), least=least)

        return EvaluationPart(
            n=n,
            changed=int(changed.sum()),
            share=share,
            auc=self._auc(changed, chances, weights, groups),
            nll=mean(predicted, 0.0),
            nll_baseline=MeasuredValue(weighted_mean(of_constant, weights), None, "it was fitted to these pairs"),
            gain=mean(of_constant - predicted, -np.inf),
        )

    def by_task(self, task: Callable[[BeliefPair], tuple[str, ...]]) -> tuple[TaskScore, ...]:
        """Tasks with enough pairs, the highest AUC first, then those without one."""
        by_name: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for index, pair in enumerate(self.pairs):
            by_name[task(pair)].append(index)
        rows = [self._task(name, np.array(indices)) for name, indices in by_name.items() if len(indices) >= FEWEST]
        return tuple(sorted(rows, key=lambda row: (row.auc.value is None, -(row.auc.value or 0.0), row.task)))

    def bins(self) -> tuple[CalibrationBin, ...]:
        """Bins of equally many pairs by their chances; equal chances are in one bin."""
        order = np.argsort(self.chances, kind="stable")
        bins, start = [], 0
        for number in range(1, BINS + 1):
            end = round(number * order.size / BINS)
            while 0 < end < order.size and self.chances[order[end]] == self.chances[order[end - 1]]:
                end += 1
            if end > start:
                bins.append(self._bin(order[start:end]))
                start = end
        return tuple(bins)

    def curve(self) -> RocCurve | None:
        """The ROC curve; None if one kind of pairs is missing."""
        ones, noughts = self.weights * self.changed, self.weights * ~self.changed
        if not ones.sum() or not noughts.sum():
            return None
        distinct, values = np.unique(-self.chances, return_inverse=True)
        true_positives = np.cumsum(np.bincount(values, ones, distinct.size)) / ones.sum()
        false_positives = np.cumsum(np.bincount(values, noughts, distinct.size)) / noughts.sum()
        points = np.unique(np.linspace(0, distinct.size - 1, min(distinct.size, _CURVE)).round().astype(int))
        return RocCurve((0.0, *map(float, false_positives[points])), (0.0, *map(float, true_positives[points])))

    def _task(self, name: tuple[str, ...], indices: Floats) -> TaskScore:
        changed, chances, weights = self.changed[indices], self.chances[indices], self.weights[indices]
        measure = self._auc(changed, chances, weights, [self.groups[index] for index in indices])
        return TaskScore(name, int(indices.size), int(changed.sum()), measure, weighted_mean(self.losses[indices], weights))

    def _bin(self, indices: NDArray[np.intp]) -> CalibrationBin:
        changed, weights = self.changed[indices], self.weights[indices]
        groups = [self.groups[index] for index in indices]
        share = weighted_mean(changed, weights)

        def ends() -> Bounds:
            if np.ptp(weights) == 0:
                return share_interval(changed, groups)
            lower, upper = weighted_interval(changed, weights, groups)
            return Bounds(max(0.0, lower), min(1.0, upper))

        return CalibrationBin(weighted_mean(self.chances[indices], weights), int(indices.size), self._measured(share, ends))

    def _auc(self, changed: Floats, chances: Floats, weights: Floats, groups: Sequence[Collection[Hashable]]) -> MeasuredValue:
        try:
            value = auc(changed, chances, weights)
        except NotEnoughEvidence:
            return MeasuredValue(None, None, "every belief changed" if changed.all() else "no belief changed")
        return self._measured(value, lambda: auc_interval(changed, chances, groups, weights=weights))

    def _measured(self, value: float, ends: Callable[[], Bounds], *, least: float = 0.0) -> MeasuredValue:
        """The value with its interval, or the reason for having none."""
        try:
            lower, upper = ends()
        except NotEnoughEvidence as error:
            return MeasuredValue(value, None, str(error))
        return MeasuredValue(value, Interval(max(least, lower), upper))
