"""Grading by the rule of a scope, and a trial of it on a few questions.

The scope's own rule (`ByRule`), a judge, people, or people with a judge's grades as predictions of theirs
(`graders.graders.Graders`), or audited procedures that answer for the candidate (`explanations.examine.Procedures`). A grade
may be an interval if a reply could not be read (`interview.scope.Grade`).

A grading makes the procedure of an examination, which chooses the questions, grades the answers, and says when there are
enough; `certify.certify` asks the questions.

The questions of a trial are drawn by a random stream of their own. An examination draws from the seed of its attempt alone, so
trying does not reveal which questions it will ask, and does not change them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final, Protocol

import numpy as np

from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import GradedAnswer
from vivavoce.certificate.claims.deployed import DeployedRuns, DeploymentCertificate
from vivavoce.certificate.claims.results import ClaimFinding
from vivavoce.certificate.config import TRIED, Feature, GradingConfig, Unreadable
from vivavoce.certificate.graders.grades import PARTIAL_CREDIT, NoGrade
from vivavoce.certificate.graders.judge import CandidateJudge
from vivavoce.certificate.graders.marking import AnswerGrading, RuleMarker
from vivavoce.certificate.graders.trace import GradedBy, graded_answer, in_order
from vivavoce.certificate.run import CertificateRun, StartedExamination, as_asked
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.results import AnswerEvent, ResultMark
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question, give_partial_credit

Answers = AsyncGenerator[tuple[Prompt, Reply | NoAnswer], None]

Target = CertificateRun | DeployedRuns
"""Takes graded units for one verdict, or for two on the same answers."""


class ExaminationProcedure(Protocol):
    """The interface of procedures that `certify` uses."""

    def prompts(self) -> Iterator[Prompt]:
        """The questions to ask, while they may matter."""

    def rows(self, heard: Sequence[AnswerEvent]) -> list[ResultMark | None]:
        """The marks of answers for a file of results."""

    def graded(self, answers: Answers) -> AsyncGenerator[Any, None]:
        """The answers in drawn order, with their grades."""

    async def take(self, graded: Any) -> bool:
        """Take the next answer; return True once finished."""

    async def finish(self) -> ClaimFinding:
        """Put the end on record; the finding."""


class RuleGradedProcedure:
    """Answers that the scope's own rule grades."""

    def __init__(self, begun: StartedExamination, target: Target) -> None:
        self._begun = begun
        self._target = target

    def prompts(self) -> Iterator[Prompt]:
        """The next questions, up to the limit."""
        return self._target.prompts(self._begun.draw())

    def rows(self, heard: Sequence[AnswerEvent]) -> list[ResultMark | None]:
        """Rows with the grades that counted."""
        return in_order(heard, self._target.marks)

    async def graded(self, answers: Answers) -> AsyncGenerator[Reply | NoAnswer, None]:
        """The answers without grades: they are graded when they are taken."""
        async for _, answer in answers:
            yield answer

    async def take(self, graded: Reply | NoAnswer) -> bool:
        """Take the next answer; return True once finished."""
        self._target.take(graded)
        return self._target.over

    async def finish(self) -> Certificate | DeploymentCertificate:
        """The certificate with what counted on record."""
        begun, interview = self._begun, self._begun.interview
        certificates = self._target.certificates(interview.candidate.name, interview.exhausted, interview.spending, begun.seed)
        asked = [as_asked(certificate, interview) for certificate in certificates]
        return await self._target.finish(begun, asked, interview.exhausted)


class GradingMethod(Protocol):
    """A way of grading; by default without a judge."""

    __slots__ = ()

    @property
    def unreadable(self) -> Unreadable:
        """How to score an unparsed reply."""

    @property
    def features(self) -> frozenset[Feature]:
        """Features that may not go together with other parts."""

    @property
    def judge(self) -> CandidateJudge | None:
        """The judge; None without one."""
        return None

    @property
    def judged(self) -> bool:
        """Whether unparsed judgements are possible."""
        return False

    def mix(self, scope: object) -> bool:
        """Whether the scope's own rule grades some of its questions, and others the rest."""
        return False

    def terms(self, scope: object) -> dict[str, Any]:
        """Settings that identify an attempt on this scope."""

    def settings(self, scope: object) -> dict[str, Any]:
        """Settings for the signature of the finding on this scope."""

    async def prepare(self) -> None:
        """Check, before an attempt begins, for errors that would come later."""
        return

    def marker(self, scope: Scope[Question]) -> AnswerGrading:
        """Has answers to questions of this scope graded one by one, as several scopes need it."""

    async def procedure(self, begun: StartedExamination, target: Target) -> ExaminationProcedure:
        """The procedure of an examination with this grading."""


@dataclass(frozen=True, slots=True)
class ByRule(GradingMethod):
    """The scope's own rule grades."""

    unreadable: Unreadable = GradingConfig().unreadable
    """How to score an unparsed reply: anything from 0 to 1, so that no verdict rests on it, or `wrong`."""

    @property
    def features(self) -> frozenset[Feature]:
        """A rule grades."""
        return frozenset({"rule"})

    def terms(self, scope: object) -> dict[str, Any]:
        """The value of unparsed replies, and the settings, as terms."""
        return {"unreadable": self.unreadable} | self.settings(scope)

    def settings(self, scope: object) -> dict[str, Any]:
        """Whether most questions give partial credit, if so."""
        return {PARTIAL_CREDIT: True} if give_partial_credit(getattr(scope, "questions", ())) else {}

    def marker(self, scope: Scope[Question]) -> AnswerGrading:
        """The rule of this scope."""
        return RuleMarker(scope)

    async def procedure(self, begun: StartedExamination, target: Target) -> ExaminationProcedure:
        """The answers as they come."""
        return RuleGradedProcedure(begun, target)


TOPIC: Final = "trial"
_STREAM: Final = 0x7472696C
"""Prefix of the seed, so that no examination uses the same stream."""
_DRAWS: Final = 20
"""Draws for each question at most, where a scope draws the same question again."""


def trial_questions(scope: Scope[Question], number: int, *, seed: int = 0) -> tuple[Question, ...]:
    """This many different questions of the scope, or all if it has fewer.

    >>> from vivavoce.scopes import open_scope
    >>> len(trial_questions(open_scope("arithmetic"), 5))
    5
    """
    drawn = islice(chain.from_iterable(scope.draw(np.random.default_rng([_STREAM, seed]))), _DRAWS * number)
    return tuple(islice(_different(drawn), number))


def _different(questions: Iterator[Question]) -> Iterator[Question]:
    seen: set[str] = set()
    for question in questions:
        if question.id not in seen:
            seen.add(question.id)
            yield question


async def try_out(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question],
    grading: GradingMethod = ByRule(),
    *,
    questions: int = TRIED,
    seed: int = 0,
) -> AsyncGenerator[GradedAnswer, None]:
    """The answers to a few questions with their grades, in drawn order, as they come.

    They end early if a budget leaves no room for a judgement. Raises the interview's errors.

    >>> import asyncio
    >>> from vivavoce.candidates import open_candidate
    >>> from vivavoce.scopes import open_scope
    >>> async def grades():
    ...     interview = Interview(open_candidate("bot:calculator"), answers=Reply)
    ...     return [trial.grade async for trial in try_out(interview, open_scope("arithmetic"), questions=2)]
    >>> asyncio.run(grades())
    ['right', 'right']
    """
    asked = trial_questions(scope, questions, seed=seed)
    marker = grading.marker(scope)
    async with aclosing(interview.ask_in_order(map(scope.prompt, asked), topic=TOPIC)) as answers:
        number = 0
        async for prompt, answer in answers:
            question = asked[number]
            mark = await marker.mark(question, prompt, answer, number)
            if mark.judge is None or isinstance(mark.judge, NoGrade):
                return
            by: GradedBy = "rule" if mark.by_rule or not grading.judged else "judge"
            yield graded_answer(question, answer, mark.judge, by)
            number += 1
