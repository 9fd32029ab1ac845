"""Random splits of people into those to learn from and those to predict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.luna.predict.answers import People
from vivavoce.luna.predict.base import FEWEST


@dataclass(frozen=True, slots=True)
class Split:
    """One split; nobody is on both sides."""

    number: int
    learn: tuple[str, ...]
    """In random order: the first of them are a random part."""
    test: tuple[str, ...]


def random_splits(people: People, *, splits: int = 100, test_share: float = 0.2, seed: int = 0) -> list[Split]:
    """Splits drawn one by one; the first ones are the same however many are drawn.

    Parameters
    ----------
    test_share: of the people, rounded to whole ones; 4:1 in `silver2016`.

    Raises `BadInput` for a number or share that cannot be, `NotEnoughEvidence` for too few people.

    >>> from vivavoce.luna.predict.answers import Answer, people_of
    >>> table = people_of([Answer(name, "1", "yes", 1.0) for name in "abcdefghij"])
    >>> [len(side) for split in random_splits(table, splits=1) for side in (split.learn, split.test)]
    [8, 2]
    """
    if splits < 1:
        raise BadInput(f"{splits} splits: draw at least 1")
    if not 0 < test_share < 1:
        raise BadInput(f"a share of {test_share} to predict: it must be above 0 and below 1")
    names = people.people
    tested = max(1, round(test_share * len(names)))
    if len(names) - tested < FEWEST:
        raise NotEnoughEvidence(f"{len(names)} people, {tested} of them to be predicted: {FEWEST} must be left to learn from")
    drawn = []
    for number in range(splits):
        order = [names[place] for place in np.random.default_rng([seed, number]).permutation(len(names))]
        drawn.append(Split(number, tuple(order[tested:]), tuple(order[:tested])))
    return drawn
