"""Questions of a scope that conversations start with, drawn, asked and scored as in a certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Protocol

from vivavoce.examination.varied import ScopeSubject, subjects_of
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.reading import outcome_of, read
from vivavoce.interview.scope import Grade, Scope, unknowable
from vivavoce.scopes.questions import Question
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.conversations import JudgedAnswer, NamedAnswer

YES_OR_NO: Final = frozenset({"yes", "no", "yeah", "yep", "nope"})
ANSWERS_THE_TURN: Final = "a yes or no that may answer the turn"
MOST_WRONG: Final = 20
"""Most wrong answers to a question among which one is drawn."""


class DrawSettings(Protocol):
    """Settings for the number and seed of the questions."""

    @property
    def questions(self) -> int: ...

    @property
    def seed(self) -> int: ...


@dataclass(frozen=True)
class ConversedSubject:
    """A question of a scope (`studies.conversations.ConversationSubject`)."""

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


def conversed(scope: Scope[Question], config: DrawSettings) -> list[ConversedSubject]:
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
