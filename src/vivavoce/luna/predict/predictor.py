"""The protocol of rating predictors, and two baselines: the mean rating and a random one (CBG and RAN of `silver2016`, section
5.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput, MissingExtra, NotEnoughEvidence
from vivavoce.formats.wording import name_of
from vivavoce.luna.predict.answers import PeopleTable

FloatArray = NDArray[np.float64]

FEWEST: Final = 5
"""The fewest people to learn from."""
MOST: Final = 5_000
"""The most people to learn from: every answer is compared with every other."""


class RatingPredictor(Protocol):
    """Learns from people with known ratings, and predicts those of others."""

    name: str
    """The name, as for the function `predictor`, such as `com?fit=lasso`."""

    def fit(self, people: PeopleTable, *, seed: int = 0) -> Self:
        """Learn from a table with ratings, and return itself; the same table and seed give the same predictor.

        Raises `BadInput` for a table without ratings, `NotEnoughEvidence` for too few people.
        """
        ...

    def predict(self, people: PeopleTable) -> FloatArray:
        """One rating from 0 to 1 for each of `people.people`, in that order, from answers alone."""
        ...

    def state(self) -> dict[str, Any]:
        """The values that `predict` needs, as JSON values and arrays of numbers."""
        ...

    def from_state(self, state: Mapping[str, Any]) -> Self:
        """The predictor with this state; `self` is an unfitted predictor of the same name.

        Raises `BadInput` for an impossible state.
        """
        ...


def text_module(name: str, package: str) -> Any:
    """A module of a package of the extra `text`. Raises `MissingExtra`."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingExtra(package, extra="text") from None


def targets(people: PeopleTable) -> FloatArray:
    """The ratings in the order of `people.people`. Raises `BadInput` without ratings."""
    if not people.ratings:
        raise BadInput("these people have no ratings to learn from: give grades or ratings")
    return np.array([people.ratings[person] for person in people.people], dtype=float)


def learners(people: PeopleTable, *, fewest: int = FEWEST) -> FloatArray:
    """The ratings; raises `NotEnoughEvidence` for too few people and `BadInput` for too many."""
    ratings = targets(people)
    if ratings.size < fewest:
        raise NotEnoughEvidence(f"{ratings.size} people with ratings; learning needs at least {fewest}")
    if ratings.size > MOST:
        raise BadInput(f"{ratings.size} people to learn from; the limit is {MOST}: leave some out at random")
    return ratings


def check_known(questions: Sequence[str], people: PeopleTable) -> None:
    """Raises `BadInput` unless each person has answered at least one of the learnt questions."""
    if not questions:
        raise BadInput("the predictor is not fitted yet: fit it first")
    learnt = frozenset(questions)
    for person in people.people:
        if not any(answer.question in learnt for answer in people.of(person)):
            raise BadInput(f"{name_of(person)} has answered none of the {len(questions)} learnt questions: leave them out")


@dataclass(slots=True)
class MeanRating:
    """Predicts the mean of all ratings seen, which every other predictor must beat."""

    name: str = "constant"
    rating: float = 0.5

    def fit(self, people: PeopleTable, *, seed: int = 0) -> Self:
        """Learn the mean."""
        self.rating = float(targets(people).mean())
        return self

    def predict(self, people: PeopleTable) -> FloatArray:
        """The mean, for each."""
        return np.full(len(people.people), self.rating)

    def state(self) -> dict[str, Any]:
        """The mean."""
        return {"rating": self.rating}

    def from_state(self, state: Mapping[str, Any]) -> Self:
        """The predictor with this state."""
        rating = float(state["rating"])
        if not 0 <= rating <= 1:
            raise BadInput(f"the state of '{self.name}' has the rating {rating}: it must be from 0 to 1")
        return replace(self, rating=rating)


@dataclass(slots=True)
class RandomRating:
    """Predicts a random rating from 0 to 1, the same for the same people in the same order."""

    name: str = "ran"
    seed: int = 0

    def fit(self, people: PeopleTable, *, seed: int = 0) -> Self:
        """Learns only the seed."""
        self.seed = seed
        return self

    def predict(self, people: PeopleTable) -> FloatArray:
        """Draws, one each."""
        return np.random.default_rng(self.seed).random(len(people.people))

    def state(self) -> dict[str, Any]:
        """The seed."""
        return {"seed": self.seed}

    def from_state(self, state: Mapping[str, Any]) -> Self:
        """The predictor with this state."""
        seed = int(state["seed"])
        if seed < 0:
            raise BadInput(f"the state of '{self.name}' has the seed {seed}: it must be 0 or more")
        return replace(self, seed=seed)
