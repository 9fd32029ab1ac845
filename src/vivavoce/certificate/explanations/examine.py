"""The examination with explanations: procedures are requested, frozen and audited, and then answer for the candidate."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import ceil, fsum, log
from typing import Any, NamedTuple

import numpy as np

from vivavoce.certificate.attempts.log import ended
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Verdict, answers_topic
from vivavoce.certificate.config import MOST_EXPLANATIONS, ExplanationsConfig, Feature, GradingConfig, Unreadable
from vivavoce.certificate.design.drawing import AsDrawn
from vivavoce.certificate.evidence.inference import Inference
from vivavoce.certificate.explanations.audit import Auditor, Ledger, SystemRun
from vivavoce.certificate.explanations.finding import Explanation, ExplanationFinding, KnownPart
from vivavoce.certificate.explanations.known import (
    EnumeratedUnits,
    ExplainedPart,
    KnownInference,
    PaperLook,
    WholeScopeDraws,
    run_whole,
)
from vivavoce.certificate.explanations.procedures import (
    SHOWN,
    Misstep,
    Procedure,
    ProgramProcedure,
    RuledDraws,
    RuledUnit,
    programs,
    request,
)
from vivavoce.certificate.explanations.sandbox.sandbox import CpuTime, Program, Sandbox, SandboxEnded, what_holds
from vivavoce.certificate.graders.marking import AnswerGrading, RuleMarker
from vivavoce.certificate.graders.rule_grading import Answers, ExaminationProcedure, GradingMethod, Target
from vivavoce.certificate.graders.trace import in_order, mark_of
from vivavoce.certificate.run import StartedExamination, as_asked
from vivavoce.errors import BadInput, BudgetExhausted
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import heard
from vivavoce.interview.results import AnswerEvent, ResultMark
from vivavoce.interview.scope import Scope, unknowable
from vivavoce.scopes.questions import Question, Unit
from vivavoce.scopes.score import as_wrong
from vivavoce.statistics.confidence_sequences import rate_below, rate_boundary


def _known(known: EnumeratedUnits | None, standing: int, criterion: Criterion) -> KnownPart | None:
    if known is None or not standing:
        return None
    grade, limit = known.required(criterion) if known.left else (None, None)
    return KnownPart(
        questions=known.questions,
        share=known.share,
        score=known.score / known.weight if known.weight else None,
        unacceptable=known.unacceptable / known.weight if known.weight else None,
        required_score=grade,
        required_unacceptable=limit,
        decides=not known.left or known.certain(criterion) is not Verdict.UNDECIDED,
    )


def _with_answers(offered: Sequence[Explanation], run: SystemRun) -> Iterator[Explanation]:
    """The explanations, each accepted one with the number of questions that it answered; in a finite scope, all that it
    covers.
    """
    number = 0
    for explanation in offered:
        beforehand = 0 if run.known is None else run.known.answered.get(number, 0)
        answered = run.answered_by[number] + beforehand
        yield replace(explanation, answered=answered) if explanation.accepted else explanation
        number += explanation.accepted


def _clean(run: SystemRun, standing: Sequence[Explanation], criterion: Criterion, delta: float) -> int | None:
    """The number of questions to the candidate, all answered acceptably, that shows that the limit is kept."""
    known = run.known
    if criterion.unacceptable_limit is None:
        return None
    if known is None:
        alone = clean_answers(criterion.unacceptable_limit, delta, None)
        return ceil((alone or 0) * max(0.0, 1 - fsum(explanation.mass.value or 0.0 for explanation in standing)))
    if not known.left:
        return 0
    return clean_answers(known.criterion(criterion, delta).unacceptable_limit, delta, known.population) or 0


def clean_answers(limit: float | None, delta: float, population: int | None) -> int | None:
    """The number of acceptable answers after which `rate_below` reaches 1/delta; None without a limit.

    >>> clean_answers(0.00052, 0.05, None)
    6282
    """
    if limit is None:
        return None
    if population is None:
        return next(rate_boundary(limit, delta))
    enough = np.flatnonzero(rate_below(limit, population=population).update(np.zeros(population)) >= -log(delta) - 1e-9)
    return int(enough[0]) + 1 if enough.size else population


_NOTHING = Program("def covers(question): return False\nanswer = covers")
"""Run before anything is asked, to see whether programs can be run safely."""
_CPU_TIME = "the CPU time of programs"
_AUDITS, _EXAMPLES = 1, 2
"""Further streams of random numbers: draws from one do not change the others."""


@dataclass(frozen=True, slots=True)
class Procedures(GradingMethod):
    """Explanations: requested or given procedures, which are frozen and audited, and then answer for the candidate.

    If procedures can be run on the whole scope (`known`: its questions are listed, or can be), the covered part is known
    exactly, and only the rest is drawn; a later process has its own part, known before its first draw. Otherwise, and with
    proportional strata or evenly drawn weights, units are drawn as usual, and the candidate is asked the questions that no
    procedure covers: this saves questions to it, but no draws. `audit` says what delta bounds, and why. `fixed` is Procedure
    5.1 of `leytonbrown2024` (`known`), which takes what the audit estimates as known, as the paper does.

    The request and the reply are in the transcript: a resumed run reads the procedures from it, and audits them again.
    """

    ask: int = 0
    """Procedures that the candidate may hand over before the first question; 0: it is not asked for any."""
    again: int = 0
    """The most requests for one more procedure, each after an unacceptable answer of the candidate."""
    given: tuple[Procedure, ...] = ()
    """Given procedures."""
    checks: int | None = None
    """Draws on which each is checked; None: from 10,000 to 100,000, by the limit (see `Auditor`)."""
    cpu_seconds: float = float(ExplanationsConfig().programs_cpu)  # with a fraction, as it is signed
    """CPU time of all programs together, checks included; when it is used up, no more questions are drawn."""
    unreadable: Unreadable = GradingConfig().unreadable
    """How to score an unparsed reply of the candidate. An unparsed answer of a procedure is always wrong."""

    def __post_init__(self) -> None:
        if self.ask < 0 or self.again < 0 or self.ask > MOST_EXPLANATIONS:
            wanted = f"give numbers from 0, and at most {MOST_EXPLANATIONS} at the beginning"
            raise BadInput(f"{self.ask} explanations, and {self.again} later: {wanted}")
        if self.checks is not None and self.checks < 1:
            raise BadInput(f"{self.checks} checks of an explanation: it needs at least 1")

    @property
    def features(self) -> frozenset[Feature]:
        """Procedures answer."""
        return frozenset({"procedures", "asked again"}) if self.again else frozenset({"procedures"})

    def terms(self, scope: object) -> dict[str, Any]:
        """Settings that identify an attempt."""
        return {"unreadable": self.unreadable, **self.settings(scope)}

    def settings(self, scope: object) -> dict[str, Any]:
        """Settings for the signature."""
        return {
            "explanations": self.ask,
            "explanations_again": self.again,
            "explanations_given": [procedure.digest[:12] for procedure in self.given],
            "checks": self.checks,
            "cpu_seconds": self.cpu_seconds,
        }

    async def prepare(self) -> None:
        """Raise `SandboxUnavailable`, before anything is asked, if programs cannot be run safely."""
        if self.ask or self.again:
            await asyncio.to_thread(Sandbox().run, _NOTHING, [])

    def marker(self, scope: Scope[Question]) -> AnswerGrading:
        """The rule of the scope."""
        return RuleMarker(scope)

    async def procedure(self, begun: StartedExamination, target: Target) -> ExaminationProcedure:
        """Ask for procedures, audit them, and let the accepted ones answer."""
        elicitation = _Elicitation(begun.interview, begun.scope, begun.own, self, begun.seed)
        for given in self.given:
            await elicitation.audit(elicitation.sharing(given))
        if self.ask:
            await elicitation.ask(most=self.ask)
        rng = np.random.default_rng(begun.seed)
        whole, used_up = None, False
        if begun.terms.procedure == "sequential" and isinstance(begun.population, AsDrawn):
            try:
                whole = await asyncio.to_thread(run_whole, begun.scope, elicitation.accepted, rng, more=self.again > 0)
            except SandboxEnded:
                used_up = True
        draws = whole or RuledDraws(iter(()) if used_up else begun.population.draw(rng), elicitation.accepted)
        return ExplainedProcedure(begun, self, elicitation, draws, used_up=used_up)


IDLE = 100_000
"""Drawing stops after this many units in a row that procedures answer wholly: the evidence is complete long before."""


class QuestionSent(NamedTuple):
    """A question sent to the candidate, and the runs that wait for its answer."""

    question: Question
    runs: tuple[SystemRun, ...]


class ExplainedProcedure:
    """Draws units, lets procedures answer the questions that they cover, and passes the candidate's answers to the runs.

    The scope's rule grades all answers.
    """

    def __init__(
        self, begun: StartedExamination, procedures: Procedures, elicitation: _Elicitation, draws: RuledDraws, *, used_up: bool
    ) -> None:
        self._begun = begun
        self._procedures = procedures
        self._elicitation = elicitation
        self._draws = draws
        self._used_up = used_up
        self._fixed = begun.terms.procedure == "fixed"
        self._drawn = RuledDraws(_uncovered(draws), ()) if self._fixed else draws
        self._answering = self._drawn.procedures
        """Procedures of the present system."""
        self._ledger: Ledger[SystemRun] = Ledger(
            lambda delta: self._run(delta, self._answering), delta=begun.own.delta, most=1 + procedures.again
        )
        self._in_flight: deque[QuestionSent] = deque()
        self._answers: list[tuple[Question, Reply | NoAnswer]] = []

    def prompts(self) -> Iterator[Prompt]:
        """The next questions for the candidate, until none are left; a unit that would exceed the limit is not started."""
        idle = sent = 0
        limit = self._begun.terms.limit
        for drawn in self._drawn:
            if self._over:
                return
            questions = self._sent(drawn)
            if limit is not None and sent + len(questions) > limit:
                return
            idle = 0 if questions else idle + 1
            if idle > IDLE:
                return
            for run in self._runs():
                run.put(drawn)
            sent += len(questions)
            self._in_flight.extend(questions)
            yield from (self._begun.scope.prompt(question.question) for question in questions)

    def rows(self, heard: Sequence[AnswerEvent]) -> list[ResultMark | None]:
        """Rows with the rule's grades."""
        scope, wrong = self._begun.scope, self._begun.terms.unreadable == "wrong"
        given = [(question, unknowable(answer) or scope.grade(question, answer)) for question, answer in self._answers]
        return in_order(heard, [mark_of(question, as_wrong(grade) if wrong else grade) for question, grade in given])

    async def graded(self, answers: Answers) -> AsyncGenerator[Reply | NoAnswer, None]:
        """The answers without grades: they are graded when they are taken."""
        async for _, answer in answers:
            yield answer

    async def take(self, graded: Reply | NoAnswer) -> bool:
        """Take the candidate's next answer, and ask for a procedure if it is unacceptable; return True once finished."""
        elicitation, ledger = self._elicitation, self._ledger
        question, runs = self._in_flight.popleft()
        for run in runs:
            run.take(graded)
        self._answers.append((question, graded))
        # else only process 1 or an earlier system waits for it
        is_current = ledger.latest in runs
        if is_current and ledger.verdict is not Verdict.PASS and elicitation.asks_again(question, graded):
            after = question, graded
            for accepted in await elicitation.ask(most=1, after=after, frozen_after=len(self._answers)):
                # from the next draw on there is a new system with its own process
                self._drawn.add(accepted)
                self._answering += 1
                ledger.change()
        return self._over

    @property
    def _over(self) -> bool:
        """Whether there is a verdict on the present system, or process 1 found understanding."""
        return self._ledger.deciding.over

    def _runs(self) -> list[SystemRun]:
        first, latest = self._ledger.first, self._ledger.latest
        return [run for run in ([first] if first is latest else [first, latest]) if not run.over]

    def _sent(self, drawn: RuledUnit) -> list[QuestionSent]:
        known = [(run, drawn.known(run.procedures)) for run in self._runs()]
        sent = [
            QuestionSent(question, tuple(run for run, answers in known if answers[i] is None))
            for i, question in enumerate(drawn.unit)
        ]
        return [question for question in sent if question.runs]

    async def finish(self) -> Certificate:
        """The finding, with the part on explanations, on record."""
        begun, interview, criterion, run = self._begun, self._begun.interview, self._begun.own, self._ledger.deciding
        exhausted = interview.exhausted or (_CPU_TIME if self._used_up or self._draws.used_up else "")
        plain = run.certificate(interview.candidate.name, exhausted, interview.spending, begun.seed)
        explained = self._explained(run)
        if not isinstance(begun.population, AsDrawn):  # the number of clean answers that is enough depends on strata or weights
            explained = replace(explained, clean=None, clean_alone=None)
        settings = {"delta": criterion.delta, "questions": begun.terms.limit, **self._procedures.settings(begun.scope)}
        certificate = replace(
            plain,
            criterion=criterion,
            caveats=(*plain.caveats, *explained.caveats),
            signature=replace(plain.signature, settings={**plain.signature.settings, **settings}),
            explained=explained,
        )
        looked = run.inference.looked and not interview.exhausted
        return await ended(interview, as_asked(certificate, interview), begun.criterion, begun.attempt, looked=looked)

    def _explained(self, run: SystemRun) -> ExplanationFinding:
        ledger, criterion, elicitation = self._ledger, self._begun.own, self._elicitation
        offered = elicitation.offered
        accepted = [explanation for explanation in offered if explanation.accepted]
        delta, known = ledger.delta_of(run), run.known
        return ExplanationFinding(
            explanations=tuple(_with_answers(offered, run)),
            standing=run.standing,
            questions=run.answered,
            asked=len(self._answers) + elicitation.requests,
            requests=elicitation.requests,
            delta=delta,
            processes=ledger.begun,
            most_processes=ledger.begun + ledger.left,
            clean=_clean(run, accepted[: run.standing], criterion, delta),
            clean_alone=clean_answers(
                criterion.unacceptable_limit, criterion.delta, known.units if known is not None and known.each_once else None
            ),
            first_fails=ledger.first is not ledger.latest and ledger.first.verdict is Verdict.FAIL,
            as_known=self._fixed,
            sandbox=what_holds().words if any(explanation.kind == "program" for explanation in offered) else "",
            unread=elicitation.unread,
            known=_known(known, run.standing, criterion),
        )

    def _run(self, delta: float, procedures: int) -> SystemRun:
        """The run of the system with this many procedures, with its share of delta."""
        begun, draws, parts = self._begun, self._draws, self._elicitation.parts
        criterion, terms = replace(begun.own, delta=delta), replace(begun.terms, limit=None)
        if self._fixed:  # procedures' answers are not among the answers taken
            inference: Inference = PaperLook(criterion, parts, begun.population.population)
            return SystemRun(begun.scope, inference, terms, procedures=procedures, standing=len(parts))
        if not isinstance(draws, WholeScopeDraws):
            inference = begun.population.inference(criterion)
            return SystemRun(begun.scope, inference, terms, procedures=procedures, standing=procedures)
        inference = KnownInference(criterion, draws.known, begun.population.population)
        return SystemRun(begun.scope, inference, terms, procedures=procedures, standing=procedures, known=draws.known)


class _Elicitation:
    """The record of requests and audits."""

    def __init__(
        self, interview: Interview[Prompt, Reply], scope: Scope[Question], criterion: Criterion, plan: Procedures, seed: int
    ) -> None:
        self.interview, self.scope = interview, scope
        self.offered: list[Explanation] = []
        self._auditor = Auditor(scope, criterion, delta=criterion.delta, seed=[seed, _AUDITS], checks=plan.checks)
        self._examples = tuple(unit[0] for unit in islice(scope.draw(np.random.default_rng([seed, _EXAMPLES])), SHOWN))
        self._together = CpuTime(plan.cpu_seconds)
        self._sandbox = Sandbox().within(self._together)
        self._again = plan.again
        self.requests = self.unread = 0

    @property
    def accepted(self) -> tuple[Procedure, ...]:
        return tuple(self._auditor.accepted)

    @property
    def parts(self) -> tuple[ExplainedPart, ...]:
        """The values that Procedure 5.1 takes as known."""
        return tuple(self._auditor.parts)

    def sharing(self, procedure: Procedure) -> Procedure:
        """A given procedure, which shares the CPU time of all."""
        if not isinstance(procedure, ProgramProcedure):
            return procedure
        return replace(procedure, sandbox=procedure.sandbox.within(self._together))

    async def audit(self, procedure: Procedure, *, frozen_after: int = 0) -> Explanation:
        self.offered.append(await asyncio.to_thread(self._auditor.audit, procedure, frozen_after=frozen_after))
        return self.offered[-1]

    async def ask(
        self, *, most: int, after: tuple[Question, Reply | NoAnswer] | None = None, frozen_after: int = 0
    ) -> Sequence[Procedure]:
        """Ask for procedures; returns the accepted ones, or None if the budget leaves no room for the request."""
        misstep = None
        if after is not None:
            question, answer = after
            misstep = Misstep(question, heard(answer, whole=True)[0])
            self._again -= 1
        prompt = request(self.scope.name, self._examples, most=most, after=misstep)
        try:
            reply = await self.interview.ask(prompt, topic=f"{answers_topic(self.scope.name)}/explanations")
        except BudgetExhausted:
            return ()
        self.requests += 1
        sources, problem = programs(prompt, reply)
        self.unread += bool(problem)
        offered = [ProgramProcedure(f"request {self.requests}", program, self._sandbox) for program in sources]
        return [procedure for procedure in offered if (await self.audit(procedure, frozen_after=frozen_after)).accepted]

    def asks_again(self, question: Question, answer: Reply | NoAnswer) -> bool:
        """Whether an answer of the candidate is unacceptable, and it may be asked for an explanation once more."""
        return self._again > 0 and unknowable(answer) is None and self.scope.grade(question, answer).unacceptable


def _uncovered(draws: RuledDraws) -> Iterator[Unit]:
    """The questions that no procedure covers; ends if there are almost none."""
    idle = 0
    for drawn in draws:
        idle = idle + 1 if any(drawn.answers) else 0
        if idle > IDLE:
            return
        if not idle:
            yield drawn.unit
