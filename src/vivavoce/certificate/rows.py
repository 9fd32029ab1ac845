"""What a certificate knows of an answer, for its row in a file of results: what is accepted, and its grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vivavoce.certificate.draws.claim import RIGHT, Draws
from vivavoce.interview.results import AS_READ, AnswerEvent, ResultMark
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question, Unit


def mark_of(question: Question, grade: Grade | None, *, scope: str = "") -> ResultMark:
    """The mark of an answer; `grade` is None where nobody graded it.

    >>> mark_of(Question("q1", "2 + 2?", accepted=("4", "four")), Grade(1.0, False))
    ResultMark(id='q1', expected='4 or four', score=1.0, ..., outcome=<Outcome.ANSWER: 'answer'>, scope='', ...)
    """
    expected = question.expected
    if grade is None:
        return ResultMark(question.id, expected, scope=scope)
    read_as = grade.read_as if question.rule else None  # no form says what the reply was taken to say
    score = None if grade.upper_score > grade.score else float(grade.score)
    return ResultMark(question.id, expected, score, read_as, grade.outcome, scope)


def marks_of(unit: Unit, grades: Sequence[Grade], *, scope: str = "", draws: Draws | None = None) -> list[ResultMark]:
    """The marks of a unit with its grades, of which the last ones may be missing.

    draws: how often each question of a unit stands there.
    """
    marks = [mark_of(*pair, scope=scope) for pair in zip(unit, grades, strict=False)]
    return marks if draws is None else of_draws(marks, len(draws.questions_of(unit)), draws.number)


def of_draws(marks: Sequence[ResultMark], questions: int, number: int) -> list[ResultMark]:
    """The marks of a unit that is answered so many times, each with which answer it is and how many are right.

    >>> [(one.draw, one.right) for one in of_draws([ResultMark("1", score=1.0), Mark("1", score=0.0)], 1, 2)]
    [('1 of 2', '1 of 2'), ('2 of 2', '1 of 2')]
    """
    right = [sum((one.score or 0.0) >= RIGHT for one in marks[place::questions]) for place in range(questions)]
    return [
        replace(one, draw=f"{place // questions + 1} of {number}", right=f"{right[place % questions]} of {number}")
        for place, one in enumerate(marks)
    ]


def in_order(
    heard: Sequence[AnswerEvent], marks: Sequence[ResultMark] | Mapping[int, ResultMark], *, over: bool = True
) -> list[ResultMark | None]:
    """The marks by the places of the answers.

    over: whether the examination came to its end, so that an answer without a mark counted for nothing and has no row.
    """
    known = marks if isinstance(marks, Mapping) else dict(enumerate(marks))
    return [AS_READ if one.number is None else known.get(one.number, None if over else AS_READ) for one in heard]
