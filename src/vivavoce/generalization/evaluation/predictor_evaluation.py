"""Counting how well belief changes are predicted: overall, after right and wrong answers, and by task (Tables 1, 3 and 4)."""

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
from vivavoce.generalization.pairs import Floats, Pair, PredictionOrigin
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.clustered import share_interval

_CURVE: Final = 200
"""Points of the curve, at most."""


def evaluate(
    pairs: Sequence[Pair],
    chances: ArrayLike,
    *,
    origin: PredictionOrigin = PredictionOrigin(),  # noqa: B008 -- frozen
) -> PredictorEvaluation:
    """How well do these chances predict whose belief changes?

    Pairs without a label are left out and counted. Pairs that share a person or a question, where these are known, are not
    independent; the intervals allow for it. A pair counts as often as its weight says.

    Parameters
    ----------
    chances: one a pair, strictly between 0 and 1.
    origin: of chances and pairs, for the record.

    Raises `BadInput` for chances that cannot be, and `NotEnoughEvidence` where no pair has a label.

    >>> told = [True, True, False, False]
    >>> pairs = [Pair(f"{n}?", f"{n}!", "a", "b", n % 2 == 0, changed) for n, changed in enumerate(told)]
    >>> found = evaluate(pairs, [0.9, 0.4, 0.4, 0.1])
    >>> found.overall.auc.value, found.right.auc.value, found.wrong.n
    (0.875, 1.0, 2)
    """
    given = np.asarray(chances, dtype=float)
    if given.shape != (len(pairs),):
        raise BadInput(f"{len(pairs)} pairs and {given.size} chances: give one chance a pair")
    told = [place for place, pair in enumerate(pairs) if pair.changed is not None and pair.weight > 0]
    if not told:
        raise NotEnoughEvidence(
            f"none of {len(pairs)} pairs says whether the belief changed: an evaluation needs 'belief_change', "
            "or 'prior' and 'posterior'"
        )
    table = _PairTable([pairs[place] for place in told], given[told])
    every = np.ones(len(told), dtype=bool)
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
        unlabelled=origin.unlabelled + len(pairs) - len(told),
        people=len({pair.person for pair in table.pairs if pair.person}),
        weighted=bool(np.ptp(table.weights) > 0),
        signature=origin.signature(
            "generalization/evaluate",
            {"confidence": CONFIDENCE, "fewest": FEWEST, **({"in sample": True} if origin.in_sample else {})},
        ),
    )


def groups_of(pair: Pair) -> Collection[Hashable]:
    """What a pair may have in common with others: who was asked, and its questions."""
    person = {("person", pair.person)} if pair.person else set()
    return person | {("question", pair.q1), ("question", pair.q2)}


class _PairTable:
    """The labelled pairs in columns."""

    def __init__(self, pairs: Sequence[Pair], chances: Floats) -> None:
        self.pairs = pairs
        self.chances = chances
        self.changed = np.array([bool(pair.changed) for pair in pairs])
        self.right = np.array([pair.previous_correct for pair in pairs])
        self.weights: Floats = np.array([pair.weight for pair in pairs], dtype=float)
        self.groups = [groups_of(pair) for pair in pairs]
        self.losses = losses(self.changed, chances)

    def part(self, inside: Floats) -> EvaluationPart:
        """Some of the pairs by themselves."""
        places = np.flatnonzero(inside)
        changed, chances, weights = self.changed[places], self.chances[places], self.weights[places]
        groups = [self.groups[place] for place in places]
        n = int(places.size)
        if not n:
            none = MeasuredValue(None, None, "no pairs")
            return EvaluationPart(0, 0, None, none, none, none, none)
        share = weighted_mean(changed, weights)
        own = self.losses[places]
        # The share among these very pairs: no constant does better on them.
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
            nll=mean(own, 0.0),
            nll_baseline=MeasuredValue(weighted_mean(of_constant, weights), None, "it is of these pairs themselves"),
            gain=mean(of_constant - own, -np.inf),
        )

    def by_task(self, task: Callable[[Pair], tuple[str, ...]]) -> tuple[TaskScore, ...]:
        """Tasks with enough pairs, the highest AUC first, then those without one."""
        places: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, pair in enumerate(self.pairs):
            places[task(pair)].append(place)
        rows = [self._task(name, np.array(of)) for name, of in places.items() if len(of) >= FEWEST]
        return tuple(sorted(rows, key=lambda row: (row.auc.value is None, -(row.auc.value or 0.0), row.task)))

    def bins(self) -> tuple[CalibrationBin, ...]:
        """Pairs in order of their chances, equally many together; equal chances are never parted."""
        order = np.argsort(self.chances, kind="stable")
        found, start = [], 0
        for number in range(1, BINS + 1):
            end = round(number * order.size / BINS)
            while 0 < end < order.size and self.chances[order[end]] == self.chances[order[end - 1]]:
                end += 1
            if end > start:
                found.append(self._bin(order[start:end]))
                start = end
        return tuple(found)

    def curve(self) -> RocCurve | None:
        """Shares of changed and unchanged pairs above every limit; None where one kind is missing."""
        ones, noughts = self.weights * self.changed, self.weights * ~self.changed
        if not ones.sum() or not noughts.sum():
            return None
        distinct, place = np.unique(-self.chances, return_inverse=True)
        found = np.cumsum(np.bincount(place, ones, distinct.size)) / ones.sum()
        alarmed = np.cumsum(np.bincount(place, noughts, distinct.size)) / noughts.sum()
        kept = np.unique(np.linspace(0, distinct.size - 1, min(distinct.size, _CURVE)).round().astype(int))
        return RocCurve((0.0, *map(float, alarmed[kept])), (0.0, *map(float, found[kept])))

    def _task(self, name: tuple[str, ...], places: Floats) -> TaskScore:
        changed, chances, weights = self.changed[places], self.chances[places], self.weights[places]
        measure = self._auc(changed, chances, weights, [self.groups[place] for place in places])
        return TaskScore(name, int(places.size), int(changed.sum()), measure, weighted_mean(self.losses[places], weights))

    def _bin(self, places: NDArray[np.intp]) -> CalibrationBin:
        changed, weights = self.changed[places], self.weights[places]
        groups = [self.groups[place] for place in places]
        share = weighted_mean(changed, weights)

        def ends() -> Bounds:
            if np.ptp(weights) == 0:
                return share_interval(changed, groups)
            lower, upper = weighted_interval(changed, weights, groups)
            return Bounds(max(0.0, lower), min(1.0, upper))

        return CalibrationBin(weighted_mean(self.chances[places], weights), int(places.size), self._measured(share, ends))

    def _auc(self, changed: Floats, chances: Floats, weights: Floats, groups: Sequence[Collection[Hashable]]) -> MeasuredValue:
        try:
            value = auc(changed, chances, weights)
        except NotEnoughEvidence:
            return MeasuredValue(None, None, "every belief changed" if changed.all() else "no belief changed")
        return self._measured(value, lambda: auc_interval(changed, chances, groups, weights=weights))

    def _measured(self, value: float, ends: Callable[[], Bounds], *, least: float = 0.0) -> MeasuredValue:
        """The value with its interval, or why there is none."""
        try:
            lower, upper = ends()
        except NotEnoughEvidence as error:
            return MeasuredValue(value, None, str(error))
        return MeasuredValue(value, Interval(max(least, lower), upper))
