"""Inference from grades: verdict, intervals, estimates, change over time, and questions still needed.

There is one inference for each way of drawing (`design.drawing`) and of checking; a run (`run`) uses only the methods of
`Inference`. This module has those for questions as a scope draws them: checked after each unit (`Inference`), or once
(`FixedLook`). Subclasses are in `evidence.stratified`, `evidence.drawn_once`, `graders.judge` and
`explanations.known`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil, exp, log
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.certificate.claims.claim import Criterion, Stratum, Verdict
from vivavoce.certificate.design.history import HistoryUse
from vivavoce.certificate.evidence import sequential
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Unit
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, clopper_pearson_lower, clopper_pearson_upper, kl_lower, kl_upper
from vivavoce.statistics.confidence_sequences import (
    growth_rate,
    mean_below,
    mean_bounds,
    mean_passes,
    rate_boundary,
    rate_bounds,
)
from vivavoce.statistics.exchangeable import change_evidence

T = TypeVar("T", bound=Hashable)
_MOST_IN_A_BYTE: Final = 256


class InternedList(Generic[T]):
    """A list that stores equal values once, and a byte for each item (four if more than 256 values differ).

    >>> grades = InternedList[float]()
    >>> for grade in (1.0, 0.0, 1.0):
    ...     grades.append(grade)
    >>> list(grades), grades.distinct, len(grades)
    ([1.0, 0.0, 1.0], [1.0, 0.0], 3)
    """

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}
        self._places = array("B")
        self.distinct: list[T] = []
        """The distinct values, in order of arrival."""

    def append(self, value: T) -> None:
        """Append a value."""
        number = self._numbers.setdefault(value, len(self.distinct))
        if number == len(self.distinct):
            self.distinct.append(value)
            if number == _MOST_IN_A_BYTE:
                self._places = array("I", self._places)
        self._places.append(number)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[T]:
        return map(self.distinct.__getitem__, self._places)

    def last(self) -> T:
        """The last value of a non-empty list."""
        return self.distinct[self._places[-1]]

    def column(self, number_of: Callable[[T], float]) -> NDArray[np.float64]:
        """A number for each place, by its value."""
        (column,) = self.columns(lambda value: (number_of(value),), 1)
        result: NDArray[np.float64] = column
        return result

    def columns(self, numbers_of: Callable[[T], Sequence[float]], count: int) -> NDArray[np.float64]:
        """So many numbers for each place, by its value: shape (count, n)."""
        table = np.array([numbers_of(value) for value in self.distinct], dtype=np.float64).reshape(-1, count)
        result: NDArray[np.float64] = table.T[:, np.array(self._places, dtype=np.intp)]
        return result


STRONG = 20.0
"""An e-value that a fixed candidate reaches with probability at most 1/20."""
_CERTAIN = 700.0
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ScoreOrder:
    """Evidence that the candidate changed during the examination; no verdict rests on it."""

    log_e_value: float
    """Natural logarithm of an e-value against "the order of the scores is chance"."""
    units: int
    """Questions or clusters."""
    change_after: int
    """The likeliest number of units before a change, if there is one."""
    score_before: float
    """Mean score of these."""
    score_since: float
    """Mean score of the others."""
    changed: bool
    """Whether the evidence for a change is strong."""

    @property
    def e_value(self) -> float:
        """Its expectation is at most 1 for a fixed candidate; it is `STRONG` or more in at most 1 of 20 such examinations."""
        return exp(min(self.log_e_value, _CERTAIN))


def score_order(
    scores: ArrayLike, passing_grade: float, *, strata: ArrayLike | None = None, populations: Sequence[int | None] = (None,)
) -> ScoreOrder | None:
    """The evidence in the scores of units, in the order of drawing; None for fewer than two.

    Scores are compared with three levels that are fixed beforehand: full marks, the passing grade, anything above 0. The mean
    of the three e-values is itself an e-value (`statistics.exchangeable`).

    >>> order = score_order([1.0] * 60 + [0.0] * 6, 0.7)
    >>> order.changed, order.change_after, order.score_before, order.score_since
    (True, 60, 1.0, 0.0)
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.size < 2:
        return None
    levels = (values >= 1 - _ROUNDING, values >= passing_grade - _ROUNDING, values > _ROUNDING)
    rows = [change_evidence(level, strata=strata, populations=populations) for level in levels]
    after = max(rows).after
    log_e = max(-_CERTAIN, min(_CERTAIN, float(np.logaddexp.reduce([change.log_e for change in rows])) - log(len(rows))))
    return ScoreOrder(
        log_e_value=log_e,
        units=values.size,
        change_after=after,
        score_before=float(values[:after].mean()),
        score_since=float(values[after:].mean()),
        changed=log_e >= log(STRONG),
    )


ALIKE: Final = 1 + 1e-9
"""Up to this weight the heaviest unit counts the same as the others."""
_MOST_EVENTS = 30
"""With more unacceptable answers than this, there is no estimate."""
_LEAST_GROWTH = 1e-16
"""Rounding error per unit in sums of logarithms of bets."""


class Inference:
    """Inference on units as a scope draws them, checked after each.

    Parameters
    ----------
    criterion: what counts as understanding, and delta.
    population: number of units if they are drawn without replacement; None if they are i.i.d.
    """

    largest_weight: float | None = None
    """How many times its share the heaviest unit counts; None if questions are drawn by their weights."""
    looked = False
    """Whether the fixed look was taken; False if the evidence is checked after every unit."""
    can_fork = True
    """Whether a copy can take the same units with other grades."""

    def __init__(self, criterion: Criterion, population: int | None) -> None:
        self.criterion = criterion
        self.required = criterion
        """The criterion for the tested values."""
        self.population = population
        self.partial_credit = False
        """Whether scores between 0 and 1 are expected; to be set before the first unit, for other bets on the score."""
        self.verdict = Verdict.UNDECIDED
        self._test: sequential.AnytimeVerdict | None = None
        self._values = InternedList[tuple[UnitMean, float]]()
        """The values of each unit for the test, and its mean score."""
        self._questions = 0

    @property
    def units(self) -> sequential.UnitValues:
        """The values of the units for the test."""
        return sequential.UnitValues(*map(self._column, UnitMean._fields))

    @property
    def over(self) -> bool:
        """Whether further units change nothing: there is a verdict, or unparsed replies prevent one."""
        return self.verdict is not Verdict.UNDECIDED or (self._test is not None and self._test.over)

    @property
    def complete(self) -> bool:
        """Whether all of a finite scope has been asked."""
        return 0 < len(self._values) == self.population

    @property
    def range_of_read(self) -> bool:
        """Whether an estimate is a range although every reply was parsed."""
        return False

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """The result in each stratum; empty if there are none."""
        return ()

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> sequential.LogEvidence | None:
        """Take a unit; returns the evidence after it, or None if there is only one look.

        early: whether it is too early for "pass".
        """
        value = self._keep(unit, mean)
        if self._test is None:
            self._test = self._first_test(unit)
        assert isinstance(self._test, sequential.SequentialTest)
        self._test.early = early
        self.verdict = self._test.update(value.score, value.unacceptable, upper=value.upper, maybe=value.maybe)
        return self._test.log_evidence

    def conclude(self) -> None:
        """Take the one look after the last unit, if there is only one."""

    def estimates(self) -> UnitMean | None:
        """The ranges of mean score and unacceptable rate; None if nothing was asked."""
        return UnitMean(*(float(self._column(end).mean()) for end in UnitMean._fields)) if len(self._values) else None

    def intervals(self) -> tuple[Bounds, Bounds]:
        """Intervals for the mean score and the unacceptable rate, each at level 1 - delta, covering lower and upper ends."""
        if not len(self._values):
            return Bounds(0.0, 1.0), Bounds(0.0, 1.0)
        unread = any(value[:2] != value[2:] for value, _ in self._values.distinct)
        least = self._bounds(self._column("score"), self._column("unacceptable"))
        most = self._bounds(self._column("upper"), self._column("maybe")) if unread else least
        score, rate = (Bounds(low.lower, high.upper) for low, high in zip(least, most, strict=True))
        return score, rate

    def order(self) -> ScoreOrder | None:
        """Whether the scores came in random order."""
        return score_order(self._scores, self.criterion.passing_grade, populations=(self.population,))

    @property
    def _scores(self) -> Floats:
        return self._values.column(lambda value: value[1])

    def _column(self, end: str) -> Floats:
        """The contribution of each unit at this end, a field of `UnitMean`."""
        return self._values.column(lambda value: float(getattr(value[0], end)))

    def still_needed(self) -> int | None:
        """Estimated further questions until a verdict; None if unknown."""
        if self._test is not None and self._test.over:
            return None
        units = self.units
        needed = still_needed(
            units.score,
            units.upper,
            units.maybe,
            self.required,
            population=self.population,
            partial_credit=self.partial_credit,
        )
        return None if needed is None else round(needed * self._questions / units.score.size)

    def why_not(self, limit: int | None) -> str:
        """A clause on why drawing or checking gave no verdict; `limit`: the most questions."""
        return ""

    def history(self, candidate: str) -> HistoryUse | None:
        """The history of the questions; None without one."""
        return None

    def _keep(self, unit: Unit, mean: UnitMean) -> UnitMean:
        self._questions += len(unit)
        value = self._valued(unit, mean)
        self._values.append((value, mean.score))
        return value

    def _valued(self, unit: Unit, mean: UnitMean) -> UnitMean:
        return mean

    def _first_test(self, unit: Unit) -> sequential.SequentialTest:
        # units drawn without replacement all have the size of the first
        whole, partial = len(unit) == 1, self.partial_credit
        return sequential.SequentialTest(self.required, population=self.population, whole=whole, partial_credit=partial)

    def _bounds(self, scores: Floats, unacceptable: Floats) -> tuple[Bounds, Bounds]:
        """For values that are known.

        Likelihood intervals also hold for the ends of unknown values: at every number of questions they rise with the count of
        events.
        """
        delta, population, n = self.criterion.delta, self.population, scores.size
        score = self._score_bounds(scores)
        if population is not None and self._questions > n:
            return score, mean_bounds(unacceptable, delta, population=population)
        limit = self.criterion.unacceptable_limit or sequential.SHARPEST
        return score, rate_bounds(float(unacceptable.sum()), n, delta, limit=limit, population=population)

    def _score_bounds(self, scores: Floats) -> Bounds:
        return mean_bounds(scores, self.criterion.delta, population=self.population)


class FixedLook(Inference):
    """One look after a fixed number of units: Procedure 4.1 of `leytonbrown2024` (see `evidence.sequential`).

    It is valid for any grader: Theorem 1 needs values in [0, 1] with the right mean given those before, and one look after a
    number of units that does not depend on them. So there is no look if the grades end earlier.
    """

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> sequential.LogEvidence | None:
        """Take a unit."""
        self._keep(unit, mean)
        return None

    def conclude(self) -> None:
        """Take the look, if there are any units."""
        means = Inference.estimates(self)
        self.looked = means is not None
        if means is not None:
            self.verdict = self._look(means, len(self._values))

    def still_needed(self) -> int | None:
        """None: it checks only once."""
        return None

    def why_not(self, limit: int | None) -> str:
        """A clause that says that the bounds allow either verdict."""
        return "the bounds after the fixed number of questions allow either verdict"

    def _look(self, mean: UnitMean, n: int) -> Verdict:
        if n == self.population:
            return sequential.exact_verdict(mean.score, mean.unacceptable, self.required, upper=mean.upper, maybe=mean.maybe)
        return sequential.fixed_verdict(mean.score, mean.unacceptable, n, self.required, upper=mean.upper, maybe=mean.maybe)

    def _bounds(self, scores: Floats, unacceptable: Floats) -> tuple[Bounds, Bounds]:
        if self._questions > scores.size:  # a cluster's share of unacceptable answers is not a count
            return self._by_chernoff(scores), self._by_chernoff(unacceptable)
        events, n, delta = round(float(unacceptable.sum())), scores.size, self.criterion.delta / 2
        return self._by_chernoff(scores), Bounds(
            clopper_pearson_lower(events, n, delta), clopper_pearson_upper(events, n, delta)
        )

    def _by_chernoff(self, values: Floats) -> Bounds:
        mean, delta = float(values.mean()), self.criterion.delta / 2
        return Bounds(kl_lower(mean, values.size, delta), kl_upper(mean, values.size, delta))


def still_needed(
    scores: Floats,
    upper: Floats,
    unacceptable: Floats,
    criterion: Criterion,
    *,
    population: int | None,
    partial_credit: bool = False,
) -> int | None:
    """Further units until a verdict if the trend continues and no further answer is unacceptable; None: unknown.

    upper: the most that each score may be. If the grade lies between their means, the number is unknown.
    It is an estimate, and optimistic for the unacceptable limit. A finite scope ends when all its questions have been asked.
    """
    if scores.size < 2:
        return None
    if scores.mean() > criterion.passing_grade:
        needed = _for_passing(scores, unacceptable, criterion, partial_credit)
    else:
        needed = _for_failing(upper, criterion) if upper.mean() <= criterion.passing_grade else None
    left = None if population is None else population - scores.size
    return left if needed is None or (left is not None and needed > left) else max(1, needed)


def _for_passing(scores: Floats, unacceptable: Floats, criterion: Criterion, partial_credit: bool) -> int | None:
    threshold = -log(criterion.delta)
    distinct, counts = np.unique(scores, return_counts=True)
    growth = growth_rate(distinct, counts / scores.size, criterion.passing_grade)
    reached = float(mean_passes(criterion.passing_grade, partial_credit=partial_credit).after(distinct, counts))
    needed = _units(threshold - reached, growth)
    limit, events = criterion.unacceptable_limit, ceil(float(unacceptable.sum()) - 1e-9)
    if limit is None or needed is None:
        return needed
    if events > _MOST_EVENTS or events / scores.size > limit * 10:
        return None
    return max(needed, next(islice(rate_boundary(limit, criterion.delta), events, None)) - scores.size)


def _for_failing(scores: Floats, criterion: Criterion) -> int | None:
    distinct, counts = np.unique(scores, return_counts=True)
    growth = growth_rate(1 - distinct, counts / scores.size, 1 - criterion.passing_grade)
    reached = float(mean_below(criterion.passing_grade).after(distinct, counts))
    share = 1.0 if criterion.unacceptable_limit is None else sequential.SCORE_SHARE
    return _units(-log(share * criterion.delta) - reached, growth)


def _units(missing: float, growth: float) -> int | None:
    """How many units of this growth; None if rounding leaves none, as where the mean is all but the grade itself."""
    return ceil(max(0.0, missing) / growth) if growth > _LEAST_GROWTH else None
