"""Inference with explanations: parts of a finite scope that are known exactly, and Procedure 5.1 of `leytonbrown2024`.

A system's answers to that part are those of this one run, before the first draw, even if a procedure would answer differently
another time. A procedure that failed or was ended gave a wrong answer. So with N the weight of the scope, K the weight of the
part and S its sum of scores, the mean of the whole reaches the passing grade g if and only if the mean of the rest reaches (N g
- S) / (N - K), and the same for the limit of unacceptable answers. The rest is a fixed population, chosen independently of any
  answer that the test sees. Only the rest is drawn, so the test on it has the usual error (`evidence.sequential`), with all of
  its delta.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log
from typing import Final, Literal

import numpy as np

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.inference import FixedLook, Inference
from vivavoce.certificate.evidence.sequential import LogEvidence, SequentialTest, UnitValues, exact_verdict
from vivavoce.certificate.explanations.procedures import Procedure, RuledDraws, RuledUnit, rulings, with_procedure
from vivavoce.certificate.explanations.sandbox.sandbox import SandboxEnded
from vivavoce.errors import BadInput
from vivavoce.interview.scope import Scope
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope
from vivavoce.scopes.questions import Question, Unit
from vivavoce.scopes.score import UnitMean, as_wrong, unit_mean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds, kl_lower, kl_upper

_EDGE = 1e-9
_DRAWN_AT_ONCE = 1024


@dataclass(frozen=True, slots=True)
class EnumeratedUnits:
    """The part of a finite scope that is known exactly before the first question: the units that procedures cover wholly.

    The others are drawn as a population of their own, and judged by what the whole requires of them.
    """

    units: int
    """Number of units of the scope."""
    left: tuple[RuledUnit, ...]
    """Indices of the units with a question to the candidate."""
    score: float
    """The sum over the units that are known, each times its weight."""
    unacceptable: float
    weight: float
    """Weight of the known units."""
    questions: int
    """Questions of the known units."""
    answered: Mapping[int, int]
    """The number of these that each procedure answered, by its number from 0."""
    weights: tuple[float, ...]
    """Weights of the remaining units."""
    each_once: bool
    """Whether units, which all weigh 1 then, are drawn once, in the order of `left`; else draws are i.i.d. by weight."""

    @property
    def rest(self) -> float:
        """The weight of the units that are left."""
        return fsum(self.weights)

    @property
    def total(self) -> float:
        """The weight of all units."""
        return self.weight + self.rest

    @property
    def share(self) -> float:
        """The known part of the whole."""
        return self.weight / self.total

    @property
    def population(self) -> int | None:
        """How many units are drawn from, if each is drawn once."""
        return len(self.left) if self.each_once else None

    def required(self, whole: Criterion) -> tuple[float, float | None]:
        """The required mean score and limit of unacceptable answers for the rest; outside [0, 1] if certain."""
        limit = whole.unacceptable_limit
        grade = (self.total * whole.passing_grade - self.score) / self.rest
        return grade, None if limit is None else (self.total * limit - self.unacceptable) / self.rest

    def criterion(self, whole: Criterion, delta: float) -> Criterion:
        """The criterion for the remaining units, so that the whole meets the criterion."""
        grade, limit = self.required(whole)
        if limit is not None:
            limit = None if limit >= 1 else max(_EDGE, limit)
        return Criterion(min(1 - _EDGE, max(_EDGE, grade)), limit, delta)

    def certain(self, whole: Criterion) -> Verdict:
        """The verdict that holds whatever the candidate answers to the rest; undecided where that depends."""
        grade, limit = self.required(whole)
        if grade > 1 + _EDGE or (limit is not None and limit < -_EDGE):
            return Verdict.FAIL
        return Verdict.PASS if grade <= _EDGE and (limit is None or limit >= 1) else Verdict.UNDECIDED

    def test(self, whole: Criterion, delta: float) -> SequentialTest:
        """The test on the remaining units; only of unacceptable answers if the grade is certain."""
        kind = RateAlone if self.required(whole)[0] <= _EDGE else SequentialTest
        one_each = all(len(drawn.unit) == 1 for drawn in self.left)
        return kind(self.criterion(whole, delta), population=self.population, whole=one_each)

    def draw(self, rng: np.random.Generator) -> Iterator[RuledUnit]:
        """The units that are left: each once, or forever where they are drawn by weight."""
        if self.each_once or not self.left:
            yield from self.left
            return
        shares = np.array(self.weights) / self.rest
        while True:
            yield from (self.left[i] for i in rng.choice(len(self.left), size=_DRAWN_AT_ONCE, p=shares))

    def score_of_all(self, mean: float) -> float:
        """The mean score of the whole, from the mean of the remaining units."""
        return (self.score + self.rest * mean) / self.total

    def rate_of_all(self, rate: float) -> float:
        """The same for unacceptable answers."""
        return (self.unacceptable + self.rest * rate) / self.total


class KnownInference(Inference):
    """Inference on a finite scope's units that procedures leave open, with the known results of the others."""

    def __init__(self, criterion: Criterion, known: EnumeratedUnits, population: int | None) -> None:
        super().__init__(criterion, known.population if known.left else population)
        self.known = known
        if known.left:
            self.required = known.criterion(criterion, criterion.delta)
            self._test, self.verdict = known.test(criterion, criterion.delta), known.certain(criterion)
        else:
            self.verdict = exact_verdict(known.score_of_all(0.0), known.rate_of_all(0.0), criterion)

    @property
    def complete(self) -> bool:
        """Whether all that no procedure answers has been asked, if anything had to be."""
        return super().complete or not self.known.left

    def estimates(self) -> UnitMean | None:
        """Estimates for the whole scope; None if nothing was asked although something had to be."""
        rest, known = super().estimates(), self.known
        if rest is None:
            if known.left:
                return None
            rest = UnitMean(0.0, 0.0, 0.0, 0.0)
        return UnitMean(
            known.score_of_all(rest.score),
            known.rate_of_all(rest.unacceptable),
            known.score_of_all(rest.upper),
            known.rate_of_all(rest.maybe),
        )

    def intervals(self) -> tuple[Bounds, Bounds]:
        """Intervals for the whole scope."""
        score, rate = super().intervals()
        return Bounds(*map(self.known.score_of_all, score)), Bounds(*map(self.known.rate_of_all, rate))


class RateAlone(SequentialTest):
    """For a population without a required score: only unacceptable answers can fail it, with all of delta."""

    def _evidence(self, units: UnitValues) -> LogEvidence:
        assert self._rate_pass is not None
        assert self._rate_fail is not None
        enough = np.full(units.score.size, -log(self.criterion.delta))
        return LogEvidence(enough, self._rate_pass.update(units.maybe), self._rate_fail.update(units.unacceptable))

    def _left_open(self, units: UnitValues) -> tuple[Floats, Floats] | None:
        return None


class WholeScopeDraws(RuledDraws):
    """A finite scope with all rulings of the procedures, so nothing is run again to draw a unit.

    It draws the units that the initial procedures leave open. An added procedure is run on all units at once; those that it
    covers are still drawn, for the initial system. Blocks, and raises `SandboxEnded` if the CPU time of all programs runs out.
    """

    def __init__(
        self,
        scope: Scope[Question],
        units: Sequence[Unit],
        weights: Sequence[float],
        procedures: Sequence[Procedure],
        rng: np.random.Generator,
    ) -> None:
        super().__init__(iter(()), procedures)
        self._scope, self._weights, self._rng = scope, weights, rng
        self._all = rulings(units, procedures)
        self._of_the_beginning = self.known = from_rulings(scope, self._all, weights)
        """The known part with all procedures."""
        self._now: dict[str, RuledUnit] = {}

    def __iter__(self) -> Iterator[RuledUnit]:
        for pair in self._of_the_beginning.draw(self._rng):
            if self.used_up:
                return
            yield self._now.get(pair.unit[0].id, pair)

    def add(self, procedure: Procedure) -> None:
        """Add a procedure, for questions that the others do not cover."""
        self._procedures.append(procedure)
        try:
            self._all = with_procedure(self._all, procedure, self.procedures - 1)
        except SandboxEnded:
            self.used_up = True
            return
        self._now = {pair.unit[0].id: pair for pair in self._all}
        self.known = from_rulings(self._scope, self._all, self._weights)


def run_whole(
    scope: Scope[Question], procedures: Sequence[Procedure], rng: np.random.Generator, *, more: bool = False
) -> WholeScopeDraws | None:
    """Run procedures on a whole finite scope; None for an endless one.

    None, too, where draws are i.i.d. and there is no procedure and none can come later (`more`): there is no known part then.
    """
    worth_it = procedures or more or scope.population is not None
    pair = _all_units(scope, rng) if worth_it else None
    return None if pair is None else WholeScopeDraws(scope, *pair, procedures, rng)


def from_rulings(scope: Scope[Question], drawn: Sequence[RuledUnit], weights: Sequence[float] = ()) -> EnumeratedUnits:
    """The known part of a finite scope, from the procedures' answers to all units; no weights: all equal, each drawn once."""
    sums, left, answered = np.zeros(3), [], Counter[int]()
    for pair, weight in zip(drawn, weights or [1.0] * len(drawn), strict=True):
        known = [answer for answer in pair.answers if answer is not None]
        if len(known) < len(pair.unit):
            left.append((pair, weight))
            continue
        grades = [as_wrong(scope.grade(question, answer.reply)) for question, answer in zip(pair.unit, known, strict=True)]
        mean = unit_mean(grades, [question.weight for question in pair.unit])
        sums += weight * np.array([mean.score, mean.unacceptable, 1.0])
        answered.update(answer.owner for answer in known)
    score, unacceptable, total = map(float, sums)
    return EnumeratedUnits(
        units=len(drawn),
        left=tuple(pair for pair, _ in left),
        score=score,
        unacceptable=unacceptable,
        weight=total,
        questions=answered.total(),
        answered=answered,
        weights=tuple(weight for _, weight in left),
        each_once=not weights,
    )


def _all_units(scope: Scope[Question], rng: np.random.Generator) -> tuple[list[Unit], list[float]] | None:
    """All that can be drawn, with weights if it is drawn by them."""
    if scope.population is not None:
        return list(scope.draw(rng)), []
    if isinstance(scope, ListedScope):
        largest = max(question.weight for question in scope.questions)
        return list(scope.units), [fsum(question.weight / largest for question in unit) for unit in scope.units]
    if isinstance(scope, EndlessScope) and scope.listing is not None:
        pairs = list(scope.listing())
        return [(question,) for question, _ in pairs], [weight for _, weight in pairs]
    return None


_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """The values of an explanation that the paper takes as known."""

    mass: float
    """p: the share of all questions that it covers."""
    score: float
    """s: of its answers."""
    unacceptable: float
    """r: the rate of unacceptable ones among them."""


def uncovered(parts: Sequence[ExplainedPart]) -> float:
    """The share of all questions that no part covers; 0 if the rest is rounding."""
    rest = 1 - fsum(part.mass for part in parts)
    return rest if rest > _ROUNDING else 0.0


def explained_verdict(
    parts: Sequence[ExplainedPart],
    score: float,
    rate: float,
    n: int,
    criterion: Criterion,
    *,
    upper: float | None = None,
    maybe: float | None = None,
) -> Verdict:
    """The verdict for mean score and unacceptable rate over `n` answers to questions that no part covers; `n` fixed in advance.

    The printed Bad-Rid-Exp and (A.19) sum p s instead of p r: taken literally, every candidate with a good explanation fails.
    Here it is p r. (A.14) and (A.17) to (A.19) mix delta with delta/2 and n with n-bar; here as in the procedure itself.

    Valid only if the parts were chosen without regard to these answers and n was fixed: the paper's "at every point" is not so
    (see `audit`). Without a limit on them only the score counts, and failing needs no split of delta. `upper` and `maybe`
    are the most that score and rate may be, where replies could not be read. Where the parts cover all, nothing is left to
    be bounded, and `n` may be 0.

    >>> half = ExplainedPart(0.5, 1.0, 0.0)
    >>> [explained_verdict([half], 0.9, 0.0, n, Criterion(0.7, 0.00052)).value for n in (2_879, 2_880)]
    ['undecided', 'pass']
    >>> explained_verdict([half, half], 0.0, 0.0, 0, Criterion(0.7, 0.00052)).value
    'pass'
    """
    if fsum(part.mass for part in parts) > 1 + _ROUNDING:
        raise BadInput("the explanations overlap: each question must belong to only one")
    grade, limit, delta = criterion.passing_grade, criterion.unacceptable_limit, criterion.delta
    rest = uncovered(parts)
    good = fsum(part.mass * part.score for part in parts)
    absurd = fsum(part.mass * part.unacceptable for part in parts)
    against = delta if limit is None else delta / 2
    most, absurd_most = score if upper is None else upper, rate if maybe is None else maybe
    if not rest:
        return exact_verdict(good, absurd, criterion)
    passes = good + rest * kl_lower(score, n, delta) >= grade
    fails = good + rest * kl_upper(most, n, against) < grade
    if limit is not None:
        passes = passes and absurd + rest * kl_upper(absurd_most, n, delta) <= limit
        fails = fails or absurd + rest * kl_lower(rate, n, against) > limit
    if passes:
        return Verdict.PASS
    return Verdict.FAIL if fails else Verdict.UNDECIDED


class PaperLook(FixedLook):
    """One look at units that no part covers, with the parts' values taken as known."""

    def __init__(self, criterion: Criterion, parts: Sequence[ExplainedPart], population: int | None) -> None:
        super().__init__(criterion, population)
        self._parts = parts

    def conclude(self) -> None:
        """Take the look; an answer is needed only if the parts leave a question open."""
        mean, n = super().estimates(), self.units.score.size
        self.looked = n > 0
        if mean is not None:
            ends = {"upper": mean.upper, "maybe": mean.maybe}
            self.verdict = explained_verdict(self._parts, mean.score, mean.unacceptable, n, self.criterion, **ends)
        elif not uncovered(self._parts):
            self.verdict = explained_verdict(self._parts, 0.0, 0.0, 0, self.criterion)

    def estimates(self) -> UnitMean | None:
        """Estimates for the whole scope; None if nothing was asked although something had to be."""
        rest = super().estimates()
        if rest is None and (not self._parts or uncovered(self._parts)):
            return None
        rest = rest or UnitMean(0.0, 0.0, 0.0, 0.0)
        return UnitMean(
            self._of_all(rest.score, "score"),
            self._of_all(rest.unacceptable, "unacceptable"),
            self._of_all(rest.upper, "score"),
            self._of_all(rest.maybe, "unacceptable"),
        )

    def intervals(self) -> tuple[Bounds, Bounds]:
        """Intervals for the whole scope."""
        score, rate = super().intervals()
        return (
            Bounds(*(self._of_all(end, "score") for end in score)),
            Bounds(*(self._of_all(end, "unacceptable") for end in rate)),
        )

    def _of_all(self, rest: float, what: Literal["score", "unacceptable"]) -> float:
        """For the whole, from the mean over what no part covers."""
        if not self._parts:
            return rest
        parts = fsum(part.mass * (part.score if what == "score" else part.unacceptable) for part in self._parts)
        return min(1.0, parts + rest * uncovered(self._parts))
