"""The sequential test over strata: the same verdicts as `evidence.sequential.SequentialTest`, by bets over strata.

Score and rate of unacceptable answers are means over strata, tested by `statistics.stratified`, with or without replacement. A
reply that cannot be read takes the end of its range that speaks against the verdict; the proof there needs nothing of which
replies these are. So the limit on unacceptable answers is still tested after such a reply.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import fsum
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.certificate.claims.claim import Criterion, Stratum, Verdict
from vivavoce.certificate.evidence import sequential
from vivavoce.certificate.evidence.inference import FixedLook, Inference, ScoreOrder, score_order
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Unit
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.stratified import (
    mean_above_in_strata,
    mean_passes_in_strata,
    rate_above_in_strata,
    rate_below_in_strata,
)


class StratifiedSequentialTest(sequential.AnytimeVerdict):
    """Takes scores and unacceptability unit by unit, with their strata, and decides when the evidence is enough.

    Parameters
    ----------
    criterion: what counts as understanding, and delta.
    masses: of the strata.
    sizes: units in each if they are drawn without replacement.
    whole: whether a unit is one question, so that it is unacceptable or not; False for clusters, with their means.
    partial_credit: whether scores between 0 and 1 are expected (`statistics.confidence_sequences.mean_passes`).

    Example
    -------
    >>> test = StratifiedSequentialTest(Criterion(0.5, None), [0.5, 0.5])
    >>> test.update(np.ones(20), np.zeros(20), np.arange(20) % 2), test.n
    (<Verdict.PASS: 'pass'>, 7)
    """

    def __init__(
        self,
        criterion: Criterion,
        masses: ArrayLike,
        *,
        sizes: ArrayLike | None = None,
        whole: bool = True,
        partial_credit: bool = False,
    ) -> None:
        super().__init__(criterion, None if sizes is None else int(np.sum(sizes)))
        self._masses = np.asarray(masses, dtype=np.float64)
        grade, limit = criterion.passing_grade, criterion.unacceptable_limit or sequential.SHARPEST
        # the end of a range that speaks against the verdict, and the other one
        self._above = mean_passes_in_strata(grade, masses, sizes=sizes, rows=2, partial_credit=partial_credit)
        self._below = mean_above_in_strata(1 - grade, masses, sizes=sizes, rows=2)
        self._rare = rate_below_in_strata(limit, masses, sizes=sizes, whole=whole)
        self._frequent = rate_above_in_strata(limit, masses, sizes=sizes)
        self._unread = False
        self._counted = np.zeros((5, self._masses.size))
        """In each stratum the number of units, and the sums of their scores, unacceptability, and upper ends of both."""

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
        units = sequential.taken_as(scores, unacceptable, upper, maybe)
        where = np.atleast_1d(np.asarray(strata, dtype=np.int64))
        if not self.over and units.score.size:
            taken = self._settle(units, *self._evidence(units, where))
            for sums, values in zip(self._counted, (np.ones(taken), *units), strict=True):
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
        ends = (tests.lowest(delta / 2)[0] for tests in (self._above, self._below, self._frequent, self._rare))
        score, not_score, rate, not_rate = map(float, ends)
        return Bounds(score, 1 - not_score), Bounds(rate, 1 - not_rate)

    def estimates(self) -> tuple[float, float, float, float]:
        """The ranges of mean score and unacceptable rate: means over strata by mass, over the strata that were asked about."""
        units, *of_values = self._counted
        asked = units > 0
        masses = self._masses[asked] / self._masses[asked].sum()
        score, rate, upper, maybe = (float(masses @ (sums[asked] / units[asked])) for sums in of_values)
        return score, rate, upper, maybe

    def _evidence(
        self, units: sequential.UnitValues, where: NDArray[np.int64]
    ) -> tuple[sequential.LogEvidence, tuple[Floats, Floats] | None]:
        self._unread |= units.unread
        # the ends themselves are known
        read = np.stack((units.upper == units.score, np.ones(units.score.size, dtype=bool)))
        above, high_enough = self._above.update(np.stack((units.score, units.upper)), where, known=read)
        below, too_low = self._below.update(1 - np.stack((units.upper, units.score)), where, known=read)
        left_open, known = (too_low, high_enough) if self._unread else None, units.maybe == units.unacceptable
        rare = self._rare.update(1 - units.maybe[None], where, known=known)[0]
        frequent = self._frequent.update(units.unacceptable[None], where, known=known)[0]
        if self.criterion.unacceptable_limit is None:
            return sequential.LogEvidence(above, None, below), left_open
        return sequential.LogEvidence(above, rare, sequential.fail_evidence(below, frequent)), left_open


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


class StratifiedUnits(Inference):
    """Units from strata in proportion."""

    def __init__(self, criterion: Criterion, strata: Stratification) -> None:
        super().__init__(criterion, strata.population)
        self._strata = strata
        self._grades: list[list[Grade]] = [[] for _ in strata.names]
        """In each stratum."""
        self._of = array("i")
        """The number of each unit's stratum."""

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """In the order of the scope."""
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

    def order(self) -> ScoreOrder | None:
        """Whether the scores came in random order within each stratum; the order of strata is fixed."""
        populations = (None,) * len(self._strata.names) if self._strata.sizes is None else self._strata.sizes
        return score_order(self._scores, self.criterion.passing_grade, strata=self._of, populations=populations)

    def _count(self, unit: Unit, grades: Sequence[Grade]) -> None:
        self._of.append(self._strata.of(unit))
        self._grades[self._of[-1]].extend(grades)


class StratifiedInference(StratifiedUnits):
    """Inference on units from strata in proportion, checked after each."""

    _stratified: StratifiedSequentialTest | None = None

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> sequential.LogEvidence:
        """Take a unit; the evidence after it."""
        if self._stratified is None:  # units of strata that are drawn without replacement are all of one size
            test = StratifiedSequentialTest(
                self.criterion,
                self._strata.masses,
                sizes=self._strata.sizes,
                whole=len(unit) == 1,
                partial_credit=self.partial_credit,
            )
            self._test = self._stratified = test
        self._keep(unit, mean)
        self._count(unit, grades)
        self._stratified.early = early
        ends = {"upper": mean.upper, "maybe": mean.maybe}
        self.verdict = self._stratified.update(mean.score, mean.unacceptable, self._of[-1], **ends)
        return self._stratified.log_evidence

    def estimates(self) -> UnitMean | None:
        """Estimates from the strata by their masses, without unasked strata; None if nothing was asked."""
        return None if self._stratified is None else UnitMean(*self._stratified.estimates())

    def intervals(self) -> tuple[Bounds, Bounds]:
        """For the mean score and the unacceptable rate, each at level 1 - delta."""
        return (Bounds(0.0, 1.0),) * 2 if self._stratified is None else self._stratified.intervals()


class StratifiedLook(StratifiedUnits, FixedLook):
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
        super().__init__(criterion, strata)
        self._masses = np.array(strata.masses)

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> sequential.LogEvidence | None:
        """Take a unit."""
        self._count(unit, grades)
        return super().add(unit, grades, mean, early=early)

    def estimates(self) -> UnitMean | None:
        """Estimates from the strata by their masses, without unasked strata; None if nothing was asked."""
        if not self._of:
            return None
        counts, asked = self._counts, self._counts > 0
        masses = self._masses[asked] / self._masses[asked].sum()
        sums = (np.bincount(self._of, values, self._masses.size) for values in self.units)
        return UnitMean(*(float(masses @ (values[asked] / counts[asked])) for values in sums))

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
            return sequential.exact_verdict(mean.score, mean.unacceptable, self.criterion, **ends)

        def judged(moved: float) -> Verdict:
            required = Criterion(grade + moved, None if limit is None else limit - moved, self.criterion.delta)
            return sequential.fixed_verdict(mean.score, mean.unacceptable, n, required, **ends)

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
