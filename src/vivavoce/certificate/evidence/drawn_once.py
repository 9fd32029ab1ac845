"""Inference for units drawn once each, in random order: weighted ones, and with bets on their history.

The bets on a history are those of `statistics.predictions`. Weights are as follows. Drawn by weight (the default), every answer
counts the same, but draws repeat and the scope is never exhausted. Drawn evenly, a unit with the share d of the weight among U
units counts w = d U. The bets are on z = w x in [0, W], where W is the largest w. Divided by W it is a value in [0, 1] with
mean s / W, drawn without replacement (importance weights with a cap). A clean answer then says W times less about the rate of
unacceptable answers: about W ln(1/delta) / limit of them are needed. Never under-sample a region that could hold unacceptable
answers.

Verdicts and intervals rest on the mean of w x. The estimates are the means of x by weight, sum of w x over sum of w (Hájek), so
that they are 1 where every answer is right; one that lies outside its interval is taken to its nearest end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import ClassVar, Final

import numpy as np

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.config import Procedure
from vivavoce.certificate.design.history import NO_LIST, PRECISION, History, HistoryUse, means_of_others, share_of_others
from vivavoce.certificate.evidence.inference import ALIKE, FixedLook, Inference, InternedList
from vivavoce.certificate.evidence.sequential import LogEvidence, SequentialTest, UnitValues
from vivavoce.errors import BadInput
from vivavoce.interview.scope import Grade
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Unit
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.confidence_sequences import BETS_ON_A_MEAN, mean_bounds, rate_below
from vivavoce.statistics.predictions import Predictions, ResidualTests, mixed, shares_of


@dataclass(frozen=True, slots=True)
class ImportanceWeighting:
    """The weights of a scope's units that are drawn evenly."""

    name: ClassVar[str] = "evenly"
    """In the terms of an attempt."""
    units: tuple[Unit, ...]
    total: float
    largest: float
    """W: the weight of the heaviest unit, as a multiple of its share; at least 1."""

    def share(self, unit: Unit) -> float:
        """w / W, in (0, 1]."""
        return min(1.0, _weight(unit) * self.population / self.total / self.largest)

    @property
    def alike(self) -> bool:
        """Whether all units have the same weight."""
        return self.largest <= ALIKE

    def shares(self) -> tuple[float, ...]:
        """The share of each unit in the total weight, the largest first."""
        return tuple(sorted((_weight(unit) / self.total for unit in self.units), reverse=True))

    def scaled(self, criterion: Criterion) -> Criterion:
        """The criterion for values divided by W."""
        limit = criterion.unacceptable_limit
        return Criterion(
            criterion.passing_grade / self.largest, None if limit is None else limit / self.largest, criterion.delta
        )

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Each unit once, in random order."""
        return (self.units[i] for i in rng.permutation(self.population))

    def bounds(self, values: Floats, delta: float) -> Bounds:
        """Confidence sequence for the mean of values that were divided by W."""
        scaled = mean_bounds(values, delta, population=self.population)
        return Bounds(min(1.0, scaled.lower * self.largest), min(1.0, scaled.upper * self.largest))

    def inference(self, criterion: Criterion, procedure: Procedure = "sequential") -> Inference:
        """Inference from the grades of units drawn in this way."""
        return WeightedLook(criterion, self) if procedure == "fixed" else WeightedInference(criterion, self)

    @property
    def settings(self) -> dict[str, object]:
        """For a finding's signature."""
        return {"evenly": True}

    @property
    def population(self) -> int:
        """How many units there are; each is drawn once."""
        return len(self.units)

    def fewest_clean(self, criterion: Criterion) -> int | None:
        """The fewest answers, all acceptable, after which the rate can be shown to be small enough.

        With clusters, the smallest ones are assumed. None if the rate has no limit.
        """
        limit = self.scaled(criterion).unacceptable_limit
        if limit is None:
            return None
        test = rate_below(limit, population=self.population, whole=False)
        enough = np.flatnonzero(test.update(np.zeros(self.population)) >= -np.log(criterion.delta))
        units = int(enough[0]) + 1 if enough.size else self.population
        return sum(sorted(map(len, self.units))[:units])

    def cost_estimate(self, criterion: Criterion, questions: int | None) -> tuple[str, ...]:
        """A notice on the cost of the weights, before anything is asked; `questions`: the most questions."""
        clean, size = self.fewest_clean(criterion), sum(map(len, self.units))
        if clean is None:
            return ()
        heaviest, least = ("question", "") if size == self.population else ("cluster", "at least ")
        sentence = (
            f"The heaviest {heaviest} counts {self.largest:.3g} times its share: to show that unacceptable answers are rare "
            f"enough takes {least}{clean} answers without one, of {size}."
        )
        if questions is None or clean <= questions:
            return (sentence,)
        return sentence, f"Within {questions} questions no pass is possible."


def importance_weighting_of(scope: object) -> ImportanceWeighting:
    """The weights of a listed scope; raises `BadInput` for one without an end.

    >>> from vivavoce.scopes.questions import Question, Unit
    >>> questions = tuple(Question(f"{n}", f"{n}?", accepted=("1",), weight=n) for n in (3.0, 1.0))
    >>> w = importance_weighting_of(ListedScope("two", questions))
    >>> w.largest, w.share(w.units[1])
    (1.5, 0.3333333333333333)
    """
    if not isinstance(scope, ListedScope):
        raise BadInput("an endless scope has no weights: take a file of questions")
    heaviest = max(map(_weight, scope.units))
    total = fsum(_weight(unit) / heaviest for unit in scope.units) * heaviest
    return ImportanceWeighting(scope.units, total, heaviest * len(scope.units) / total)


def _weight(unit: Unit) -> float:
    return fsum(question.weight for question in unit)


class WeightedUnits(Inference):
    """Units that are drawn evenly, each once, and counted by their weights."""

    def __init__(self, criterion: Criterion, weights: ImportanceWeighting) -> None:
        super().__init__(criterion, weights.population)
        self._weights = weights
        self.required = weights.scaled(criterion)
        self.largest_weight = weights.largest
        self._shares = InternedList[float]()
        """`ImportanceWeighting.share` of the units that were taken."""

    def estimates(self) -> UnitMean | None:
        """Mean score and unacceptable rate by weight; None if nothing was asked."""
        if not len(self._shares):
            return None
        intervals, asked = self.intervals(), float(self._shares.column(float).sum())
        ends = zip(self.units, (*intervals, *intervals), strict=True)  # score and rate at the least, and at the most
        return UnitMean(*(min(max(float(counted.sum()) / asked, bounds.lower), bounds.upper) for counted, bounds in ends))

    def _valued(self, unit: Unit, mean: UnitMean) -> UnitMean:
        share = self._weights.share(unit)
        self._shares.append(share)
        return UnitMean(*(value * share for value in mean))


class WeightedInference(WeightedUnits):
    """Units drawn evenly, each once, and counted by their weights; looked at after each."""

    def why_not(self, limit: int | None) -> str:
        """A clause that says that the limit left too few clean answers for a verdict."""
        clean = self._weights.fewest_clean(self.criterion)
        if limit is None or clean is None or clean <= limit:
            return ""
        return f"with these weights not even {clean - 1} clean answers show that unacceptable ones are rare enough"

    def _first_test(self, unit: Unit) -> SequentialTest:
        # weights make fractions
        return SequentialTest(self.required, population=self.population, whole=False, partial_credit=self.partial_credit)

    def _bounds(self, scores: Floats, unacceptable: Floats) -> tuple[Bounds, Bounds]:
        delta = self.criterion.delta
        return self._weights.bounds(scores, delta), self._weights.bounds(unacceptable, delta)


class WeightedLook(WeightedUnits, FixedLook):
    """One look at units that were drawn evenly and count by their weights, after a number of them that was fixed in advance.

    Why it errs at most delta: the values z = w x / W lie in [0, 1], are drawn without replacement, and their mean over the
    scope is s / W. For the sum of n of them E exp(c S) is at most what it is for as many independent draws (Hoeffding
    1963, theorem 4), which Chernoff's bound needs and `bounds.kl_lower` inverts. So `FixedLook` holds of z with the grade and
    the limit divided by W.
    """

    def _bounds(self, scores: Floats, unacceptable: Floats) -> tuple[Bounds, Bounds]:
        largest = self._weights.largest
        score, rate = (self._by_chernoff(values) for values in (scores, unacceptable))
        return (
            Bounds(min(1.0, score.lower * largest), min(1.0, score.upper * largest)),
            Bounds(min(1.0, rate.lower * largest), min(1.0, rate.upper * largest)),
        )


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
