"""Random splits of people into those to learn from and those to predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.interview.scope import Signature
from vivavoce.luna.config import SplitsConfig
from vivavoce.luna.predict.answers import People
from vivavoce.luna.predict.base import FEWEST
from vivavoce.version import __version__

TEST_SHARE: Final = 0.2
"""Of the people, rounded to whole ones, whose ratings are predicted: 4:1 in `silver2016`."""


@dataclass(frozen=True, slots=True)
class Split:
    """One split; nobody is on both sides."""

    number: int
    learn: tuple[str, ...]
    """In random order: the first of them are a random part."""
    test: tuple[str, ...]


def splits_of(people: People, config: SplitsConfig) -> list[Split]:
    """The splits, drawn one by one. Raises `NotEnoughEvidence` for too few people.

    >>> from vivavoce.luna.predict.answers import Answer, people_of
    >>> table = people_of([Answer(name, "1", "yes", 1.0) for name in "abcdefghij"])
    >>> [len(side) for split in splits_of(table, SplitsConfig(2)) for side in (split.learn, split.test)]
    [8, 2, 8, 2]
    """
    names = people.people
    tested = max(1, round(TEST_SHARE * len(names)))
    if len(names) - tested < FEWEST:
        raise NotEnoughEvidence(f"{len(names)} people, {tested} of them to be predicted: {FEWEST} must be left to learn from")
    drawn = []
    for number in range(config.splits):
        order = [names[place] for place in np.random.default_rng([config.seed, number]).permutation(len(names))]
        drawn.append(Split(number, tuple(order[tested:]), tuple(order[:tested])))
    return drawn


def signature_of(
    config: SplitsConfig, examination: str, *, names: Sequence[str], source: str, digest: str, **more: object
) -> Signature:
    """Of a study of these predictors on these splits."""
    return Signature(
        version=__version__,
        examination=examination,
        candidate=", ".join(names),
        scope=source,
        scope_digest=digest,
        seed=config.seed,
        settings={"splits": config.splits, "test_share": TEST_SHARE, **more},
    )
