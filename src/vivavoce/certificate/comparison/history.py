"""The evidence of a comparison with a history: what others earned, the own earlier answers of candidates included.

Where a baseline's answers are on record, half of the variance of a difference is known beforehand: on MMLU-Pro a median of 50%
between two of 17 models, of which the answers of the second are in the history, and 4% where neither's are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.comparison.drawing import PairedDrawing, Place
from vivavoce.certificate.comparison.evidence import Pair, PairedEvidence, Stopping
from vivavoce.certificate.draws.claim import Draws
from vivavoce.certificate.features import Feature, refuse
from vivavoce.certificate.history import History, HistoryUse, filled, share_of_others
from vivavoce.certificate.questions import Question, Unit
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.certificate.with_history import with_history
from vivavoce.interview.scope import Scope
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.covariate import mixed
from vivavoce.statistics.residual_differences import DifferencePredictions, ResidualDifferenceTests, Spread

OWN: Final = 0.5
"""The slope of a difference on an earlier score of the first candidate, and its opposite for the second."""
PRECISION: Final = 4.0
TRUST, OWN_TRUST = 0.2, 0.9
"""How much predictions are believed at first, where the history holds neither candidate, and where it holds one."""
SPREAD: Final = 4.0
"""Logits that make one unit of the share, so that its slope is of the size of the others'."""


class HistoryEvidence(PairedEvidence):
    """`PairedEvidence` that takes account of what is known of each unit beforehand: each null has one e-process as before.

    Parameters
    ----------
    candidates: names, by which their own earlier answers are found.
    history: of the scope, whose units are each drawn once.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        candidates: Sequence[str],
        scope: ListedScope,
        history: History,
        *,
        margin: float,
        delta: float,
        rule: Stopping = "any",
    ) -> None:
        super().__init__(pairs, margin=margin, delta=delta, rule=rule, population=len(scope.units))
        self._places = {unit[0].id: place for place, unit in enumerate(scope.units)}
        scores = history.by_units(scope.units)
        own = [history.place_of(name) for name in candidates]
        self._predictions = [_predictions(scores, own[first], own[second]) for first, second in pairs]
        nulls = np.repeat([0.0, 0.0, -margin, -margin], len(pairs))
        self._residual = ResidualDifferenceTests(nulls, population=len(scope.units))
        self._place = 0

    def drawn(self, unit: Unit) -> None:
        """The unit whose answers are taken next."""
        self._place = self._places[unit[0].id]

    def use(self, history: History, candidates: Sequence[str], size: int) -> HistoryUse:
        """What the history was, and what became of it: the means over pairs."""
        known = history.known
        return HistoryUse(
            others=len(history.others),
            known=known,
            unknown=size - known,
            digest=history.digest,
            itself=any(map(history.holds, candidates)),
            belief=float(np.mean([one.belief for one in self._predictions])),
            explained=float(np.mean([one.explained for one in self._predictions])),
        )

    def _tested_values(self, low: Floats, high: Floats, place: Place) -> Floats:
        plain = super()._tested_values(low, high, place)
        told = [self._predictions[pair].at(self._place) for pair in self._tested]
        mirrored = [Spread(-one.drawn, one.variance, -one.most, -one.least) for one in told]
        residual = self._residual.take(np.concatenate([low, -high, low, -high]), [*told, *mirrored] * 2)
        for pair, middle in zip(self._tested, (low + high) / 2, strict=True):
            self._predictions[pair].observe(self._place, float(middle))
        return mixed(plain, residual.reshape(4, -1).T)

    def _forget(self, pairs: NDArray[np.bool_]) -> None:
        super()._forget(pairs)
        self._residual.drop(np.tile(pairs, 4))


def _predictions(scores: Floats, first: int | None, second: int | None) -> DifferencePredictions:
    """From the share of others and, where these are known, the earlier scores of both.

    first, second: which of the others is the one, and the other candidate.
    """
    columns, prior = [share_of_others(scores) / SPREAD], [0.0]
    for own, slope in ((first, OWN), (second, -OWN)):
        if own is not None:
            column = filled(scores)[:, own]
            columns.append(column - column.mean())
            prior.append(slope)
    return DifferencePredictions(
        np.column_stack(columns),
        prior=np.array(prior),
        precision=np.full(len(prior), PRECISION),
        trust=OWN_TRUST if len(prior) > 1 else TRUST,
    )


def check_history(scope: Scope[Question], history: History | None, drawn: PairedDrawing, draws: Draws | None) -> None:
    """Refuse a history that has no place: `BadInput`."""
    if history is None:
        return
    others: set[Feature] = {"draws"} if draws is not None else set()
    if drawn.kind != "scope":
        others.add(drawn.kind)
    refuse({"history", *others})
    with_history(scope, history)


def known(history: History | None) -> dict[str, str]:
    """What a history adds to the terms of an attempt."""
    return {} if history is None else {"history": history.digest}


def used(
    evidence: PairedEvidence, scope: Scope[Question], history: History | None, candidates: Sequence[str]
) -> HistoryUse | None:
    """What a history was, and what became of it; None where there is none."""
    if history is None or not isinstance(evidence, HistoryEvidence):
        return None
    return evidence.use(history, candidates, len(getattr(scope, "questions", ())))


def paired_evidence(
    pairs: Sequence[Pair],
    candidates: Sequence[str],
    scope: Scope[Question],
    history: History | None,
    drawn: PairedDrawing,
    *,
    margin: float,
    delta: float,
    rule: Stopping,
) -> PairedEvidence:
    """With a history where there is one. Raises `BadInput` where it has no place."""
    if history is None:
        return PairedEvidence(pairs, margin=margin, delta=delta, rule=rule, means=drawn.means)
    listed = with_history(scope, history).scope
    return HistoryEvidence(pairs, candidates, listed, history, margin=margin, delta=delta, rule=rule)
