"""The questions of pairs, found in their scopes, asked once each and graded by these scopes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, TypeAlias

from vivavoce.certificate.graders.trace import in_order, mark_of
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.interview import Interview
from vivavoce.interview.results import ResultMark
from vivavoce.interview.scope import Grade

if TYPE_CHECKING:
    from vivavoce.generalization.pairs import BeliefPair
    from vivavoce.scopes.listed_and_endless import ListedScope
    from vivavoce.scopes.questions import Question

Asked: TypeAlias = "tuple[ListedScope, Question]"
"""A question, and the scope that asks and grades it."""
Told: TypeAlias = "tuple[Grade, Reply | NoAnswer]"
"""An answer and its grade."""


def listed_scopes(names: Sequence[str]) -> list[ListedScope]:
    """The scopes of these names; raises `BadInput` for an endless one, and what `open_scope` raises."""
    from vivavoce.scopes import open_scope
    from vivavoce.scopes.listed_and_endless import ListedScope

    scopes = []
    for name in names:
        opened = open_scope(name)
        if not isinstance(opened, ListedScope):
            raise BadInput(f"'{name}' is endless: name a scope that is a list of questions")
        scopes.append(opened)
    return scopes


def agreed_questions(scopes: Sequence[ListedScope]) -> dict[str, Asked]:
    """All questions of these scopes, each once, by key; without questions that occur with different accepted answers."""
    from vivavoce.generalization.pairs import key_of
    from vivavoce.generalization.survey.cards import wording

    values: dict[str, list[Asked]] = {}
    for scope in scopes:
        for question in scope.questions:
            values.setdefault(key_of(wording(question)), []).append((scope, question))
    return {key: alike[0] for key, alike in values.items() if len({_right(question) for _, question in alike}) == 1}


def questions_of_pairs(scopes: Sequence[ListedScope], pairs: Sequence[BeliefPair]) -> dict[str, Asked]:
    """The questions of pairs, by key, in the order of the scopes. Raises `BadInput` without any."""
    from vivavoce.generalization.pairs import key_of

    wanted = {key_of(text) for pair in pairs for text in (pair.q1, pair.q2)}
    agreed = {key: agreed_question for key, agreed_question in agreed_questions(scopes).items() if key in wanted}
    if not agreed:
        names = "', '".join(scope.name[:80] for scope in scopes)
        raise BadInput(f"'{names}' has none of the questions in the pairs ({len(wanted)}): name their scope")
    return agreed


async def ask_graded(interview: Interview[Prompt, Reply], chosen: Mapping[str, Asked], *, topic: str) -> dict[str, Told]:
    """The answer and grade by key; questions after the end of a budget are missing."""
    asked = list(chosen.items())
    result: dict[str, Told] = {}
    marks: list[ResultMark] = []
    interview.results.mark_by(lambda heard: in_order(heard, marks))
    replies = interview.ask_in_order(
        (scope.prompt(question) for scope, question in chosen.values()), topic=topic, all_wanted=True
    )
    async with aclosing(replies):
        async for _, answer in replies:
            key, (scope, question) = asked[len(result)]
            grade = scope.grade(question, answer)
            marks.append(mark_of(question, grade, scope=scope.name))
            result[key] = (grade, answer)
    return result


async def all_graded(
    interviews: Sequence[Interview[Prompt, Reply]], chosen: Mapping[str, Asked], *, topic: str
) -> list[dict[str, Told]]:
    """The same for several candidates side by side; if one can't be asked any more, the others stop as well."""
    tasks = [asyncio.create_task(ask_graded(interview, chosen, topic=topic)) for interview in interviews]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _right(question: Question) -> frozenset[str]:
    """The right answers, as text."""
    document = dict(zip(question.letters, question.options, strict=True))
    return frozenset(fold(document.get(answer, answer)) for answer in question.accepted)
