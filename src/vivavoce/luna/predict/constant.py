"""Controls that look at no answer: the mean rating, and a random one (CBG and RAN of `silver2016`, section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.luna.predict.answers import People
from vivavoce.luna.predict.base import FloatArray, targets


@dataclass(slots=True)
class Constant:
    """Gives everybody the mean of all ratings seen: what every other predictor must beat."""

    name: str = "constant"
    rating: float = 0.5

    def fit(self, people: People, *, seed: int = 0) -> Self:
        """Learn the mean."""
        self.rating = float(targets(people).mean())
        return self

    def predict(self, people: People) -> FloatArray:
        """The mean, for each."""
        return np.full(len(people.people), self.rating)

    def state(self) -> dict[str, Any]:
        """The mean."""
        return {"rating": self.rating}

    def from_state(self, state: Mapping[str, Any]) -> Self:
        """The predictor that gave this state."""
        rating = float(state["rating"])
        if not 0 <= rating <= 1:
            raise BadInput(f"the state of '{self.name}' has the rating {rating}: it must be from 0 to 1")
        return replace(self, rating=rating)


@dataclass(slots=True)
class Random:
    """Gives everybody any rating from 0 to 1, all equally likely; the same people in the same order have the same again."""

    name: str = "ran"
    seed: int = 0

    def fit(self, people: People, *, seed: int = 0) -> Self:
        """Learns nothing but the seed."""
        self.seed = seed
        return self

    def predict(self, people: People) -> FloatArray:
        """Draws, one each."""
        return np.random.default_rng(self.seed).random(len(people.people))

    def state(self) -> dict[str, Any]:
        """The seed."""
        return {"seed": self.seed}

    def from_state(self, state: Mapping[str, Any]) -> Self:
        """The predictor that gave this state."""
        seed = int(state["seed"])
        if seed < 0:
            raise BadInput(f"the state of '{self.name}' has the seed {seed}: it must be 0 or more")
        return replace(self, seed=seed)
