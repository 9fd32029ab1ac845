"""The examination on several scopes: one interview, one budget, and a verdict on each with an error rate for them all."""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace

import numpy as np

from vivavoce.certificate.caveats import ignored_caveats
from vivavoce.certificate.evidence import check_terms
from vivavoce.certificate.finding import Criterion, ScopeResult, Verdict
from vivavoce.certificate.many_finding import ManyScopes
from vivavoce.certificate.multiple_testing import MultipleTest, Rule
from vivavoce.certificate.questions import Question
from vivavoce.certificate.register import begin, end, of_attempt, terms_of, within
from vivavoce.certificate.rows import in_order, marks_of
from vivavoce.certificate.run import Run
from vivavoce.certificate.score import Unreadable
from vivavoce.certificate.signed import signed
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.results import Mark
from vivavoce.interview.scope import Scope

NAME = "certificate of many scopes"
CERTAIN = 700.0
"""The log e-value of a verdict that is exact."""
_ROUNDING = 1e-9
_WORST = 3
"""Answers kept of each scope."""


async def certify_many(
    interview: Interview[Prompt, Reply],
    scopes: Sequence[Scope[Question]],
    criterion: Criterion,
    *,
    seed: int | None = None,
    rule: Rule = "fdr",
    questions: int | None = None,
    unreadable: Unreadable = "interval",
    again: bool = False,
) -> ManyScopes:
    """Which of these scopes does the candidate understand, with an error rate of at most delta for all verdicts together?

    Parameters
    ----------
    criterion: the same for every scope; its delta is that of the whole list.
    seed: of the draws, see `certify`; what a scope draws depends on the seed and on that scope, not on the others.
    rule: what delta bounds, see `multiple_testing`: `fdr` the expected share of wrong verdicts, `fwer` the chance of any.
    questions: at most this many in all scopes together.
    again: see `certify`; the examination is an attempt on each of the scopes, see `attempts`.
    unreadable: see `certify`. A scope on which there will be no verdict, since too much cannot be read, is asked no more.

    A scope whose verdict stands is asked no more, but for what was already in flight, which counts for nothing. The guarantee
    holds at whatever moment the examination ends: by itself, by the budget, or interrupted.

    Raises what the interview raises, and `BadInput` for two scopes with the same questions; what was answered before is on
    record, and the same call goes on from there.

    >>> import asyncio
    >>> from vivavoce.candidates import open_candidate
    >>> from vivavoce.certificate.scopes import open_scope
    >>> interview = Interview(open_candidate("bot:calculator"), answers=Reply)
    >>> chosen = [open_scope("arithmetic"), open_scope("intervals")]
    >>> asyncio.run(certify_many(interview, chosen, Criterion(0.7, None))).headline
    'bot:calculator understands 1 of 2 scopes and does not understand 1.'
    """
    check_terms(criterion, questions, scopes)
    _check(scopes)
    attempt = await begin(
        interview, terms_of(NAME, interview, scopes, criterion, many=rule, unreadable=unreadable, seed=seed), again=again
    )
    test = MultipleTest(len(scopes), rule, delta=attempt.delta)
    scope_runs = _ScopeRuns(scopes, within(criterion, attempt), attempt.seed.number, unreadable)
    asked = 0
    interview.results.mark_by(lambda heard: in_order(heard, scope_runs.marks))
    async with aclosing(interview.ask_in_order(scope_runs.prompts(test, questions), topic="certificate/many")) as answers:
        async for _, answer in answers:
            asked += 1
            scope_runs.take(test, answer)
            if test.over:
                break
    results = scope_runs.results(test)
    attempt = await end(interview, attempt, _outcome(results), asked, over=test.over)
    return ManyScopes(
        candidate=interview.candidate.name,
        criterion=criterion,
        rule=rule,
        scopes=results,
        thresholds=(test.threshold(Verdict.UNDERSTANDS), test.threshold(Verdict.DOES_NOT_UNDERSTAND)),
        asked=asked,
        why_not="" if test.over else _why_not(results, interview.exhausted, asked),
        spending=interview.spending,
        signature=of_attempt(
            signed(
                NAME,
                interview.candidate.name,
                scope=" + ".join(scope.name for scope in scopes),
                digest=hashlib.sha256("\n".join(scope.digest for scope in scopes).encode()).hexdigest(),
                criterion=criterion,
                seed=attempt.seed.number,
                many=rule,
                questions=questions,
                unreadable=unreadable,
                **interview.settings,
            ),
            criterion,
            attempt,
        ),
        asked_so=(*ignored_caveats(scopes), *interview.manner),
        attempt=attempt,
        ended=interview.ended,
    )


class _ScopeRun(Run):
    """The run of one scope, as evidence for the test of several.

    It runs at delta / J, so that it ends by itself exactly where the evidence is enough whatever becomes of the other scopes.
    """

    def __init__(self, scope: Scope[Question], criterion: Criterion, unreadable: Unreadable) -> None:
        super().__init__(scope, criterion, "sequential", limit=None, unreadable=unreadable)
        self._enough = -np.log(criterion.delta) - _ROUNDING
        self._held = [-np.inf, -np.inf]

    def evidence(self) -> tuple[float, float]:
        """Log e-values for "understands" and for "does not understand", to be asked for after each answer.

        Each part of the first is put aside when it is enough for any threshold: an e-process at a moment of its own, so that
        the lesser of the two is still an e-value. The largest value ever reached would be none.
        """
        last = self._path.last
        if last is None:
            return 0.0, 0.0
        now = (last.score_pass, np.inf if last.ridiculous_pass is None else last.ridiculous_pass)
        self._held = [old if old >= self._enough else new for old, new in zip(self._held, now, strict=True)]
        understands, fails = min(self._held), last.fail
        if self._verdict is Verdict.UNDERSTANDS and understands < self._enough:
            return CERTAIN, -CERTAIN  # all was asked
        if self._verdict is Verdict.DOES_NOT_UNDERSTAND and fails < self._enough:
            return -CERTAIN, CERTAIN
        return float(understands), float(fails)


class _ScopeRuns:
    """All runs, and which of them each question in flight belongs to."""

    def __init__(self, scopes: Sequence[Scope[Question]], criterion: Criterion, seed: int, unreadable: Unreadable) -> None:
        each = replace(criterion, delta=criterion.delta / len(scopes))
        self._scopes = scopes
        self._runs = [_ScopeRun(scope, each, unreadable) for scope in scopes]
        # Seeded by its own digest: scopes draw independently of each other, and the same whatever other scopes there are.
        self._prompts = [
            run.prompts(scope.draw(np.random.default_rng([seed, int(scope.digest, 16)])))
            for run, scope in zip(self._runs, scopes, strict=True)
        ]
        self._in_flight: deque[int] = deque()
        self._order: list[tuple[int, bool]] = []
        """For each answer its scope, and whether it counted."""

    def prompts(self, test: MultipleTest, limit: int | None) -> Iterator[Prompt]:
        """What to ask, from the scope whose turn it is, up to the limit."""
        drawn = 0
        while (limit is None or drawn < limit) and (scope := test.turn()) is not None:
            prompt = next(self._prompts[scope], None)
            if prompt is None:
                test.has_no_more(scope)
                continue
            drawn += 1
            self._in_flight.append(scope)
            yield prompt

    def take(self, test: MultipleTest, answer: Reply | NoAnswer) -> None:
        """The answer to the question that has been in flight longest."""
        scope = self._in_flight.popleft()
        run = self._runs[scope]
        settled = test.stands(scope) or run.over
        self._order.append((scope, not settled))
        if settled:
            return
        run.take(answer)
        test.take(scope, *run.evidence())
        if run.over and not test.stands(scope):
            test.has_no_more(scope)

    @property
    def marks(self) -> list[Mark]:
        """Of all answers in drawn order; no score where the scope's verdict stood already."""
        names = [scope.name for scope in self._scopes]
        taken = [iter(marks_of(run.taken, scope=name)) for run, name in zip(self._runs, names, strict=True)]
        return [next(taken[scope]) if counted else Mark(scope=names[scope]) for scope, counted in self._order]

    def results(self, test: MultipleTest) -> tuple[ScopeResult, ...]:
        """What was found on each scope."""
        found = []
        for run, scope, verdict, evidence in zip(self._runs, self._scopes, test.verdicts, test.evidence, strict=True):
            sheet = run.certificate("", "", Usage(), 0)
            found.append(
                ScopeResult(
                    scope=scope.name,
                    scope_size=sheet.scope_size,
                    verdict=verdict,
                    questions=sheet.questions,
                    complete=sheet.complete,
                    score=sheet.score,
                    ridiculous=sheet.ridiculous,
                    ridiculous_count=sheet.ridiculous_count,
                    unreadable=sheet.unreadable,
                    copied=sheet.copied,
                    cut_off=sheet.cut_off,
                    after_turn=sheet.after_turn,
                    no_answers=sheet.no_answers,
                    orphans=sheet.orphans,
                    faults=sheet.faults,
                    turned_away=sheet.turned_away,
                    dont_know=sheet.dont_know,
                    log_e_understands=max(-CERTAIN, min(CERTAIN, evidence[0])),
                    log_e_fails=max(-CERTAIN, min(CERTAIN, evidence[1])),
                    worst=sheet.worst[:_WORST],
                    digest=scope.digest,
                    broken_laws=sheet.broken_laws,
                    score_range=sheet.score_range,
                    ridiculous_range=sheet.ridiculous_range,
                    unread=sheet.unread[:1],
                    why_not=sheet.why_not if verdict is Verdict.NO_CONCLUSION and sheet.unexamined else "",
                )
            )
        return tuple(found)


def _check(scopes: Sequence[Scope[Question]]) -> None:
    names: dict[str, str] = {}
    for scope in scopes:
        if scope.digest in names:
            raise BadInput(f"'{scope.name}' and '{names[scope.digest]}' are one scope: name each scope once")
        names[scope.digest] = scope.name


def _outcome(results: Sequence[ScopeResult]) -> str:
    """How many have which verdict, for the register."""
    counts = Counter(result.verdict for result in results)
    return ", ".join(f"{verdict.value} {counts[verdict]}" for verdict in Verdict if counts[verdict])


def _why_not(results: Sequence[ScopeResult], exhausted: str, asked: int) -> str:
    if not asked:
        return "nothing was asked"
    if exhausted:
        return f"the budget for {exhausted} is used up"
    left = [result for result in results if result.verdict is Verdict.NO_CONCLUSION]
    if all(result.why_not for result in left):
        whose = f"on {'it' if len(left) == 1 else 'each of them'} " if len(left) < len(results) else ""
        faults = ", or their questions met a fault of the server" if any(result.faults for result in left) else ""
        return left[0].why_not if len(results) == 1 else f"{whose}too many replies could not be read{faults}"
    return f"the {asked} questions allowed are used up" if asked > 1 else "the one question allowed is used up"
