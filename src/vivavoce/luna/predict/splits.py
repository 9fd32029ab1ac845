"""Random splits of people into those to learn from and those to predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.interview.finding import Signature
from vivavoce.luna.predict.answers import People
from vivavoce.luna.predict.base import FEWEST
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True)
class Split:
    """One split; nobody is on both sides."""

    number: int
    learn: tuple[str, ...]
    """In random order: the first of them are a random part."""
    test: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Splits:
    """How people are split again and again; the first splits are the same however many are drawn.

    >>> from vivavoce.luna.predict.answers import Answer, people_of
    >>> table = people_of([Answer(name, "1", "yes", 1.0) for name in "abcdefghij"])
    >>> [len(side) for split in Splits(1).of(table) for side in (split.learn, split.test)]
    [8, 2]
    """

    number: int = 100
    test_share: float = 0.2
    """Of the people, rounded to whole ones; 4:1 in `silver2016`."""
    seed: int = 0

    def of(self, people: People) -> list[Split]:
        """The splits, drawn one by one.

        Raises `BadInput` for a number or share that cannot be, `NotEnoughEvidence` for too few people.
        """
        if self.number < 1:
            raise BadInput(f"{self.number} splits: draw at least 1")
        if not 0 < self.test_share < 1:
            raise BadInput(f"a share of {self.test_share} to predict: it must be above 0 and below 1")
        names = people.people
        tested = max(1, round(self.test_share * len(names)))
        if len(names) - tested < FEWEST:
            raise NotEnoughEvidence(
                f"{len(names)} people, {tested} of them to be predicted: {FEWEST} must be left to learn from"
            )
        drawn = []
        for number in range(self.number):
            order = [names[place] for place in np.random.default_rng([self.seed, number]).permutation(len(names))]
            drawn.append(Split(number, tuple(order[tested:]), tuple(order[:tested])))
        return drawn

    def signature(self, examination: str, names: Sequence[str], source: str, digest: str, **more: object) -> Signature:
        """Of a study of these predictors on these splits."""
        return Signature(
            version=__version__,
            examination=examination,
            candidate=", ".join(names),
            scope=source,
            scope_digest=digest,
            seed=self.seed,
            settings={"splits": self.number, "test_share": self.test_share, **more},
        )
