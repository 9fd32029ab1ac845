"""The sequential test over strata: the same verdicts as `evidence.SequentialTest`, from counts of each stratum.

The rate of ridiculous answers is judged by universal inference (`statistics.stratified`). For the score there are two ways:

- i.i.d. draws within strata: the bets of the test without strata, less what the allocation may have contributed
  (`statistics.strata.log_imbalance`). Universal inference would be valid too, but it has to learn the score of each stratum
  before it can show anything: with four strata of scores .95, .8, .5, .2 it takes 436 questions where the bets take 140.
- without replacement: universal inference with the hypergeometric likelihood, since those bets are then valid at a fixed
  number of questions only, not at every moment.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.certificate.evidence import USUAL_LIMIT, AnytimeVerdict, LogEvidence
from vivavoce.certificate.finding import Criterion, Verdict
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.mean import mean_above, mean_below, mean_bounds
from vivavoce.statistics.strata import log_imbalance
from vivavoce.statistics.stratified import Sides, StratifiedTest


class _Bets:
    """Evidence on the score by bets, for i.i.d. draws within strata."""

    def __init__(self, grade: float, masses: Floats) -> None:
        self._above, self._below = mean_above(grade), mean_below(grade)
        self._masses, self._counts = masses, np.zeros(masses.size)
        self._values: list[Floats] = []

    def update(self, values: Floats, strata: ArrayLike) -> Sides:
        came = np.asarray(strata)[:, None] == np.arange(self._masses.size)
        counts = self._counts + np.cumsum(came, axis=0)
        self._counts = counts[-1]
        self._values.append(values)
        lost = log_imbalance(counts, self._masses)
        return Sides(self._above.update(values) - lost, self._below.update(values) - lost)

    def bounds(self, delta: float) -> Bounds:
        lost = float(np.exp(-log_imbalance(self._counts, self._masses)))
        return mean_bounds(np.concatenate(self._values), delta * lost)


class StratumMeans(NamedTuple):
    """What was found in each stratum."""

    units: Floats
    scores: Floats
    """Sums over units."""
    ridiculous: Floats


class StratifiedSequentialTest(AnytimeVerdict):
    """Takes scores and ridiculousness unit by unit, with their strata, and says when the evidence is enough.

    Parameters
    ----------
    criterion: what counts as understanding, and delta.
    masses: of the strata.
    sizes: questions in each if they are drawn without replacement; then all scores must be 0 or 1.

    Example
    -------
    >>> test = StratifiedSequentialTest(Criterion(0.5, None), [0.5, 0.5])
    >>> test.update(np.ones(20), np.zeros(20), np.arange(20) % 2), test.n
    (<Verdict.UNDERSTANDS: 'understands'>, 7)
    """

    def __init__(self, criterion: Criterion, masses: ArrayLike, *, sizes: ArrayLike | None = None) -> None:
        super().__init__(criterion, None if sizes is None else int(np.sum(sizes)))
        self._masses = np.asarray(masses, dtype=np.float64)
        grade, limit = criterion.passing_grade, criterion.ridiculous_limit
        self._score: _Bets | StratifiedTest = (
            _Bets(grade, self._masses) if sizes is None else StratifiedTest(grade, self._masses, sizes=sizes)
        )
        self._rate = StratifiedTest(limit or USUAL_LIMIT, self._masses, sizes=sizes, rare=True)
        self.found = StratumMeans(*(np.zeros(self._masses.size) for _ in range(3)))

    def update(self, scores: ArrayLike, ridiculous: ArrayLike, strata: ArrayLike) -> Verdict:
        """Take further units in the order in which they were drawn, up to a verdict; later ones are left aside."""
        x, y = np.atleast_1d(np.asarray(scores, float)), np.atleast_1d(np.asarray(ridiculous, float))
        where = np.atleast_1d(np.asarray(strata, dtype=np.int64))
        if self.verdict is Verdict.NO_CONCLUSION and x.size:
            taken = self._settle(x, y, self._evidence(x, y, where))
            for sums, values in zip(self.found, (np.ones(taken), x, y), strict=True):
                np.add.at(sums, where[:taken], values[:taken])
        return self.verdict

    def intervals(self) -> tuple[Bounds, Bounds]:
        """For the mean score and the ridiculous rate, each at level 1 - delta."""
        if not self.n:
            return Bounds(0.0, 1.0), Bounds(0.0, 1.0)
        return self._score.bounds(self.criterion.delta), self._rate.bounds(self.criterion.delta)

    def estimates(self) -> tuple[float, float]:
        """Mean score and ridiculous rate: of the strata by their masses, of those alone that have been asked about."""
        asked = self.found.units > 0
        masses = self._masses[asked] / self._masses[asked].sum()
        scores, rates = (sums[asked] / self.found.units[asked] for sums in (self.found.scores, self.found.ridiculous))
        return float(masses @ scores), float(masses @ rates)

    def _evidence(self, x: Floats, y: Floats, where: ArrayLike) -> LogEvidence:
        score, rate = self._score.update(x, where), self._rate.update(y, where)
        if self.criterion.ridiculous_limit is None:
            return LogEvidence(score.above, None, score.below)
        return LogEvidence(score.above, rate.below, np.logaddexp(score.below, rate.above) - log(2))
