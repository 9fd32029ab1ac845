"""Defendants read from a CSV file, and counterfactuals: the same person with a record that is truly milder or more severe."""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, combinations, product
from pathlib import Path
from typing import TypeVar

import numpy as np

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.tables import read_table
from vivavoce.studies.config import BailConfig

MOST_DEFENDANTS = 1_000_000
LONGEST_TEXT = 300
"""Most characters of an id, a sex or a charge."""
HIGHEST_AGE = 150
MOST_CRIMES = 10_000

COLUMNS = ("id", "sex", "age", "c_charge_desc", "c_charge_degree", "priors_count", "juv_fel_count", "juv_misd_count")
"""Columns of the file, named as in ProPublica's COMPAS data; other columns are ignored."""

T = TypeVar("T")


class Degree(StrEnum):
    """Severity of a charge in law; the value is the file's."""

    MISDEMEANOUR = "M"
    FELONY = "F"

    @property
    def word(self) -> str:
        """The word for it in a prompt."""
        return self.name.lower()

    @property
    def other(self) -> Degree:
        """The opposite degree."""
        return Degree.FELONY if self is Degree.MISDEMEANOUR else Degree.MISDEMEANOUR


@dataclass(frozen=True, slots=True)
class DefendantRecord:
    """Everything a judge reads: the person, the charge and the criminal record."""

    sex: str
    age: int
    charge: str
    """Description of the charge; empty if the file has none."""
    degree: Degree
    priors: int
    juvenile_felonies: int
    juvenile_misdemeanours: int

    @property
    def severity(self) -> tuple[int, int, int, int]:
        """Values by which records are compared: degree, prior convictions, juvenile felonies, juvenile misdemeanours."""
        return (self.degree is Degree.FELONY, self.priors, self.juvenile_felonies, self.juvenile_misdemeanours)


@dataclass(frozen=True, slots=True)
class Defendant:
    """A person of the file, by id."""

    id: str
    record: DefendantRecord


def read_defendants(file: Path) -> list[Defendant]:
    """The defendants of a CSV file with the columns `COLUMNS`, in order.

    `c_charge_degree` is F (felony) or M (misdemeanour), the counts are whole numbers from 0, ids differ, and a charge may be
    empty. A file whose name ends in .gz is unpacked.

    Raises `BadFile` if the file can't be read, a column is missing or a value is invalid; it names the line.
    """
    defendants: dict[str, Defendant] = {}
    for line, row in read_table(file, COLUMNS, others=False).rows:
        if len(defendants) == MOST_DEFENDANTS:
            raise BadFile(file, f"more than {MOST_DEFENDANTS} defendants: split it", line=line)
        defendant = _RecordRow(file, line, row).defendant()
        if defendant.id in defendants:
            raise BadFile(file, f"the id '{defendant.id}' occurs a second time: ids must differ", line=line)
        defendants[defendant.id] = defendant
    if not defendants:
        raise BadFile(file, "it has no defendants: write one per line, below the names of the columns")
    return list(defendants.values())


def drawn(defendants: Sequence[Defendant], limit: int, *, seed: int) -> list[Defendant]:
    """Draw this many defendants at random, or all if there are fewer, in an order that does not depend on the file's.

    Defendants are sorted by a digest of seed and id, so a smaller draw is the beginning of a larger one.
    """
    if limit < 1:
        raise BadInput(f"a draw of {limit} defendants: it needs at least 1")
    return sorted(defendants, key=lambda defendant: digest(seed, "draw", defendant.id))[:limit]


def digest(seed: int, purpose: str, name: str) -> bytes:
    """SHA-256 of these three values: all random choices come from it."""
    return hashlib.sha256(f"{seed}\n{purpose}\n{name}".encode(errors="surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class _RecordRow:
    file: Path
    line: int
    cells: Mapping[str, str]

    def defendant(self) -> Defendant:
        """Check the line's values and make a defendant of them."""
        return Defendant(
            self._text("id", least=1),
            DefendantRecord(
                sex=self._text("sex", least=1),
                age=self._number("age", HIGHEST_AGE),
                charge=self._text("c_charge_desc", least=0),
                degree=self._value("c_charge_degree", lambda text: Degree(text.upper()), "F (felony) or M (misdemeanour)"),
                priors=self._number("priors_count", MOST_CRIMES),
                juvenile_felonies=self._number("juv_fel_count", MOST_CRIMES),
                juvenile_misdemeanours=self._number("juv_misd_count", MOST_CRIMES),
            ),
        )

    def _text(self, column: str, *, least: int) -> str:
        text = " ".join(self.cells[column].split())
        if not least <= len(text) <= LONGEST_TEXT:
            raise BadFile(self.file, f"'{column}' must have {least} to {LONGEST_TEXT} characters", line=self.line)
        return text

    def _number(self, column: str, most: int) -> int:
        return self._value(column, lambda text: range(most + 1)[_whole(text)], f"a whole number from 0 to {most}")

    def _value(self, column: str, read: Callable[[str], T], wanted: str) -> T:
        text = self.cells[column].strip()
        try:
            return read(text)
        except (ValueError, IndexError):
            raise BadFile(self.file, f"'{column}' is '{text[:40]}', it must be {wanted}", line=self.line) from None


def _whole(text: str) -> int:
    """Parse a number in plain digits. The length is limited because long numbers are slow to parse."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise ValueError
    return int(text)


def degrees_by_charge(defendants: Iterable[Defendant]) -> dict[str, dict[Degree, int]]:
    """Frequency of each described charge by degree; charges without description are left out."""
    result: dict[str, dict[Degree, int]] = {}
    for defendant in defendants:
        record = defendant.record
        if record.charge:
            degrees = result.setdefault(record.charge, {})
            degrees[record.degree] = degrees.get(record.degree, 0) + 1
    return result


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
