"""What every predictor of ratings is.
Controls that look at no answer: the mean rating, and a random one (CBG and RAN of `silver2016`, section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.wording import name_of
from vivavoce.luna.predict.answers import PeopleTable

FloatArray = NDArray[np.float64]

FEWEST: Final = 5
"""People to learn from."""
MOST: Final = 5_000
"""People to learn from: every answer is compared with every other."""


class RatingPredictor(Protocol):
    """Learns ratings from people with known ones, and gives them to others."""

    name: str
    """As `predictor` takes it, such as `com?fit=lasso`."""

    def fit(self, people: PeopleTable, *, seed: int = 0) -> Self:
        """Learn from a table with ratings, and give back itself; the same table and seed teach the same.

        Raises `BadInput` for a table without ratings, `NotEnoughEvidence` for too few people.
        """
        ...

    def predict(self, people: PeopleTable) -> FloatArray:
        """One rating from 0 to 1 for each of `people.people`, in that order; looks at answers alone."""
        ...

    def state(self) -> dict[str, Any]:
        """All that `predict` needs, as JSON values and arrays of numbers; the fitted predictor and no other object."""
        ...

    def from_state(self, state: Mapping[str, Any]) -> Self:
        """The predictor that gave this state, exactly; `self` is a predictor of the same name, not yet fitted.

        Raises `BadInput` for a state that cannot be one of such a predictor.
        """
        ...


def targets(people: PeopleTable) -> FloatArray:
    """The ratings in the order of `people.people`. Raises `BadInput` where there are none."""
    if not people.ratings:
        raise BadInput("these people have no ratings to learn from: give grades or ratings")
    return np.array([people.ratings[person] for person in people.people], dtype=float)


def learners(people: PeopleTable, *, fewest: int = FEWEST) -> FloatArray:
    """The ratings of enough people, and of not too many; raises `NotEnoughEvidence` and `BadInput`."""
    ratings = targets(people)
    if ratings.size < fewest:
        raise NotEnoughEvidence(f"{ratings.size} people with ratings; to learn from them takes at least {fewest}")
    if ratings.size > MOST:
        raise BadInput(f"{ratings.size} people to learn from; {MOST} at most: leave some out at random")
    return ratings


def check_known(questions: Sequence[str], people: PeopleTable) -> None:
    """Raises `BadInput` unless everybody has answered at least one of the questions that were learnt."""
    if not questions:
        raise BadInput("the predictor has learnt nothing yet: fit it first")
    learnt = frozenset(questions)
    for person in people.people:
        if not any(answer.question in learnt for answer in people.of(person)):
            raise BadInput(f"{name_of(person)} has answered none of the {len(questions)} questions learnt: leave them out")


@dataclass(slots=True)
class MeanRating:
    """Gives everybody the mean of all ratings seen: what every other predictor must beat."""

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
        """The predictor that gave this state."""
        rating = float(state["rating"])
        if not 0 <= rating <= 1:
            raise BadInput(f"the state of '{self.name}' has the rating {rating}: it must be from 0 to 1")
        return replace(self, rating=rating)


@dataclass(slots=True)
class RandomRating:
    """Gives everybody any rating from 0 to 1, all equally likely; the same people in the same order have the same again."""

    name: str = "ran"
    seed: int = 0

    def fit(self, people: PeopleTable, *, seed: int = 0) -> Self:
        """Learns nothing but the seed."""
        self.seed = seed
        return self

    def predict(self, people: PeopleTable) -> FloatArray:
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
