"""The questions of pairs, found in their scopes, asked once each and graded by these scopes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from vivavoce.certificate.graders.marking import all_together
from vivavoce.certificate.graders.trace import in_order, mark_of
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.interview import Interview
from vivavoce.interview.results import ResultMark
from vivavoce.interview.scope import Grade
from vivavoce.scopes.listed_and_endless import ListedScope

if TYPE_CHECKING:
    from vivavoce.generalization.pairs import BeliefPair, Floats
    from vivavoce.scopes.questions import Question

Asked: TypeAlias = "tuple[ListedScope, Question]"
"""A question, and the scope that asks and grades it."""
Told: TypeAlias = "tuple[Grade, Reply | NoAnswer]"
"""An answer and its grade."""

DRAWS: Final = 200
"""Fits of a predictor that its error is computed from."""


def listed_scopes(names: Sequence[str]) -> list[ListedScope]:
    """The scopes of these names; raises `BadInput` for an endless one, and what `open_scope` raises."""
    from vivavoce.scopes import open_scope

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


def drawn_pairs(pool: Mapping[str, Asked], number: int, seed: int) -> list[BeliefPair]:
    """Pairs of these questions, drawn uniformly. Raises `NotEnoughEvidence` for fewer than two questions."""
    import numpy as np

    from vivavoce.generalization.evaluation.influential_pairs import draw_pairs
    from vivavoce.generalization.pairs import TaskQuestion
    from vivavoce.generalization.survey.cards import wording

    questions = [TaskQuestion(wording(question), question.category or scope.name) for scope, question in pool.values()]
    return draw_pairs(questions, number, rng=np.random.default_rng(seed))


def predicted(pairs: Sequence[BeliefPair], model: Path) -> tuple[list[BeliefPair], Floats | None]:
    """Each pair after a right and after a wrong answer, with the chance of a change that the model in a folder predicts; and
    the chances by other fits of it, or None if it does not know its error. Raises `BadFile`, and `BadInput` for a model that
    asks another one.
    """
    import numpy as np

    from vivavoce.generalization.evaluation.influential_pairs import both_ways
    from vivavoce.generalization.predictors.base import UncertainPredictor
    from vivavoce.generalization.predictors.few_shot import FewShotPredictor
    from vivavoce.generalization.predictors.model_store import open_predictor

    predictor, _ = open_predictor(model)
    if isinstance(predictor, FewShotPredictor):
        raise BadInput("this predictor asks a language model: run 'viva people predict apply', and give its file as --beliefs")
    both = both_ways(pairs)
    drawn = None
    if isinstance(predictor, UncertainPredictor):
        drawn = predictor.drawn(both, DRAWS, rng=np.random.default_rng(0))
    return [replace(pair, pred=float(chance)) for pair, chance in zip(both, predictor.predict(both), strict=True)], drawn


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
    return await all_together(ask_graded(interview, chosen, topic=topic) for interview in interviews)


def _right(question: Question) -> frozenset[str]:
    """The right answers, as text."""
    document = dict(zip(question.letters, question.options, strict=True))
    return frozenset(fold(document.get(answer, answer)) for answer in question.accepted)
