"""What is asked: a question with its options or accepted answers, its prompt, and what a ridiculous answer to it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from string import ascii_uppercase
from typing import Any

from vivavoce.certificate.reading import as_number
from vivavoce.interview.candidate import Prompt

DONT_KNOW = "I don't know"
MAX_OPTIONS = len(ascii_uppercase)

_CHOICE = 'End your reply with a line "Answer: X", where X is the letter of one option.'
_NUMBER = 'End your reply with a line "Answer: N", where N is a number.'
_FREE = 'End your reply with a line "Answer: ..." that holds your answer alone.'
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

    @property
    def letters(self) -> tuple[str, ...]:
        """One capital letter an option."""
        return tuple(ascii_uppercase[: len(self.options)])

    @property
    def numeric(self) -> bool:
        """Whether the answer is a number: there are no options, and all that is accepted are numbers."""
        return not self.options and _all_numbers(self.accepted)

    def as_json(self) -> dict[str, Any]:
        """The question as JSON values."""
        return asdict(self)


@lru_cache(maxsize=4096)
def _all_numbers(answers: tuple[str, ...]) -> bool:
    return bool(answers) and all(as_number(answer) is not None for answer in answers)


def prompt(question: Question) -> Prompt:
    """What a candidate is asked: the text, the lettered options, and how to end the reply."""
    parts = [question.text]
    if question.options:
        parts.append(
            "\n".join(f"({letter}) {option}" for letter, option in zip(question.letters, question.options, strict=True))
        )
    form = _CHOICE if question.options else _NUMBER if question.numeric else _FREE
    parts.append(f"{form}\n{_IGNORANCE}")
    return Prompt("\n\n".join(parts), id=question.id)
