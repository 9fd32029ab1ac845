"""Units drawn with replacement: each is put back after it was drawn, so that draws are independent of each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from vivavoce.certificate.population import Drawing
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.scope import Grade, Scope
from vivavoce.scopes.questions import Question, Unit

_DRAWN_AT_ONCE = 1024


@dataclass(frozen=True, slots=True)
class ReplacedScope:
    """A scope whose units are drawn with replacement.

    >>> from vivavoce.scopes.listed import ListedScope
    >>> scope = ListedScope("two", tuple(Question(name, f"{name}?", accepted=("1",)) for name in "ab"))
    >>> drawn = ReplacedScope(scope, times=2).draw(np.random.default_rng(1))
    >>> ["".join(question.id for question in next(drawn)) for _ in range(5)]
    ['aa', 'bb', 'bb', 'bb', 'aa']
    """

    scope: Scope[Question]
    times: int = 1
    """How often each question of a unit is asked whenever it is drawn."""
    population: ClassVar[None] = None
    """Draws are i.i.d."""

    @property
    def name(self) -> str:
        """That of the scope."""
        return self.scope.name

    @property
    def digest(self) -> str:
        """That of the scope."""
        return self.scope.digest

    @property
    def size(self) -> int | None:
        """Questions of the scope; None: there is no last one."""
        return getattr(self.scope, "size", None)

    @property
    def questions(self) -> tuple[Question, ...]:
        """Those of a list."""
        return getattr(self.scope, "questions", ())

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units without an end."""
        return (unit * self.times for unit in independent_units(self.scope, rng))

    def prompt(self, question: Question) -> Prompt:
        """What the candidate is asked."""
        return self.scope.prompt(question)

    def grade(self, question: Question, answer: Reply | NoAnswer) -> Grade:
        """Score one answer by the scope's rule."""
        return self.scope.grade(question, answer)


def independent(scope: Scope[Question]) -> Scope[Question]:
    """The scope with i.i.d. draws: itself, or with its units put back after each draw."""
    return scope if scope.population is None else ReplacedScope(scope)


def independent_units(scope: Drawing, rng: np.random.Generator) -> Iterator[Unit]:
    """Units without an end: of a list that is drawn each once, each with the same probability, else as the scope draws."""
    units: tuple[Unit, ...] = getattr(scope, "units", ())
    if scope.population is None or not units:
        yield from scope.draw(rng)
        return
    while True:
        yield from (units[place] for place in rng.integers(len(units), size=_DRAWN_AT_ONCE))
