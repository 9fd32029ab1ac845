"""What a certificate knows of an answer, for its row in a file of results: what is accepted, and its grade."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from vivavoce.certificate.questions import Question, Unit
from vivavoce.interview.results import AS_READ, Heard, Mark
from vivavoce.interview.scope import Grade


def mark_of(question: Question, grade: Grade | None, *, scope: str = "") -> Mark:
    """The mark of an answer; `grade` is None where nobody graded it.

    >>> mark_of(Question("q1", "2 + 2?", accepted=("4", "four")), Grade(1.0, False))
    Mark(id='q1', expected='4 or four', score=1.0, ..., outcome=<Outcome.ANSWER: 'answer'>, scope='', order=())
    """
    expected = " or ".join(question.accepted)
    if grade is None:
        return Mark(question.id, expected, scope=scope)
    return Mark(question.id, expected, float(grade.score), outcome=grade.outcome, scope=scope)


def marks_of(taken: Iterable[tuple[Unit, Sequence[Grade]]], *, scope: str = "") -> list[Mark]:
    """The marks of units in drawn order with their grades; of the last unit some may be missing."""
    return [mark_of(*pair, scope=scope) for unit, grades in taken for pair in zip(unit, grades, strict=False)]


def in_order(heard: Sequence[Heard], marks: Sequence[Mark] | Mapping[int, Mark], *, over: bool = True) -> list[Mark | None]:
    """The marks by the places of the answers.

    over: whether the examination came to its end, so that an answer without a mark counted for nothing and has no row.
    """
    known = marks if isinstance(marks, Mapping) else dict(enumerate(marks))
    return [AS_READ if one.number is None else known.get(one.number, None if over else AS_READ) for one in heard]
