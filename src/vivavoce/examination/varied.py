"""Questions of a scope as subjects of variation, drawn, asked and read as in a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.forecasting.tuples import QuestionTuple
from vivavoce.studies.scope_subjects import every_subject, subjects_of
from vivavoce.studies.study import Source
from vivavoce.studies.variations import writing
from vivavoce.studies.variations.varied_question import VariedQuestion, variations, vary
from vivavoce.studies.vary import Origin, VaryFinding, ask


def drawn(
    scope: Scope[Question],
    config: VaryConfig,
    *,
    title: str = "",
    judged: bool = False,
    written: Sequence[QuestionTuple] | None = None,
) -> tuple[list[VariedQuestion], Origin]:
    """The questions with all variants that need no writer, and where they come from.

    title: of the scope, for readers; empty: its name.
    judged: whether a judge compares open answers.
    written: accepted paraphrases and translations, as `viva consistency vary --save-variants` keeps them; None: there are none.

    Raises `BadInput` as `subjects_of` and `writing.with_tuples` do.
    """
    questions = vary(subjects_of(scope, config, judged=judged), config)
    population = None if config.flip_limit is None else population_of(scope, config, judged=judged)
    origin = Origin(Source(title or scope.name, scope.digest), population)
    if written is None:
        return questions, origin
    return writing.with_tuples(questions, written, config), replace(origin, writer=writing.FILE, checker=writing.FILE)


async def ask_variations(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question],
    config: VaryConfig = VaryConfig(),  # noqa: B008 -- frozen
    *,
    judging: Interview[Prompt, Reply] | None = None,
    written: Sequence[QuestionTuple] | None = None,
) -> VaryFinding:
    """Test whether the answer stays the same under variations that must not matter.

    Parameters
    ----------
    interview: with the candidate. scope: its questions are drawn and varied. judging: with the judge that decides whether two
    open answers mean the same; None: they are compared as texts, and questions with only a rubric are refused.
    written: accepted paraphrases and translations (`read_tuples`), which the kinds that need a writer are taken from.

    Raises `BadInput`, and what the interviews raise.

    >>> import vivavoce as viva
    >>> def bot(question: str) -> str:
    ...     return "Answer: A"
    >>> ask = [{"question": "Largest?", "options": ["Rome", "Bari"], "answer": "A"}, {"question": "2?", "options": ["2", "3"],
    ...     "answer": "A"}]
    >>> interview = viva.Interview(viva.open_candidate(bot), answers=viva.Reply)
    >>> config = viva.VaryConfig(vary=("order",))
    >>> found = viva.run(viva.ask_variations(interview, viva.open_scope(ask, name="two"), config))
    >>> found.effects[0].rates["flipped"].events, found.control[0].rates["flipped"].events
    (2, 0)
    """
    needs = next((variation.name for variation in variations(config) if variation.kind.written), None)
    if needs is not None and written is None:
        raise BadInput(f"'{needs}' needs written variants: give accepted ones (written)")
    questions, origin = drawn(scope, config, judged=judging is not None, written=written)
    return await ask(interview, questions, config, origin, judging=judging)


def population_of(scope: Scope[Question], config: VaryConfig, *, judged: bool = False) -> int | None:
    """How many units of the scope can be varied, if each is drawn once and no writer is needed; else None."""
    if scope.population is None or any(variation.kind.written for variation in variations(config)):
        return None
    everything = vary(every_subject(scope, scope.draw(np.random.default_rng(config.seed)), config.law, judged=judged), config)
    return len({question.subject.unit for question in everything if question.variants})
