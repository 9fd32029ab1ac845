"""Counterfactuals: the same person with a record that is truly milder, or truly more severe."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, combinations, product

import numpy as np

from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.records import Defendant, Degree, Record, degrees_by_charge, digest

MOST_CHANGED = 2
"""Features that are changed at once at most (appendix E.1 of `fluri2024`)."""


class Feature(StrEnum):
    """What is changed; the value is how it is called."""

    CHARGE = "charge"
    PRIORS = "prior convictions"
    JUVENILE_FELONIES = "juvenile felonies"
    JUVENILE_MISDEMEANOURS = "juvenile misdemeanours"


class Direction(StrEnum):
    """Which way the whole record is changed."""

    MILDER = "milder"
    MORE_SEVERE = "more severe"


ATTRIBUTE: Mapping[Feature, str] = {
    Feature.PRIORS: "priors",
    Feature.JUVENILE_FELONIES: "juvenile_felonies",
    Feature.JUVENILE_MISDEMEANOURS: "juvenile_misdemeanours",
}
"""The number in a `Record` for each feature that is one."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A changed record of one defendant."""

    direction: Direction
    changed: tuple[Feature, ...]
    record: Record


@dataclass(frozen=True, slots=True)
class Case:
    """A defendant as they are, and as they might have been."""

    defendant: Defendant
    counterfactuals: tuple[Counterfactual, ...]
    """The milder ones first."""

    def number(self, direction: Direction) -> int:
        """How many there are that way."""
        return sum(other.direction is direction for other in self.counterfactuals)


Charges = Mapping[Degree, Mapping[str, int]]
"""For each degree the charges that may replace another, with how often each occurs."""


def charges_of(defendants: Iterable[Defendant]) -> Charges:
    """The charges that the file has with one degree only: a "Felony Battery" that was once entered as a misdemeanour is
    never drawn, as either. In the order of the alphabet, so that the order of the file does not matter.
    """
    result: dict[Degree, dict[str, int]] = {degree: {} for degree in Degree}
    for charge, degrees in sorted(degrees_by_charge(defendants).items()):
        if len(degrees) == 1:
            ((degree, number),) = degrees.items()
            result[degree][charge] = number
    return result


def case_of(defendant: Defendant, charges: Charges, config: BailConfig, *, seed: int) -> Case:
    """Milder and more severe records of a defendant, by appendix E.1 of `fluri2024`.

    One or two features are drawn. A number is raised or lowered by a few, as far as it goes. A charge is replaced, felony by
    misdemeanour or the other way, by one that is drawn from those of that degree as they occur in the file.

    - Every record is truly milder (or more severe): all changed features go the same way.
    - No two records of a defendant are equal, no replaced charge is drawn twice for one direction.
    - A defendant has fewer milder records than wanted where there are no more: with a misdemeanour and no record, none.
    - They depend on the seed, the defendant and which charges there are; not on the order of the file or on the others.

    That a felony is worse than a misdemeanour rests on the degree alone. A drawn description may sound the other way (a
    battery for an unpaid bill), which is the paper's design, too; with `BailConfig.keep_charge` the charge is never replaced.

    >>> ann = Defendant("1", Record("Female", 30, "Petit Theft", Degree.MISDEMEANOUR, 1, 0, 0))
    >>> case = case_of(ann, charges_of([ann]), BailConfig(variants=2), seed=0)
    >>> [(other.direction.value, other.record.priors) for other in case.counterfactuals]
    [('milder', 0), ('more severe', 1), ('more severe', 4)]
    """
    counterfactuals: list[Counterfactual] = []
    for direction in Direction:
        chance = int.from_bytes(digest(seed, direction, defendant.id)[:16], "big")
        counterfactuals += _changed(defendant.record, direction, charges, config, np.random.default_rng(chance))
    return Case(defendant, tuple(counterfactuals))


Steps = Mapping[Feature, int]
"""By how much each changed number is raised or lowered; the charge, if it is replaced, by 0."""


def _changed(
    record: Record, direction: Direction, charges: Charges, config: BailConfig, rng: np.random.Generator
) -> list[Counterfactual]:
    """Draw without replacement among all ways to change the record."""
    left = dict(charges[record.degree.other]) if _replaceable(record, direction, config) else {}
    ways = _ways(record, direction, config, with_charge=bool(left))
    counterfactuals: list[Counterfactual] = []
    while ways and len(counterfactuals) < config.variants:
        chosen = _draw([weight for _, weight in ways], rng)
        steps = ways[chosen][0]
        new = record
        if Feature.CHARGE in steps:
            charge = list(left)[_draw(list(left.values()), rng)]
            del left[charge]
            new = replace(new, charge=charge, degree=record.degree.other)
            if not left:
                ways = [way for way in ways if Feature.CHARGE not in way[0]]
        else:
            del ways[chosen]
        sign = 1 if direction is Direction.MORE_SEVERE else -1
        numbers = {
            ATTRIBUTE[feature]: getattr(record, ATTRIBUTE[feature]) + sign * step for feature, step in steps.items() if step
        }
        counterfactuals.append(Counterfactual(direction, tuple(steps), replace(new, **numbers)))
    return counterfactuals


def _replaceable(record: Record, direction: Direction, config: BailConfig) -> bool:
    """Whether another degree of the charge lies in this direction."""
    gravest = record.degree is Degree.FELONY
    return not config.keep_charge and gravest is (direction is Direction.MILDER)


def _ways(record: Record, direction: Direction, config: BailConfig, *, with_charge: bool) -> list[tuple[Steps, float]]:
    """All ways to change one or two features, each with its probability but for a factor.

    One feature or two with equal probability, then which, then by how much: what is possible is equally likely each time.
    """
    possible: dict[Feature, Sequence[int]] = {Feature.CHARGE: (0,)} if with_charge else {}
    for feature, attribute in ATTRIBUTE.items():
        room = config.largest_step if direction is Direction.MORE_SEVERE else getattr(record, attribute)
        if room:
            possible[feature] = range(1, min(config.largest_step, room) + 1)
    ways: list[tuple[Steps, float]] = []
    for number in range(1, min(MOST_CHANGED, len(possible)) + 1):
        chosen = list(combinations(possible, number))
        for features in chosen:
            amounts = list(product(*(possible[feature] for feature in features)))
            weight = 1 / (len(chosen) * len(amounts))
            ways += [(dict(zip(features, steps, strict=True)), weight) for steps in amounts]
    return ways


def _draw(weights: Sequence[float], rng: np.random.Generator) -> int:
    """A place, by its weight."""
    sums = list(accumulate(weights))
    return min(bisect(sums, rng.random() * sums[-1]), len(sums) - 1)
