"""Which questions, drawn how, scored how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeVar

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply

if TYPE_CHECKING:
    import numpy as np

Q = TypeVar("Q")


class Outcome(StrEnum):
    """How an answer was read."""

    ANSWER = "answer"
    DONT_KNOW = "I don't know"
    UNREADABLE = "unreadable"
    NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Grade:
    """The score of one answer.

    A wrong answer is not yet ridiculous, so the two are told apart; `papers: S(q, a) = 0` makes them one, see
    `--zero-is-ridiculous`.
    """

    score: float
    """In [0, 1]."""
    ridiculous: bool
    outcome: Outcome = Outcome.ANSWER
    read_as: str = ""
    """What the answer was taken to say, such as an option's letter; empty where nothing could be read."""


class Scope(Protocol[Q]):
    """A set of questions with a distribution over them and a rule to score answers (Definition 3.1 of `leytonbrown2024`)."""

    @property
    def name(self) -> str:
        """As written on the command line."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 in hex of all that defines the scope: equal digests, equal questions and equal scoring."""
        ...

    @property
    def population(self) -> int | None:
        """How many units there are if units are equally likely and drawn without replacement; None if draws are i.i.d."""
        ...

    def draw(self, rng: np.random.Generator) -> Iterator[tuple[Q, ...]]:
        """Units in random order. A unit is one question, or all questions of one cluster.

        Ends after `population` units, or never where draws are i.i.d.
        """
        ...

    def prompt(self, question: Q) -> Prompt:
        """What the candidate is asked; `Prompt.id` is the question's id."""
        ...

    def grade(self, question: Q, answer: Reply | NoAnswer) -> Grade:
        """Score one answer. Pure."""
        ...
