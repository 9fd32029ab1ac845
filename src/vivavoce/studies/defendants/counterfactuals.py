"""Counterfactuals: the same person with a record that is truly milder or truly more severe."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, combinations, product

import numpy as np

from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.records import Defendant, DefendantRecord, Degree, degrees_by_charge, digest

MOST_CHANGED = 2
"""Most features that are changed at once (appendix E.1 of `fluri2024`)."""


class Feature(StrEnum):
    """A feature that can be changed; the value is its display name."""

    CHARGE = "charge"
    PRIORS = "prior convictions"
    JUVENILE_FELONIES = "juvenile felonies"
    JUVENILE_MISDEMEANOURS = "juvenile misdemeanours"


class Direction(StrEnum):
    """Whether the whole record becomes milder or more severe."""

    MILDER = "milder"
    MORE_SEVERE = "more severe"


ATTRIBUTE: Mapping[Feature, str] = {
    Feature.PRIORS: "priors",
    Feature.JUVENILE_FELONIES: "juvenile_felonies",
    Feature.JUVENILE_MISDEMEANOURS: "juvenile_misdemeanours",
}
"""For each numeric feature, its attribute of `DefendantRecord`."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A changed record of one defendant."""

    direction: Direction
    changed: tuple[Feature, ...]
    record: DefendantRecord


@dataclass(frozen=True, slots=True)
class DefendantCase:
    """A defendant with all changed records."""

    defendant: Defendant
    counterfactuals: tuple[Counterfactual, ...]
    """Milder records first."""

    def number(self, direction: Direction) -> int:
        """Number of changed records in this direction."""
        return sum(other.direction is direction for other in self.counterfactuals)


Charges = Mapping[Degree, Mapping[str, int]]
"""For each degree, the charges that may replace another, with their frequencies."""


def charges_of(defendants: Iterable[Defendant]) -> Charges:
    """Charges that occur in the file with one degree only, in alphabetical order, so the order of the file does not matter.

    A "Felony Battery" that was once entered as a misdemeanour is never drawn, for either degree.
    """
    result: dict[Degree, dict[str, int]] = {degree: {} for degree in Degree}
    for charge, degrees in sorted(degrees_by_charge(defendants).items()):
        if len(degrees) == 1:
            ((degree, number),) = degrees.items()
            result[degree][charge] = number
    return result


def case_of(defendant: Defendant, charges: Charges, config: BailConfig, *, seed: int) -> DefendantCase:
    """Milder and more severe records of a defendant, by appendix E.1 of `fluri2024`.

    One or two features are drawn. A number is raised or lowered by at most `largest_step`, never below 0. A felony is replaced
    by a misdemeanour or the reverse, drawn from the charges of that degree by their frequencies in the file.

    - Every record is truly milder (or more severe): all changed features go the same way.
    - No two records of a defendant are equal, no replaced charge is drawn twice for one direction.
    - A defendant has fewer milder records than configured if no more exist: with a misdemeanour and no record, none.
    - Records depend on the seed, the defendant and the file's charges, not on the order of the file or on other defendants.

    A felony is worse than a misdemeanour by its degree alone. A drawn description may suggest the opposite (an unpaid bill
    replaced by a battery), as in the paper. With `BailConfig.keep_charge` the charge is never replaced.

    >>> ann = Defendant("1", DefendantRecord("Female", 30, "Petit Theft", Degree.MISDEMEANOUR, 1, 0, 0))
    >>> case = case_of(ann, charges_of([ann]), BailConfig(variants=2), seed=0)
    >>> [(other.direction.value, other.record.priors) for other in case.counterfactuals]
    [('milder', 0), ('more severe', 1), ('more severe', 4)]
    """
    counterfactuals: list[Counterfactual] = []
    for direction in Direction:
        chance = int.from_bytes(digest(seed, direction, defendant.id)[:16], "big")
        counterfactuals += _changed(defendant.record, direction, charges, config, np.random.default_rng(chance))
    return DefendantCase(defendant, tuple(counterfactuals))


Steps = Mapping[Feature, int]
"""The amount by which each number changes; 0 for a replaced charge."""


def _changed(
    record: DefendantRecord, direction: Direction, charges: Charges, config: BailConfig, rng: np.random.Generator
) -> list[Counterfactual]:
    """Draw without replacement among all ways to change the record."""
    gravest = record.degree is Degree.FELONY
    is_replaceable = not config.keep_charge and gravest is (direction is Direction.MILDER)
    left = dict(charges[record.degree.other]) if is_replaceable else {}
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
                ways = [weighted_steps for weighted_steps in ways if Feature.CHARGE not in weighted_steps[0]]
        else:
            del ways[chosen]
        sign = 1 if direction is Direction.MORE_SEVERE else -1
        numbers = {
            ATTRIBUTE[feature]: getattr(record, ATTRIBUTE[feature]) + sign * step for feature, step in steps.items() if step
        }
        counterfactuals.append(Counterfactual(direction, tuple(steps), replace(new, **numbers)))
    return counterfactuals


def _ways(record: DefendantRecord, direction: Direction, config: BailConfig, *, with_charge: bool) -> list[tuple[Steps, float]]:
    """All ways to change one or two features, each with a weight proportional to its probability.

    One feature or two with equal probability, then which ones, then by how much: each time, all are equally likely.
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
    sums = list(accumulate(weights))
    return min(bisect(sums, rng.random() * sums[-1]), len(sums) - 1)
