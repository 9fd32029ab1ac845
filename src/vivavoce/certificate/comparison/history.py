"""The evidence of a comparison with a history: what others earned, the own earlier answers of candidates included.

Where a baseline's answers are on record, half of the variance of a difference is known beforehand: on MMLU-Pro a median of 50%
between two of 17 models, of which the answers of the second are in the history, and 4% where neither's are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.comparison.drawing import OneByOne, PairedDrawing, PairTests, Place
from vivavoce.certificate.comparison.evidence import Pair, PairedEvidence
from vivavoce.certificate.design import AsDrawn
from vivavoce.certificate.features import refuse
from vivavoce.certificate.history import NO_LIST, PRECISION, History, HistoryUse, filled, share_of_others
from vivavoce.certificate.history_inference import with_history
from vivavoce.errors import BadInput
from vivavoce.interview.scope import Scope
from vivavoce.scopes.listed import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.covariate import Predictions, ResidualTests, mixed
from vivavoce.statistics.differences import FRACTIONS

OWN: Final = 0.5
"""The slope of a difference on an earlier score of the first candidate, and its opposite for the second."""
TRUST, OWN_TRUST = 0.2, 0.9
"""How much predictions are believed at first, where the history holds neither candidate, and where it holds one."""


@dataclass(frozen=True, slots=True)
class OneByOneKnown(OneByOne):
    """Units in random order, each once, with what is known of each beforehand."""

    scores: Floats | None = None
    """Of others, shape (units, others); NaN where one is unknown."""
    pairs: tuple[Pair, ...] = ()
    own: tuple[int | None, ...] = ()
    """Of each candidate, which of the others it was before."""

    def tests(self, pairs: int, margin: float) -> PairTests:
        """Bets on what predictions of differences leave unexplained, and on an eighth of the capital without."""
        return KnownTests(self, margin)

    def predictions(self) -> list[Predictions]:
        """Of each pair."""
        assert self.scores is not None
        return [_predictions(self.scores, self.own[first], self.own[second]) for first, second in self.pairs]


class KnownTests:
    """One e-process for each null of each pair, as without a history."""

    def __init__(self, means: OneByOneKnown, margin: float) -> None:
        assert means.population is not None
        count = len(means.pairs)
        self._plain = OneByOne(means.population).tests(count, margin)
        nulls = np.repeat([0.5, 0.5, (1 - margin) / 2, (1 - margin) / 2], count)
        conditioned = np.full((nulls.size, FRACTIONS.size), 0.5 / FRACTIONS.size)
        self._residual = ResidualTests(nulls, conditioned, population=means.population)
        self.predictions = means.predictions()
        """Of all pairs."""
        self._tested = list(self.predictions)

    def take(self, least: Floats, most: Floats, place: Place) -> Floats:
        """Take differences of each pair, as values (1 + d) / 2."""
        predicted = [one.at(place.number) for one in self._tested]
        halves = [one.times(factor) for factor in (0.5, -0.5) for one in predicted]
        plain = self._plain.take(least, most, place)
        residual = self._residual.take((1 + np.concatenate([least, -most, least, -most])) / 2, halves * 2)
        for one, middle in zip(self._tested, (least + most) / 2, strict=True):
            one.observe(place.number, float(middle))
        return mixed(plain, residual.reshape(4, -1).T)

    def drop(self, pairs: NDArray[np.bool_]) -> None:
        """Forget these pairs."""
        self._plain.drop(pairs)
        self._residual.drop(np.tile(pairs, 4))
        self._tested = [one for one, gone in zip(self._tested, pairs, strict=True) if not gone]


def _predictions(scores: Floats, first: int | None, second: int | None) -> Predictions:
    """From the share of others and, where these are known, the earlier scores of both.

    first, second: which of the others is the one, and the other candidate.
    """
    columns, prior = [share_of_others(scores)], [0.0]
    for own, slope in ((first, OWN), (second, -OWN)):
        if own is not None:
            column = filled(scores)[:, own]
            columns.append(column - column.mean())
            prior.append(slope)
    return Predictions(
        np.column_stack(columns),
        prior=prior,
        precision=PRECISION,
        trust=OWN_TRUST if len(prior) > 1 else TRUST,
    )


def with_known(
    drawn: PairedDrawing, history: History | None, candidates: Sequence[str], pairs: Sequence[Pair]
) -> PairedDrawing:
    """How questions are drawn, with what is known of them where there is a history.

    candidates: names, by which their own earlier answers are found.

    Raises `BadInput` where a history has no place.
    """
    if history is None:
        return drawn
    if drawn.kind != "scope":
        refuse({"history", drawn.kind})
    scope = drawn.source.scope if isinstance(drawn.source, AsDrawn) else None
    if not isinstance(scope, ListedScope):
        raise BadInput(NO_LIST)
    units = with_history(scope, history).scope.units
    own = tuple(map(history.place_of, candidates))
    means = OneByOneKnown(len(units), scores=history.by_units(units), pairs=tuple(pairs), own=own)
    return replace(drawn, means=means, numbers={unit[0].id: number for number, unit in enumerate(units)})


def known(history: History | None, margin: float) -> dict[str, object]:
    """What a history adds to the terms of an attempt: the margin, too, as bets on residuals need not fall as the null rises."""
    return {} if history is None else {"history": history.digest, "margin": margin}


def used(
    evidence: PairedEvidence, scope: Scope[Question], history: History | None, candidates: Sequence[str]
) -> HistoryUse | None:
    """What a history was, and what became of it, on average over pairs; None where there is none."""
    if history is None or not isinstance(evidence.tests, KnownTests):
        return None
    return history.use(candidates, len(getattr(scope, "questions", ())), evidence.tests.predictions)
