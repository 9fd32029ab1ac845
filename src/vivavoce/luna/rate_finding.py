"""What a set of games says about its players, as a value, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.interview.scope import Signature
from vivavoce.luna.cells import in_words, number_cell
from vivavoce.luna.flags import RULES, Flag
from vivavoce.luna.humanity import Humanity
from vivavoce.luna.identification_ladders import (
    HUMANITY_CAVEAT,
    METHOD,
    humanity_blocks,
    humanity_json,
    teller_json,
    tellers_blocks,
)
from vivavoce.luna.ratings import METHODS
from vivavoce.luna.skill import Rung
from vivavoce.luna.spread import SpreadAt, spread_lines
from vivavoce.luna.telling import MISSING, Teller
from vivavoce.report.blocks import Block, Caveats, Column, Figure, InFull, Items, Paragraph, Report, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import method_of
from vivavoce.report.reported import Reported

SHOWN: Final = 500
"""Players in a table."""


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """A player with all ratings."""

    name: str
    machine: bool
    """As far as the games say: a machine that never guessed is not known to be one."""
    ratings: Mapping[str, Estimate]
    """By method; n guesses of people."""


@dataclass(frozen=True, slots=True)
class RatingDifference:
    """How far the rating of the second of two players lies above that of the first."""

    players: tuple[str, str]
    ratings: Mapping[str, Estimate]
    """By method, in points of 100; n guesses of people about the two."""

    def statement(self, method: str) -> str:
        """The difference by one rating in a sentence."""
        first, second = map(name_of, self.players)
        found = self.ratings[method]
        if found.value is None:
            return f"{second} and {first} cannot be compared: people must have guessed both."
        if found.interval.lower > 0:
            return f"People find {second} smarter than {first}: by {in_words(found)} points of 100."
        if found.interval.upper < 0:
            return f"People find {second} less smart than {first}: the difference is {in_words(found)} points of 100."
        return (
            f"People are not shown to find {second} smarter or less smart than {first}: the difference is {in_words(found)} "
            "points of 100."
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """A player on the ladder of guessing skill."""

    name: str
    machine: bool
    rung: Rung


@dataclass(frozen=True, slots=True)
class NamedFlag:
    """A player who seems to guess by a rule."""

    name: str
    machine: bool
    flag: Flag

    @property
    def statement(self) -> str:
        """The evidence in a sentence."""
        return f"{name_of(self.name)} {self.evidence}"

    @property
    def evidence(self) -> str:
        """The same without the name."""
        one = self.flag
        value = "" if one.value is None else f" ({one.value:g})"
        return (
            f"{RULES[one.rule]}{value}: {one.hits} of {one.n} guesses, where others' guesses of the same "
            f"players do so {100 * one.base:.1f}% of the time (p = {one.adjusted:.1g} after Holm)."
        )


@dataclass(frozen=True, slots=True, repr=False)
class LunaRating(Reported):
    """Ratings with intervals, the ladder, and whom to look at."""

    method: str
    """By which players are ordered."""
    players: tuple[RatedPlayer, ...]
    """Best first; those whom no person has guessed come last."""
    games: int
    guesses: int
    """Of people: the ones that count."""
    by_machines: int
    """Guesses that do not count."""
    flags: tuple[NamedFlag, ...]
    """Surest first."""
    ladder: tuple[Standing, ...] | None
    """None where what makes it is not installed."""
    missing: str
    """What to install."""
    humanity: tuple[Humanity, ...]
    """How often people take each player for a person, the most human first; of those who were judged."""
    tellers: tuple[Teller, ...] | None
    """Who tells people from machines, best first; None where there is too little to order judges."""
    spread: tuple[SpreadAt, ...]
    """Of guesses about one person, by their number: Figure 6.6 of the thesis."""
    difference: RatingDifference | None
    """Of two players that were named."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in up to two plain sentences."""
        rated = [one for one in self.players if one.ratings[self.method].value is not None]
        if not rated:
            return f"No person has guessed in {count(self.games)} game{'s' if self.games > 1 else ''}: nobody has a rating."
        best, *others = rated
        rating = best.ratings[self.method]
        first = f"{name_of(best.name)} is not shown to be found smarter than all others"
        if rating.is_largest(one.ratings[self.method] for one in others):
            first = f"{name_of(best.name)} is found smartest"
        told = (
            f"{count(len(rated))} player{'s have ratings' if others else ' has a rating'} from "
            f"{count(self.guesses)} guess{'es' if self.guesses > 1 else ''} of people; "
            f"{first if others else name_of(best.name)}: {in_words(rating)}."
        )
        flagged = len({one.name for one in self.flags})
        if flagged:
            told += f" {count(flagged)} player{'s seem' if flagged > 1 else ' seems'} to guess by a rule."
        return told

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        told = [
            "A rating says how smart people find somebody, not how smart somebody is.",
            "An interval says where a rating would lie after other games with such people. It leaves out errors that all "
            "guessers share, and that pairings are not random.",
            "The robust ratings trust guessers with whom most others agree: a bloc that makes up half of the guesses is "
            "believed.",
            "A flag is a reason to look, and no proof. Quantile guessing between two ratings leaves no trace.",
        ]
        if self.difference is not None:
            told.append("A difference of ratings is no effect: nobody drew who met whom, or when.")
        few = sum(1 for one in self.players if one.ratings[self.method].n == 1)
        if few:
            told.append(f"{count(few)} player{'s were' if few > 1 else ' was'} guessed once only: no interval can be given.")
        if self.ladder is None:
            told.append(f"There is no ladder of guessing skill: {self.missing}")
        if self.humanity:
            told.append(HUMANITY_CAVEAT)
        if self.humanity and self.tellers is None:
            told.append(f"There is no ladder of who tells people from machines: {MISSING}.")
        return tuple(told)

    def report(self) -> Report:
        """All of it as blocks."""
        counted = (
            f"{count(self.games)} games; {count(self.guesses)} guesses of people count, "
            f"{count(self.by_machines)} of machines do not."
        )
        return self.reported(
            "The Luna game",
            f"Ratings from {clipped(self.signature.scope, 200) or 'games'}",
            InFull((Paragraph(counted),)),
            Section("Players to look at", (Items(tuple(one.statement for one in self.flags)),) if self.flags else ()),
            Section("Difference of two players", self._difference()),
            Section("Ratings", self._ratings()),
            InFull((Section("Do guesses converge?", self._convergence()),)),
            Section("Who guesses well", self._ladder()),
            Section("Humanity: who is taken for a person", humanity_blocks(self.humanity)),
            Section("Who tells people from machines", tellers_blocks(self.tellers)),
            Caveats(self.caveats),
            method_of(
                (
                    *(f"{name}: {method.words}." for name, method in METHODS.items()),
                    "Intervals are percentiles of a bootstrap over guessers with all their games, widened for few guessers. "
                    "The ladder takes each game in which both had a rating for a match, won by the nearer guess.",
                    *(METHOD if self.humanity else ()),
                )
            ),
            headline=self.statement,
        )

    def _difference(self) -> tuple[Block, ...]:
        if self.difference is None:
            return ()
        rows = tuple(Row(Cell(name), (number_cell(found, 1),)) for name, found in self.difference.ratings.items())
        return (
            Paragraph(self.difference.statement(self.method)),
            Table((Column("Rating"), Column("Second less first, points of 100")), rows),
        )

    def _ratings(self) -> tuple[Block, ...]:
        rows = tuple(
            Row(
                Cell(_shown(one.name, one.machine)),
                (Cell(count(one.ratings["mean"].n), one.ratings["mean"].n), *(_cell(one.ratings[name]) for name in METHODS)),
            )
            for one in self.players[:SHOWN]
        )
        table = Table((Column("Player"), Column("Guesses"), *map(Column, METHODS)), rows)
        left = len(self.players) - SHOWN
        return (table, Paragraph(f"{count(left)} more players are in the JSON.")) if left > 0 else (table,)

    def _convergence(self) -> tuple[Block, ...]:
        if len(self.spread) < 2:
            return ()
        return (
            Figure(spread_lines(self.spread)),
            Paragraph(
                "The thesis looks for convergence here (its Figure 6.6). Guesses about one person need not converge: what "
                "shrinks with their number is the uncertainty of the mean."
            ),
        )

    def _ladder(self) -> tuple[Block, ...]:
        if not self.ladder:
            return ()
        rows = tuple(
            Row(
                Cell(_shown(one.name, one.machine)),
                (
                    Cell(f"{one.rung.standing:.1f}".replace("-", "−"), one.rung.standing),
                    Cell(f"{one.rung.mu:.1f} ± {one.rung.sigma:.1f}", one.rung.mu),
                    Cell(f"{one.rung.nearer} of {one.rung.matches}"),
                ),
            )
            for one in self.ladder[:SHOWN]
        )
        return (Table((Column("Player"), Column("Stands at"), Column("Skill"), Column("Nearer")), rows),)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "method": self.method,
            "methods": {name: method.words for name, method in METHODS.items()},
            "games": self.games,
            "guesses": self.guesses,
            "guesses_by_machines": self.by_machines,
            "players": [
                {
                    "player": one.name,
                    "machine": one.machine,
                    "ratings": {name: found.as_json() for name, found in one.ratings.items()},
                }
                for one in self.players
            ],
            "difference": None
            if self.difference is None
            else {
                "players": list(self.difference.players),
                "ratings": {name: found.as_json() for name, found in self.difference.ratings.items()},
            },
            "flags": [
                {"player": one.name, "machine": one.machine}
                | {name: value for name, value in asdict(one.flag).items() if name != "player"}
                for one in self.flags
            ],
            "ladder": None
            if self.ladder is None
            else [
                {
                    "player": one.name,
                    "machine": one.machine,
                    "standing": one.rung.standing,
                    "mu": one.rung.mu,
                    "sigma": one.rung.sigma,
                    "matches": one.rung.matches,
                    "nearer": one.rung.nearer,
                }
                for one in self.ladder
            ],
            "humanity": [humanity_json(one) for one in self.humanity],
            "identification": None if self.tellers is None else [teller_json(one) for one in self.tellers],
            "spread": [
                {"games": one.games, "deviation": one.deviation.as_json(), "between": one.between, "error": one.error}
                for one in self.spread
            ],
        }


def _shown(name: str, machine: bool) -> str:
    """A stranger's name, and whether it is a machine's."""
    return f"{name_of(name)} (machine)" if machine else name_of(name)


def _cell(found: Estimate) -> Cell:
    if found.value is None:
        return Cell("–", interval="nobody guessed", known=False)
    if found.n < 2:
        return Cell(f"{found.value:.1f}", found.value, interval="one guess")
    return number_cell(found, 1)
