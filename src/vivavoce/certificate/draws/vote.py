"""The answer that most replies to a question agree on, and its grade.

A reply votes for what it was read as: a letter, a number (however it is written), a text without regard to case and marks, or
"I don't know". A reply that did not come does not vote; where none came the grade is 0, as that of no answer is.

A reply that cannot be read, or of which nobody knows what it would have been, may be a vote for anything, also for an answer
that no other reply gave. With u such replies the grade is known only if one answer leads by more than u votes; else it may be
anything from 0 to 1, and it may be ridiculous.

>>> def said(answer, score): return Grade(score, False, read_as=answer)
>>> voted([said("4", 1), said("4.0", 1), said("5", 0)]), voted([said("4", 1), said("5", 0)])
(Vote(score=1.0, ridiculous=0.0, upper=1.0, maybe=0.0), Vote(score=0.5, ridiculous=0.0, upper=0.5, maybe=0.0))
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from vivavoce.formats.numbers import as_number
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Unit
from vivavoce.scopes.score import UnitMean


class Vote(NamedTuple):
    """What the answer of the majority earns, the least and the most, and how ridiculous it is."""

    score: float
    ridiculous: float
    upper: float
    maybe: float


def voted(grades: Sequence[Grade]) -> Vote:
    """The grade of the answer that most of these agree on."""
    votes: dict[object, list[Grade]] = {}
    unknown = 0
    for grade in grades:
        if grade.outcome.unread or grade.outcome.unknowable:
            unknown += 1
        elif grade.outcome is not Outcome.NO_ANSWER:
            number = as_number(grade.read_as)
            votes.setdefault(fold(grade.read_as) if number is None else number, []).append(grade)
    counts = sorted((len(given) for given in votes.values()), reverse=True)
    if unknown:
        lead = (counts[0] if counts else 0) - (counts[1] if len(counts) > 1 else 0)
        if lead <= unknown:
            return Vote(0.0, 0.0, 1.0, 1.0)
    if not counts:
        absent = sum(grade.ridiculous for grade in grades) / len(grades)
        return Vote(0.0, absent, 0.0, absent)
    tied = [given[0] for given in votes.values() if len(given) == counts[0]]
    score = fsum(grade.score for grade in tied) / len(tied)
    ridiculous = sum(grade.ridiculous for grade in tied) / len(tied)
    return Vote(score, ridiculous, score, ridiculous)


def voted_mean(questions: Unit, grades: Sequence[Grade]) -> UnitMean:
    """The mean grade of the votes on the questions of a unit, by weight; the grades are those of the unit again and again."""
    votes = [voted(grades[place :: len(questions)]) for place in range(len(questions))]
    total = fsum(question.weight for question in questions)
    score, ridiculous, upper, maybe = (
        fsum(question.weight * vote[end] for question, vote in zip(questions, votes, strict=True)) / total for end in range(4)
    )
    return UnitMean(score, ridiculous, upper, maybe)
