"""Questions of a scope that are varied or start conversations, drawn, asked and scored as in a certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.reading import outcome_of, read
from vivavoce.interview.scope import Grade, Scope, unknowable
from vivavoce.scopes.answer_laws import answer_law
from vivavoce.scopes.free_text import texts_differ
from vivavoce.scopes.questions import Question, Unit
from vivavoce.studies.config import SAME, VaryConfig
from vivavoce.studies.study import LimitConfig
from vivavoce.studies.variations.kinds import Wording

YES_OR_NO: Final = frozenset({"yes", "no", "yeah", "yep", "nope"})
ANSWERS_THE_TURN: Final = "a yes or no that may answer the turn"
MOST_WRONG: Final = 20
"""Most wrong answers to a question among which one is drawn."""


@dataclass(frozen=True, slots=True)
class ScopeSubject:
    """A question of a scope that is varied."""

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


@dataclass(frozen=True, slots=True)
class NamedAnswer:
    """An answer that a turn can name."""

    says: str
    """The content, as in `Judged.says`."""
    words: str
    """The answer as a person would say it; for an option, its letter and its text."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The content of an answer, and its score."""

    says: str | None
    """The content, for comparison with other answers to the question; None if the reply can't be parsed or admits ignorance."""
    least: float
    """The score in [0, 1]; the smallest possible one if it is unknown."""
    most: float
    """The largest possible score if it is unknown; else the score."""
    outcome: str
    """How the reply was parsed (`interview.reading`)."""


@dataclass(frozen=True)
class ConversedSubject:
    """A question of a scope that begins conversations."""

    base: ScopeSubject
    id: str
    """The question's id, with a number if it was drawn before."""
    others: tuple[str, ...] = ()
    """Right answers to other questions of its category: wrong answers that sound right."""

    @property
    def unit(self) -> int:
        """The number of its draw."""
        return self.base.unit

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt of a certificate."""
        return replace(self.base.scope.prompt(self._question), id=self.id)

    @property
    def numeric(self) -> bool:
        """Whether its answer is a number: there are no options, and all accepted answers are numbers."""
        return self._question.numeric

    @property
    def turns(self) -> tuple[str, ...]:
        """The turns in the question file."""
        return self._question.turns

    @property
    def expected(self) -> str:
        """Right answers, and those with partial credit; empty if only a law grades."""
        return self._question.expected

    @property
    def right(self) -> NamedAnswer | None:
        """The first accepted answer; None without one, or for a pattern."""
        if not self._question.accepted or self._question.match == "regex":
            return None
        return self._named(self._question.accepted[0])

    @cached_property
    def wrong(self) -> tuple[NamedAnswer, ...]:
        """Wrong answers: other options; numbers with one digit changed; listed ones; right answers to other questions."""
        if not self.expected:
            return ()
        texts = (answer for answer in dict.fromkeys(self._maybe_wrong()) if self._grade(answer).as_read.upper_score == 0)
        return tuple(self._named(answer) for answer, _ in zip(texts, range(MOST_WRONG), strict=False))

    def judge(self, asked: Prompt, answer: Reply | NoAnswer) -> JudgedAnswer:
        """The grade by the scope's rules; an interval for an unparsed reply, or if no right answer is known.

        After a turn that is a question, such as "Are you sure?", a yes or no may answer that question: nothing is known then.
        """
        assert self._question.form is not None, "an open-ended question was drawn"
        reading = read(asked, answer)
        outcome = outcome_of(reading)
        if isinstance(answer, NoAnswer) or reading.outcome.unread or unknowable(answer) is not None:
            return JudgedAnswer(None, 0.0, 1.0, outcome)
        if asked.earlier and asked.text.rstrip().endswith("?") and fold(reading.value or "") in YES_OR_NO:
            return JudgedAnswer(None, 0.0, 1.0, ANSWERS_THE_TURN)
        value = DONT_KNOW if reading.outcome is Outcome.DONT_KNOW else reading.value
        says = None if reading.value is None else self.base.said(self.base.wording, reading.value)
        if not self.expected or value is None:
            return JudgedAnswer(says, 0.0, 1.0, outcome)
        grade = self._grade(value).as_read
        return JudgedAnswer(says, grade.score, grade.upper_score, outcome)

    def differ(self, answers: Sequence[str]) -> bool | None:
        """Whether these break the law `same`; None if no rule can tell."""
        return self.base.differ(answers)

    @property
    def _question(self) -> Question:
        return self.base.question

    def _grade(self, answer: str) -> Grade:
        form = self._question.form
        assert form is not None
        return self.base.scope.grade(self._question, Reply(form.write(answer)))

    def _maybe_wrong(self) -> Iterator[str]:
        question = self._question
        if question.options:
            yield from question.letters
            return
        yield from (answer for answer, score in question.scores if score == 0)
        yield from (answer for answer in question.unacceptable if fold(answer) != fold(DONT_KNOW))
        if question.match == "regex":
            return
        yield from _with_one_digit_changed(question.accepted[0])
        if not question.numeric:
            yield from self.others

    def _named(self, answer: str) -> NamedAnswer:
        says = self.base.said(self.base.wording, answer)
        return NamedAnswer(says, f"({answer}) {says}" if self._question.options else answer)


def subjects_of(scope: Scope[Question], config: VaryConfig, *, judged: bool = False) -> list[ScopeSubject]:
    """The questions of the first units that the scope draws by the seed.

    judged: whether a judge compares open answers.

    Raises `BadInput` for a question whose answers only a judge can compare, without a judge, and for a judge without anything
    to compare.
    """
    check_law(config.law, judged=judged)
    units = islice(scope.draw(np.random.default_rng(config.seed)), config.questions)
    subjects = every_subject(scope, units, config.law, judged=judged)
    if judged and not any(subject.free_text for subject in subjects):
        raise BadInput("a judge compares open answers, but all answers are options or numbers: leave out the judge")
    return subjects


def conversed(scope: Scope[Question], config: LimitConfig) -> list[ConversedSubject]:
    """The questions of the first units that the seed draws. Raises `BadInput` for a question whose answers only a grader can
    compare.
    """
    drawn = subjects_of(scope, VaryConfig(questions=config.questions, seed=config.seed))
    listed: Sequence[Question] = getattr(scope, "questions", ())
    right: dict[str, dict[str, None]] = {}
    for question in listed:
        if question.accepted and not question.options and question.match != "regex":
            right.setdefault(question.category, {})[question.accepted[0]] = None
    seen: Counter[str] = Counter()
    subjects = []
    for subject in drawn:
        seen[subject.id] += 1
        again = f"{subject.id} (draw {seen[subject.id]})" if seen[subject.id] > 1 else subject.id
        subjects.append(ConversedSubject(subject, again, tuple(right.get(subject.question.category, ()))))
    return subjects


def _with_one_digit_changed(text: str) -> Iterator[str]:
    """A number, or a text with numbers, with one digit changed; neighbouring digits first.

    >>> list(_with_one_digit_changed("49"))[:4]
    ['48', '39', '40', '59']
    """
    for by in (-1, 1, 2, -2, 5):
        for index in range(len(text) - 1, -1, -1):
            if not text[index].isascii() or not text[index].isdigit():
                continue
            digit = (int(text[index]) + by) % 10
            leads = index == 0 or not text[index - 1].isdigit()
            if not (digit == 0 and leads and len(text) > 1):
                yield f"{text[:index]}{digit}{text[index + 1 :]}"


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


def every_subject(scope: Scope[Question], units: Iterator[Unit], law: str, *, judged: bool) -> list[ScopeSubject]:
    """The questions of these units. Raises `BadInput` as `subjects_of` does."""
    subjects = [ScopeSubject(scope, question, number, law) for number, unit in enumerate(units) for question in unit]
    open_ended = next((subject.question for subject in subjects if subject.question.open_ended or subject.question.rule), None)
    if open_ended is not None and not judged:
        what = "is scored by the whole reply" if open_ended.rule else "is open-ended"
        raise BadInput(f"question '{open_ended.id[:80]}' {what}: only a judge can compare its answers: name one (judge)")
    lettered = next((subject.question for subject in subjects if not subject.question.numeric), None)
    if law != SAME and lettered is not None:
        raise BadInput(f"the law '{law[:80]}' is for numbers, but the answer to question '{lettered.id[:80]}' is not a number")
    return subjects
