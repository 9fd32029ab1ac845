"""How many games it takes to tell two versions of a machine apart, as a value, and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from vivavoce.formats.wording import count, percent
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, Column, Report, Row, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.parts import method_of
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """What one standard deviation of guesses asks for."""

    deviation: float
    guesses: int
    """Of people, for each version."""


@dataclass(frozen=True, slots=True, repr=False)
class MachinePlan(Reported):
    """Guesses of people that each of two versions needs."""

    difference: float
    power: float
    alpha: float
    origin: Literal["given", "estimated", "stated"]
    """Where the standard deviation comes from; an estimated one stands between the ends of its interval."""
    guesses: int
    """That it is estimated from."""
    plans: tuple[PlannedRow, ...]
    """Smallest deviation first."""
    signature: Signature

    @property
    def planned(self) -> PlannedRow:
        """The row that is told first."""
        return self.plans[len(self.plans) // 2]

    @property
    def headline(self) -> str:
        """The result in a sentence."""
        chosen, fewest, most = self.planned, self.plans[0], self.plans[-1]
        between = "" if fewest == most else f" ({count(fewest.guesses)} to {count(most.guesses)})"
        return (
            f"To find a difference of {self.difference:g} points with {percent(self.power)} probability takes about "
            f"{count(chosen.guesses)}{between} finished games with people for each version."
        )

    @property
    def statement(self) -> str:
        """The result, and what it rests on."""
        return f"{self.headline} {self._rests_on}"

    @property
    def _rests_on(self) -> str:
        spread = f"{self.planned.deviation:.1f}"
        ends = f"{self.plans[0].deviation:.1f} to {self.plans[-1].deviation:.1f}"
        match self.origin:
            case "given":
                return f"The standard deviation of guesses of one version is taken to be {spread}."
            case "estimated":
                return (
                    f"The standard deviation of {count(self.guesses)} guesses on this site is {spread}, with 95% from {ends}."
                )
        return f"No site's guesses are at hand: standard deviations of {ends} points are assumed."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        return (
            "It counts guesses of different people. Who guesses one version again and again adds less; who guesses both "
            "versions adds more, since what that person gives everybody cancels out.",
            "Guesses lie from 0 to 100 and are not normal; with this many that matters little.",
            "A machine meets people about as often as the site decides: it cannot choose to play more of them.",
        )

    def report(self) -> Report:
        """All of it as blocks."""
        columns = (Column("Standard deviation of guesses"), Column("Games for each version"), Column("In all"))
        rows = tuple(
            Row(Cell(f"{one.deviation:.1f}", one.deviation), (count_cell(one.guesses), count_cell(2 * one.guesses)))
            for one in self.plans
        )
        return self.reported(
            "The Luna game",
            "Games needed to compare two versions of a machine",
            Table(columns, rows),
            Caveats(self.caveats),
            method_of(
                (
                    f"The two-sided t test of two groups of equal size at level {self.alpha:g}; its power is a tail of the "
                    "noncentral t distribution.",
                    "A site's deviation is pooled within versions of machines; its interval leaves out one person at a time.",
                )
            ),
        )

    def as_json(self) -> dict[str, Any]:
        """The numbers as JSON values."""
        return {
            "statement": self.statement,
            "caveats": list(self.caveats),
            "difference": self.difference,
            "power": self.power,
            "alpha": self.alpha,
            "deviation_from": self.origin,
            "guesses": self.guesses,
            "rows": [{"deviation": one.deviation, "games_for_each_version": one.guesses} for one in self.plans],
            "games_for_each_version": self.planned.guesses,
            "signature": self.signature.line,
        }
