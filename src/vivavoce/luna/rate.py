"""Rates all players of a set of games, and the finding: ratings with intervals, the skill ladder, and flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from vivavoce.errors import BadInput, MissingExtra, UnknownName
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.interview.scope import Signature
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.guessers import RULES, GuesserFlag, SkillRung, flags, ladder
from vivavoce.luna.identification import SpreadAt, in_words, number_cell, spread_lines
from vivavoce.luna.ratings import METHODS, difference_of, intervals
from vivavoce.luna.settings import RateConfig
from vivavoce.luna.site_statistics import spread_by_number
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__

MOST_TILES: Final = 3
"""Players in large figures."""
SHOWN: Final = 500
"""The most players in a table."""


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """A player with all ratings."""

    player: str
    machine: bool
    """Whether it is known to be a machine; a machine that never guessed is not known."""
    ratings: Mapping[str, Estimate]
    """Ratings by method; n guesses by people."""


@dataclass(frozen=True, slots=True)
class RatingDifference:
    """The rating of the second of two players minus the first's."""

    players: tuple[str, str]
    ratings: Mapping[str, Estimate]
    """Differences by method, in points of 100; n guesses by people about the two."""

    def statement(self, method: str) -> str:
        """The difference by one rating, in a sentence."""
        first, second = map(name_of, self.players)
        difference = self.ratings[method]
        if difference.value is None:
            return f"{second} and {first} can't be compared: both need guesses by people."
        if difference.interval.lower > 0:
            return f"People find {second} smarter than {first}, by {in_words(difference)} points of 100."
        if difference.interval.upper < 0:
            return f"People find {second} less smart than {first}; the difference is {in_words(difference)} points of 100."
        return f"The difference between {second} and {first} is not significant: {in_words(difference)} points of 100."


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """A player's place on the ladder of guessing skill."""

    player: str
    machine: bool
    rung: SkillRung

    json_keys = "player machine standing=rung.standing mu=rung.mu sigma=rung.sigma matches=rung.matches nearer=rung.nearer"


@dataclass(frozen=True, slots=True)
class NamedFlag:
    """A player who seems to guess by a rule."""

    player: str
    machine: bool
    flag: GuesserFlag

    json_keys = (
        "player machine rule=flag.rule n=flag.n hits=flag.hits base=flag.base p=flag.p adjusted=flag.adjusted value=flag.value"
    )

    @property
    def statement(self) -> str:
        """The evidence in a sentence."""
        return f"{name_of(self.player)} {self.evidence}"

    @property
    def evidence(self) -> str:
        """The same without the name."""
        flag = self.flag
        value = "" if flag.value is None else f" ({flag.value:g})"
        return (
            f"{RULES[flag.rule]}{value}: {flag.hits} of {flag.n} guesses; other guesses about the same players do so "
            f"{100 * flag.base:.1f}% of the time (p = {flag.adjusted:.1g} after Holm)."
        )


@dataclass(frozen=True, slots=True, repr=False)
class LunaRating(ReportedFinding):
    """Ratings with intervals, the ladder, and players to check."""

    method: str
    """The rating that orders players."""
    players: tuple[RatedPlayer, ...]
    """Best first; players without a guess by a person come last."""
    games: int
    guesses: int
    """Guesses by people, which count."""
    by_machines: int
    """Guesses by machines, which do not count."""
    flags: tuple[NamedFlag, ...]
    """Strongest evidence first."""
    ladder: tuple[LadderPlace, ...] | None
    """None if the package for it is not installed."""
    missing: str
    """The package to install."""
    spread: tuple[SpreadAt, ...]
    """Spread of guesses about one person, by their number: Figure 6.6 of the thesis."""
    difference: RatingDifference | None
    """The difference of two chosen players."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in up to two plain sentences."""
        rated = [player for player in self.players if player.ratings[self.method].value is not None]
        if not rated:
            return f"No person has guessed in {count(self.games)} game{'s' if self.games > 1 else ''}, so there are no ratings."
        best, *others = rated
        rating = best.ratings[self.method]
        first = f"{name_of(best.player)} is first, but not significantly ahead of all others"
        if rating.is_largest(rated_player.ratings[self.method] for rated_player in others):
            first = f"{name_of(best.player)} is rated smartest"
        summary = (
            f"{count(len(rated))} player{'s have ratings' if others else ' has a rating'} from "
            f"{count(self.guesses)} guess{'es' if self.guesses > 1 else ''} by people. "
            f"{first if others else name_of(best.player)}: {in_words(rating)}."
        )
        flagged = len({flag.player for flag in self.flags})
        if flagged:
            summary += f" {count(flagged)} player{'s seem' if flagged > 1 else ' seems'} to guess by a rule."
        return summary

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the result, one sentence each."""
        caveats = [
            "A rating says how smart people find a player, not how smart the player is.",
            "An interval covers the rating after other games with such people. It leaves out errors that all "
            "guessers share, and that pairings are not random.",
            "The robust ratings trust guessers who agree with most others; they believe a bloc that makes half of the guesses.",
            "A flag is a reason to look, not a proof. Quantile guessing between two ratings leaves no trace.",
        ]
        if self.difference is not None:
            caveats.append("A difference of ratings is not an effect: players met neither at random nor at random times.")
        few = sum(1 for player in self.players if player.ratings[self.method].n == 1)
        if few:
            caveats.append(
                f"{count(few)} player{'s were' if few > 1 else ' was'} guessed only once and "
                f"{'have' if few > 1 else 'has'} no interval."
            )
        if self.ladder is None:
            caveats.append(f"There is no skill ladder: {self.missing}")
        return tuple(caveats)

    def report(self) -> blocks.Report:
        """All of it as blocks."""
        counted = (
            f"{count(self.games)} games; {count(self.guesses)} guesses by people count, {count(self.by_machines)} "
            "by machines do not."
        )
        return self.reported(
            "The Luna game",
            f"Ratings from {clipped(self.signature.scope, 200) or 'games'}",
            blocks.Tiles(tuple(map(_tile, self.players[:MOST_TILES]))),
            blocks.ReportSection(
                "Players to check", (blocks.Items(tuple(flag.statement for flag in self.flags)),) if self.flags else ()
            ),
            blocks.InFull((blocks.Paragraph(counted, quiet=True),)),
            blocks.Caveats(self.caveats),
            blocks.ReportSection("Difference of two players", self._difference()),
            blocks.ReportSection("Ratings", self._ratings()),
            blocks.InFull((blocks.ReportSection("Do guesses converge?", self._convergence()),)),
            blocks.ReportSection("Who guesses well", self._ladder()),
            blocks.method_of(
                (
                    *(f"{name}: {method.words}." for name, method in METHODS.items()),
                    "Intervals are percentiles of a bootstrap over guessers with all their games, widened for few "
                    "guessers. The ladder counts each game between two rated players as a match, won by the nearer "
                    "guess.",
                )
            ),
            headline=self.statement,
        )

    def _difference(self) -> tuple[blocks.Block, ...]:
        if self.difference is None:
            return ()
        rows = tuple(
            blocks.ReportRow(TableCell(name), (number_cell(estimate, 1),)) for name, estimate in self.difference.ratings.items()
        )
        return (
            blocks.Paragraph(self.difference.statement(self.method)),
            blocks.ReportTable((blocks.Column("Rating"), blocks.Column("Second minus first, points of 100")), rows),
        )

    def _ratings(self) -> tuple[blocks.Block, ...]:
        rows = tuple(
            blocks.ReportRow(
                TableCell(_shown(player.player, player.machine)),
                (
                    TableCell(count(player.ratings["mean"].n), player.ratings["mean"].n),
                    *(_cell(player.ratings[name]) for name in METHODS),
                ),
            )
            for player in self.players[:SHOWN]
        )
        table = blocks.ReportTable((blocks.Column("Player"), blocks.Column("Guesses"), *map(blocks.Column, METHODS)), rows)
        left = len(self.players) - SHOWN
        return (table, blocks.Paragraph(f"{count(left)} more players are in the JSON.")) if left > 0 else (table,)

    def _convergence(self) -> tuple[blocks.Block, ...]:
        if len(self.spread) < 2:
            return ()
        return (
            blocks.ReportFigure(spread_lines(self.spread)),
            blocks.Paragraph(
                "The thesis looks for convergence here (its Figure 6.6). Guesses about one person need not "
                "converge; more guesses reduce the uncertainty of their mean."
            ),
        )

    def _ladder(self) -> tuple[blocks.Block, ...]:
        if not self.ladder:
            return ()
        rows = tuple(
            blocks.ReportRow(
                TableCell(_shown(ladder_place.player, ladder_place.machine)),
                (
                    TableCell(f"{ladder_place.rung.standing:.1f}".replace("-", "−"), ladder_place.rung.standing),
                    TableCell(f"{ladder_place.rung.mu:.1f} ± {ladder_place.rung.sigma:.1f}", ladder_place.rung.mu),
                    TableCell(f"{ladder_place.rung.nearer} of {ladder_place.rung.matches}"),
                ),
            )
            for ladder_place in self.ladder[:SHOWN]
        )
        return (
            blocks.ReportTable(
                (blocks.Column("Player"), blocks.Column("Standing"), blocks.Column("Skill"), blocks.Column("Nearer")), rows
            ),
        )

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null for unknown ones."""
        return {
            "method": self.method,
            "methods": {name: method.words for name, method in METHODS.items()},
            "games": self.games,
            "guesses": self.guesses,
            "guesses_by_machines": self.by_machines,
            "players": self.players,
            "difference": self.difference,
            "flags": self.flags,
            "ladder": self.ladder,
            "spread": self.spread,
        }


def _shown(name: str, machine: bool) -> str:
    """A player's name, marked if it is a machine's."""
    return f"{name_of(name)} (machine)" if machine else name_of(name)


def _tile(player: RatedPlayer) -> blocks.Tile:
    rating = player.ratings[next(iter(METHODS))]
    return blocks.tile_of(_shown(player.player, player.machine), _cell(rating).with_n(rating.n), (0.0, 100.0))


def _cell(rating: Estimate) -> TableCell:
    if rating.value is None:
        return TableCell("–", interval="no guesses", known=False)
    if rating.n < 2:
        return TableCell(f"{rating.value:.1f}", rating.value, interval="one guess")
    return number_cell(rating, 1)


def rate(
    games: LunaGames,
    config: RateConfig = RateConfig(),  # noqa: B008 -- frozen
    *,
    difference: tuple[str, str] | None = None,
    source: str = "",
    digest: str = "",
) -> LunaRating:
    """All results that the games give about their players.

    Parameters
    ----------
    difference: names of two players to compare.
    source, digest: the origin of the games, for the signature.

    Raises `UnknownName` for an unknown method or player, and `BadInput` for a player compared with itself.

    >>> from vivavoce.luna.ratings import Guesses
    >>> guesses = Guesses([0, 1], [1, 0], [60.0, 80.0], [0, 0], players=2)
    >>> ratings = rate(LunaGames(("Ann", "Bob"), guesses, np.ones(2, dtype=bool), frozenset()))
    >>> [(rating.player, rating.ratings["mean"].value) for rating in ratings.players]
    [('Ann', 80.0), ('Bob', 60.0)]
    """
    if config.method not in METHODS:
        raise UnknownName("rating", config.method, METHODS)
    counted = games.counted
    by_method = {
        name: intervals(counted, name, rng=np.random.default_rng(config.seed), rounds=config.rounds) for name in METHODS
    }
    players = [
        RatedPlayer(name, number in games.machines, {method: estimates[number] for method, estimates in by_method.items()})
        for number, name in enumerate(games.names)
    ]
    rungs, missing = _standings(games)
    settings: dict[str, Any] = {"method": config.method, "rounds": config.rounds}
    settings |= {} if difference is None else {"difference": list(difference)}
    received = [counted.value[counted.target == number].tolist() for number in range(len(games.names))]
    return LunaRating(
        method=config.method,
        players=tuple(sorted(players, key=lambda player: (-_known(player, config.method), player.player))),
        games=int(np.unique(games.guesses.game).size),
        guesses=len(counted),
        by_machines=len(games.guesses) - len(counted),
        flags=tuple(NamedFlag(games.names[flag.player], flag.player in games.machines, flag) for flag in flags(games)),
        ladder=rungs,
        missing=missing,
        spread=spread_by_number([values for number, values in enumerate(received) if number not in games.machines]),
        difference=None if difference is None else _difference(games, difference, config),
        signature=Signature(__version__, "luna rate", "players of the Luna game", source, digest, config.seed, settings),
    )


def _difference(games: LunaGames, players: tuple[str, str], config: RateConfig) -> RatingDifference:
    unknown = next((name for name in players if name not in games.names), None)
    if unknown is not None:
        raise UnknownName("player", unknown, games.names)
    first, second = map(games.names.index, players)
    if first == second:
        raise BadInput(f"'{players[0][:80]}' is compared with itself: name two different players")
    values = {
        name: difference_of(games.counted, first, second, name, rng=np.random.default_rng(config.seed), rounds=config.rounds)
        for name in METHODS
    }
    return RatingDifference(players, values)


def _known(player: RatedPlayer, method: str) -> float:
    value = player.ratings[method].value
    return -1.0 if value is None else value


def _standings(games: LunaGames) -> tuple[tuple[LadderPlace, ...] | None, str]:
    """The ladder, or None and the package to install."""
    try:
        return tuple(LadderPlace(games.names[rung.player], rung.player in games.machines, rung) for rung in ladder(games)), ""
    except MissingExtra as error:
        return None, str(error)
