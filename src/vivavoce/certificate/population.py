"""The population of a certificate: which questions there are, how they are drawn, and what grades of them are evidence of.

As the scope draws them (`AsDrawn`: independent draws, a finite list each once, clusters together), from strata in proportion
(`strata.Strata`), or each once and counted by weight (`importance_weighting.ImportanceWeighting`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from vivavoce.certificate.config import Procedure
from vivavoce.certificate.inference import FixedLook, Inference
from vivavoce.certificate.verdict import Criterion
from vivavoce.scopes.questions import Unit


class Population(Protocol):
    """How the questions of a scope are drawn."""

    @property
    def name(self) -> str | None:
        """In the terms of an attempt; None for that of the scope itself."""
        ...

    @property
    def population(self) -> int | None:
        """How many units there are if each is drawn once, else None."""
        ...

    @property
    def settings(self) -> dict[str, object]:
        """For a finding's signature."""
        ...

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units, one after the other."""
        ...

    def inference(self, criterion: Criterion, procedure: Procedure = "sequential") -> Inference:
        """What grades of units that are drawn so show."""
        ...


class Drawing(Protocol):
    """What a population needs to know of a scope."""

    @property
    def population(self) -> int | None: ...

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]: ...


@dataclass(frozen=True, slots=True)
class AsDrawn:
    """Units as the scope draws them."""

    scope: Drawing
    name: ClassVar[None] = None

    @property
    def population(self) -> int | None:
        """How many units there are if each is drawn once, else None."""
        return self.scope.population

    @property
    def settings(self) -> dict[str, object]:
        """Nothing beside the scope's own."""
        return {}

    def draw(self, rng: np.random.Generator) -> Iterator[Unit]:
        """Units, as the scope draws them."""
        return self.scope.draw(rng)

    def inference(self, criterion: Criterion, procedure: Procedure = "sequential") -> Inference:
        """What grades of units that are drawn so show."""
        return FixedLook(criterion, self.population) if procedure == "fixed" else Inference(criterion, self.population)
