"""What is asked: a question with its options or accepted answers, its prompt, and what a ridiculous answer to it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from string import ascii_uppercase
from typing import Any

from vivavoce.certificate.answer_laws import asked_for
from vivavoce.certificate.reading import as_number
from vivavoce.interview.candidate import Prompt

DONT_KNOW = "I don't know"
MAX_OPTIONS = len(ascii_uppercase)
LONGEST_RUBRIC = 50_000
"""Characters: a rubric goes to the judge with every answer."""

_CHOICE = 'End your reply with a line "Answer: X", where X is the letter of one option.'
_NUMBER = 'End your reply with a line "Answer: N", where N is a number.'
_PROBABILITY = 'End your reply with a line "Answer: P", where P is a probability from 0 to 1, such as 0.25.'
_FREE = 'End your reply with a line "Answer: ..." that holds your answer alone.'
_OPEN = "If you do not know, say so."
_IGNORANCE = f'If you do not know, "Answer: {DONT_KNOW}" is an acceptable reply.'


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a scope, with all that is needed to put it to a candidate and to score the answer.

    >>> q = Question("capital/fr", "What is the capital of France?", ("Lyon", "Paris"), ("B",), ridiculous=("A",))
    >>> q.letters
    ('A', 'B')
    >>> print(prompt(q).text)
    What is the capital of France?
    <BLANKLINE>
    (A) Lyon
    (B) Paris
    <BLANKLINE>
    End your reply with a line "Answer: X", where X is the letter of one option.
    If you do not know, "Answer: I don't know" is an acceptable reply.
    """

    id: str
    """Unique in the scope."""
    text: str
    options: tuple[str, ...] = ()
    """Empty: the answer is free, a number or a text."""
    accepted: tuple[str, ...] = ()
    """Letters where there are options, else the answers that are right."""
    category: str = ""
    weight: float = 1.0
    """Above 0; the probability of being drawn is proportional to it."""
    cluster: str = ""
    """Questions of one cluster (paraphrases, one passage) are drawn together; empty: a cluster of its own."""
    dont_know_score: float = 0.0
    """The score of "I don't know", in [0, 1]."""
    ridiculous: tuple[str, ...] = ()
    """Letters or answers that are ridiculous, which a wrong answer as such is not; may hold "I don't know"."""
    plausible: tuple[int, int] | None = None
    """Numbers below the first or above the second are ridiculous; None: no such bounds."""
    rubric: str = ""
    """What earns points, for a judge or for people; empty where the scope's own rule scores."""
    law: str = ""
    """What the answers in its cluster must keep, the same for each of them (`answer_laws`); empty: nothing."""

    @property
    def letters(self) -> tuple[str, ...]:
        """One capital letter an option."""
        return tuple(ascii_uppercase[: len(self.options)])

    @property
    def numeric(self) -> bool:
        """Whether the answer is a number: no options, and all that is accepted are numbers; if nothing is, by the law."""
        of_numbers = asked_for(self.law) != "anything" if self.judged_by_law else _all_numbers(self.accepted)
        return not self.options and of_numbers

    @property
    def judged_by_law(self) -> bool:
        """Whether nothing is listed as right, and an answer can only contradict another one."""
        return bool(self.law) and not self.accepted

    @property
    def open_ended(self) -> bool:
        """Whether no rule can score an answer: nothing is listed as right, and a rubric says what is good."""
        return bool(self.rubric) and not self.accepted

    def as_json(self) -> dict[str, Any]:
        """The question as JSON values; without a rubric or a law where there is none, lest digests of older scopes change."""
        return {name: value for name, value in asdict(self).items() if name not in ("rubric", "law") or value}


Unit = tuple[Question, ...]
"""What is drawn together: one question, or all questions of one cluster."""


@lru_cache(maxsize=4096)
def _all_numbers(answers: tuple[str, ...]) -> bool:
    return bool(answers) and all(as_number(answer) is not None for answer in answers)


def prompt(question: Question) -> Prompt:
    """What a candidate is asked: the text, the lettered options, and, where a rule reads the reply, how to end it."""
    parts = [question.text]
    if question.options:
        parts.append(
            "\n".join(f"({letter}) {option}" for letter, option in zip(question.letters, question.options, strict=True))
        )
    if question.open_ended:
        return Prompt("\n\n".join((*parts, _OPEN)), id=question.id)
    number = _PROBABILITY if asked_for(question.law) == "probability" else _NUMBER
    form = _CHOICE if question.options else number if question.numeric else _FREE
    parts.append(f"{form}\n{_IGNORANCE}")
    return Prompt("\n\n".join(parts), id=question.id)
