"""Grading by the rule of a scope, and a trial of it on a few questions.

The scope's own rule (`ByRule`), a judge, people, or people with a judge's grades as predictions of theirs
(`graders.graders.Graders`), or audited procedures that answer for the candidate (`explanations.examine.Procedures`). A grade
may be an interval if a reply could not be read (`interview.scope.Grade`).

The questions are drawn by a random stream of their own. An examination draws from the seed of its attempt alone, so trying
does not reveal which questions it will ask, and does not change them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final, Protocol

import numpy as np

from vivavoce.certificate.claims.claim import GradedAnswer
from vivavoce.certificate.config import TRIED, Feature, GradingConfig, Unreadable
from vivavoce.certificate.graders.grades import PARTIAL_CREDIT, NoGrade
from vivavoce.certificate.graders.judge import CandidateJudge
from vivavoce.certificate.graders.marking import AnswerGrading, RuleMarker
from vivavoce.certificate.graders.trace import GradedBy, graded_answer
from vivavoce.certificate.procedure import ExaminationProcedure, RuleGradedProcedure, Target
from vivavoce.certificate.run import StartedExamination
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question, give_partial_credit


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
