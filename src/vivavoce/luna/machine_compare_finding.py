"""How far two versions of a machine lie apart, as a value, and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, name_of
from vivavoce.interview.finding import Signature
from vivavoce.luna.cells import number_cell
from vivavoce.luna.stats_finding import in_words
from vivavoce.report.blocks import Caveats, Column, Paragraph, Report, Row, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.parts import method_of
from vivavoce.report.reported import Reported
from vivavoce.report.wording import p_value


@dataclass(frozen=True, slots=True)
class VersionMean:
    """What people guessed of one version."""

    name: str
    mean: Estimate
    """Of people's guesses; n guesses."""
    people: int
    """Who made them."""


@dataclass(frozen=True, slots=True, repr=False)
class MachineComparison(Reported):
    """Two versions of a machine."""

    machine: str
    versions: tuple[VersionMean, VersionMean]
    people_of_both: int
    """People who guessed both versions."""
    difference: tuple[Estimate, float] | None
    """The second mean less the first, and its two-sided p-value; None where there is too little."""
    adjusted: Estimate | None
    """The same without what some guessers give more or less than others to everybody; None where there is too little."""
    signature: Signature

    @property
    def headline(self) -> str:
        """The result in a sentence."""
        old, new = (f"version {name_of(one.name)}" for one in self.versions)
        machine = name_of(self.machine)
        if self.difference is None:
            few = "; ".join(
                f"{count(one.mean.n)} guess{'' if one.mean.n == 1 else 'es'} of {count(one.people)} "
                f"{'person' if one.people == 1 else 'people'} of version {name_of(one.name)}"
                for one in self.versions
            )
            return f"Too little to compare versions of {machine}: {few}, and each needs two people whose guesses differ."
        found = self.difference[0]
        words = in_words(found)
        if found.interval.lower > 0:
            return f"People find {new} of {machine} smarter than {old}: by {words} points of 100."
        if found.interval.upper < 0:
            return f"People find {new} of {machine} less smart than {old}: the difference is {words} points of 100."
        return (
            f"People are not shown to find {new} of {machine} smarter or less smart than {old}: the difference is {words} "
            "points of 100."
        )

    @property
    def statement(self) -> str:
        """The result in up to two plain sentences."""
        if self.adjusted is None or self.difference is None:
            return self.headline
        return f"{self.headline} Adjusted for how high these people guess of others it is {in_words(self.adjusted)}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        told = [
            "The versions were not drawn by lot: one came after the other, and whatever else changed between the two times is "
            "part of the difference.",
            "It is how smart people find the machine by five answers, not how able it is.",
            "Each comparison has its own chance of 5% to find a difference where there is none: who compares many versions "
            "will find some.",
        ]
        if self.difference is not None and min(one.people for one in self.versions) < 10:
            told.append("A version was guessed by fewer than ten people: the interval rests on few.")
        if self.adjusted is not None:
            told.append(
                "The adjusted difference removes constant differences between guessers alone, and only as far as they have "
                "guessed of others."
            )
        elif self.difference is not None:
            told.append("It is not adjusted for who guessed: that takes five people or more for each version.")
        return tuple(told)

    def report(self) -> Report:
        """All of it as blocks."""
        columns = (Column("Version"), Column("Mean of people's guesses"), Column("Guesses"), Column("People"))
        rows = tuple(
            Row(Cell(name_of(one.name)), (number_cell(one.mean, 1), count_cell(one.mean.n), count_cell(one.people)))
            for one in self.versions
        )
        return self.reported(
            "The Luna game",
            f"Versions of {name_of(self.machine)}",
            Table(columns, rows),
            self._differences,
            Paragraph(f"{count(self.people_of_both)} people guessed both versions.", quiet=True),
            Caveats(self.caveats),
            method_of(
                (
                    "A game belongs to the last version that was released before it began. Machines' guesses and voided ones "
                    "are left out.",
                    "The interval of the difference is Student's t with a standard error that is robust to guesses by one "
                    "person going together (bell2002): Welch's where everybody guessed once, the paired one where everybody "
                    "guessed both.",
                    "The adjusted difference is that of the ratings without severity, with a bootstrap over people.",
                )
            ),
        )

    @property
    def _differences(self) -> Table:
        estimate, p = self.difference or (None, None)
        unknown = Cell("too little to say", known=False)
        rows = (
            Row(
                Cell("As guessed"),
                (
                    unknown if estimate is None else number_cell(estimate, 1),
                    Cell("–", known=False) if p is None else Cell(p_value(p), p),
                ),
            ),
            Row(
                Cell("Adjusted for guessers' severity"),
                (unknown if self.adjusted is None else number_cell(self.adjusted, 1), Cell("–", known=False)),
            ),
        )
        return Table((Column("Difference, second less first"), Column("Points of 100"), Column("p")), rows)

    def as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        estimate, p = self.difference or (None, None)
        return {
            "statement": self.statement,
            "caveats": list(self.caveats),
            "machine": self.machine,
            "versions": [{"version": one.name, "mean": one.mean.as_json(), "people": one.people} for one in self.versions],
            "people_of_both": self.people_of_both,
            "difference": None if estimate is None else {**estimate.as_json(), "p": p},
            "adjusted": None if self.adjusted is None else self.adjusted.as_json(),
            "signature": self.signature.line,
        }
