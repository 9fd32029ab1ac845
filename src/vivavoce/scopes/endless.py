"""Scopes without an end: questions are generated, independent of each other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question, Unit, prompt
from vivavoce.scopes.score import SCORING, grade

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class EndlessScope:
    """Independent, identically distributed questions, or units of them."""

    name: str
    generator: str
    """Names the generator, its version and its options; equal words, equal distribution."""
    generate: Callable[[np.random.Generator], Question]
    zero_is_ridiculous: bool = False
    masses: Mapping[str, float] | None = None
    """The probability of each category of question, where that is known."""
    listing: Callable[[], Iterable[tuple[Question, float]]] | None = None
    """All questions with weights, to which their probabilities are proportional, where these are few enough to be run whole."""
    together: Callable[[Question], Unit] | None = None
    """The unit that a question is asked in, with a law over it; None: each question is a unit of its own, without a law."""

    @property
    def digest(self) -> str:
        """SHA-256 in hex of the generator's words and the scoring rule."""
        return hashlib.sha256(f"{self.generator}\n{SCORING}\n{self.zero_is_ridiculous}".encode()).hexdigest()

    @property
    def can_be_ridiculous(self) -> bool:
        """True: what generates questions knows ridiculous answers to them."""
        return True

    @property
    def has_laws(self) -> bool:
        """Whether answers can break a law."""
        return self.together is not None

    @property
    def population(self) -> None:
        """None: draws are i.i.d."""

    @property
    def size(self) -> None:
        """None: there is no last question."""

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units, forever."""
        while True:
            question = self.generate(rng)
            yield (question,) if self.together is None else self.together(question)

    def prompt(self, question: Question) -> Prompt:
        """What the candidate is asked."""
        return prompt(question)

    def grade(self, question: Question, answer: Reply | NoAnswer) -> Grade:
        """Score one answer."""
        return grade(question, answer, zero_is_ridiculous=self.zero_is_ridiculous)
