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

The protocol of an examination with explanations: which questions the candidate gets, and how each answer counts.

The subject is a *system*: the candidate together with the procedures that have been frozen and accepted so far. A procedure
answers the questions that it covers, the candidate all others, and both are graded alike. A system is a candidate like any
other, so the test without explanations applies to it word for word. Covered questions cost the candidate nothing: if procedures
cover a share p and are right, it answers 1 - p of the questions that it would answer alone.

But the system may change during the examination, because of the answers that were seen. So:

- Process 1 judges the initial system, with the procedures from before the first question. It runs to the end and is never
  restarted: its questions still go to the candidate, even if they are explained later.
- When a procedure is accepted later, a new process begins for the new system, with questions that no one had seen when the
  procedure was frozen. Nothing from before counts in it. The one before it, if it is not process 1, is given up.
- The v-th process has the share delta_v = delta (1/v^2) / (1/1^2 + ... + 1/m^2) of delta, m the number of processes that the
  schedule allows, fixed in advance. If explanations are asked for at the beginning only, m = 1, and the share is all of
  delta.

Argument. Let the system of process v be frozen at the moment t_v. Given everything up to t_v it is a fixed candidate with fresh
draws. So process v gives a wrong verdict on it, at any moment, with conditional probability at most delta_v (the test's own
guarantee: delta is not split between score and unacceptable answers, since a wrong verdict rejects a true null about one
system, which either understands or not). This holds whatever started process v, so it also holds on average. A verdict of the
examination is a verdict of one of the processes on its own system. The probability that any of them is wrong is at most delta_1
+ ... + delta_m = delta.

This holds for any way of drawing units that fits the test. A system's answers are graded like a candidate's, so
`evidence.stratified` holds of them word for word where strata are asked in proportion, and `evidence.drawn_once`
where units are drawn evenly, each once. A later process needs draws that are fresh given everything before. In strata of an
endless scope, draws are i.i.d. within each, and the evidence is valid for any counts of the strata that the masses determine,
even from the middle of a round on. Without replacement the remaining questions depend on the earlier ones, so explanations are
asked for at the beginning only.

Where this departs from section 5 of `leytonbrown2024`, and why:

- "Theorem 2 then applies directly at every point in this process" is false: discarding the answers that an explanation covers,
  after seeing them, lets a candidate pass by explaining away each unacceptable answer. Here no answer is discarded.
- The paper takes a procedure's mass, score and failures as known. Bounding each from checks, at a share of delta, and
  subtracting the bounds from the limit is valid but costs more: for p = .5 and 10^5 checks without a failure, 3,523 questions
  instead of 3,141. Nothing needs to be known about a procedure whose answers are graded on every draw. The checks before
  acceptance (`audit`) only decide whether to use it, and inform the finding.
- Where a finite scope can be run whole, what procedures answer is known without a bound; the rest alone is drawn (`known`).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from math import fsum
from typing import Generic, TypeVar

import numpy as np

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.config import FEWEST_CHECKS, MOST_CHECKS
from vivavoce.certificate.evidence.inference import Inference
from vivavoce.certificate.evidence.sequential import AnytimeVerdict
from vivavoce.certificate.explanations.finding import SHOWN_CHARACTERS, Explanation
from vivavoce.certificate.explanations.known import EnumeratedUnits, ExplainedPart
from vivavoce.certificate.explanations.procedures import AT_ONCE, Procedure, ProcedureAnswer, RuledUnit, reply, ruled
from vivavoce.certificate.explanations.sandbox.program_reply import ProgramReply
from vivavoce.certificate.explanations.sandbox.sandbox import SandboxEnded
from vivavoce.certificate.run import CertificateRun, RunTerms
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.scope import Grade, Scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import as_wrong
from vivavoce.statistics.bounds import check_delta, clopper_pearson_lower, clopper_pearson_upper

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


P = TypeVar("P", bound=CertificateRun | AnytimeVerdict)


def share(delta: float, number: int, *, most: int) -> float:
    """delta_v: what process `number` (from 1) of at most this many may err.

    >>> round(share(0.05, 1, most=1), 6), [round(share(0.05, v, most=2), 6) for v in (1, 2)]
    (0.05, [0.04, 0.01])
    """
    check_delta(delta)
    if not 1 <= number <= most:
        raise BadInput(f"process {number} of at most {most}: the explanations changed more often than planned")
    return delta / number**2 / fsum(1 / v**2 for v in range(1, most + 1))


class Ledger(Generic[P]):
    """The processes of one examination, and their verdict.

    Parameters
    ----------
    begin: makes a process for the system as it is now, with its share of delta.
    most: how many processes there may be.

    Example
    -------
    >>> from vivavoce.certificate.evidence.sequential import SequentialTest
    >>> from vivavoce.certificate.claims.claim import Criterion
    >>> ledger = Ledger(lambda delta: SequentialTest(Criterion(0.5, None, delta)), delta=0.05, most=2)
    >>> _ = ledger.first.update([1.0] * 20, [0.0] * 20)
    >>> ledger.verdict, ledger.deciding is ledger.first
    (<Verdict.PASS: 'pass'>, True)
    """

    def __init__(self, begin: Callable[[float], P], *, delta: float, most: int) -> None:
        self._begin = begin
        self._delta, self._most = delta, most
        self.begun = 1
        """Processes so far."""
        self.first = self.latest = begin(share(delta, 1, most=most))
        """Process 1, and the process of the present system."""

    @property
    def left(self) -> int:
        """How often the system may still change."""
        return self._most - self.begun

    def change(self) -> P:
        """Begin the process of the changed system."""
        self.begun += 1
        self.latest = self._begin(share(self._delta, self.begun, most=self._most))
        return self.latest

    @property
    def deciding(self) -> P:
        """The process that decides: process 1 if it finds understanding, else the process of the present system.

        A failure without the later explanations is not a verdict on the candidate with them.
        """
        return self.first if self.first.verdict is Verdict.PASS else self.latest

    @property
    def verdict(self) -> Verdict:
        """The verdict of the deciding process."""
        return self.deciding.verdict

    def delta_of(self, process: P) -> float:
        """The share of one of the two processes."""
        return share(self._delta, 1 if process is self.first else self.begun, most=self._most)


class SystemRun(CertificateRun):
    """Takes units with known answers, and the candidate's answers to the other questions, in drawn order.

    Parameters
    ----------
    inference: with the share of the error of this process.
    procedures: how many of the procedures belong to the system.
    standing: how many of them the verdict is about.
    known: the part of a finite scope that is known beforehand; it is not drawn.
    """

    def __init__(
        self,
        scope: Scope[Question],
        inference: Inference,
        terms: RunTerms,
        *,
        procedures: int,
        standing: int,
        known: EnumeratedUnits | None = None,
    ) -> None:
        super().__init__(scope, inference, terms)
        self.procedures = procedures
        self.standing = standing
        self.answered = 0
        """Questions that the candidate answered."""
        self.answered_by: Counter[int] = Counter()
        """By the number of the procedure, from 0, the questions that it answered."""
        self.known = known
        self._ready: deque[tuple[ProcedureAnswer | None, ...]] = deque()

    def put(self, drawn: RuledUnit) -> None:
        """A further unit; its known part is taken as soon as everything before it has been answered."""
        known = drawn.known(self.procedures)
        if self.known is not None and None not in known:
            return
        self._waiting.append(drawn.unit)
        self._ready.append(known)
        self._settle()

    def take(self, answer: Reply | NoAnswer) -> Verdict:
        """The candidate's answer to the oldest question that waits for one, and the known part after it."""
        if not self.over:
            self.answered += 1
            self._advance(answer, self._graded(answer))
            self._settle()
        return self.verdict

    def _settle(self) -> None:
        while not self.over and self._waiting and (known := self._ready[0][len(self._grades)]) is not None:
            self.answered_by[known.owner] += 1
            # code that returns nothing that can be read has failed: there is no one who might have meant something
            self._advance(known.reply, as_wrong(self._graded(known.reply)))

    def _advance(self, answer: Reply | NoAnswer, grade: Grade) -> None:
        units = len(self._waiting)
        self.take_grade(answer, grade)
        if len(self._waiting) < units:
            self._ready.popleft()

    def _insufficient(self) -> str:
        return f"the evidence is not sufficient within the {self.answered} questions to the candidate that were allowed"
