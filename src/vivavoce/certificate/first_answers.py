"""The first answers of an examination with their grades, shown so that a user sees how replies are read."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

from vivavoce.certificate.reasons import GradedBy
from vivavoce.certificate.trace import graded_answer
from vivavoce.certificate.verdict import GradedAnswer
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question

FIRST: Final = 3
"""This many are shown, each of another question."""


class FirstAnswers:
    """Shows the first answers that are graded, and no more.

    >>> shown = []
    >>> first = FirstAnswers(shown.append)
    >>> for number in (1, 1, 2, 3, 4):
    ...     first(Question(f"q{number}", "2 + 2?", accepted=("4",)), Reply("4"), Grade(1.0, False))
    >>> [one.id for one in shown]
    ['q1', 'q2', 'q3']
    """

    def __init__(self, show: Callable[[GradedAnswer], None]) -> None:
        self._show = show
        self._asked: set[str] = set()

    def __call__(self, question: Question, answer: Reply | NoAnswer, grade: Grade, by: GradedBy = "rule") -> None:
        """One more answer, as it is taken."""
        if len(self._asked) < FIRST and question.id not in self._asked:
            self._asked.add(question.id)
            self._show(graded_answer(question, answer, grade, by))


first_answers: ContextVar[FirstAnswers | None] = ContextVar("first_answers", default=None)
"""Shows the first answers of what is examined in this context; None: they are not shown."""


def show_first(question: Question, answer: Reply | NoAnswer, grade: Grade, by: GradedBy = "rule") -> None:
    """Show an answer that was taken, if it is among the first ones and these are shown in this context."""
    first = first_answers.get()
    if first is not None:
        first(question, answer, grade, by)
