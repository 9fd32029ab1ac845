"""The evidence for and against understanding, and when it is enough for a verdict.

Sequential (the default): four e-processes. "Understands" once those for the score and for the rate of ridiculous answers
have *each ever* reached 1/delta; a wrong one needs one true null to be rejected, so delta is not split. "Does not
understand" once the mean of the two opposite ones reaches 1/delta. P(a verdict is ever given and is wrong) <= delta for
every fixed candidate, at any stopping time.

Fixed: Procedure 4.1 of `leytonbrown2024` as printed, one look after a number of questions that was fixed in advance. Looked
at after every answer it errs two to three times as often as it says; "Theorem 2 then applies directly at every point"
(section 5) is false as a stopping rule. Theorem 1 stands, though its proof bounds the event that *both* conditions fail
where it should bound that *either* does: an understanding verdict is wrong if one of two true nulls is rejected, each at
level delta, and at least one of them is true, so the rejection of that one alone bounds the error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from math import inf, log

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.certificate.finding import Criterion, Verdict
from vivavoce.certificate.score import check_rule
from vivavoce.errors import BadInput
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import kl_lower, kl_upper
from vivavoce.statistics.mean import mean_above, mean_below
from vivavoce.statistics.rate import rate_above, rate_below

USUAL_LIMIT = 0.001
"""The rate that intervals are sharpest around where no ridiculous limit is set."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class LogEvidence:
    """Natural logarithms of e-values, one number a unit."""

    score_pass: Floats
    ridiculous_pass: Floats | None
    fail: Floats


class AnytimeVerdict:
    """The verdict as soon as the evidence is enough, whatever the evidence is reckoned from; it never changes again.

    population: number of units if they are drawn without replacement; None if they are i.i.d.
    """

    def __init__(self, criterion: Criterion, population: int | None) -> None:
        check_criterion(criterion)
        self.criterion = criterion
        self.threshold = -log(criterion.delta) - _ROUNDING
        """ln(1/delta), less what sums of logarithms lose to rounding."""
        self.n = 0
        """Units taken; after a verdict, those up to it."""
        self.verdict = Verdict.NO_CONCLUSION
        self._population = population
        self._best_score, self._best_rate = -inf, (inf if criterion.ridiculous_limit is None else -inf)
        self._sums = np.zeros(2)
        self.log_evidence = LogEvidence(np.empty(0), None if criterion.ridiculous_limit is None else np.empty(0), np.empty(0))
        """After each unit of the last `update`."""

    def _settle(self, x: Floats, y: Floats, evidence: LogEvidence) -> int:
        """Judge by further units and the evidence after each of them; how many were taken, up to a verdict."""
        self.log_evidence = evidence
        passed = np.maximum.accumulate(np.maximum(evidence.score_pass, self._best_score)) >= self.threshold
        self._best_score = max(self._best_score, float(evidence.score_pass.max()))
        if evidence.ridiculous_pass is not None:
            passed &= np.maximum.accumulate(np.maximum(evidence.ridiculous_pass, self._best_rate)) >= self.threshold
            self._best_rate = max(self._best_rate, float(evidence.ridiculous_pass.max()))
        failed = evidence.fail >= self.threshold
        ended = np.flatnonzero(passed | failed)
        taken = int(ended[0]) + 1 if ended.size else x.size
        self.n += taken
        self._sums += x[:taken].sum(), y[:taken].sum()
        if ended.size:
            self.verdict = Verdict.DOES_NOT_UNDERSTAND if failed[taken - 1] else Verdict.UNDERSTANDS
        elif self.n == self._population:
            self.verdict = exact_verdict(self._sums[0] / self.n, self._sums[1] / self.n, self.criterion)
        return taken


class SequentialTest(AnytimeVerdict):
    """Takes scores and ridiculousness unit by unit and says when the evidence is enough.

    Parameters
    ----------
    criterion: what counts as understanding, and delta.
    population: number of units if they are drawn without replacement; None if they are i.i.d.
    whole: whether a unit is one question, so that it is ridiculous or not; False for clusters, with their means.

    Example
    -------
    >>> test = SequentialTest(Criterion(passing_grade=0.5, ridiculous_limit=None))
    >>> test.update(np.ones(20), np.zeros(20)), test.n
    (<Verdict.UNDERSTANDS: 'understands'>, 7)
    """

    def __init__(self, criterion: Criterion, *, population: int | None = None, whole: bool = True) -> None:
        super().__init__(criterion, population)
        limit = criterion.ridiculous_limit
        self._score_pass = mean_above(criterion.passing_grade, population=population)
        self._score_fail = mean_below(criterion.passing_grade, population=population)
        self._rate_pass = None if limit is None else rate_below(limit, population=population, whole=whole)
        self._rate_fail = None if limit is None else rate_above(limit, population=population)

    def update(self, scores: ArrayLike, ridiculous: ArrayLike) -> Verdict:
        """Take further units in the order in which they were drawn, up to a verdict; later ones are left aside.

        Both arrays hold one value in [0, 1] a unit: its score, and how ridiculous it is.
        """
        x, y = np.atleast_1d(np.asarray(scores, float)), np.atleast_1d(np.asarray(ridiculous, float))
        if self.verdict is Verdict.NO_CONCLUSION and x.size:
            self._settle(x, y, self._evidence(x, y))
        return self.verdict

    def _evidence(self, x: Floats, y: Floats) -> LogEvidence:
        score_pass, score_fail = self._score_pass.update(x), self._score_fail.update(x)
        if self._rate_pass is None or self._rate_fail is None:
            return LogEvidence(score_pass, None, score_fail)
        ridiculous_pass, ridiculous_fail = self._rate_pass.update(y), self._rate_fail.update(y)
        return LogEvidence(score_pass, ridiculous_pass, np.logaddexp(score_fail, ridiculous_fail) - log(2))


def exact_verdict(score: float, rate: float, criterion: Criterion) -> Verdict:
    """The verdict once all of a finite scope has been asked (Definition 3.3): nothing is left to chance.

    >>> exact_verdict(0.7, 0.0, Criterion(0.7, 0.001))
    <Verdict.UNDERSTANDS: 'understands'>
    """
    limit = criterion.ridiculous_limit
    good = score >= criterion.passing_grade - _ROUNDING and (limit is None or rate <= limit + _ROUNDING)
    return Verdict.UNDERSTANDS if good else Verdict.DOES_NOT_UNDERSTAND


def fixed_verdict(score: float, rate: float, n: int, criterion: Criterion) -> Verdict:
    """Procedure 4.1 of `leytonbrown2024` for mean score and ridiculous rate over `n` units; `n` fixed in advance.

    Without a ridiculous limit only the score counts, and failing needs no split of delta.

    >>> fixed_verdict(0.9, 0.0, 10_000, Criterion(0.7, 0.00052))
    <Verdict.UNDERSTANDS: 'understands'>
    >>> fixed_verdict(0.9, 0.0, 1_000, Criterion(0.7, 0.00052))
    <Verdict.NO_CONCLUSION: 'no conclusion'>
    """
    grade, limit, delta = criterion.passing_grade, criterion.ridiculous_limit, criterion.delta
    if limit is None:
        good, bad = kl_lower(score, n, delta) >= grade, kl_upper(score, n, delta) < grade
    else:
        good = kl_lower(score, n, delta) >= grade and kl_upper(rate, n, delta) <= limit
        bad = kl_upper(score, n, delta / 2) < grade or kl_lower(rate, n, delta / 2) > limit
    if good:
        return Verdict.UNDERSTANDS
    return Verdict.DOES_NOT_UNDERSTAND if bad else Verdict.NO_CONCLUSION


def check_criterion(criterion: Criterion) -> None:
    """Refuse a passing grade, limit or delta that cannot be meant."""
    for name, value in (
        ("passing grade", criterion.passing_grade),
        ("ridiculous limit", criterion.ridiculous_limit),
        ("delta", criterion.delta),
    ):
        if value is not None and not 0 < value < 1:
            raise BadInput(f"the {name} is {value}; it must lie strictly between 0 and 1")


def check_terms(criterion: Criterion, questions: int | None, scopes: Iterable[object] = ()) -> None:
    """Refuse, before anything is asked, what cannot be meant.

    questions: at most so many; None: as many as it takes.
    scopes: those whose own rule is to score every answer.
    """
    check_criterion(criterion)
    if questions is not None and questions < 1:
        raise BadInput(f"an examination of {questions} questions: it needs at least 1")
    for question in chain.from_iterable(getattr(scope, "questions", ()) for scope in scopes):
        check_rule(question)
