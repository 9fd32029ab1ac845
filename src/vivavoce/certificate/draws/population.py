"""Questions that are drawn independently of each other, and answered N times each time they are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from vivavoce.certificate.config import Procedure
from vivavoce.certificate.draws.claim import Draws
from vivavoce.certificate.draws.inference import ShareInference
from vivavoce.certificate.features import Feature, refuse
from vivavoce.certificate.inference import FixedLook, Inference
from vivavoce.certificate.population import Drawing
from vivavoce.certificate.replacement import ReplacedScope, independent_units
from vivavoce.certificate.verdict import Criterion
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question, Unit


@dataclass(frozen=True, slots=True)
class WithReplacement:
    """Units drawn with replacement: of a list each with the same probability (or by its weight), else as the scope draws.

    A question that is drawn again is answered again, N times more: an interview takes each occurrence of a prompt for a draw of
    its own.

    >>> from vivavoce.scopes.listed import ListedScope
    >>> scope = ListedScope("two", tuple(Question(name, f"{name}?", accepted=("1",)) for name in "ab"))
    >>> drawn = WithReplacement(scope, Draws(2)).draw(np.random.default_rng(1))
    >>> ["".join(question.id for question in next(drawn)) for _ in range(5)]
    ['aa', 'bb', 'bb', 'bb', 'aa']
    """

    scope: Drawing
    draws: Draws
    name: ClassVar[str] = "with replacement"
    population: ClassVar[None] = None
    """Draws are i.i.d."""

    @property
    def settings(self) -> dict[str, object]:
        """For a finding's signature."""
        return self.draws.settings

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units without an end, each question as often as it is to be answered."""
        return map(self.draws.repeated, independent_units(self.scope, rng))

    def inference(self, criterion: Criterion, procedure: Procedure = "sequential") -> Inference:
        """What grades of units that are drawn so show."""
        if self.draws.claim == "share":
            return ShareInference(criterion, self.draws)
        return FixedLook(criterion, None) if procedure == "fixed" else Inference(criterion, None)


def repeated(scope: Scope[Question], draws: Draws) -> ReplacedScope:
    """The scope for comparisons on draws. Raises `BadInput` for several draws of one with laws over answers given together."""
    refuse(draws.features | ({"laws"} if getattr(scope, "has_laws", False) else frozenset[Feature]()))
    return ReplacedScope(scope, draws.number)
