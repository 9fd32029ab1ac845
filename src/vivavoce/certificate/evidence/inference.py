"""What the grades of units show of a claim: verdict, intervals, estimates, change over time, and the distance to a verdict.

There is one inference for each way of drawing (`design.drawing`) and of looking, and a run (`run`) knows no more of them than
what `Inference` can do. Here are those for questions as a scope draws them: after each unit (`Inference`), or once
(`FixedLook`). Others replace what differs: `evidence.stratified`, `evidence.importance_weighting`, `graders.judge_predictions`,
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
from scipy.special import logsumexp

from vivavoce.certificate.claims.claim import Criterion, Stratum, Verdict
from vivavoce.certificate.design.history import HistoryUse
from vivavoce.certificate.evidence.sequential import (
    SHARPEST,
    AnytimeVerdict,
    LogEvidence,
    SequentialTest,
    UnitValues,
    exact_verdict,
    fixed_verdict,
)
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Unit
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, clopper_pearson_lower, clopper_pearson_upper, kl_lower, kl_upper
from vivavoce.statistics.confidence_sequences import mean_above, mean_below, mean_bounds, rate_bounds
from vivavoce.statistics.exchangeable import change_evidence
from vivavoce.statistics.planning import growth_rate, rate_boundary

T = TypeVar("T", bound=Hashable)
_MOST_IN_A_BYTE: Final = 256


class InternedList(Generic[T]):
    """A list that keeps equal values once, and a byte for each place (four where more than 256 values differ).

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
        """The different values, in the order in which they came."""

    def append(self, value: T) -> None:
        """Add a value at the end."""
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
        """The value at the end, which there must be."""
        return self.distinct[self._places[-1]]

    def column(self, number_of: Callable[[T], float]) -> NDArray[np.float64]:
        """A number for each place, by its value."""
        table = np.array([number_of(value) for value in self.distinct], dtype=np.float64)
        result: NDArray[np.float64] = table[np.array(self._places)]
        return result


STRONG = 20.0
"""An e-value that a fixed candidate reaches with probability 1/20 at most."""
_CERTAIN = 700.0
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ScoreOrder:
    """The evidence that the candidate changed while it was examined; no verdict rests on it."""

    log_e_value: float
    """Natural logarithm of an e-value against "the order of the scores is chance"."""
    units: int
    """Questions or clusters."""
    change_after: int
    """After how many of them a change is likeliest, if there is one."""
    score_before: float
    """Mean score of these."""
    score_since: float
    """Mean score of the others."""
    changed: bool
    """Whether the evidence for a change is strong."""

    @property
    def e_value(self) -> float:
        """Its expectation is at most 1 for a fixed candidate; `STRONG` or more comes once in 20 such examinations at most."""
        return exp(min(self.log_e_value, _CERTAIN))


def score_order(
    scores: ArrayLike, passing_grade: float, *, strata: ArrayLike | None = None, populations: Sequence[int | None] = (None,)
) -> ScoreOrder | None:
    """The evidence in the scores of units, in the order of drawing; None for fewer than two.

    Scores between 0 and 1 are taken as above or below three levels that are fixed beforehand: full marks, the passing grade,
    anything at all. The e-value is the mean of the three e-values, so one itself (`statistics.exchangeable`).

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
    log_e = max(-_CERTAIN, min(_CERTAIN, float(logsumexp([change.log_e for change in rows]) - log(len(rows)))))
    return ScoreOrder(
        log_e_value=log_e,
        units=values.size,
        change_after=after,
        score_before=float(values[:after].mean()),
        score_since=float(values[after:].mean()),
        changed=log_e >= log(STRONG),
    )


ALIKE: Final = 1 + 1e-9
"""Up to here the heaviest unit counts no more than the others."""
_MOST_EVENTS = 30
"""With more unacceptable answers than this the estimate is not worth working out."""
_LEAST_GROWTH = 1e-16
"""Per unit; a sum of logarithms of bets has no smaller one."""


class Inference:
    """Units as a scope draws them, looked at after each.

    Parameters
    ----------
    criterion: what counts as understanding, and delta.
    population: number of units if they are drawn without replacement; None if they are i.i.d.
    """

    largest_weight: float | None = None
    """How many times its share the heaviest unit counts; None where questions are drawn by their weights."""
    looked = False
    """Whether the one look was taken; False where the evidence is checked after every unit."""
    can_fork = True
    """Whether a copy can take the same units with other grades."""

    def __init__(self, criterion: Criterion, population: int | None) -> None:
        self.criterion = criterion
        self.required = criterion
        """What is required of the values that are tested."""
        self.population = population
        self.verdict = Verdict.UNDECIDED
        self._test: AnytimeVerdict | None = None
        self._values = InternedList[tuple[UnitMean, float]]()
        """What each unit counts, and its mean score."""
        self._questions = 0

    @property
    def units(self) -> UnitValues:
        """What the units earned, as it is tested."""
        return UnitValues(*map(self._column, UnitMean._fields))

    @property
    def over(self) -> bool:
        """Whether further units change nothing: there is a verdict, or unparsed replies that prevent any."""
        return self.verdict is not Verdict.UNDECIDED or (self._test is not None and self._test.over)

    @property
    def complete(self) -> bool:
        """Whether all of a finite scope has been asked."""
        return 0 < len(self._values) == self.population

    @property
    def range_of_read(self) -> bool:
        """Whether an estimate may be a range although every reply could be read, and is one for this reason."""
        return False

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """The result in each stratum; empty if there are none."""
        return ()

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> LogEvidence | None:
        """Take a unit; the evidence after it, or None if there is only one look.

        early: whether it is too early for "pass".
        """
        value = self._keep(unit, mean)
        if self._test is None:
            self._test = self._first_test(unit)
        assert isinstance(self._test, SequentialTest)
        self._test.early = early
        self.verdict = self._test.update(value.score, value.unacceptable, upper=value.upper, maybe=value.maybe)
        return self._test.log_evidence

    def conclude(self) -> None:
        """Look, where that is done once, after the last unit."""

    def estimates(self) -> UnitMean | None:
        """Mean score and unacceptable rate, the least and the most that they may be; None where nothing was asked."""
        return UnitMean(*(float(self._column(end).mean()) for end in UnitMean._fields)) if len(self._values) else None

    def intervals(self) -> tuple[Bounds, Bounds]:
        """For the mean score and the unacceptable rate, each at level 1 - delta: from the lower ends' to the upper ends'."""
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
        """What each unit counts at this end, a field of `UnitMean`."""
        return self._values.column(lambda value: float(getattr(value[0], end)))

    def still_needed(self) -> int | None:
        """Further questions until a verdict, by what has been seen; None if that is unknown."""
        if self._test is not None and self._test.over:
            return None
        units = self.units
        needed = still_needed(units.score, units.upper, units.maybe, self.required, population=self.population)
        return None if needed is None else round(needed * self._questions / units.score.size)

    def why_not(self, limit: int | None) -> str:
        """Why there is no verdict, in a clause, where that lies in how questions are drawn or looked at; `limit`: of them."""
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
        """What a unit counts."""
        return mean

    def _first_test(self, unit: Unit) -> SequentialTest:
        # units that are drawn without replacement are all of one size, so that the first tells
        return SequentialTest(self.required, population=self.population, whole=len(unit) == 1)

    def _bounds(self, scores: Floats, unacceptable: Floats) -> tuple[Bounds, Bounds]:
        """For values that are known.

        Those by likelihoods hold for the ends of what is not: at every number of questions they rise with the count of events.
        """
        delta, population, n = self.criterion.delta, self.population, scores.size
        score = self._score_bounds(scores)
        if population is not None and self._questions > n:
            return score, mean_bounds(unacceptable, delta, population=population)
        limit = self.criterion.unacceptable_limit or SHARPEST
        return score, rate_bounds(float(unacceptable.sum()), n, delta, limit=limit, population=population)

    def _score_bounds(self, scores: Floats) -> Bounds:
        return mean_bounds(scores, self.criterion.delta, population=self.population)


class FixedLook(Inference):
    """One look after a fixed number of units: Procedure 4.1 of `leytonbrown2024` (see `evidence.sequential`).

    For any grader: Theorem 1 is on any values in [0, 1] with the mean sought, each given those before it, and needs one look,
    after a number of units that does not depend on them. So there is no look if the grades ended before that.
    """

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> LogEvidence | None:
        """Take a unit."""
        self._keep(unit, mean)
        return None

    def conclude(self) -> None:
        """Look, if there is something to judge by."""
        means = Inference.estimates(self)
        self.looked = means is not None
        if means is not None:
            self.verdict = self._look(means, len(self._values))

    def still_needed(self) -> int | None:
        """None: it looks once, there is no more to come."""
        return None

    def why_not(self, limit: int | None) -> str:
        """That the bounds allow either verdict."""
        return "the bounds after the fixed number of questions allow either verdict"

    def _look(self, mean: UnitMean, n: int) -> Verdict:
        if n == self.population:
            return exact_verdict(mean.score, mean.unacceptable, self.required, upper=mean.upper, maybe=mean.maybe)
        return fixed_verdict(mean.score, mean.unacceptable, n, self.required, upper=mean.upper, maybe=mean.maybe)

    def _bounds(self, scores: Floats, unacceptable: Floats) -> tuple[Bounds, Bounds]:
        if self._questions > scores.size:  # a cluster's share of unacceptable answers is no count
            return self._by_chernoff(scores), self._by_chernoff(unacceptable)
        events, n, delta = round(float(unacceptable.sum())), scores.size, self.criterion.delta / 2
        return self._by_chernoff(scores), Bounds(
            clopper_pearson_lower(events, n, delta), clopper_pearson_upper(events, n, delta)
        )

    def _by_chernoff(self, values: Floats) -> Bounds:
        mean, delta = float(values.mean()), self.criterion.delta / 2
        return Bounds(kl_lower(mean, values.size, delta), kl_upper(mean, values.size, delta))


def still_needed(
    scores: Floats, upper: Floats, unacceptable: Floats, criterion: Criterion, *, population: int | None
) -> int | None:
    """Further units until a verdict if all goes on as it has, and no further answer is unacceptable; None: unknown.

    upper: the most that each score may be. If the grade lies between their means, the number is unknown.
    An estimate, and for the unacceptable limit an optimistic one. A finite scope is through when all has been asked.
    """
    if scores.size < 2:
        return None
    if scores.mean() > criterion.passing_grade:
        needed = _for_passing(scores, unacceptable, criterion)
    else:
        needed = _for_failing(upper, criterion) if upper.mean() <= criterion.passing_grade else None
    left = None if population is None else population - scores.size
    return left if needed is None or (left is not None and needed > left) else max(1, needed)


def _for_passing(scores: Floats, unacceptable: Floats, criterion: Criterion) -> int | None:
    threshold = -log(criterion.delta)
    distinct, counts = np.unique(scores, return_counts=True)
    growth = growth_rate(distinct, counts / scores.size, criterion.passing_grade)
    reached = float(mean_above(criterion.passing_grade).after(distinct, counts))
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
    halved = 0.0 if criterion.unacceptable_limit is None else log(2)
    return _units(halved - log(criterion.delta) - reached, growth)


def _units(missing: float, growth: float) -> int | None:
    """How many units of this growth; None where rounding leaves none, as where the mean is all but the grade itself."""
    return ceil(max(0.0, missing) / growth) if growth > _LEAST_GROWTH else None
