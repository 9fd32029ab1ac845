"""Grades participants' own answers by the rules of the scope that a survey was made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.generalization.survey.plan import SurveyPlan

Graded = Callable[[str, str], bool | None]
"""Whether an own answer to a question, in the words of its card, is right; None where nobody can say."""


def own_answers_graded(plan: SurveyPlan, scope: str | None = None) -> Graded:
    """The grading of own answers; an answer that cannot be read, or to a question that the scope does not hold, has no grade.

    scope: in place of the one that the survey was made of, where that is somewhere else now.

    The questions are drawn again as they were. Raises `BadInput` where the scope cannot be opened.
    """
    import numpy as np

    from vivavoce.errors import BadInput
    from vivavoce.generalization.config import SurveyConfig
    from vivavoce.generalization.survey.cards import draw_questions, wording
    from vivavoce.interview.candidate import Reply
    from vivavoce.interview.forms.form import Outcome
    from vivavoce.scopes import open_scope

    made = plan.source
    if made is None:
        raise BadInput(f"the survey '{plan.slug}' does not say what its questions were drawn from")
    opened: Any = open_scope(scope or made.scope)
    config = SurveyConfig(questions=made.questions, longest=made.longest, seed=made.seed)
    drawn: list[Any] = draw_questions(opened, config, np.random.default_rng([made.seed, 0]))
    questions = {wording(question): question for question in drawn}

    def graded(question: str, answer: str) -> bool | None:
        known = questions.get(question)
        if known is None:
            return None
        grade = opened.grade(known, Reply(answer))
        if grade.outcome is Outcome.DONT_KNOW:
            return False
        return bool(grade.score == 1) if grade.outcome is Outcome.ANSWER else None

    return graded
