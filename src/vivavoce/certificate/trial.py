"""A few questions of a scope put to a candidate, to see how its replies are read and graded: no verdict, no attempt.

The questions are drawn by a random stream of their own. An examination draws from the seed of its attempt alone, so trying
neither tells which questions it will ask nor changes them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from itertools import chain, islice
from typing import Final

import numpy as np

from vivavoce.certificate.config import TRIED
from vivavoce.certificate.graders.grading import Ungraded
from vivavoce.certificate.grading import ByRule, Grading
from vivavoce.certificate.reasons import GradedBy
from vivavoce.certificate.trace import graded_answer
from vivavoce.certificate.verdict import GradedAnswer
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question

TOPIC: Final = "trial"
_STREAM: Final = 0x7472696C
"""Stands before the seed, so that no examination draws by the same stream."""
_DRAWS: Final = 20
"""Draws for each question at most, where a scope draws the same question again."""


def trial_questions(scope: Scope[Question], number: int, *, seed: int = 0) -> tuple[Question, ...]:
    """So many different questions of the scope, or all where it has fewer.

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
    grading: Grading = ByRule(),  # noqa: B008 -- frozen
    *,
    questions: int = TRIED,
    seed: int = 0,
) -> AsyncGenerator[GradedAnswer, None]:
    """The answers to a few questions with their grades, in drawn order, as they come.

    They end early where a budget leaves no room for a judgement. Raises what the interview raises.

    >>> import asyncio
    >>> from vivavoce.candidates import open_candidate
    >>> from vivavoce.scopes import open_scope
    >>> async def grades():
    ...     interview = Interview(open_candidate("bot:calculator"), answers=Reply)
    ...     return [one.grade async for one in try_out(interview, open_scope("arithmetic"), questions=2)]
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
            if mark.judge is None or isinstance(mark.judge, Ungraded):
                return
            by: GradedBy = "rule" if mark.by_rule or not grading.judged else "judge"
            yield graded_answer(question, answer, mark.judge, by)
            number += 1
