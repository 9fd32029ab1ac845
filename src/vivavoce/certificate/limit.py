"""The limit on ridiculous answers where nobody gives one: one default for every command, and an examination keeps its own.

A limit costs questions (337 clean answers for 1%, ten times as many for .1%), and shows nothing where no answer can be
ridiculous. So it is none there, and `USUAL` elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vivavoce.certificate.config import USUAL, USUAL_LIMIT, Limit
from vivavoce.certificate.register import attempts
from vivavoce.certificate.verdict import brief
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview


def usual_limit(scopes: Sequence[Any], *, graded: bool = False) -> float | None:
    """The default for these scopes: `USUAL_LIMIT`, or None where no answer to any of them can be ridiculous.

    graded: whether judges or people grade, who may find any answer ridiculous.

    >>> from vivavoce.scopes.questions import Question
    >>> from vivavoce.scopes.listed import ListedScope
    >>> plain = ListedScope("plain", (Question("1", "2 + 2?", accepted=("4",)),))
    >>> bounded = ListedScope("bounded", (Question("1", "2 + 2?", accepted=("4",), plausible=(0, 9)),))
    >>> usual_limit([plain]), usual_limit([plain, bounded]), usual_limit([plain], graded=True)
    (None, 0.01, 0.01)
    """
    return USUAL_LIMIT if graded or any(scope.can_be_ridiculous for scope in scopes) else None


def limit_of(
    given: Limit, interview: Interview[Prompt, Reply], scopes: Sequence[Any], *, again: bool = False, graded: bool = False
) -> float | None:
    """The limit of an examination: the given one, or else that of the last attempt on record, or else the default.

    again: a new attempt is wanted, for which the record does not matter.
    """
    if given != USUAL:
        return as_given(given, scopes)
    titles = {(brief(scope.name), scope.digest) for scope in scopes}
    held = [] if again else attempts(interview.transcript, interview.candidate.name)
    limits = [one.terms.settings["ridiculous_limit"] for one in held if any(map(one.terms.meets, titles))]
    return limits[-1] if limits else usual_limit(scopes, graded=graded)


def as_given(given: Limit, scopes: Sequence[Any], *, graded: bool = False) -> float | None:
    """The limit of an examination of which nothing is on record."""
    return usual_limit(scopes, graded=graded) if given == USUAL else given
