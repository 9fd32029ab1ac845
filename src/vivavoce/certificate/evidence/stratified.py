"""The sequential test over strata: the same verdicts as `evidence.sequential.SequentialTest`, from counts of each stratum.

The rate of unacceptable answers is tested by universal inference (`statistics.stratified`). There are two tests for the score:

- i.i.d. draws within strata: the bets of the test without strata, minus the possible effect of the allocation
  (`statistics.stratified`). Universal inference would be valid too, but it has to learn the score of each stratum before it can
  show anything: with four strata of scores .95, .8, .5, .2 it takes 436 questions where the bets take 140.
- without replacement: universal inference with the hypergeometric likelihood, since those bets are then valid at a fixed
  number of questions only, not at every moment.

Unparsed replies (see `evidence.sequential`), where readability may depend on anything:

- The bets take ends. In stratum i with the mean m_i of the unknown worths, f(l) = 1 + c (l - null) with c >= 0 rises in l, so
  E[f(l_t) | past] <= E[f(x_t) | past] = f(m_i): the product of f(l_t) / f(m_i) is a supermartingale, and the product of
  f(m_i)^n_i is bounded as before, whatever the m_i.
- Likelihoods have no such proof: a forecaster that expects too little gains if values are lower than the true ones, as they may
  be if parsing depends on the past. So from the first unparsed reply on, such a test adds no more evidence, on the rate and,
  without replacement, on the score. This is valid whatever decides which replies are parsed: until then every value is the true
  one, so the evidence is at most what fully parsed replies would give, on every path. Then a verdict comes from the score alone
  (that it is too low, by the bets), or once all of the scope has been asked.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import fsum, log
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.certificate.claims.claim import Criterion, Stratum, Verdict
from vivavoce.certificate.evidence.inference import FixedLook, Inference, ScoreOrder, score_order
from vivavoce.certificate.evidence.sequential import (
    SHARPEST,
    AnytimeVerdict,
    LogEvidence,
    UnitValues,
    exact_verdict,
    fixed_verdict,
    taken_as,
)
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Unit
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.confidence_sequences import mean_above, mean_below, mean_bounds
from vivavoce.statistics.stratified import StratifiedTest, TwoSidedLogEvidence, log_imbalance


class _Bets:
    """Evidence on the score by bets, for i.i.d. draws within strata."""

    def __init__(self, grade: float, masses: Floats) -> None:
        self._above, self._below = mean_above(grade), mean_below(grade)
        self._against = mean_below(grade), mean_above(grade)
        self._masses, self._counts = masses, np.zeros(masses.size)
        self._lower: list[Floats] = []
        self._upper: list[Floats] = []

    def update(self, lower: Floats, upper: Floats, strata: ArrayLike) -> tuple[TwoSidedLogEvidence, tuple[Floats, Floats]]:
        """The evidence for either verdict, and that unparsed replies prevent both."""
        came = np.asarray(strata)[:, None] == np.arange(self._masses.size)
        counts = self._counts + np.cumsum(came, axis=0)
        self._counts = counts[-1]
        self._lower.append(lower)
        self._upper.append(upper)
        lost = log_imbalance(counts, self._masses)
        pair = TwoSidedLogEvidence(self._above.update(lower) - lost, self._below.update(upper) - lost)
        return pair, (self._against[0].update(lower) - lost, self._against[1].update(upper) - lost)

    def bounds(self, delta: float) -> Bounds:
        level = delta * float(np.exp(-log_imbalance(self._counts, self._masses)))
        ends = (mean_bounds(np.concatenate(values), level) for values in (self._lower, self._upper))
        low, high = ends
        return Bounds(low.lower, high.upper)


class _Likelihood:
    """A likelihood test, which adds no more evidence from the first unknown value on."""

    def __init__(self, test: StratifiedTest) -> None:
        self._test = test
        self._unread = False

    def update(self, values: Floats, unread: NDArray[np.bool_], strata: ArrayLike) -> TwoSidedLogEvidence:
        """unread: for each value whether it comes from an unparsed reply."""
        start = 0 if self._unread else int(np.argmax(unread)) if unread.any() else values.size
        self._unread |= bool(unread.any())
        nothing = np.full(values.size - start, -np.inf)
        if not start:
            return TwoSidedLogEvidence(nothing, nothing)
        paths = self._test.update(values[:start], np.asarray(strata)[:start])
        return TwoSidedLogEvidence(*(np.concatenate((path, nothing)) for path in paths))

    def bounds(self, delta: float) -> Bounds:
        return Bounds(0.0, 1.0) if self._unread else self._test.bounds(delta)


class StratumMeans(NamedTuple):
    """The result in each stratum."""

    units: Floats
    scores: Floats
    """Sums over units, of the lower ends as of the next."""
    unacceptable: Floats
    upper: Floats
    """Of the upper ends."""
    maybe: Floats


class StratifiedSequentialTest(AnytimeVerdict):
    """Takes scores and unacceptability unit by unit, with their strata, and decides when the evidence is enough.

    Parameters
    ----------
    criterion: what counts as understanding, and delta.
    masses: of the strata.
    sizes: questions in each if they are drawn without replacement; then all scores must be 0 or 1.

    Example
    -------
    >>> test = StratifiedSequentialTest(Criterion(0.5, None), [0.5, 0.5])
    >>> test.update(np.ones(20), np.zeros(20), np.arange(20) % 2), test.n
    (<Verdict.PASS: 'pass'>, 7)
    """

    def __init__(self, criterion: Criterion, masses: ArrayLike, *, sizes: ArrayLike | None = None) -> None:
        super().__init__(criterion, None if sizes is None else int(np.sum(sizes)))
        self._masses = np.asarray(masses, dtype=np.float64)
        self.populations = (None,) * self._masses.size if sizes is None else tuple(np.asarray(sizes).tolist())
        """Questions in each stratum where they are drawn without replacement, else None."""
        grade, limit = criterion.passing_grade, criterion.unacceptable_limit
        self._score: _Bets | _Likelihood = (
            _Bets(grade, self._masses) if sizes is None else _Likelihood(StratifiedTest(grade, self._masses, sizes=sizes))
        )
        self._rate = _Likelihood(StratifiedTest(limit or SHARPEST, self._masses, sizes=sizes, rare=True))
        self.found = StratumMeans(*(np.zeros(self._masses.size) for _ in range(5)))
        self.refused = False
        """Whether an unparsed reply has stopped the likelihood tests."""

    def update(
        self,
        scores: ArrayLike,
        unacceptable: ArrayLike,
        strata: ArrayLike,
        *,
        upper: ArrayLike | None = None,
        maybe: ArrayLike | None = None,
    ) -> Verdict:
        """Take further units in drawn order, up to the end; later ones are ignored.

        upper, maybe: as for `SequentialTest`.
        """
        units = taken_as(scores, unacceptable, upper, maybe)
        where = np.atleast_1d(np.asarray(strata, dtype=np.int64))
        if not self.over and units.score.size:
            evidence, left_open = self._evidence(units, where, (units.upper > units.score) | (units.maybe > units.unacceptable))
            taken = self._settle(units, evidence, left_open)
            for sums, values in zip(self.found, (np.ones(taken), *units), strict=True):
                np.add.at(sums, where[:taken], values[:taken])
        return self.verdict

    def intervals(self) -> tuple[Bounds, Bounds]:
        """For the mean score and the unacceptable rate, each at level 1 - delta."""
        if not self.n:
            return Bounds(0.0, 1.0), Bounds(0.0, 1.0)
        delta = self.criterion.delta
        if self.n == self._population:
            score, rate, upper, maybe = (self._sums / self.n).tolist()
            return Bounds(score, upper), Bounds(rate, maybe)
        return self._score.bounds(delta), self._rate.bounds(delta)

    def estimates(self) -> tuple[float, float, float, float]:
        """The ranges of mean score and unacceptable rate: means over strata by mass, over the strata that were asked about."""
        asked = self.found.units > 0
        masses = self._masses[asked] / self._masses[asked].sum()
        score, rate, upper, maybe = (float(masses @ (sums[asked] / self.found.units[asked])) for sums in self.found[1:])
        return score, rate, upper, maybe

    def _evidence(
        self, units: UnitValues, where: ArrayLike, unread: NDArray[np.bool_]
    ) -> tuple[LogEvidence, tuple[Floats, Floats] | None]:
        self.refused |= bool(unread.any())
        rate = self._rate.update(units.maybe, unread, where)
        left_open: tuple[Floats, Floats] | None = None
        if isinstance(self._score, _Likelihood):
            score = self._score.update(units.score, unread, where)
        else:
            score, left_open = self._score.update(units.score, units.upper, where)
        left_open = left_open if self.refused else None
        if self.criterion.unacceptable_limit is None:
            return LogEvidence(score.above, None, score.below), left_open
        return LogEvidence(score.above, rate.below, np.logaddexp(score.below, rate.above) - log(2)), left_open

    def _stays_open(self, units: UnitValues, left_open: tuple[Floats, Floats] | None) -> NDArray[np.bool_]:
        shown = super()._stays_open(units, left_open)
        if self.refused and self._population is None and self._best_rate < self.threshold <= self._best_score:
            shown[-1] = True  # understanding now needs only evidence that can no longer grow
        return shown


class Stratification(Protocol):
    """The properties of a scope's strata that an inference needs."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def masses(self) -> tuple[float, ...]: ...

    @property
    def sizes(self) -> tuple[int, ...] | None: ...

    @property
    def population(self) -> int | None: ...

    def of(self, unit: Unit) -> int:
        """The number of a unit's stratum."""
        ...


class StratumTally:
    """Counts answers in each stratum."""

    def __init__(self, strata: Stratification) -> None:
        self._strata = strata
        self._grades: list[list[Grade]] = [[] for _ in strata.names]

    def add(self, unit: Unit, grades: Sequence[Grade]) -> int:
        """Take the grades of one unit; the number of its stratum."""
        stratum = self._strata.of(unit)
        self._grades[stratum].extend(grades)
        return stratum

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """The strata in the order of the scope."""
        return tuple(
            Stratum(
                name=name,
                mass=mass,
                questions=len(grades),
                unacceptable=sum(grade.unacceptable for grade in grades),
                score=fsum(grade.score for grade in grades) / len(grades) if grades else None,
                upper=fsum(grade.upper_score for grade in grades) / len(grades) if grades else None,
            )
            for name, mass, grades in zip(self._strata.names, self._strata.masses, self._grades, strict=True)
        )


class StratifiedInference(Inference):
    """Inference on units from strata in proportion, checked after each."""

    def __init__(self, criterion: Criterion, strata: Stratification) -> None:
        super().__init__(criterion, strata.population)
        self._tally = StratumTally(strata)
        self._of = array("i")
        self._test = self._stratified = StratifiedSequentialTest(criterion, strata.masses, sizes=strata.sizes)

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """In the order of the scope."""
        return self._tally.strata

    @property
    def refused(self) -> bool:  # type: ignore[override]
        """Whether an unparsed reply has stopped likelihood tests that the verdict needs."""
        return self._stratified.refused and (self.criterion.unacceptable_limit or self.population) is not None

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> LogEvidence:
        """Take a unit; the evidence after it."""
        self._keep(unit, mean)
        self._of.append(self._tally.add(unit, grades))
        self._stratified.early = early
        ends = {"upper": mean.upper, "maybe": mean.maybe}
        self.verdict = self._stratified.update(mean.score, mean.unacceptable, self._of[-1], **ends)
        return self._stratified.log_evidence

    def estimates(self) -> UnitMean | None:
        """Of the strata by their masses, of those alone that were asked about; None if nothing was asked."""
        return UnitMean(*self._stratified.estimates()) if self._of else None

    def intervals(self) -> tuple[Bounds, Bounds]:
        """For the mean score and the unacceptable rate, each at level 1 - delta."""
        return self._stratified.intervals()

    def order(self) -> ScoreOrder | None:
        """Whether the scores came in random order within each stratum: the order of strata is settled."""
        grade = self.criterion.passing_grade
        return score_order(self._scores, grade, strata=self._of, populations=self._stratified.populations)

    @property
    def untested(self) -> str:
        """A clause that says that the unacceptable rate is not tested, unless all was asked."""
        tested = self.complete or self.criterion.unacceptable_limit is None
        return "" if tested else ", and in strata the rate of unacceptable answers is then not tested"


class StratifiedLook(FixedLook):
    """One look at units from strata in proportion, after a number fixed in advance.

    Why it errs at most delta. Of n units n_i come from stratum i, settled by the masses p_i alone; m_i is the mean there, m the
    sum of p_i m_i that is sought, and m' the sum of (n_i/n) m_i. Let S be the sum of the values, each in [0, 1].

    - Strata are drawn independently of each other. In stratum i, E exp(c S_i) <= (1 - m_i + m_i e^c)^n_i for every c, by
      convexity of exp where draws are independent, and without replacement as Hoeffding's theorem 4 (1963) says. The logarithm
      of 1 + m (e^c - 1) is concave in m, so by Jensen E exp(c S) <= (1 - m' + m' e^c)^n.
    - That is all that Chernoff's bound needs, which `bounds.kl_lower` and `kl_upper` invert: they bound m' as ever.
    - m' - m is the sum of (n_i/n - p_i) m_i with m_i in [0, 1], so |m' - m| <= b, the sum of the positive ones among
      n_i/n - p_i. A bound on m', moved by b, is a bound on m.

    So the bounds are moved by b, at most (strata - 1)/n where strata are asked in proportion, and the rest is `FixedLook`: its
    argument, that one of two true nulls has to be rejected, is on events of these bounds alone. An unparsed reply
    takes the end that is least favourable to the verdict, and both bounds rise with every value.
    """

    def __init__(self, criterion: Criterion, strata: Stratification) -> None:
        super().__init__(criterion, strata.population)
        self._tally = StratumTally(strata)
        self._masses = np.array(strata.masses)
        self._sizes = strata.sizes
        self._of = array("i")

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """In the order of the scope."""
        return self._tally.strata

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> LogEvidence | None:
        """Take a unit."""
        self._of.append(self._tally.add(unit, grades))
        return super().add(unit, grades, mean, early=early)

    def estimates(self) -> UnitMean | None:
        """Of the strata by their masses, of those alone that were asked about; None if nothing was asked."""
        if not self._of:
            return None
        counts, asked = self._counts, self._counts > 0
        masses = self._masses[asked] / self._masses[asked].sum()
        sums = (np.bincount(self._of, values, self._masses.size) for values in self.units)
        return UnitMean(*(float(masses @ (values[asked] / counts[asked])) for values in sums))

    def order(self) -> ScoreOrder | None:
        """Whether the scores came in random order within each stratum: the order of strata is settled."""
        populations = (None,) * self._masses.size if self._sizes is None else self._sizes
        return score_order(self._scores, self.criterion.passing_grade, strata=self._of, populations=populations)

    @property
    def _counts(self) -> Floats:
        return np.bincount(self._of, minlength=self._masses.size).astype(np.float64)

    @property
    def _bias(self) -> float:
        """b: the largest distance between the expected mean of the units asked and the mean by masses."""
        return float(np.maximum(0.0, self._counts / len(self._of) - self._masses).sum())

    def _look(self, mean: UnitMean, n: int) -> Verdict:
        grade, limit, b = self.criterion.passing_grade, self.criterion.unacceptable_limit, self._bias
        ends = {"upper": mean.upper, "maybe": mean.maybe}
        if n == self.population:
            return exact_verdict(mean.score, mean.unacceptable, self.criterion, **ends)

        def judged(moved: float) -> Verdict:
            required = Criterion(grade + moved, None if limit is None else limit - moved, self.criterion.delta)
            return fixed_verdict(mean.score, mean.unacceptable, n, required, **ends)

        if judged(b) is Verdict.PASS:
            return Verdict.PASS
        fails = judged(-b) is Verdict.FAIL
        return Verdict.FAIL if fails else Verdict.UNDECIDED

    def _bounds(self, scores: Floats, unacceptable: Floats) -> tuple[Bounds, Bounds]:
        b = self._bias
        score, rate = (self._by_chernoff(values) for values in (scores, unacceptable))
        return (
            Bounds(max(0.0, score.lower - b), min(1.0, score.upper + b)),
            Bounds(max(0.0, rate.lower - b), min(1.0, rate.upper + b)),
        )
