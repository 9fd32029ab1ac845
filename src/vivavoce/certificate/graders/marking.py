"""Has answers graded by the scope's rule, a judge, or people; several at once, handed out in drawn order.

A block of the judge is then one of the candidate: all of it is graded at once, and the next one is drawn when these grades are
there. Where the candidate alone is asked at once, blocks are as large as its own would be.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeVar

from vivavoce.certificate.config import Unreadable
from vivavoce.certificate.graders.grades import Grader, JudgedGrade, NoGrade
from vivavoce.certificate.graders.judge import CandidateJudge
from vivavoce.errors import NotOnRecord
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.drawing import block_after
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read_after_turn
from vivavoce.interview.scope import Grade, Scope, unknowable
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import as_wrong

G = TypeVar("G", bound=Grade | NoGrade | None)


class Strictness(Protocol):
    """The graders and their settings, as in `graders.Graders`."""

    @property
    def judge(self) -> CandidateJudge | None: ...

    @property
    def people(self) -> Grader | None: ...

    @property
    def both(self) -> bool: ...

    @property
    def zero_is_unacceptable(self) -> bool: ...

    @property
    def unreadable(self) -> Unreadable: ...

    @property
    def ahead(self) -> int: ...

    def mix(self, scope: object) -> bool:
        """Whether this scope's own rule grades some of its questions."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An answer with the grade of each grader; None for a grader that is not asked."""

    question: Question
    asked: Prompt
    answer: Reply | NoAnswer
    judge: Grade | NoGrade | None
    people: Grade | NoGrade | None
    unreadable: int = 0
    """Number of the judge's judgements that could not be parsed."""
    spending: Usage = field(default_factory=Usage, compare=False)
    """On these judgements."""
    number: int = 0
    """Its place in drawn order, from 0."""
    by_rule: bool = False
    """Whether the scope's own rule graded it; then its grade also stands for judge and people."""

    @property
    def is_judged(self) -> bool:
        """Whether it is a reply to a question that graders grade."""
        return isinstance(self.answer, Reply) and not self.by_rule


class Marker:
    """Has answers to the questions of a scope graded: by its rule, by a judge, and by people where they grade alone."""

    def __init__(self, scope: Scope[Question], graders: Strictness) -> None:
        self._scope = scope
        self._graders = graders
        self._mixed = graders.mix(scope)
        self.ahead = graders.ahead

    async def mark(self, question: Question, asked: Prompt, answer: Reply | NoAnswer, number: int) -> Mark:
        """The answer with its grades; `number`: its place in drawn order, from 0."""
        # with both, people come later: otherwise the judge could tell which answers are theirs
        judge, people = self._graders.judge, None if self._graders.both else self._graders.people
        by_rule = self.is_ruled(question)
        if lost := unknowable(answer):  # no one needs to grade what is worth anything
            return Mark(
                question, asked, NoAnswer(lost.outcome.value, met=answer.met), lost, lost, number=number, by_rule=by_rule
            )
        if isinstance(answer, NoAnswer):
            absent = self.strictly(Grade(0.0, False, Outcome.NO_ANSWER))
            return Mark(question, asked, answer, absent, absent, number=number, by_rule=by_rule)
        if by_rule:
            ruled = self._ruled(question, answer)
            return Mark(question, asked, answer, ruled, ruled, number=number, by_rule=True)
        given = None if people is None else await people.grade(question, asked, answer)
        judged = None if judge is None else await judge.judged(question, asked, answer)
        unreadable, spending = (judged.unreadable, judged.spending) if isinstance(judged, JudgedGrade) else (0, Usage())
        grade = judged.grade if isinstance(judged, JudgedGrade) else judged
        if isinstance(grade, Grade) and self._graders.unreadable == "wrong":
            grade = as_wrong(grade)
        turned = read_after_turn(asked, answer)
        by_judge, by_people = self.strictly(grade, turned), self.strictly(given, turned)
        return Mark(question, asked, answer, by_judge, by_people, unreadable, spending, number)

    def is_ruled(self, question: Question) -> bool:
        """Whether the scope's own rule grades this question."""
        return self._mixed and question.for_rule

    def _ruled(self, question: Question, answer: Reply) -> Grade:
        grade = self._scope.grade(question, answer)
        if self._graders.unreadable == "wrong":
            grade = as_wrong(grade)
        return self.strictly(grade, grade.after_turn)

    def strictly(self, grade: G, turned: bool = False) -> G:
        """The grade, unacceptable where its score is 0 if that is so by definition; where it may be 0, it may be.

        turned: whether the answer was read from the reply to the further turn.
        """
        if not isinstance(grade, Grade):
            return grade
        grade = replace(grade, after_turn=turned)
        if not self._graders.zero_is_unacceptable or grade.score > 0:
            return grade
        known = grade.upper_score == 0
        return replace(grade, unacceptable=grade.unacceptable or known, maybe_unacceptable=not known)


class RuleMarker:
    """Grades by the scope's own rule."""

    ahead = 1

    def __init__(self, scope: Scope[Question]) -> None:
        self._scope = scope

    async def mark(self, question: Question, asked: Prompt, answer: Reply | NoAnswer, number: int) -> Mark:
        """The answer with its grade, unless no one can know its value."""
        grade = unknowable(answer) or self._scope.grade(question, answer)
        return Mark(question, asked, answer, grade, None, number=number, by_rule=True)


AnswerGrading = Marker | RuleMarker
"""Has answers graded, at most `ahead` at once."""

Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")


async def graded_in_order(
    answers: AsyncGenerator[tuple[Q, A], None],
    grade: Callable[[Q, A], Coroutine[Any, Any, T]],
    *,
    ahead: int,
    ready: Callable[[], bool] = lambda: True,
) -> AsyncGenerator[T, None]:
    """Grade several answers at once while others are still being asked, and hand out the grades in the order of the answers.

    grade: called in the order of the answers, once for each; what it returns runs concurrently.
    ahead: the most answers that are being graded, or graded and not yet handed out. Close it when leaving early, to cancel
        unfinished work.
    ready: whether the next answer may be asked for while there are such answers; without any it always may.

    An answer that a record lacks is missed only when all grades before it are handed out: a reader of a record may be ahead
    of a verdict by more than was asked then.
    """

    async def next_answer() -> tuple[Q, A] | NotOnRecord | None:
        try:
            return await anext(answers, None)
        except NotOnRecord as error:
            return error

    line: deque[asyncio.Task[T]] = deque()
    coming: asyncio.Task[tuple[Q, A] | NotOnRecord | None] | None = None
    missed: NotOnRecord | None = None
    more = True
    try:
        while more or line:
            if more and coming is None and (not line or ready()):
                coming = asyncio.create_task(next_answer())
            under_way = {
                task for task in (coming if len(line) < ahead else None, line[0] if line else None) if task is not None
            }
            await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            if coming is not None and coming.done() and len(line) < ahead:
                came = coming.result()
                coming = None
                if isinstance(came, NotOnRecord):
                    missed, more = came, False
                elif came is None:
                    more = False
                else:
                    line.append(asyncio.create_task(grade(*came)))
            elif line and line[0].done():
                yield line.popleft().result()
        if missed is not None:
            raise missed
    finally:
        left = [*line, *([] if coming is None else [coming])]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def all_together(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all of these, run concurrently; if one fails, the others are cancelled."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


WHOLE_BLOCK: Final = 50_000
"""Answers that are graded at once at most, if a judge is asked by batch: more than any block has."""


class GradingPace:
    """Says when the next answer may be asked for, to be graded along with those before it.

    interviews: with the candidates.
    judge: None if no one judges.
    ahead: how many answers are graded at once if no one is asked by batch.
    """

    def __init__(self, interviews: Sequence[Interview[Prompt, Reply]], judge: CandidateJudge | None, ahead: int) -> None:
        self._interviews = interviews
        self._is_judged = judge is not None
        by_batch = judge is not None and judge.interview.drawing.by_batch
        asked = [] if by_batch else [*interviews, *([] if judge is None else [judge.interview])]
        self._asked_one_by_one = asked
        """Whose answers may all be on record; empty if a judge is asked by batch."""
        self._sets_blocks = by_batch and not any(interview.drawing.by_batch for interview in interviews)
        self.ahead = WHOLE_BLOCK if by_batch else ahead
        """Answers that are graded at once at most."""
        self._asked = self._until = 0

    def ready(self) -> bool:
        """Whether the next answer may be asked for while others are being graded.

        Not while all answers and grades come from the record, which may have enough.
        """
        if self._asked_one_by_one and not any(interview.asks_anew for interview in self._asked_one_by_one):
            return False
        if self._sets_blocks:
            return self._asked < self._until
        return not (self._is_judged and any(interview.drawing.draws_next for interview in self._interviews))

    def ask(self) -> None:
        """Note that an answer has arrived and will be graded."""
        if self._sets_blocks and self._asked >= self._until:
            self._until = self._asked + block_after(self._asked)
        self._asked += 1
