"""The examination with explanations: procedures are handed over, frozen, audited, and answer from then on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from vivavoce.certificate.evidence import check_terms
from vivavoce.certificate.explanations.asking import MOST, SHOWN, Misstep, programs, request
from vivavoce.certificate.explanations.audit import Auditor
from vivavoce.certificate.explanations.draws import Draws
from vivavoce.certificate.explanations.finding import Explanation
from vivavoce.certificate.explanations.known import Whole, run_whole
from vivavoce.certificate.explanations.paper import Part
from vivavoce.certificate.explanations.procedures import Coded, Procedure
from vivavoce.certificate.explanations.protocol import IDLE, ExplanationProtocol
from vivavoce.certificate.explanations.report import report
from vivavoce.certificate.explanations.run import SystemRun
from vivavoce.certificate.explanations.sandbox.program import Program, SandboxEnded
from vivavoce.certificate.explanations.sandbox.sandbox import CpuTime, Sandbox
from vivavoce.certificate.finding import Certificate, Criterion, Verdict, answers_topic
from vivavoce.certificate.finding import Procedure as Rule
from vivavoce.certificate.questions import Question, Unit
from vivavoce.certificate.register import begin, ended, terms_of, within
from vivavoce.certificate.rows import in_order
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.certificate.score import Unreadable
from vivavoce.certificate.unit_laws import refuse_laws
from vivavoce.errors import BadInput, BudgetExhausted
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.replies import heard
from vivavoce.interview.scope import Scope, unknowable

_NOTHING = Program("def covers(question): return False\nanswer = covers")
"""Run before anything is asked, since what cannot be run safely need not be asked for."""
_CPU_TIME = "the CPU time of programs"
_AUDITS, _EXAMPLES = 1, 2
"""Streams of random numbers beside that of the questions: whatever is drawn from one, the others stay what they are."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which explanations there may be."""

    ask: int = 0
    """Procedures that the candidate may hand over before the first question; 0: it is not asked for any."""
    again: int = 0
    """How often it is asked again, after an answer of its own that was ridiculous; for one procedure each time."""
    given: tuple[Procedure, ...] = ()
    """Those that are there already."""
    checks: int | None = None
    """Draws on which each is checked; None: from 10,000 to 100,000, by the limit (see `Auditor`)."""
    cpu_seconds: float = 3600.0
    """Of all programs together, checks included; when it is used up, no more questions are drawn."""


async def certify_explained(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question],
    criterion: Criterion,
    plan: Plan,
    *,
    seed: int | None = None,
    procedure: Rule = "sequential",
    questions: int | None = None,
    unreadable: Unreadable = "interval",
    again: bool = False,
) -> Certificate:
    """Does this candidate, together with the procedures that it hands over, understand this scope, with error at most delta?

    Parameters
    ----------
    plan: which explanations are asked for or given.
    seed: of the order in which questions are drawn, and of the checks; see `certify`.
    procedure: `sequential`, see `ledger` for what delta bounds and why; `fixed` is Procedure 5.1 of `leytonbrown2024`
        (`paper`), which takes what the audit estimates as known, as the paper does, and asks `questions` others.
    questions: at most this many to the candidate (sequential), or this many (fixed).
    unreadable: what a reply of the candidate is worth that cannot be read, see `certify`. What a procedure returns and cannot
        be read is wrong in any case.

    Where the scope can be run whole (`known`: its questions are listed, or can be), what procedures cover is known exactly,
    and the rest alone is drawn; a process that begins later has a part of its own, known before its first draw. Elsewhere
    units are drawn as ever, and the candidate is asked what no procedure covers: that saves questions to it, but no draws.
    The request and the reply stand in the transcript: a run that is taken up again reads the procedures out of it, and audits
    them again.

    Raises what the interview raises, `SandboxUnavailable` before anything is run, and `BadInput` for what does not go together.
    """
    _check(scope, criterion, plan, procedure, questions)
    if plan.ask or plan.again:
        await asyncio.to_thread(Sandbox().run, _NOTHING, [])
    settings = _settings(plan, questions)
    terms = terms_of(
        "certificate",
        interview,
        [scope],
        criterion,
        procedure=procedure,
        unreadable=unreadable,
        seed=seed,
        **settings | {"questions": questions if procedure == "fixed" else None},
    )
    attempt = await begin(interview, terms, again=again)
    whole, criterion = criterion, within(criterion, attempt)
    number = attempt.seed.number
    elicitation = _Elicitation(interview, scope, criterion, plan, number)
    for given in plan.given:
        await elicitation.audit(elicitation.sharing(given))
    if plan.ask:
        await elicitation.ask(most=plan.ask)
    rng = np.random.default_rng(number)
    whole_scope, used_up = None, False
    if procedure == "sequential":
        try:
            whole_scope = await asyncio.to_thread(run_whole, scope, elicitation.accepted, rng, more=plan.again > 0)
        except SandboxEnded:
            used_up = True
    draws = ruled = whole_scope or Draws(iter(()) if used_up else scope.draw(rng), elicitation.accepted)
    if procedure == "fixed":
        draws = Draws(_uncovered(ruled), ())
    protocol = ExplanationProtocol(
        scope,
        draws,
        _runs(scope, criterion, procedure, whole_scope, elicitation.parts, unreadable),
        delta=criterion.delta,
        most=1 + plan.again,
        limit=questions,
        unreadable=unreadable,
    )
    await _carry_out(protocol, elicitation)
    asked = (elicitation.requests, elicitation.unread)
    exhausted = interview.exhausted or (_CPU_TIME if used_up or ruled.used_up else "")
    found = report(
        protocol, elicitation.offered, interview, criterion, seed=number, requests=asked, settings=settings, exhausted=exhausted
    )
    return await ended(interview, found, whole, attempt)


async def _carry_out(protocol: ExplanationProtocol, elicitation: _Elicitation) -> None:
    """Ask until there is a verdict, or nothing is left to ask."""
    topic = answers_topic(elicitation.scope.name)
    elicitation.interview.results.mark_by(lambda heard: in_order(heard, protocol.marks))
    async with aclosing(elicitation.interview.ask_in_order(protocol.prompts(), topic=topic)) as answers:
        async for _, answer in answers:
            question = protocol.take(answer)
            if question and protocol.ledger.verdict is not Verdict.UNDERSTANDS and elicitation.asks_again(question, answer):
                for accepted in await elicitation.ask(most=1, after=(question, answer), frozen_after=protocol.taken):
                    protocol.add(accepted)
                    protocol.change()
            if protocol.over:
                break


class _Elicitation:
    """Where explanations are asked for and audited."""

    def __init__(
        self, interview: Interview[Prompt, Reply], scope: Scope[Question], criterion: Criterion, plan: Plan, seed: int
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
    def parts(self) -> tuple[Part, ...]:
        """What Procedure 5.1 takes as known."""
        return tuple(self._auditor.parts)

    def sharing(self, procedure: Procedure) -> Procedure:
        """A procedure that was given, with its share of the CPU time of all."""
        if not isinstance(procedure, Coded):
            return procedure
        return replace(procedure, sandbox=procedure.sandbox.within(self._together))

    async def audit(self, procedure: Procedure, *, frozen_after: int = 0) -> Explanation:
        """Audit one procedure, and note what became of it."""
        self.offered.append(await asyncio.to_thread(self._auditor.audit, procedure, frozen_after=frozen_after))
        return self.offered[-1]

    async def ask(
        self, *, most: int, after: tuple[Question, Reply | NoAnswer] | None = None, frozen_after: int = 0
    ) -> Sequence[Procedure]:
        """Ask for procedures; those that were accepted. None where the budget leaves no room for the request."""
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
        found, problem = programs(prompt, reply)
        self.unread += bool(problem)
        offered = [Coded(f"request {self.requests}", program, self._sandbox) for program in found]
        return [one for one in offered if (await self.audit(one, frozen_after=frozen_after)).accepted]

    def asks_again(self, question: Question, answer: Reply | NoAnswer) -> bool:
        """Whether an answer of the candidate is ridiculous, and it may be asked for an explanation once more."""
        return self._again > 0 and unknowable(answer) is None and self.scope.grade(question, answer).ridiculous


def _runs(
    scope: Scope[Question],
    criterion: Criterion,
    procedure: Rule,
    whole_scope: Whole | None,
    parts: Sequence[Part],
    unreadable: Unreadable,
) -> Callable[[float, int], SystemRun]:
    def begin(delta: float, procedures: int) -> SystemRun:
        return SystemRun(
            scope,
            criterion,
            procedure,
            delta=delta,
            procedures=procedures,
            known=None if whole_scope is None else whole_scope.known,
            parts=parts,
            unreadable=unreadable,
        )

    return begin


def _uncovered(draws: Draws) -> Iterator[Unit]:
    """Those that no procedure covers; ends where there are next to none."""
    idle = 0
    for drawn in draws:
        idle = idle + 1 if any(drawn.answers) else 0
        if idle > IDLE:
            return
        if not idle:
            yield drawn.unit


def _check(scope: Scope[Question], criterion: Criterion, plan: Plan, procedure: Rule, questions: int | None) -> None:
    """Refuse now what would fail later, or mislead."""
    check_terms(criterion, questions, [scope])
    refuse_laws(scope, "explanations")
    if plan.ask < 0 or plan.again < 0 or plan.ask > MOST:
        raise BadInput(
            f"{plan.ask} explanations, and {plan.again} later: give numbers from 0, and at most {MOST} at the beginning"
        )
    if plan.checks is not None and plan.checks < 1:
        raise BadInput(f"{plan.checks} checks of an explanation: it needs at least 1")
    if plan.again and (procedure == "fixed" or scope.population is not None):
        raise BadInput("explanations can be asked for again where questions are drawn without an end, and one looks after each")
    if procedure == "fixed" and questions is None:
        raise BadInput("the fixed procedure needs its number of questions in advance: --questions N")
    if procedure == "fixed" and isinstance(scope, ListedScope) and any(len(unit) > 1 for unit in scope.units):
        raise BadInput("the paper's procedure with explanations knows no clusters: use the sequential one")


def _settings(plan: Plan, questions: int | None) -> dict[str, object]:
    """What goes into the signature, besides the criterion."""
    return {
        "questions": questions,
        "explanations": plan.ask,
        "explanations_again": plan.again,
        "explanations_given": [procedure.digest[:12] for procedure in plan.given],
        "checks": plan.checks,
        "cpu_seconds": plan.cpu_seconds,
    }
