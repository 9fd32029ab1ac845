"""The audit of a procedure, after it was frozen and before its answers count.

If the questions are listed, it answers all of them, and everything is known exactly. If they are generated, it answers fresh
draws from a separate stream, which are used for nothing else. Both cost the candidate nothing.

A *failure* is an answer that does not have full marks, or is unacceptable. This is stricter than the theory, where only
unacceptable answers of a procedure count against the limit: a candidate that hands over a procedure claims to know the method.

A procedure is accepted if it uses a smaller part of the allowed failures than of the questions: f / limit < p / P, where f is
the share of draws on which it fails, p the share that it answers and P the share that no earlier procedure answers. Then the
remaining questions need not be answered better than before. `limit` is the unacceptable limit, or 1 minus the passing grade if
that is less. This is a choice, not an inference: the verdict does not depend on the audit, since a procedure's answers are
graded on every draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from math import fsum

import numpy as np

from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.config import FEWEST_CHECKS, MOST_CHECKS
from vivavoce.certificate.explanations.finding import SHOWN_CHARACTERS, Explanation
from vivavoce.certificate.explanations.known import ExplainedPart
from vivavoce.certificate.explanations.procedures import AT_ONCE, Procedure, reply, ruled
from vivavoce.certificate.explanations.sandbox.program_reply import ProgramReply
from vivavoce.certificate.explanations.sandbox.sandbox import SandboxEnded
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.scope import Grade, Scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import as_wrong
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper

ALONE = 3
"""Number of questions that a procedure is asked again, one at a time."""


class Auditor:
    """Audits procedures, each after the earlier accepted ones.

    Parameters
    ----------
    delta: the level of the intervals, each 1 - delta.
    checks: how many draws of a scope without an end; None: 100 / limit, from 10,000 to 100,000.
    seed: of the fresh draws; each procedure has its own.
    """

    def __init__(
        self, scope: Scope[Question], criterion: Criterion, *, delta: float, seed: Sequence[int], checks: int | None = None
    ) -> None:
        open_to_error = 1 - criterion.passing_grade
        self.limit = min(criterion.unacceptable_limit or open_to_error, open_to_error)
        """The allowed share of failures."""
        self.accepted: list[Procedure] = []
        self.parts: list[ExplainedPart] = []
        """The values of the accepted procedures that Procedure 5.1 takes as known."""
        self._scope, self._delta, self._seed = scope, delta, seed
        self._checks = checks or min(MOST_CHECKS, max(FEWEST_CHECKS, round(100 / self.limit)))
        self._audited = 0

    def audit(self, procedure: Procedure, *, frozen_after: int = 0) -> Explanation:
        """Check one procedure, and add it if it is accepted. Blocks.

        frozen_after: questions that the candidate had answered by then.
        """
        self._audited += 1
        rng = np.random.default_rng([*self._seed, self._audited])
        listed = self._scope.questions if isinstance(self._scope, ListedScope) else None
        count = _Count(None if listed is None else fsum(question.weight for question in listed))
        drawn = chain.from_iterable(self._scope.draw(rng))
        asked = islice(drawn, self._checks) if listed is None else iter(listed)
        why = ""
        try:
            for batch in _batches(asked):
                self._check(procedure, batch, count)
            why = _wavers(procedure, count.sample, rng)
        except SandboxEnded as ended:
            why = _why_ended(ended)
        why = why or self._why_not(*count.shares)
        if not why:
            self.accepted.append(procedure)
            self.parts.append(count.part)
        return count.explanation(procedure, why, frozen_after=frozen_after, delta=self._delta)

    def _check(self, procedure: Procedure, batch: Sequence[Question], count: _Count) -> None:
        free = _covered_by_none(self.accepted, batch)
        for question, ruling, is_free in zip(batch, procedure.rulings(batch), free, strict=True):
            count.add(
                question,
                ruling,
                as_wrong(self._scope.grade(question, reply(ruling))) if ruling.covers and is_free else None,
                is_free,
            )

    def _why_not(self, covered: float, failed: float, left: float) -> str:
        if covered == 0:
            return "it covers none of its test questions that no other procedure covers"
        return "it fails too often" if failed / self.limit >= covered / left else ""


class _Count:
    """The counts of one audit; `total` is the weight of all questions where all are asked."""

    def __init__(self, total: float | None) -> None:
        self.sample: list[tuple[Question, ProgramReply]] = []
        self._checks = self._covered = self._wrong = self._unacceptable = 0
        self._failure = ""
        self._total = total
        self._left = 0.0
        self._sums = np.zeros(4)
        """Sums over the questions covered: weights, failures, scores, unacceptable answers."""

    def add(self, question: Question, ruling: ProgramReply, grade: Grade | None, is_free: bool) -> None:
        weight = 1.0 if self._total is None else question.weight
        self._checks += 1
        self._left += weight * is_free
        if len(self.sample) < AT_ONCE:
            self.sample.append((question, ruling))
        if grade is None:
            return
        failed = grade.score < 1 or grade.unacceptable
        self._covered += 1
        self._wrong += failed
        self._unacceptable += grade.unacceptable
        self._sums += weight * np.array([1.0, failed, grade.score, grade.unacceptable])
        self._failure = self._failure or ruling.failure

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of all questions: covered, failed, and not answered by an earlier procedure."""
        total = self._total or max(1, self._checks)
        return float(self._sums[0]) / total, float(self._sums[1]) / total, self._left / total

    @property
    def part(self) -> ExplainedPart:
        """Share, mean score and rate of unacceptable answers; the last two are 0 if nothing is covered."""
        score, unacceptable = self._sums[2:] / (self._sums[0] or 1.0)
        return ExplainedPart(self.shares[0], float(score), float(unacceptable))

    def explanation(self, procedure: Procedure, why_dropped: str, *, frozen_after: int, delta: float) -> Explanation:
        exact, mass = self._total is not None, self.shares[0]
        failing = float(self._sums[1] / self._sums[0]) if self._covered else None
        in_all = _interval(self._covered, self._checks, delta, mass if exact else None)
        in_its_own = _interval(self._wrong, self._covered, delta, failing if exact else None)
        return Explanation(
            source=procedure.source,
            kind=procedure.kind,
            digest=procedure.digest,
            beginning=procedure.text[:SHOWN_CHARACTERS],
            characters=len(procedure.text),
            frozen_after=frozen_after,
            exact=exact,
            checks=self._checks,
            covered=self._covered,
            wrong=self._wrong,
            unacceptable=self._unacceptable,
            mass=Estimate(mass, in_all, self._checks),
            failing=Estimate(failing, in_its_own, self._covered),
            score=self.part.score if self._covered else None,
            why_dropped=why_dropped,
            failure=self._failure,
        )


def _why_ended(ended: SandboxEnded) -> str:
    if ended.reason == "total CPU time":
        return "the CPU time that all programs have together is used up"
    return f"a run of {AT_ONCE} questions was ended by its {ended.reason}"


def _interval(count: int, n: int, delta: float, exact: float | None) -> Interval:
    """Clopper and Pearson's interval, or a point if the number is known."""
    if exact is not None:
        return Interval(exact, exact)
    if not n:
        return Interval(0.0, 1.0)
    return Interval(clopper_pearson_lower(count, n, delta / 2), clopper_pearson_upper(count, n, delta / 2))


def _covered_by_none(procedures: Sequence[Procedure], batch: Sequence[Question]) -> list[bool]:
    free = [True] * len(batch)
    for procedure in procedures:
        free = [old and not ruling.covers for old, ruling in zip(free, ruled(procedure, batch), strict=True)]
    return free


def _batches(questions: Iterator[Question]) -> Iterator[list[Question]]:
    while batch := list(islice(questions, AT_ONCE)):
        yield batch


def _wavers(procedure: Procedure, sample: Sequence[tuple[Question, ProgramReply]], rng: np.random.Generator) -> str:
    """Whether its ruling on a question depends on the other questions; then it is not a fixed procedure."""
    if procedure.kind == "table":
        return ""
    shuffled = [sample[i] for i in rng.permutation(len(sample))]
    for company in (shuffled[: (len(shuffled) + 1) // 2], *([alone] for alone in shuffled[:ALONE])):
        if procedure.rulings([question for question, _ in company]) != tuple(ruling for _, ruling in company):
            return "its answer to a question depends on the other questions"
    return ""
