"""The examination on several scopes: one interview, one budget, and a verdict on each with an error rate for all of them."""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.certificate.attempts.log import end, of_attempt
from vivavoce.certificate.claims.claim import ClaimFamily, FamilyTest, MultipleTest, Verdict
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.claims.results import ScopeResult
from vivavoce.certificate.config import Correction
from vivavoce.certificate.evidence.inference import Inference
from vivavoce.certificate.graders.grades import GradingReport, NoGrade
from vivavoce.certificate.graders.marking import GradingPace, graded_in_order
from vivavoce.certificate.graders.marking import Mark as Graded
from vivavoce.certificate.graders.rule_grading import Answers, GradingMethod
from vivavoce.certificate.graders.trace import in_order
from vivavoce.certificate.report.caveats import ignored_caveats
from vivavoce.certificate.run import CertificateRun, RunTerms, StartedExamination, signed
from vivavoce.interview.candidate import CONCURRENCY, NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.record import digest_of
from vivavoce.interview.results import AnswerEvent, ResultMark
from vivavoce.interview.scope import Scope, Signature
from vivavoce.scopes.questions import Question, Unit

NAME = "certificates"
IN_FLIGHT = "in_flight"
"""Signature setting: questions in flight, which decides how many are asked beyond the verdict on their scope."""
BLOCKS = "blocks"
"""The same if it was asked by batch: after how many answers a block was drawn, and up to how many questions."""
CERTAIN: Final = 700.0
"""The log e-value of an exact verdict."""
_ROUNDING = 1e-9
_WORST = 3
"""Number of answers kept for each scope."""


class GradedReply(NamedTuple):
    """An answer with its grades."""

    scope: int
    """The number of its scope."""
    mark: Graded


class ManyScopesProcedure:
    """Examines several scopes, each until it has its verdict, with one interview and one budget.

    For what delta bounds see `claims.claim.MultipleTest`. It needs an e-process on each scope, computed in any way, and an
    order of asking that depends only on the past. So each scope may have any design (`design.drawing`), and a rule or a judge
    may grade: with a judge, every verdict is about the judge's grades. A scope that cannot get a verdict, since too many
    replies are unparsed, is asked no more questions. The same holds for a scope with a verdict; answers still in flight are
    ignored.

    family: for one scope, the larger family that it belongs to; its verdict is then the verdict of a round
        (`claims.claim.ClaimFamily`).
    """

    def __init__(
        self, begun: StartedExamination, grading: GradingMethod, rule: Correction, family: ClaimFamily | None = None
    ) -> None:
        self._begun = begun
        self._rule = rule if family is None else family.rule
        self._test: MultipleTest | FamilyTest = MultipleTest(len(begun.scopes), rule, delta=begun.attempt.delta)
        if family is not None:
            self._test = FamilyTest(family, begun.attempt.delta)
        members = len(begun.scopes) if family is None else family.members
        each = replace(begun.own, delta=begun.own.delta / members)
        self._markers = [grading.marker(scope) for scope in begun.scopes]
        self._judge = grading.judge
        terms = [replace(begun.terms, limit=None, graded=grading.settings(scope)) for scope in begun.scopes]
        self._runs = [
            _ScopeRun(scope, how.inference(each), own)
            for scope, how, own in zip(begun.scopes, begun.populations, terms, strict=True)
        ]
        # seeded by its own digest: scopes draw independently of each other, and other scopes do not change the draws
        self._questions = [
            _expected(run, population.draw(np.random.default_rng([begun.seed, int(scope.digest, 16)])))
            for run, scope, population in zip(self._runs, begun.scopes, begun.populations, strict=True)
        ]
        self._asked: deque[tuple[int, Question]] = deque()
        """The questions in flight, each with the number of its scope."""
        self._marks: list[GradedReply] = []
        self._order: list[tuple[int, bool]] = []
        """For each answer taken its scope, and whether it counted."""
        self._exhausted = ""
        """The limit of the budget that left no room for a judgement."""

    def prompts(self) -> Iterator[Prompt]:
        """The next questions, from the scope whose turn it is, up to the limit."""
        drawn, limit, test = 0, self._begun.terms.limit, self._test
        while (limit is None or drawn < limit) and (scope := test.turn()) is not None:
            question = next(self._questions[scope], None)
            if question is None:
                test.has_no_more(scope)
                continue
            drawn += 1
            self._asked.append((scope, question))
            yield self._begun.scopes[scope].prompt(question)

    def rows(self, heard: Sequence[AnswerEvent]) -> list[ResultMark | None]:
        """Rows with the grades that counted; no score if the scope already had its verdict."""
        names = [scope.name for scope in self._begun.scopes]
        taken = [iter(run.marks) for run in self._runs]
        marks = [next(taken[scope]) if counted else ResultMark(scope=names[scope]) for scope, counted in self._order]
        return in_order(heard, marks)

    async def graded(self, answers: Answers) -> AsyncGenerator[GradedReply, None]:
        """The answers in drawn order with their grades."""
        ahead = max(marker.ahead for marker in self._markers)
        if ahead == 1:
            async for asked, answer in answers:
                yield await self._mark(asked, answer)
            return
        pace = GradingPace([self._begun.interview], self._judge, ahead)

        def graded(asked: Prompt, answer: Reply | NoAnswer) -> Coroutine[Any, Any, GradedReply]:
            pace.ask()
            return self._mark(asked, answer)

        async with aclosing(graded_in_order(answers, graded, ahead=pace.ahead, ready=pace.ready)) as marks:
            async for mark in marks:
                yield mark

    async def _mark(self, asked: Prompt, answer: Reply | NoAnswer) -> GradedReply:
        """Have the answer graded to the question that has been in flight longest."""
        scope, question = self._asked.popleft()
        return GradedReply(scope, await self._markers[scope].mark(question, asked, answer, 0))

    async def take(self, graded: GradedReply) -> bool:
        """Take the next answer; return True once finished, or if the budget ends here."""
        (scope, mark), test = graded, self._test
        if isinstance(mark.judge, NoGrade):
            self._exhausted = mark.judge.exhausted
            return True
        run = self._runs[scope]
        settled = test.stands(scope) or run.over
        self._order.append((scope, not settled))
        if self._judge is not None:
            self._marks.append(graded)
        if not settled:
            assert mark.judge is not None
            run.take_grade(mark.answer, mark.judge)
            test.take(scope, *run.evidence())
            if run.over and not test.stands(scope):
                test.has_no_more(scope)
        return test.over

    async def finish(self) -> ManyScopes:
        """Put the end on record; the finding."""
        begun, interview, test, asked = self._begun, self._begun.interview, self._test, len(self._order)
        results = self._results()
        attempt = await end(interview, begun.attempt, _outcome(results), asked, over=test.over)
        grading = self._grading()
        judged = () if grading is None else grading.caveats
        return ManyScopes(
            candidate=interview.candidate.name,
            criterion=begun.criterion,
            rule=self._rule,
            scopes=results,
            thresholds=(test.threshold(Verdict.PASS), test.threshold(Verdict.FAIL)),
            asked=asked,
            why_not="" if test.over else _why_not(results, interview.exhausted or self._exhausted, asked),
            spending=interview.spending + (Usage() if grading is None else grading.judge_spending),
            signature=of_attempt(self._signature(), begun.criterion, attempt),
            asked_so=(*judged, *ignored_caveats(begun.scopes), *interview.manner),
            attempt=attempt,
            ended=interview.ended,
            grading=grading,
        )

    def _grading(self) -> GradingReport | None:
        judge = self._judge
        if judge is None:
            return None
        counted = [mark for (_, mark), (_, counts) in zip(self._marks, self._order, strict=True) if counts]
        judged = [mark for _, mark in self._marks if mark.is_judged]
        return GradingReport(
            judge=judge.name,
            judge_is_candidate=judge.name == self._begun.interview.candidate.name,
            draws=judge.draws,
            judgements=len(judged) * judge.draws,
            unreadable=sum(mark.unreadable for mark in judged),
            rubric_digest=digest_of(judge.rubric),
            calibration=judge.calibration,
            by_judge=sum(not mark.by_rule for mark in counted),
            by_rule=sum(mark.by_rule for mark in counted),
            judge_spending=sum((mark.spending for mark in judged), Usage()),
            unreadable_is_wrong=self._begun.terms.unreadable == "wrong",
        )

    def _results(self) -> tuple[ScopeResult, ...]:
        results, test = [], self._test
        for run, scope, verdict, evidence in zip(self._runs, self._begun.scopes, test.verdicts, test.evidence, strict=True):
            sheet = run.certificate("", "", Usage(), 0)
            results.append(
                ScopeResult(
                    scope=scope.name,
                    scope_size=sheet.scope_size,
                    verdict=verdict,
                    questions=sheet.questions,
                    complete=sheet.complete,
                    score=sheet.score,
                    unacceptable=sheet.unacceptable,
                    unacceptable_count=sheet.unacceptable_count,
                    replies=sheet.replies,
                    if_anew_wrong=sheet.if_anew_wrong,
                    log_e_understands=max(-CERTAIN, min(CERTAIN, evidence[0])),
                    log_e_fails=max(-CERTAIN, min(CERTAIN, evidence[1])),
                    worst=sheet.worst[:_WORST],
                    digest=scope.digest,
                    broken_laws=sheet.broken_laws,
                    score_range=sheet.score_range,
                    unacceptable_range=sheet.unacceptable_range,
                    unread=sheet.unread[:1],
                    why_not=sheet.why_not if verdict is Verdict.UNDECIDED and sheet.unexamined else "",
                )
            )
        return tuple(results)

    @property
    def _in_flight(self) -> dict[str, object]:
        """Settings that affect whose turn it was, if they are not the default."""
        interview = self._begun.interview
        if interview.drawing.blocks:
            return {BLOCKS: [list(block) for block in interview.drawing.blocks]}
        return {} if interview.concurrency == CONCURRENCY else {IN_FLIGHT: interview.concurrency}

    def _signature(self) -> Signature:
        begun, scopes = self._begun, self._begun.scopes
        return signed(
            NAME,
            begun.interview.candidate.name,
            scope=" + ".join(scope.name for scope in scopes),
            digest=hashlib.sha256("\n".join(scope.digest for scope in scopes).encode()).hexdigest(),
            criterion=begun.criterion,
            seed=begun.seed,
            many=self._rule,
            questions=begun.terms.limit,
            unreadable=begun.terms.unreadable,
            **self._in_flight,
            **begun.terms.design,
            **begun.terms.graded,
            **begun.interview.settings,
        )


class _ScopeRun(CertificateRun):
    """The run of one scope, which gives evidence to the test of several.

    It runs at delta / J, so it ends by itself exactly when the evidence is enough regardless of the other scopes.
    """

    def __init__(self, scope: Scope[Question], inference: Inference, terms: RunTerms) -> None:
        super().__init__(scope, inference, terms)
        self._enough = -np.log(inference.criterion.delta) - _ROUNDING
        self._held = [-np.inf, -np.inf]

    def evidence(self) -> tuple[float, float]:
        """Log e-values for "pass" and for "fail"; call it after each answer.

        Each part of the first is frozen once it is enough for any threshold. That is an e-process at a stopping time, so the
        smaller of the two is still an e-value. The largest value ever reached would not be one.
        """
        last = self._tally.path.last
        if last is None:
            return 0.0, 0.0
        now = (last.score_pass, np.inf if last.unacceptable_pass is None else last.unacceptable_pass)
        self._held = [old if old >= self._enough else new for old, new in zip(self._held, now, strict=True)]
        understands, fails = min(self._held), last.fail
        if self.verdict is Verdict.PASS and understands < self._enough:
            return CERTAIN, -CERTAIN  # all was asked
        if self.verdict is Verdict.FAIL and fails < self._enough:
            return -CERTAIN, CERTAIN
        return float(understands), float(fails)


def _expected(run: CertificateRun, units: Iterator[Unit]) -> Iterator[Question]:
    """The questions of these units; the run waits for their answers."""
    for unit in units:
        run.expect(unit)
        yield from unit


def _outcome(results: Sequence[ScopeResult]) -> str:
    counts = Counter(result.verdict for result in results)
    return ", ".join(f"{verdict.value} {counts[verdict]}" for verdict in Verdict if counts[verdict])


def _why_not(results: Sequence[ScopeResult], exhausted: str, asked: int) -> str:
    if not asked:
        return "nothing was asked"
    if exhausted:
        return f"the budget for {exhausted} is used up"
    left = [result for result in results if result.verdict is Verdict.UNDECIDED]
    if all(result.why_not for result in left):
        whose = f"on {'it' if len(left) == 1 else 'each of them'} " if len(left) < len(results) else ""
        faults = ", or their questions met a fault of the server" if any(result.replies.faults for result in left) else ""
        return left[0].why_not if len(results) == 1 else f"{whose}too many replies could not be graded{faults}"
    return f"the {asked} questions allowed are used up" if asked > 1 else "the one question allowed is used up"
