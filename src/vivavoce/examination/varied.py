"""Questions of a scope as subjects of variation, drawn, asked and read as in a certificate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope
from vivavoce.scopes.answer_laws import answer_law
from vivavoce.scopes.free_text import texts_differ
from vivavoce.scopes.questions import Question, Unit
from vivavoce.studies.config import SAME, VaryConfig
from vivavoce.studies.forecasting.tuples import QuestionTuple
from vivavoce.studies.study import Source
from vivavoce.studies.variations import writing
from vivavoce.studies.variations.kinds import Wording
from vivavoce.studies.variations.varied_question import VariedQuestion, variations, vary
from vivavoce.studies.vary import Origin, VaryFinding, ask


@dataclass(frozen=True, slots=True)
class ScopeSubject:
    """A question of a scope that is varied (`studies.variations.varied_question.VariationSubject`)."""

    scope: Scope[Question]
    question: Question
    unit: int
    """The number of its draw."""
    law: str = SAME
    """The law between the answer to the unchanged question and those to its variants."""

    @property
    def id(self) -> str:
        """The question's."""
        return self.question.id

    @property
    def wording(self) -> Wording:
        """The question as in the scope."""
        return Wording(self.question.text, self.question.options)

    @property
    def free_text(self) -> bool:
        """Whether answers are texts, not options or numbers."""
        return not self.question.options and not self.question.numeric

    def prompt(self, wording: Wording, id: str) -> Prompt:  # noqa: A002 - Prompt's own word
        """The prompt, as in a certificate; for the unchanged question, exactly the same prompt."""
        prompt = self.scope.prompt(replace(self.question, id=id, text=wording.text, options=wording.options))
        return replace(prompt, shown=(*prompt.shown, *wording.before))

    def said(self, wording: Wording, answer: str) -> str:
        """The answer in comparable form: for an option its text in the unchanged question; for a right free answer the first
        accepted one.
        """
        if self.question.options:
            index = self.question.letters.index(answer)
            return self.question.options[wording.original_place(index)]
        form = self.question.form
        if form is None or not self.question.accepted:
            return answer
        right = self.scope.grade(self.question, Reply(form.write(answer))).score == 1
        return self.question.accepted[0] if right else answer

    @property
    def one_way(self) -> bool:
        """Whether the law distinguishes the unchanged question from its variants."""
        return not _is_same(self.law)

    def differ(self, answers: Sequence[str]) -> bool | None:
        """Whether these break the law. `same` compares all of them, numbers as numbers; other laws compare the first with each.

        None for free texts that no rule can compare.
        """
        if self.free_text and self.question.match is None:
            apart = {texts_differ(answers[0], other, self.question.accepted) for other in answers[1:]}
            return True if True in apart else None if None in apart else False
        if _is_same(self.law):
            return bool(answer_law(self.law, len(answers)).broken(answers))
        return any(bool(answer_law(self.law, 2).broken([answers[0], other])) for other in answers[1:])


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


def subjects_of(scope: Scope[Question], config: VaryConfig, *, judged: bool = False) -> list[ScopeSubject]:
    """The questions of the first units that the scope draws by the seed.

    judged: whether a judge compares open answers.

    Raises `BadInput` for a question whose answers only a judge can compare, without a judge, and for a judge without anything
    to compare.
    """
    check_law(config.law, judged=judged)
    units = islice(scope.draw(np.random.default_rng(config.seed)), config.questions)
    subjects = _subjects(scope, units, config.law, judged=judged)
    if judged and not any(subject.free_text for subject in subjects):
        raise BadInput("a judge compares open answers, but all answers are options or numbers: leave out the judge")
    return subjects


def population_of(scope: Scope[Question], config: VaryConfig, *, judged: bool = False) -> int | None:
    """How many units of the scope can be varied, if each is drawn once and no writer is needed; else None."""
    if scope.population is None or any(variation.kind.written for variation in variations(config)):
        return None
    everything = vary(_subjects(scope, scope.draw(np.random.default_rng(config.seed)), config.law, judged=judged), config)
    return len({_unit(question) for question in everything if question.variants})


def _unit(question: VariedQuestion) -> int:
    return question.subject.unit


def check_law(law: str, *, judged: bool = False) -> None:
    """Refuse a law that an answer breaks with itself, a law of probabilities, and with a judge any law but `same`.

    Raises `BadInput`, and `UnknownName` for an unknown law.

    >>> check_law("at most within 2")
    >>> check_law("different")
    Traceback (most recent call last):
    vivavoce.errors.BadInput: the law 'different' can't relate a question to its variants: use same, at most or at least, ...
    """
    known = answer_law(law, 2)
    if known.formulas is not None or known.broken(["1", "1"]):
        raise BadInput(
            f"the law '{law[:80]}' can't relate a question to its variants: use same, at most or at least, also with 'within X'"
        )
    if judged and law != SAME:
        raise BadInput(f"a judge decides only whether answers are the same, not the law '{law[:80]}': leave out one of them")


def _is_same(law: str) -> bool:
    return answer_law(law, 2).name == SAME


def _subjects(scope: Scope[Question], units: Iterator[Unit], law: str, *, judged: bool) -> list[ScopeSubject]:
    subjects = [ScopeSubject(scope, question, number, law) for number, unit in enumerate(units) for question in unit]
    open_ended = next((subject.question for subject in subjects if subject.question.open_ended or subject.question.rule), None)
    if open_ended is not None and not judged:
        what = "is scored by the whole reply" if open_ended.rule else "is open-ended"
        raise BadInput(f"question '{open_ended.id[:80]}' {what}: only a judge can compare its answers: name one (judge)")
    lettered = next((subject.question for subject in subjects if not subject.question.numeric), None)
    if law != SAME and lettered is not None:
        raise BadInput(f"the law '{law[:80]}' is for numbers, but the answer to question '{lettered.id[:80]}' is not a number")
    return subjects
