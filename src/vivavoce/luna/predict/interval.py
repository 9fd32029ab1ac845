"""Intervals for predicted ratings, from how far predictions were off for people left out (`vovk2015`)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, inf
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.luna.predict.answers import People
from vivavoce.luna.predict.base import FloatArray, RatingPredictor, targets
from vivavoce.luna.predict.models import predictor

LEVEL: Final = 0.9
FOLDS: Final = 10


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted rating with its interval, all from 0 to 1."""

    person: str
    rating: float
    lower: float
    upper: float

    def as_json(self) -> dict[str, Any]:
        """The numbers as JSON values."""
        return {"rating": self.rating, "lower": self.lower, "upper": self.upper}


def left_out_errors(people: People, name: str, *, folds: int = FOLDS, seed: int = 0) -> FloatArray:
    """How far everybody's rating lies above what a predictor predicts that learnt from the other folds; ascending.

    Raises `NotEnoughEvidence` for fewer people than folds, and what the predictor raises.
    """
    ratings = targets(people)
    if not 2 <= folds <= ratings.size:
        raise NotEnoughEvidence(f"{ratings.size} people in {folds} folds: take 2 or more, with a person in each")
    names = people.people
    fold = np.random.default_rng(seed).permutation(ratings.size) % folds
    errors = np.zeros(ratings.size)
    for number in range(folds):
        out = fold == number
        left = people.only({name for name, one in zip(names, out, strict=True) if one})
        rest = people.only({name for name, one in zip(names, out, strict=True) if not one})
        errors[out] = ratings[out] - predictor(name).fit(rest, seed=seed).predict(left)
    return np.sort(errors)


def with_intervals(
    model: RatingPredictor, people: People, errors: ArrayLike, *, level: float = LEVEL
) -> tuple[Prediction, ...]:
    """The model's rating for each person, with the interval that would have held `level` of those left out.

    Each end leaves out half of the rest, counted as if the new person were one more of them (cross-conformal prediction): for
    people who are exchangeable with those learnt from it covers about as often as it says. A proof there is only for
    twice the rate of misses (`barber2021`) and with the models of all folds kept; the tests measure how often it covers.
    With too few people for the level an end is 0 or 1, the ends of the scale.

    Parameters
    ----------
    errors: of `left_out_errors`, for the same predictor.

    >>> from vivavoce.luna.predict.answers import Answer, people_of
    >>> ann = people_of([Answer("Ann", "1", "yes")])
    >>> errors = [number / 128 for number in range(-63, 64)]  # 127 of them; the 6th and the 122nd count
    >>> with_intervals(predictor("constant"), ann, errors)[0].as_json()
    {'rating': 0.5, 'lower': 0.046875, 'upper': 0.953125}
    """
    low, high = ends(errors, level=level)
    ratings = model.predict(people)
    return tuple(
        Prediction(person, float(rating), max(0.0, float(rating + low)), min(1.0, float(rating + high)))
        for person, rating in zip(people.people, ratings, strict=True)
    )


def ends(errors: ArrayLike, *, level: float = LEVEL) -> tuple[float, float]:
    """How far below and above a prediction the interval reaches; infinite where errors are too few for the level."""
    found = np.sort(np.asarray(errors, dtype=float))
    if not 0 < level < 1:
        raise BadInput(f"a level of {level}: it must be above 0 and below 1")
    if not np.isfinite(found).all():
        raise BadInput("errors must be finite numbers")
    each = (1 - level) / 2 * (found.size + 1)
    below, above = floor(each + 1e-9), ceil(found.size + 1 - each - 1e-9)
    low = float(found[below - 1]) if below >= 1 else -inf
    return low, float(found[above - 1]) if above <= found.size else inf
