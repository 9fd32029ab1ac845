"""Units as a scope draws them, each once, and bets on what their history leaves unexplained (`statistics.covariate`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.certificate.config import Procedure
from vivavoce.certificate.evidence import LogEvidence, SequentialTest, Taken
from vivavoce.certificate.history import NO_LIST, History, HistoryUse
from vivavoce.certificate.inference import Inference
from vivavoce.certificate.questions import Unit
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.certificate.score import UnitMean
from vivavoce.certificate.verdict import Criterion, Verdict
from vivavoce.errors import BadInput
from vivavoce.interview.scope import Grade
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.covariate import Predictions, ResidualTests, mixed

NOT_ONCE: Final = (
    "bets with a history need questions that are drawn each once, and those of {} are drawn with replacement, since weights or "
    "sizes of clusters differ: leave out --history"
)


class HistoryTest(SequentialTest):
    """`SequentialTest` whose bets on the score take account of what is known of each unit beforehand.

    The rate of ridiculous answers is not touched by that: it rests on how often they come alone.

    >>> test = HistoryTest(Criterion(0.5, None), Predictions(np.zeros((20, 1)), prior=[1.0], precision=[9.0]), population=20)
    >>> test.take(range(9), [UnitMean(1.0, 0.0, 1.0, 0.0)] * 9), test.n
    (<Verdict.UNDERSTANDS: 'understands'>, 6)
    """

    def __init__(
        self,
        criterion: Criterion,
        predictions: Predictions,
        *,
        population: int,
        expected: ArrayLike = (),
        whole: bool = True,
    ) -> None:
        super().__init__(criterion, population=population, whole=whole)
        self._least = ResidualTests(criterion.passing_grade, predictions, population=population, expected=expected)
        self._most = self._least
        """Of lower and of upper ends, which are the same as long as all was read."""
        self._by_least = self._by_most = np.empty((0, 2))
        """Log e-values against "at most" and "at least" by what the history leaves unexplained, of units not taken yet."""

    @property
    def predictions(self) -> Predictions:
        """Of the least that units may be worth."""
        return self._least.predictions

    def take(self, places: Sequence[int], values: Sequence[UnitMean]) -> Verdict:
        """Take further units in the order in which they were drawn, by their places in the scope, as `update` does."""
        paths = [self._paths(place, value) for place, value in zip(places, values, strict=True)]
        self._by_least, self._by_most = (np.array(path, dtype=np.float64) for path in zip(*paths, strict=True))
        score, ridiculous, upper, maybe = zip(*values, strict=True)
        return self.update(score, ridiculous, upper=upper, maybe=maybe)

    def _paths(self, place: int, value: UnitMean) -> tuple[tuple[float, float], tuple[float, float]]:
        unread = value.upper > value.score
        if unread and self._most is self._least:
            self._most = deepcopy(self._least)
        by_least = self._least.take(place, value.score, leans=unread)
        return by_least, by_least if self._most is self._least else self._most.take(place, value.upper)

    def _evidence(self, units: Taken) -> LogEvidence:
        score_pass = mixed(self._score_pass.update(units.score, units.upper > units.score), self._by_least[:, 0])
        return self._with_rate(score_pass, mixed(self._score_fail.update(units.upper), self._by_most[:, 1]), units)

    def _left_open(self, units: Taken) -> tuple[Floats, Floats] | None:
        left_open = super()._left_open(units)
        if left_open is None:
            return None
        too_low, high_enough = left_open
        return mixed(too_low, self._by_least[:, 1]), mixed(high_enough, self._by_most[:, 0])


class HistoryInference(Inference):
    """Units drawn each once, looked at after each, with what is known of all of them.

    Intervals are those without it: they cover at level 1 - delta whenever one stops, as before, and are wider than the evidence
    would allow.
    """

    def __init__(self, criterion: Criterion, units: Sequence[Unit], history: History) -> None:
        super().__init__(criterion, len(units))
        self._places = {unit[0].id: place for place, unit in enumerate(units)}
        self._history = history
        self._size = sum(map(len, units))
        self._history_test = HistoryTest(
            criterion,
            history.predictions(units),
            population=len(units),
            expected=history.expected(units),
            whole=all(len(unit) == 1 for unit in units),
        )
        self._test = self._history_test

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> LogEvidence | None:
        """Take a unit; the evidence after it."""
        value = self._keep(unit, mean)
        self._history_test.early = early
        self.verdict = self._history_test.take([self._places[unit[0].id]], [value])
        return self._history_test.log_evidence

    def history(self, candidate: str) -> HistoryUse:
        """What it was, and what became of it."""
        known = self._history.known
        return HistoryUse(
            others=len(self._history.others),
            known=known,
            unknown=self._size - known,
            digest=self._history.digest,
            itself=self._history.holds(candidate),
            belief=self._history_test.predictions.belief,
            explained=self._history_test.predictions.explained,
        )

    def still_needed(self) -> int | None:
        """Further questions until a verdict, by what has been seen and what predictions leave unexplained."""
        needed = super().still_needed()
        return None if needed is None else max(1, round(needed * (1 - self._history_test.predictions.explained)))


@dataclass(frozen=True)
class WithHistory:
    """Units of a list, each once in random order, with what is known of each of them."""

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
        """What grades of units that are drawn so show."""
        return HistoryInference(criterion, self.scope.units, self.known)


def with_history(scope: object, history: History) -> WithHistory:
    """How questions are drawn where their history is known. Raises `BadInput` where it has no place."""
    if not isinstance(scope, ListedScope):
        raise BadInput(NO_LIST)
    return WithHistory(scope, history)
