"""Tests the share of questions that are answered rightly with probability r or more, from N answers to each."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from math import inf, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.evidence.inference import Inference
from vivavoce.certificate.evidence.sequential import LogEvidence, SequentialTest, UnitValues, taken_as
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Unit
from vivavoce.scopes.score import UnitMean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.confidence_sequences import LeaningTest, mean_above, mean_below, mean_bounds

_AT_LEAST_A_NULL = 1e-12


class Nulls(NamedTuple):
    """The extreme means under a claim on a share S, with a probability r and N answers to each question.

    >>> [round(null, 4) for null in nulls_of(0.8, Draws(2, "share", 0.9))]
    [0.962, 0.648, 0.208]
    """

    passes: float
    """All N right, where the share is at most S: at most S + (1 - S) r^N."""
    fails: float
    """All N right, where the share is at least S: at least S r^N."""
    none: float
    """None right, where the share is at least S: at most 1 - S + S (1 - r)^N."""


def nulls_of(share: float, draws: Draws) -> Nulls:
    """The extreme means for the required share."""
    all_right, none_right = _chances(draws)
    fails = max(share * all_right, _AT_LEAST_A_NULL)
    return Nulls(share + (1 - share) * all_right, fails, 1 - share + share * none_right)


def _chances(draws: Draws) -> tuple[float, float]:
    """The probability that all answers are right, and that none is, at the required probability."""
    assert draws.reliability is not None
    return draws.reliability**draws.number, (1 - draws.reliability) ** draws.number


class ShareTest(SequentialTest):
    """Evidence on the share of questions with p >= r, question by question.

    For "the share is at least S" it bets that all N answers are right more often than `Nulls.passes` (proof: `claims.claim`).
    Against it, half of the capital bets that they are all right more rarely than `Nulls.fails`, and half that none is right
    more often than `Nulls.none`. Let the share be at least S. Where p >= r all N are right with probability r^N or more, and
    elsewhere 0 or more, so the mean of "all right" is at least S r^N; none is right with probability (1 - r)^N at most where p
    >= r, and 1 at most elsewhere. So both halves are e-processes, and so is their mean. The second half detects a candidate
    that always errs on the same questions.

    Between these means, N answers cannot decide. Once it is shown that no verdict will come, the examination ends without one,
    so this causes no error.

    Example
    -------
    >>> test, ones, zeros = ShareTest(Criterion(0.5, None), Draws(5, "share", 0.8)), np.ones(20), np.zeros(20)
    >>> test.take(UnitValues(ones, zeros, ones, zeros), zeros), test.n
    (<Verdict.PASS: 'pass'>, 11)
    """

    def __init__(self, criterion: Criterion, draws: Draws) -> None:
        super().__init__(criterion, whole=False)
        self.nulls = passes, fails, none = nulls_of(criterion.passing_grade, draws)
        self._score_pass = LeaningTest(passes, goal=-log(criterion.delta))
        self._score_fail = mean_below(fails)
        self._none_fail = mean_above(none)
        self._no_verdict = (mean_below(passes), mean_above(fails), mean_below(none))
        """Bets that neither verdict will come."""
        self._shown = [-inf, -inf, -inf]
        self._none, self._none_before = np.empty(0), 0.0

    @property
    def stuck(self) -> bool:
        """Whether it is shown that N answers cannot decide."""
        return self.over and self.verdict is Verdict.UNDECIDED

    def take(self, right: UnitValues, none: Floats) -> Verdict:
        """Add units up to the end: whether all answers are right, and whether certainly none is."""
        if self.over or not none.size:
            return self.verdict
        self._none = none
        score_pass = self._score_pass.update(right.score, right.upper > right.score)
        fails = np.logaddexp(self._score_fail.update(right.upper), self._none_fail.update(none)) - log(2)
        taken = self._settle(right, self._with_rate(score_pass, fails, right), None)
        self._none_before += float(none[:taken].sum())
        return self.verdict

    def _stays_open(self, units: UnitValues, left_open: tuple[Floats, Floats] | None) -> NDArray[np.bool_]:
        """The units after which it is shown that N answers cannot decide."""
        n = self.n + 1 + np.arange(units.score.size)
        lower, upper = self._sums[0] + np.cumsum(units.score), self._sums[2] + np.cumsum(units.upper)
        none = self._none_before + np.cumsum(self._none)
        # an earlier crossing may have been chance: the means so far must agree
        shown: NDArray[np.bool_] = (
            (lower < self.nulls.passes * n) & (upper > self.nulls.fails * n) & (none < self.nulls.none * n)
        )
        for side, (bet, values) in enumerate(zip(self._no_verdict, (units.score, units.upper, self._none), strict=True)):
            path = bet.update(values)
            shown &= np.maximum.accumulate(np.maximum(path, self._shown[side])) >= self.threshold
            self._shown[side] = max(self._shown[side], float(path.max()))
        return shown


class ShareInference(Inference):
    """Inference on questions answered N times, checked after each, for a claim on the share with p >= r; see `ShareTest`.

    Estimates and intervals are of the share. It lies between what "all right" shows at least, (a - r^N) / (1 - r^N), and at
    most, a / r^N, and at most what "none right" leaves, (1 - z) / (1 - (1 - r)^N), for the means a and z. The interval has the
    lower end of the first at level 1 - delta/2, and the lesser of the upper ends of the others, each at level 1 - delta/4.
    """

    def __init__(self, criterion: Criterion, draws: Draws) -> None:
        super().__init__(criterion, None)
        self._draws = draws
        self._share_test = ShareTest(criterion, draws)
        self._test = self._share_test
        self._none = array("d")

    @property
    def range_of_read(self) -> bool:
        """Whether every reply was parsed; then the range reflects only too few draws."""
        return not self.units.unread

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> LogEvidence | None:
        """Take a unit; the evidence after it."""
        value, none = self._keep(unit, mean), self._draws.none_right(unit, grades).least
        self._none.append(none)
        self._share_test.early = early
        self.verdict = self._share_test.take(
            taken_as(value.score, value.unacceptable, value.upper, value.maybe), np.array([none])
        )
        return self._share_test.log_evidence

    def estimates(self) -> UnitMean | None:
        """The range of the share, and the unacceptable rate; None if nothing was asked."""
        estimates = super().estimates()
        if estimates is None:
            return None
        least, most = self._share(estimates.score, estimates.upper, float(np.mean(self._none)))
        return estimates._replace(score=least, upper=most)

    def intervals(self) -> tuple[Bounds, Bounds]:
        """For the share and the unacceptable rate, each at level 1 - delta."""
        _, rate = super().intervals()
        if not self._none:
            return Bounds(0.0, 1.0), rate
        units, delta = self.units, self.criterion.delta
        lower = mean_bounds(units.score, delta).lower
        upper, none = mean_bounds(units.upper, delta / 2).upper, mean_bounds(np.asarray(self._none), delta / 2).lower
        return Bounds(*self._share(lower, upper, none)), rate

    def still_needed(self) -> int | None:
        """Further answers until a verdict by "all right" alone; None if that is unknown."""
        passes, fails, _ = self._share_test.nulls
        units = self.units
        grade = passes if units.score.size and units.score.mean() > passes else fails
        self.required = replace(self.criterion, passing_grade=grade)
        if units.score.size and fails < units.score.mean() <= passes:
            return None
        return super().still_needed()

    def why_not(self, limit: int | None) -> str:
        """A clause that says that N answers can't decide, if that is shown."""
        if not self._share_test.stuck:
            return ""
        answers = f"{self._draws.number} answers" if self._draws.number > 1 else "one answer"
        return (
            f"{answers} to a question cannot tell whether enough questions have a probability of "
            f"{self._draws.reliability:g}; another number of draws may"
        )

    def _share(self, right: float, at_most: float, none: float) -> tuple[float, float]:
        all_right, none_right = _chances(self._draws)
        least = max(0.0, (right - all_right) / (1 - all_right))
        most = min(1.0, at_most / all_right if all_right else inf, (1 - none) / (1 - none_right))
        return least, max(least, most)
