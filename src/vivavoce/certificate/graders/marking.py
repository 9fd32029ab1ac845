"""Having answers graded: by the scope's rule, by a judge, and by people where they grade alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from vivavoce.certificate.config import Unreadable
from vivavoce.certificate.graders.grading import Grader, Judged, Ungraded
from vivavoce.certificate.graders.judge import Judge
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.reading import read_after_turn
from vivavoce.interview.scope import Grade, Scope, unknowable
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import as_wrong

G = TypeVar("G", bound=Grade | Ungraded | None)


class Strictness(Protocol):
    """Who grades, and how strictly, as `graders.Graders` has it."""

    @property
    def judge(self) -> Judge | None: ...

    @property
    def people(self) -> Grader | None: ...

    @property
    def both(self) -> bool: ...

    @property
    def zero_is_ridiculous(self) -> bool: ...

    @property
    def unreadable(self) -> Unreadable: ...

    @property
    def further(self) -> int: ...

    @property
    def batch(self) -> int: ...

    @property
    def ahead(self) -> int: ...

    def mix(self, scope: object) -> bool:
        """Whether this scope's own rule grades some of its questions."""
        ...


@dataclass(frozen=True, slots=True)
class Mark:
    """An answer with what each grader says; None for one who is not asked."""

    question: Question
    asked: Prompt
    answer: Reply | NoAnswer
    judge: Grade | Ungraded | None
    people: Grade | Ungraded | None
    unreadable: int = 0
    """Of the judge's judgements."""
    spending: Usage = field(default_factory=Usage, compare=False)
    """On these judgements."""
    number: int = 0
    """Its place in drawn order, from 0."""
    by_rule: bool = False
    """Whether the scope's own rule graded it; its grade stands for judge and people then."""

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
        # with both, people come later: a judge that is asked before or after them would know which answers are theirs
        judge, people = self._graders.judge, None if self._graders.both else self._graders.people
        by_rule = self.is_ruled(question)
        if lost := unknowable(answer):  # nobody needs to grade what is worth anything
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
        unreadable, spending = (judged.unreadable, judged.spending) if isinstance(judged, Judged) else (0, Usage())
        said = judged.grade if isinstance(judged, Judged) else judged
        if isinstance(said, Grade) and self._graders.unreadable == "wrong":
            said = as_wrong(said)
        turned = read_after_turn(asked, answer)
        by_judge, by_people = self.strictly(said, turned), self.strictly(given, turned)
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
        """The grade, ridiculous where its score is 0 if that is so by definition; where it may be 0, it may be.

        turned: whether the answer was read from the reply to the further turn.
        """
        if not isinstance(grade, Grade):
            return grade
        grade = replace(grade, after_turn=turned)
        if not self._graders.zero_is_ridiculous or grade.score > 0:
            return grade
        known = grade.upper_score == 0
        return replace(grade, ridiculous=grade.ridiculous or known, maybe_ridiculous=not known)


class Marking(Protocol):
    """Has answers graded."""

    @property
    def ahead(self) -> int:
        """How many at once at most."""
        ...

    async def mark(self, question: Question, asked: Prompt, answer: Reply | NoAnswer, number: int) -> Mark:
        """The answer with its grades."""
        ...


class RuleMarker:
    """Grades by the scope's own rule."""

    ahead = 1

    def __init__(self, scope: Scope[Question]) -> None:
        self._scope = scope

    async def mark(self, question: Question, asked: Prompt, answer: Reply | NoAnswer, number: int) -> Mark:
        """The answer with its grade, unless nobody can know what it is worth."""
        grade = unknowable(answer) or self._scope.grade(question, answer)
        return Mark(question, asked, answer, grade, None, number=number, by_rule=True)
