"""Scopes, which questions are drawn from, and the signature by which a finding can be recomputed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome

if TYPE_CHECKING:
    import numpy as np


Q = TypeVar("Q")


@dataclass(frozen=True, slots=True)
class Grade:
    """The score of one answer.

    A wrong answer need not be unacceptable, so these are separate; the paper's `S(q, a) = 0` joins them, see
    `--set zero-is-unacceptable`.
    """

    score: float
    """In [0, 1]."""
    unacceptable: bool
    outcome: Outcome = Outcome.ANSWER
    read_as: str = ""
    """The parsed answer, such as an option's letter; empty if nothing could be read."""
    upper: float | None = None
    """The upper bound of the score if the worth of the answer is unknown; `score` is then the lower bound. None: as `score`."""
    maybe_unacceptable: bool = False
    """Whether it may be unacceptable, if that is unknown; `unacceptable` is what is certain."""
    after_turn: bool = False
    """Whether the answer was read from the reply to the follow-up."""
    assumed: bool = False
    """Whether it is wrong only by assumption: a short answer in the right form, unlike every accepted one. A verdict counts it
    as [0, 1]."""
    why: str = field(default="", compare=False)
    """Why the reply got this grade, in a few words for a person; empty if the other fields suffice."""

    @property
    def upper_score(self) -> float:
        """The upper bound of the score."""
        return self.score if self.upper is None else self.upper

    @property
    def as_read(self) -> Grade:
        """The grade if its assumption holds."""
        return (
            replace(
                self,
                upper=None,
                unacceptable=self.unacceptable or self.maybe_unacceptable,
                maybe_unacceptable=False,
                assumed=False,
            )
            if self.assumed
            else self
        )


LOST: Final = Grade(0.0, False, Outcome.ORPHAN, upper=1.0, maybe_unacceptable=True)
"""The grade of an orphan, which may be worth anything, by any rule for unparsed replies."""
FAULTED: Final = Grade(0.0, False, Outcome.FAULT, upper=1.0, maybe_unacceptable=True)
"""The grade of a question whose service failed when the question may have been received: the answer may be worth anything."""


def unknowable(answer: Reply | NoAnswer) -> Grade | None:
    """The grade of an answer whose value can't be known, whatever it says; None for any other answer.

    >>> unknowable(Reply("7", met="fault")) is FAULTED, unknowable(Reply("7", met="turned away"))
    (True, None)
    """
    if isinstance(answer, NoAnswer) and (answer.orphan or answer.by_service):
        return LOST if answer.orphan else FAULTED
    return FAULTED if answer.met == "fault" else None


class Scope(Protocol[Q]):
    """A set of questions with a distribution over them and a rule to score answers (Definition 3.1 of `leytonbrown2024`)."""

    @property
    def name(self) -> str:
        """The name, as written on the command line."""
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

        Ends after `population` units, or never if draws are i.i.d.
        """
        ...

    def prompt(self, question: Q) -> Prompt:
        """The prompt for the candidate; `Prompt.id` is the question's id."""
        ...

    def grade(self, question: Q, answer: Reply | NoAnswer) -> Grade:
        """Score one answer. Pure."""
        ...


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that a stranger needs to recompute a finding."""

    version: str
    examination: str
    candidate: str
    scope: str
    scope_digest: str
    """Empty if the scope has none, e.g. generated positions."""
    seed: int | None
    """None while it is secret, because further questions may be drawn with it."""
    settings: Mapping[str, Any]

    @property
    def line(self) -> str:
        """One line for the foot of a finding.

        >>> Signature("0.1.0", "certificate", "bot:x", "sums", "ab" * 32, 0, {"draws": 1, "delta": 0.05}).line
        'vivavoce 0.1.0 · certificate · bot:x · sums · scope abababababab · seed 0 · {"delta": 0.05, "draws": 1}'
        """
        parts = [f"vivavoce {self.version}", self.examination, self.candidate, self.scope]
        if self.scope_digest:
            parts.append(f"scope {self.scope_digest[:12]}")
        return " · ".join(
            [
                *parts,
                "seed not revealed yet" if self.seed is None else f"seed {self.seed}",
                json.dumps(dict(self.settings), sort_keys=True),
            ]
        )
