"""Evaluates predicted belief changes: overall, after right and wrong answers, and by task (Tables 1, 3 and 4).

Computes AUC and NLL of predicted belief changes, each with an interval.

Pairs that share a person or a question are not independent. Both intervals allow for that: the AUC's by each pair's
contribution (`delong1988`, and `obuchowski1997` for clusters), the NLL's as for any mean (`statistics.clustered`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from math import exp, fsum, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Interval
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
from vivavoce.statistics.clustered import ClusterDependence, Groups, mean_interval, share_interval, spread_of


def auc(changed: ArrayLike, chances: ArrayLike, weights: ArrayLike | None = None) -> float:
    """The probability that a changed pair has a higher chance than an unchanged one; ties count half.

    changed: whether the belief changed, one per pair.
    weights: how many pairs each represents; None: 1 each.

    Raises `NotEnoughEvidence` if all pairs changed, or none.

    >>> auc([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1])  # of four comparisons three are right and one is a tie
    0.875
    """
    return _ComparedPairs(changed, chances, weights).auc


def auc_interval(changed: ArrayLike, chances: ArrayLike, groups: Groups, *, weights: ArrayLike | None = None) -> Bounds:
    """Interval for the AUC: Student's t on the logit scale, with DeLong's variance for clusters.

    The variance is DeLong's, times the design effect of clusters if it is above 1. Degrees of freedom are Welch's for two
    samples, or those of the clusters if they are fewer. If every comparison is right, no variance can be estimated. The lower
    end is then c^(1/m), with c half of the error probability and m comparisons without a common pair or cluster: with a smaller
    AUC all m would be right less often. The lower end is never above that value, and the upper end never below 1 minus it. If
    all chances are equal, the AUC is always one half, and so are both ends.

    A 95% interval covered 94% to 100% of the time in 40 studies, with 10 to 246 pairs and true values from .5 to .998, with and
    without clusters. It is wide below 30 pairs.

    Raises `NotEnoughEvidence` for fewer than two changed or two unchanged pairs, or if all share a group.

    >>> lower, upper = auc_interval([1, 1, 1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.5, 0.3, 0.2, 0.1], [()] * 8)
    >>> 0.2 < lower < 0.4 and 0.95 < upper < 1
    True
    """
    values = _ComparedPairs(changed, chances, weights)
    if min(values.sizes) < 2:
        raise NotEnoughEvidence(f"{min(values.sizes)} pair of one kind: an interval for the AUC needs at least 2 of each")
    spread = spread_of(values.parts, ClusterDependence(groups))
    if np.ptp(values.chances) == 0:
        return Bounds(0.5, 0.5)
    variance, degrees = values.delong()
    if spread.independent > 0:
        variance *= spread.variance / spread.independent
    degrees = min(degrees, spread.degrees)
    value, tail = values.auc, (1 - CONFIDENCE) / 2
    least = tail ** (1 / values.disjoint(groups))
    if variance == 0 or value in (0.0, 1.0):
        return Bounds(least, 1.0) if value > 0.5 else Bounds(0.0, 1 - least)
    half = float(stdtrit(degrees, 1 - tail)) * sqrt(variance) / (value * (1 - value))
    middle = log(value / (1 - value))
    lower, upper = 1 / (1 + exp(min(700.0, half - middle))), 1 / (1 + exp(min(700.0, -half - middle)))
    return Bounds(min(lower, least), max(upper, 1 - least))


def losses(changed: ArrayLike, chances: ArrayLike) -> Floats:
    """Negative log-likelihood of each pair, in nats.

    Raises `BadInput` for a chance that is not strictly between 0 and 1, as its loss could be infinite.

    >>> losses([1, 0], [0.5, 0.5]).round(3).tolist()
    [0.693, 0.693]
    """
    labels, predicted = np.asarray(changed, dtype=bool), np.asarray(chances, dtype=float)
    if labels.shape != predicted.shape or labels.ndim != 1:
        raise BadInput(f"{labels.size} pairs and {predicted.size} chances: give one chance per pair")
    if not ((predicted > 0) & (predicted < 1)).all():
        wrong = predicted[~((predicted > 0) & (predicted < 1))][0]
        raise BadInput(f"a chance is {wrong}: give chances strictly between 0 and 1")
    return np.asarray(-np.log(np.where(labels, predicted, 1 - predicted)), dtype=float)


def weighted_mean(values: ArrayLike, weights: ArrayLike) -> float:
    """The mean of weighted values."""
    return float(np.average(np.asarray(values, dtype=float), weights=np.asarray(weights, dtype=float)))


def weighted_interval(values: ArrayLike, weights: ArrayLike, groups: Groups) -> Bounds:
    """Interval for a weighted mean, by linearisation as for a ratio; with equal weights it is `mean_interval`.

    Raises `NotEnoughEvidence` like `mean_interval`, and if all values are equal: without spread the error is unknown.
    """
    array, weight = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    if array.size > 1 and np.ptp(array) == 0:
        raise NotEnoughEvidence(f"all of {array.size} values are equal: an interval needs some that differ")
    mean = weighted_mean(array, weight)
    return mean_interval(mean + weight / weight.mean() * (array - mean), groups)


class _ComparedPairs:
    """Pairs that changed compared with pairs that did not."""

    def __init__(self, changed: ArrayLike, chances: ArrayLike, weights: ArrayLike | None) -> None:
        self.changed: NDArray[np.bool_] = np.asarray(changed, dtype=bool)
        self.chances: Floats = np.asarray(chances, dtype=float)
        self.weights: Floats = np.ones(self.changed.size) if weights is None else np.asarray(weights, dtype=float)
        if not self.changed.shape == self.chances.shape == self.weights.shape or self.changed.ndim != 1:
            raise BadInput(
                f"{self.changed.size} pairs, {self.chances.size} chances, {self.weights.size} weights: give one each"
            )
        if not np.isfinite(self.chances).all() or not (np.isfinite(self.weights) & (self.weights >= 0)).all():
            raise BadInput("a chance or a weight is not finite, or a weight is below 0: give finite numbers")
        if not self.weights[self.changed].sum() or not self.weights[~self.changed].sum():
            all_or_none = "all" if self.weights[self.changed].sum() else "none"
            raise NotEnoughEvidence(f"{all_or_none} of {self.changed.size} beliefs changed: an AUC compares two kinds")
        self._ranks()

    @property
    def sizes(self) -> tuple[int, int]:
        """Changed and unchanged pairs with a weight above 0."""
        counted = self.weights > 0
        return int((self.changed & counted).sum()), int((~self.changed & counted).sum())

    def _ranks(self) -> None:
        """Each pair's placement: the weighted share of the other kind that it is ranked right against, ties counting half."""
        distinct, values = np.unique(self.chances, return_inverse=True)
        ones = np.bincount(values, self.weights * self.changed, distinct.size)
        noughts = np.bincount(values, self.weights * ~self.changed, distinct.size)
        below = np.cumsum(noughts) - noughts / 2
        above = ones.sum() - np.cumsum(ones) + ones / 2
        self.standing: Floats = np.where(self.changed, below[values] / noughts.sum(), above[values] / ones.sum())
        self.auc: float = float(self.weights[self.changed] @ self.standing[self.changed] / ones.sum())

    @property
    def parts(self) -> Floats:
        """Values whose mean is the AUC and whose spread gives its standard error."""
        n = self.changed.size
        totals = np.where(self.changed, self.weights[self.changed].sum(), self.weights[~self.changed].sum())
        return np.asarray(self.auc + n * self.weights / totals * (self.standing - self.auc), dtype=float)

    def delong(self) -> tuple[float, float]:
        """Variance for independent pairs, and Welch's degrees of freedom."""
        variances, freedoms = [], []
        for kind, size in zip((self.changed, ~self.changed), self.sizes, strict=True):
            shares = self.weights[kind] / self.weights[kind].sum()
            variance = float(shares**2 @ (self.standing[kind] - self.auc) ** 2) * size / (size - 1)
            variances.append(variance)
            freedoms.append(variance**2 / (size - 1))
        total = fsum(variances)
        return total, total**2 / fsum(freedoms) if fsum(freedoms) else float(min(self.sizes) - 1)

    def disjoint(self, groups: Groups) -> float:
        """A lower bound on the number of comparisons without a common pair or cluster."""
        numbers = [
            ClusterDependence([group for group, inside in zip(groups, kind, strict=True) if inside]).independent
            for kind in (self.changed, ~self.changed)
        ]
        return max(1.0, min(numbers))


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
