"""The evidence for and against understanding, and when it is enough for a verdict.

Sequential (the default): four e-processes. "Understands" once those for the score and for the rate of unacceptable answers
have *each ever* reached 1/delta; a wrong one needs one true null to be rejected, so delta is not split. "Does not
understand" once the mean of the two opposite ones reaches 1/delta, with the weight `SCORE_SHARE` on the score: a mean of two
e-processes is one, for any weights that are fixed in advance. P(a verdict is ever given and is wrong) <= delta for every fixed
candidate, at any stopping time.

Fixed: Procedure 4.1 of `leytonbrown2024` as printed, one look after a number of questions that was fixed in advance. If checked
after every answer, it errs two to three times as often as claimed; "Theorem 2 then applies directly at every point" (section 5)
is false as a stopping rule. Theorem 1 stands, although its proof bounds the event that *both* conditions fail instead of the
event that *either* does: an understanding verdict is wrong if one of two true nulls is rejected, each at level delta, and at
least one of them is true, so the rejection of that one alone bounds the error.

Unparsed replies: such a reply has an unknown value, so its grade is an interval. Bets that something is high
take lower ends, bets that it is low take upper ends: "pass" rests on the least that the score may be and on the most
that the rate may be, "fail" on the opposite ends. Let x_t be the unknown value and l_t <= x_t its lower end, and let the null
"the mean of x is at most m" be true.

- i.i.d. draws: E[l_t | past] <= E[x_t | past] <= m. A factor 1 + c_t (l_t - m) with c_t >= 0 that the past settles therefore
  has a conditional expectation of at most 1.
- Without replacement, N units: E[l_t | past] <= E[x_t | past] <= (N m - sum of earlier x) / (N - t + 1), which is at most
  (N m - sum of earlier l) / (N - t + 1) = m_t, the value that the bet is made against. So the same holds with m_t for m.

Nothing was assumed about which replies are parsed: it may depend on the time, on earlier answers, on the evidence, and on the
value of this reply. Every product of such factors, and every mixture of products, is a supermartingale that begins at 1 and is
never negative, so it ever reaches 1/delta with probability at most delta. Upper ends are the mirror. Means over a cluster and
fixed weights keep l <= x <= u. (Worse values do *not* give less evidence on every path: without replacement, a value of 0
raises the mean left for later ones, and can raise the capital.) From the first such reply on the bets for "pass" are bolder
(`leaning`): the past settles them as well, so the same holds.

One look: E[exp(c l_t) | past] <= E[exp(c x_t) | past] for c >= 0, so Chernoff's bound, which `bounds.kl_lower` inverts, holds
for the sum of the lower ends as it does for the sum of the x.

An unparsed reply said nothing unacceptable: that is what the rate means here, and its value is 0, unless every
score of 0 is unacceptable by definition. Then it is [0, 1].

Questions asked and never answered, and those that met a fault of a server that may have heard them, are such intervals too, for
score and rate: x_t is the value of the answer that the first attempt would have had. Which questions a server fails may depend
on all the above. Asking some of them again changes nothing, since those answers are not used. Which questions count as unheard
(see `interview.faults`) must not depend on the question.

An examination ends if more answers cannot decide it: once it is shown that the lower ends have a mean below the passing grade
and the upper ends one above it, and the observed means agree. It then gives no verdict, so this causes no error.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain
from math import inf, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.errors import BadInput
from vivavoce.scopes.score import check_rule
from vivavoce.statistics.betting import BettingTest, Floats
from vivavoce.statistics.bounds import kl_lower, kl_upper
from vivavoce.statistics.confidence_sequences import LeaningTest, mean_below, rate_above, rate_below

SHARPEST = 0.001
"""The rate around which intervals are sharpest if no unacceptable limit is set."""
_ROUNDING = 1e-9
SCORE_SHARE: Final = 0.8
"""The weight of the score in the evidence for "fail" if unacceptable answers have a limit. Compared with equal weights, a fail
by the score takes 9% to 16% fewer questions (scores of .2 to .65 against .7), and one by unacceptable answers 19% to 23% more
(rates of .02 to .2 against .01). With .9 that is 12% to 17% fewer and 33% to 36% more.
"""


def fail_evidence(score: Floats, rate: Floats) -> Floats:
    """The logarithm of the e-value for "fail", by those that the score is too low and unacceptable answers too frequent.

    >>> np.exp(fail_evidence(np.log([30.0]), np.log([0.5]))).round(3).tolist()  # .8 x 30 + .2 x .5
    [24.1]
    """
    result: Floats = np.logaddexp(score + log(SCORE_SHARE), rate + log(1 - SCORE_SHARE))
    return result


@dataclass(frozen=True, slots=True)
class LogEvidence:
    """Natural logarithms of e-values, one for each unit."""

    score_pass: Floats
    unacceptable_pass: Floats | None
    fail: Floats


class UnitValues(NamedTuple):
    """Scores of further units, or their ranges: arrays of one length, each value in [0, 1]."""

    score: Floats
    """The lowest possible score."""
    unacceptable: Floats
    """The lowest possible share of unacceptable answers."""
    upper: Floats
    """The score at most."""
    maybe: Floats
    """How unacceptable at most."""

    @property
    def unread(self) -> bool:
        """Whether any value is unknown."""
        return bool((self.upper > self.score).any() or (self.maybe > self.unacceptable).any())


def taken_as(scores: ArrayLike, unacceptable: ArrayLike, upper: ArrayLike | None, maybe: ArrayLike | None) -> UnitValues:
    """Make arrays of values; upper ends default to the lower ends."""
    x, y = (np.atleast_1d(np.asarray(values, float)) for values in (scores, unacceptable))
    most, absurd = (low if high is None else np.atleast_1d(np.asarray(high, float)) for low, high in ((x, upper), (y, maybe)))
    if not (x <= most).all() or not (y <= absurd).all():
        raise BadInput("an upper end must not be below the lower one")
    return UnitValues(x, y, most, absurd)


class AnytimeVerdict:
    """Decides the verdict as soon as the evidence is enough, for any kind of evidence; a verdict never changes.

    population: number of units if they are drawn without replacement; None if they are i.i.d.
    """

    def __init__(self, criterion: Criterion, population: int | None) -> None:
        check_criterion(criterion)
        self.criterion = criterion
        self.threshold = -log(criterion.delta) - _ROUNDING
        """ln(1/delta), minus the rounding errors of sums of logarithms."""
        self.n = 0
        """Units taken, up to the end."""
        self.verdict = Verdict.UNDECIDED
        self.over = False
        """Whether further units change nothing: there is a verdict, all was asked, or unparsed replies prevent a verdict."""
        self.early = False
        """Whether it is too early for "pass"; evidence for it at such a time never counts.

        Any rule for this is valid, since it only removes moments at which the evidence may reach 1/delta. Once all of a finite
        scope has been asked, the exact verdict counts regardless.
        """
        self._population = population
        self._best_score, self._best_rate = -inf, (inf if criterion.unacceptable_limit is None else -inf)
        self._best_open = [-inf, -inf]
        self._sums = np.zeros(4)
        self.log_evidence = LogEvidence(np.empty(0), None if criterion.unacceptable_limit is None else np.empty(0), np.empty(0))
        """After each unit of the last `update`."""

    def _settle(self, units: UnitValues, evidence: LogEvidence, left_open: tuple[Floats, Floats] | None) -> int:
        """Take further units with the evidence after each; returns how many were taken, up to the end.

        left_open: evidence that the lower ends are too low and the upper ends high enough; None if all was parsed.
        """
        self.log_evidence = evidence
        passed = np.zeros(units.score.size, dtype=bool) if self.early else self._passed(evidence)
        failed = evidence.fail >= self.threshold
        ended = np.flatnonzero(passed | failed | self._stays_open(units, left_open))
        taken = int(ended[0]) + 1 if ended.size else units.score.size
        self.n += taken
        self._sums += [values[:taken].sum() for values in units]
        last = taken - 1
        if passed[last] or failed[last]:
            self.verdict = Verdict.FAIL if failed[last] else Verdict.PASS
        elif self.n == self._population:
            score, rate, upper, maybe = (self._sums / self.n).tolist()
            self.verdict = exact_verdict(score, rate, self.criterion, upper=upper, maybe=maybe)
        self.over = bool(ended.size) or self.n == self._population
        return taken

    def _passed(self, evidence: LogEvidence) -> NDArray[np.bool_]:
        """The units after which both parts of the evidence for "pass" have been enough."""
        passed: NDArray[np.bool_] = np.maximum.accumulate(np.maximum(evidence.score_pass, self._best_score)) >= self.threshold
        self._best_score = max(self._best_score, float(evidence.score_pass.max()))
        if evidence.unacceptable_pass is not None:
            passed &= np.maximum.accumulate(np.maximum(evidence.unacceptable_pass, self._best_rate)) >= self.threshold
            self._best_rate = max(self._best_rate, float(evidence.unacceptable_pass.max()))
        return passed

    def _stays_open(self, units: UnitValues, left_open: tuple[Floats, Floats] | None) -> NDArray[np.bool_]:
        """The units after which unparsed replies are shown to prevent either verdict."""
        if left_open is None:
            return np.zeros(units.score.size, dtype=bool)
        n = self.n + 1 + np.arange(units.score.size)
        grade = self.criterion.passing_grade
        # an earlier crossing may have been chance: the means so far must agree
        lower, upper = self._sums[0] + np.cumsum(units.score), self._sums[2] + np.cumsum(units.upper)
        shown: NDArray[np.bool_] = (lower < grade * n) & (upper >= grade * n)
        for side, path in enumerate(left_open):
            shown &= np.maximum.accumulate(np.maximum(path, self._best_open[side])) >= self.threshold
            self._best_open[side] = max(self._best_open[side], float(path.max()))
        return shown


class SequentialTest(AnytimeVerdict):
    """Takes scores and unacceptability unit by unit, and decides when the evidence is enough.

    Parameters
    ----------
    criterion: what counts as understanding, and delta.
    population: number of units if they are drawn without replacement; None if they are i.i.d.
    whole: whether a unit is one question, so that it is unacceptable or not; False for clusters, with their means.
    partial_credit: whether scores between 0 and 1 are expected (`statistics.confidence_sequences.mean_passes`).

    Example
    -------
    >>> test = SequentialTest(Criterion(passing_grade=0.5, unacceptable_limit=None))
    >>> test.update(np.ones(20), np.zeros(20)), test.n
    (<Verdict.PASS: 'pass'>, 7)
    >>> gibberish = SequentialTest(Criterion(passing_grade=0.5, unacceptable_limit=None))
    >>> gibberish.update(np.zeros(20), np.zeros(20), upper=np.ones(20)), gibberish.n
    (<Verdict.UNDECIDED: 'undecided'>, 7)
    """

    def __init__(
        self, criterion: Criterion, *, population: int | None = None, whole: bool = True, partial_credit: bool = False
    ) -> None:
        super().__init__(criterion, population)
        grade, limit, goal = criterion.passing_grade, criterion.unacceptable_limit, -log(criterion.delta)
        self._score_pass = LeaningTest(grade, goal=goal, population=population, partial_credit=partial_credit)
        self._score_fail = mean_below(grade, population=population)
        self._rate_pass = None if limit is None else rate_below(limit, population=population, whole=whole)
        self._rate_fail = None if limit is None else rate_above(limit, population=population)
        self._open: tuple[BettingTest, BettingTest] | None = None

    def update(
        self, scores: ArrayLike, unacceptable: ArrayLike, *, upper: ArrayLike | None = None, maybe: ArrayLike | None = None
    ) -> Verdict:
        """Take further units in drawn order, up to the end; later ones are ignored.

        All arrays hold one value in [0, 1] for each unit: its score and its unacceptability, and their upper ends if unknown.
        """
        units = taken_as(scores, unacceptable, upper, maybe)
        if not self.over and units.score.size:
            left_open = self._left_open(units)
            self._settle(units, self._evidence(units), left_open)
        return self.verdict

    def _evidence(self, units: UnitValues) -> LogEvidence:
        score_pass = self._score_pass.update(units.score, units.upper > units.score)
        score_fail = self._score_fail.update(units.upper)
        return self._with_rate(score_pass, score_fail, units)

    def _with_rate(self, score_pass: Floats, score_fail: Floats, units: UnitValues) -> LogEvidence:
        if self._rate_pass is None or self._rate_fail is None:
            return LogEvidence(score_pass, None, score_fail)
        rate_pass, rate_fail = self._rate_pass.update(units.maybe), self._rate_fail.update(units.unacceptable)
        return LogEvidence(score_pass, rate_pass, fail_evidence(score_fail, rate_fail))

    def _left_open(self, units: UnitValues) -> tuple[Floats, Floats] | None:
        """The evidence of both verdicts, each from the ends that are least favourable to it."""
        if self._open is None:
            if not units.unread:
                return None
            # all was parsed up to here, so both agree
            self._open = deepcopy(self._score_fail), deepcopy(self._score_pass.mixture)
        too_low, high_enough = self._open
        return too_low.update(units.score), high_enough.update(units.upper)


def exact_verdict(
    score: float, rate: float, criterion: Criterion, *, upper: float | None = None, maybe: float | None = None
) -> Verdict:
    """The exact verdict once all of a finite scope has been asked (Definition 3.3).

    upper, maybe: the highest possible mean score and rate if replies are unparsed; then there may be no verdict.

    >>> exact_verdict(0.7, 0.0, Criterion(0.7, 0.001))
    <Verdict.PASS: 'pass'>
    >>> exact_verdict(0.6, 0.0, Criterion(0.7, 0.001), upper=0.7)
    <Verdict.UNDECIDED: 'undecided'>
    """
    limit, grade = criterion.unacceptable_limit, criterion.passing_grade - _ROUNDING
    most, absurd = score if upper is None else upper, rate if maybe is None else maybe
    if score >= grade and (limit is None or absurd <= limit + _ROUNDING):
        return Verdict.PASS
    fails = most < grade or (limit is not None and rate > limit + _ROUNDING)
    return Verdict.FAIL if fails else Verdict.UNDECIDED


def fixed_verdict(
    score: float, rate: float, n: int, criterion: Criterion, *, upper: float | None = None, maybe: float | None = None
) -> Verdict:
    """Procedure 4.1 of `leytonbrown2024` for mean score and unacceptable rate over `n` units; `n` fixed in advance.

    Without an unacceptable limit only the score counts, and failing needs no split of delta. `upper` and `maybe` as in
    `exact_verdict`.

    >>> fixed_verdict(0.9, 0.0, 10_000, Criterion(0.7, 0.00052))
    <Verdict.PASS: 'pass'>
    >>> fixed_verdict(0.9, 0.0, 1_000, Criterion(0.7, 0.00052))
    <Verdict.UNDECIDED: 'undecided'>
    """
    grade, limit, delta = criterion.passing_grade, criterion.unacceptable_limit, criterion.delta
    most, absurd = score if upper is None else upper, rate if maybe is None else maybe
    if limit is None:
        good, bad = kl_lower(score, n, delta) >= grade, kl_upper(most, n, delta) < grade
    else:
        good = kl_lower(score, n, delta) >= grade and kl_upper(absurd, n, delta) <= limit
        bad = kl_upper(most, n, delta / 2) < grade or kl_lower(rate, n, delta / 2) > limit
    if good:
        return Verdict.PASS
    return Verdict.FAIL if bad else Verdict.UNDECIDED


def check_criterion(criterion: Criterion) -> None:
    """Raise `BadInput` for an impossible passing grade, limit or delta."""
    for name, value in (
        ("passing grade", criterion.passing_grade),
        ("unacceptable limit", criterion.unacceptable_limit),
        ("delta", criterion.delta),
    ):
        if value is not None and not 0 < value < 1:
            raise BadInput(f"the {name} is {value}; it must lie strictly between 0 and 1")


def check_terms(criterion: Criterion, questions: int | None, scopes: Iterable[object] = ()) -> None:
    """Raise `BadInput`, before anything is asked, for impossible settings.

    questions: at most this many; None: no limit.
    scopes: those whose own rule must score every answer.
    """
    check_criterion(criterion)
    if questions is not None and questions < 1:
        raise BadInput(f"an examination of {questions} questions: it needs at least 1")
    for question in chain.from_iterable(getattr(scope, "questions", ()) for scope in scopes):
        check_rule(question)
