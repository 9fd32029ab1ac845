"""Inference for units drawn once each, with bets on what their history leaves unexplained (`statistics.predictions`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.config import Procedure
from vivavoce.certificate.design.history import NO_LIST, PRECISION, History, HistoryUse, means_of_others, share_of_others
from vivavoce.certificate.evidence.inference import Inference
from vivavoce.certificate.evidence.sequential import LogEvidence, SequentialTest, UnitValues
from vivavoce.errors import BadInput
from vivavoce.interview.scope import Grade
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Unit
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.confidence_sequences import BETS_ON_A_MEAN
from vivavoce.statistics.predictions import Predictions, ResidualTests, mixed, shares_of

NOT_ONCE: Final = (
    "bets with a history need questions that are drawn each once, and those of {} are drawn with replacement, since weights or "
    "sizes of clusters differ: leave out --history"
)
PRIOR: Final = 0.5
"""The slope of a score on the share of others."""
TRUST: Final = 0.7
"""The initial trust in predictions."""


class HistoryTest(SequentialTest):
    """`SequentialTest` whose bets on the score use the history of each unit.

    The test of the unacceptable rate does not use the history.

    scores: of others, shape (units, others); NaN if one is unknown.

    >>> test = HistoryTest(Criterion(0.5, None), np.full((20, 1), 0.9))
    >>> test.take(range(9), [UnitMean(1.0, 0.0, 1.0, 0.0)] * 9), test.n
    (<Verdict.PASS: 'pass'>, 6)
    """

    def __init__(self, criterion: Criterion, scores: Floats, *, whole: bool = True) -> None:
        super().__init__(criterion, population=len(scores), whole=whole)
        self.predictions = share_predictions(scores)
        grade, means = criterion.passing_grade, means_of_others(scores)
        above, below = shares_of(grade, BETS_ON_A_MEAN, means), shares_of(1 - grade, BETS_ON_A_MEAN, 1 - means)
        self._residual = ResidualTests(
            [grade, 1 - grade, 1 - grade, grade], [above, below, below, above], population=len(scores)
        )
        self._log_e = np.empty((0, 4))
        """Against "at most" by lower ends, "at least" by upper ends, and "at least" and "at most" by the other ends."""

    def take(self, places: Sequence[int], values: Sequence[UnitMean]) -> Verdict:
        """Take further units in drawn order, by their places in the scope, as `update` does."""
        self._log_e = np.array([self._take(index, value) for index, value in zip(places, values, strict=True)])
        score, unacceptable, upper, maybe = zip(*values, strict=True)
        return self.update(score, unacceptable, upper=upper, maybe=maybe)

    def _take(self, index: int, value: UnitMean) -> Floats:
        predicted = self.predictions.at(index)
        mirrored = predicted.times(-1)
        log_e = self._residual.take(
            [value.score, 1 - value.upper, 1 - value.score, value.upper], [predicted, mirrored, mirrored, predicted]
        )
        self.predictions.observe(index, (value.score + value.upper) / 2)
        return log_e

    def _evidence(self, units: UnitValues) -> LogEvidence:
        score_pass = mixed(self._score_pass.update(units.score, units.upper > units.score), self._log_e[:, 0])
        return self._with_rate(score_pass, mixed(self._score_fail.update(units.upper), self._log_e[:, 1]), units)

    def _left_open(self, units: UnitValues) -> tuple[Floats, Floats] | None:
        left_open = super()._left_open(units)
        if left_open is None:
            return None
        too_low, high_enough = left_open
        return mixed(too_low, self._log_e[:, 2]), mixed(high_enough, self._log_e[:, 3])


def share_predictions(scores: Floats) -> Predictions:
    """Predictions by a regression on the share of others that are right.

    (Learning from each of the others separately costs more than it gains: with 16 of them, a percentage point of the
    questions.)
    """
    return Predictions(share_of_others(scores)[:, None], prior=[PRIOR], precision=PRECISION, trust=TRUST)


class HistoryInference(Inference):
    """Inference on units drawn once each, checked after each, with the history of all.

    Intervals do not use the history: they cover at level 1 - delta at any stop, as before, and are wider than the evidence
    would allow.
    """

    def __init__(self, criterion: Criterion, units: Sequence[Unit], history: History) -> None:
        super().__init__(criterion, len(units))
        self._places = {unit[0].id: index for index, unit in enumerate(units)}
        self._history = history
        self._size = sum(map(len, units))
        self._history_test = HistoryTest(criterion, history.by_units(units), whole=all(len(unit) == 1 for unit in units))
        self._test = self._history_test

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> LogEvidence | None:
        """Take a unit; the evidence after it."""
        value = self._keep(unit, mean)
        self._history_test.early = early
        self.verdict = self._history_test.take([self._places[unit[0].id]], [value])
        return self._history_test.log_evidence

    def history(self, candidate: str) -> HistoryUse:
        """The history and its effect."""
        return self._history.use([candidate], self._size, [self._history_test.predictions])

    def still_needed(self) -> int | None:
        """Further questions until a verdict, by what has been seen and what predictions leave unexplained."""
        needed = super().still_needed()
        return None if needed is None else max(1, round(needed * (1 - self._history_test.predictions.explained)))


@dataclass(frozen=True)
class WithHistory:
    """Units of a list, each once in random order, with the history of each."""

    scope: ListedScope
    known: History
    name: ClassVar[None] = None

    def __post_init__(self) -> None:
        if self.scope.population is None:
            raise BadInput(NOT_ONCE.format(self.scope.name))

    @cached_property
    def population(self) -> int:
        """How many units there are."""
        return len(self.scope.units)

    @property
    def settings(self) -> dict[str, object]:
        """For a finding's signature."""
        return {"history": self.known.digest[:12]}

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units, as the scope draws them."""
        return self.scope.draw(rng)

    def inference(self, criterion: Criterion, procedure: Procedure = "sequential") -> Inference:
        """Inference from the grades of units drawn in this way."""
        return HistoryInference(criterion, self.scope.units, self.known)


def with_history(scope: object, history: History) -> WithHistory:
    """How questions are drawn where their history is known. Raises `BadInput` if it has no place."""
    if not isinstance(scope, ListedScope):
        raise BadInput(NO_LIST)
    return WithHistory(scope, history)
