"""The statistics of a site (after silver2016, section 6.3) from finished games and each player's activity, and their finding.

It leaves out traffic (sessions, page views, returning visitors, referrers), which sites do not record. It also leaves out the
numbers of different questions and responses, and the scatter plot of Figure 6.5.

The thesis leaves two definitions open. Here the length of a response is the characters of all five answers of a player, paired
with the one guess about them. The spread of ratings (Figure 6.6) is the standard deviation of a player's received guesses.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from math import atanh, inf, sqrt, tanh
from typing import Any, Final

import numpy as np
from scipy.special import bdtr

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import clipped, count, numbered, percent, percent_interval
from vivavoce.interview.scope import Signature
from vivavoce.luna.games_file import ExportedGame, ExportedSeat, SiteVisitor
from vivavoce.luna.identification import (
    CAVEAT,
    IdentificationFigures,
    SpreadAt,
    identifications,
    identified,
    in_words,
    number_cell,
    spread_lines,
)
from vivavoce.luna.rules import HIGHEST
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, count_cell, share_cell
from vivavoce.report.figures import Histogram
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.clustered import mean_interval, share_interval
from vivavoce.version import __version__

THESIS: Final[Mapping[str, str]] = {
    "players": "86 accounts, 1\N{NARROW NO-BREAK SPACE}207 guests, 2 machines",
    "games": "685 started, 292 finished by both",
    "games a person": "mean 0.33, median 0",
    "rating": "mean 68.9, median 74 (220 persons)",
    "length and guess": "r = 0.179",
}
"""The figures of silver2016, section 6.3, after two weeks."""


@dataclass(frozen=True, slots=True)
class MachineFigures:
    """People's guesses about a machine."""

    player: str
    """The machine's pseudonym."""
    rating: Estimate
    lowest: float
    """The lowest guess of a person."""
    highest: float


@dataclass(frozen=True, slots=True, repr=False)
class LunaStatistics(ReportedFinding):
    """The figures of a site."""

    site: str
    players: Mapping[str, int]
    """Numbers of players by kind."""
    newcomers: tuple[tuple[date, int], ...]
    """People who came for the first time, by day."""
    games_begun: int
    games_finished: int
    share_finished: Estimate
    games_per_person: Estimate
    """Finished games; people without any count too."""
    median_games: Estimate
    rating: Estimate
    """Ratings of people who have one."""
    median_rating: Estimate
    histogram: tuple[int, ...]
    """People with a rating from 0, from 10 ... from 90 to 100."""
    machines: tuple[MachineFigures, ...]
    """Best first."""
    games_looked_into: int
    """Finished games whose texts and guesses may be analysed."""
    length_and_guess: Estimate
    """Pearson's correlation between the characters of a person's answers and the other person's guess."""
    length_and_guess_with_machines: Estimate
    """The same for machines' answers."""
    spread: tuple[SpreadAt, ...]
    identified: IdentificationFigures
    """How well people recognise machines and people."""

    @property
    def statement(self) -> str:
        """The result in a few plain sentences."""
        return " ".join((self.headline, *self.more))

    @property
    def headline(self) -> str:
        """How many players came, and the outcome of their games."""
        if not sum(self.players.values()):
            return "There are no players yet."
        people = sum(number for kind, number in self.players.items() if kind != "machine")
        machines = self.players.get("machine", 0)
        came = f"{count(people)} {'person' if people == 1 else 'people'} and {numbered(machines, 'machine')} came"
        share = self.share_finished
        if share.value is None:
            return f"{came}."
        return (
            f"{came} and began {numbered(self.games_begun, 'game')}, of which {count(self.games_finished)} "
            f"({percent(share.value)} {percent_interval(share.interval)}) were finished."
        )

    @property
    def more(self) -> tuple[str, ...]:
        """The results on ratings and judgements, one sentence each."""
        sentences = []
        if self.rating.value is not None:
            sentences.append(f"People rate people {in_words(self.rating)} on average.")
        if self.length_and_guess.value is not None:
            sentences.append(f"Longer answers get {self._tendency} guesses: r = {in_words(self.length_and_guess, 2)}.")
        return (*sentences, *self.identified.sentences)

    @property
    def _tendency(self) -> str:
        interval = self.length_and_guess.interval
        if 0.0 in interval:
            return "not significantly different"
        return "higher" if interval.lower > 0 else "lower"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the figures, one sentence each."""
        caveats = [
            "Players came by their own choice (self-selection), and most play rarely: nothing here holds for "
            "people in general.",
            "Open games count as not finished, and a guest who creates an account counts as an account.",
            "A rating says how smart people find a player, not how smart the player is. One machine or person may "
            "be several players.",
            "A correlation of length and guess does not show which causes which, or whether effort causes both.",
            "The thesis looked for guesses that agree better with more games. Guesses about one player need not: "
            "more guesses reduce the uncertainty of their mean. People with many games also differ from those with "
            "few.",
        ]
        if self.identified.machines_taken_for_people.n or self.identified.people_taken_for_machines.n:
            caveats.append(CAVEAT)
        missing = [name for name, value in self._wanting.items() if value is None]
        if missing:
            caveats.append(f"Too little data: {', '.join(missing)}.")
        if self.games_looked_into < self.games_finished:
            caveats.append(
                f"Lengths, machines and spread use {count(self.games_looked_into)} of {count(self.games_finished)} "
                "finished games: those whose players agreed to it and have not left."
            )
        return tuple(caveats)

    @property
    def _wanting(self) -> Mapping[str, object]:
        return {
            "share of finished games": self.share_finished.value,
            "ratings of people": self.rating.value,
            "ratings of machines": self.machines[0].rating.value if self.machines else None,
            "length and guess": self.length_and_guess.value,
            "spread of guesses": self.spread[0].deviation.value if self.spread else None,
            "how often machines pass for people": self.identified.machines_taken_for_people.value,
            "how often people call people machines": self.identified.people_taken_for_machines.value,
        }

    @property
    def signature(self) -> Signature:
        """How these figures were made."""
        settings = {"confidence": CONFIDENCE, "games": self.games_looked_into, "players": sum(self.players.values())}
        return Signature(__version__, "luna statistics", "all players", self.site or "a site", "", 0, settings)

    @property
    def _ratings(self) -> Histogram:
        text = ", ".join(f"{number} from {10 * index}" for index, number in enumerate(self.histogram) if number)
        return Histogram(0.0, 10.0, self.histogram, f"Ratings of people: {text}.", "Rating", "People", limit=None)

    def report(self) -> blocks.Report:
        """All of it as blocks."""
        return self.reported(
            "The Luna game",
            f"Figures of {clipped(self.site, 200) or 'a Luna site'}",
            blocks.Tiles(
                (
                    *blocks.tiles_of(self.beside_the_thesis, (0,)).tiles,
                    blocks.tile_of(f"Finished of {count(self.games_begun)} games", share_cell(self.share_finished), (0.0, 1.0)),
                    blocks.tile_of("Rating of people, mean", number_cell(self.rating, 1).with_n(self.rating.n), (0.0, 100.0)),
                )
            ),
            blocks.InFull(blocks.paragraphs(" ".join(self.more))),
            blocks.Caveats(self.caveats),
            self.beside_the_thesis,
            blocks.ReportFigure(self._ratings),
            blocks.ReportFigure(spread_lines(self.spread)),
            *(blocks.ReportSection(heading, (table,)) for heading, table in self.tables),
        )

    @property
    def beside_the_thesis(self) -> blocks.ReportTable:
        """The thesis' figures next to the site's."""
        share = self.share_finished
        finished = "none started" if share.value is None else f"{percent(share.value)} {percent_interval(share.interval)}"
        kinds = ", ".join(f"{count(number)} {kind}{'s' if number != 1 else ''}" for kind, number in self.players.items())
        games = f"{count(self.games_begun)} started, {count(self.games_finished)} finished: {finished}"
        lengths, everybody = self.length_and_guess, self.length_and_guess_with_machines
        rows = (
            ("Players", TableCell(kinds or "none"), "players"),
            ("Games", TableCell(games), "games"),
            ("Finished games of a person, mean", number_cell(self.games_per_person, 2), "games a person"),
            ("Finished games of a person, median", number_cell(self.median_games, 1), ""),
            ("Rating of people, mean", number_cell(self.rating, 1).with_n(self.rating.n), "rating"),
            ("Rating of people, median", number_cell(self.median_rating, 1), ""),
            ("Length of answers against guess, people", number_cell(lengths, 2).with_n(lengths.n), "length and guess"),
            ("Length of answers against guess, with machines", number_cell(everybody, 2).with_n(everybody.n), ""),
        )
        return blocks.ReportTable(
            (blocks.Column("What"), blocks.Column("Here"), blocks.Column("In the thesis")),
            tuple(blocks.ReportRow(TableCell(what), (here, TableCell(THESIS.get(there, "")))) for what, here, there in rows),
        )

    @property
    def tables(self) -> tuple[tuple[str, blocks.ReportTable], ...]:
        """Non-empty tables with their titles: machines, spread, judgements, newcomers by day."""
        machines = tuple(
            blocks.ReportRow(
                TableCell(machine.player),
                (
                    number_cell(machine.rating, 1),
                    count_cell(machine.rating.n),
                    TableCell(f"{machine.lowest:g} to {machine.highest:g}"),
                ),
            )
            for machine in self.machines
        )
        spread = tuple(blocks.ReportRow(count_cell(spread_at.games), _cells_of(spread_at)) for spread_at in self.spread)
        days = tuple(blocks.ReportRow(TableCell(day.isoformat()), (count_cell(number),)) for day, number in self.newcomers)
        tables = (
            ("Machines", ("Machine", "Rating", "Guesses of people", "From – to"), machines),
            (
                "Spread of guesses about a person",
                ("Guesses", "People", "Standard deviation", "Between people", "Standard error"),
                spread,
            ),
            *self.identified.tables,
            ("New people by day", ("Day", "People"), days),
        )
        return tuple(
            (heading, blocks.ReportTable(tuple(map(blocks.Column, heads)), rows)) for heading, heads, rows in tables if rows
        )

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null for unknown ones."""
        estimates = (
            "share_finished", "games_per_person", "median_games", "rating", "median_rating", "length_and_guess",
            "length_and_guess_with_machines",
        )  # fmt: skip
        return {
            "players": self.players,
            "newcomers": [{"day": day, "people": number} for day, number in self.newcomers],
            "games_begun": self.games_begun,
            "games_finished": self.games_finished,
            "games_looked_into": self.games_looked_into,
            **{name: getattr(self, name) for name in estimates},
            "histogram": [{"from": 10 * index, "people": number} for index, number in enumerate(self.histogram)],
            "machines": self.machines,
            "spread": self.spread,
            "identification": self.identified,
        }


def _cells_of(spread_at: SpreadAt) -> tuple[TableCell, ...]:
    between = (
        TableCell("–", known=False) if spread_at.between is None else TableCell(f"{spread_at.between:.1f}", spread_at.between)
    )
    return (
        count_cell(spread_at.deviation.n),
        number_cell(spread_at.deviation, 1),
        between,
        TableCell(f"{spread_at.error:.1f}", spread_at.error),
    )


BINS: Final = tuple(range(0, 101, 10))
"""Edges of the histogram; the last bin includes 100."""


def statistics(games: Iterable[ExportedGame], visitors: Sequence[SiteVisitor], *, site: str = "") -> LunaStatistics:
    """The figures of a site.

    Parameters
    ----------
    games: those that may be analysed; statistics of texts and guesses use only these.
    visitors: all players, including those who have left.
    site: its name or address, for the signature.

    >>> statistics([], []).statement
    'There are no players yet.'
    """
    seats = [(own, other) for game in games for own, other in (game.seats, game.seats[::-1])]
    people = [visitor for visitor in visitors if visitor.kind != "machine"]
    ratings = [person.rating for person in people if person.rating is not None]
    begun = sum(visitor.games_begun for visitor in visitors) // 2  # each game has two seats
    finished = sum(visitor.games_finished for visitor in visitors) // 2
    received = _received(seats)
    by_people = [pair for pair in seats if pair[1].kind != "machine" and not pair[1].voided]
    return LunaStatistics(
        site=site,
        players=dict(sorted(Counter(visitor.kind for visitor in visitors).items())),
        newcomers=tuple(sorted(Counter(person.came for person in people).items())),
        games_begun=begun,
        games_finished=finished,
        share_finished=_share(finished, begun),
        games_per_person=_mean([float(person.games_finished) for person in people]),
        median_games=_median([float(person.games_finished) for person in people]),
        rating=_mean(ratings, most=HIGHEST),
        median_rating=_median(ratings),
        histogram=_histogram(ratings),
        machines=_machines(received),
        games_looked_into=len(seats) // 2,
        length_and_guess=_lengths([pair for pair in by_people if pair[0].kind != "machine"]),
        length_and_guess_with_machines=_lengths(by_people),
        spread=spread_by_number([guesses for (_, machine), guesses in received.items() if not machine]),
        identified=identified(identifications(seats)),
    )


def spread_by_number(received: Iterable[Sequence[float]]) -> tuple[SpreadAt, ...]:
    """For each number of guesses from two on: how much the guesses about a person vary, over the people with this many.

    Parameters
    ----------
    received: the guesses that each person received.

    >>> [(at.games, at.deviation.value, at.deviation.n) for at in spread_by_number([[60.0, 62.0, 64.0], [50.0]])]
    [(3, 2.0, 1)]
    """
    by_number: dict[int, list[float]] = defaultdict(list)
    for guesses in received:
        if len(guesses) > 1:
            by_number[len(guesses)].append(float(np.std(guesses, ddof=1)))
    return tuple(
        SpreadAt(
            games=number,
            deviation=_mean(deviations),
            between=float(np.std(deviations, ddof=1)) if len(deviations) > 1 else None,
            error=float(np.mean(deviations)) / sqrt(number),
        )
        for number, deviations in sorted(by_number.items())
    )


FEWEST_PAIRS: Final = 4
"""The fewest pairs of a correlation with an interval."""
UNKNOWN: Final = Interval(-inf, inf)


def clustered_correlation(first: Sequence[float], second: Sequence[float], groups: Sequence[Sequence[str]]) -> Estimate:
    """Pearson's correlation of pairs that may share a player, with an interval that allows for it.

    The variance of r comes from the mean of its influence function, robust to shared groups; the ends use Fisher's z. There is
    no interval with fewer than four pairs, with all numbers of a list equal, or if every pair shares a player with every other.
    In the first two cases there is no value either.

    >>> correlation = clustered_correlation([1, 2, 3, 4, 5], [1, 3, 2, 5, 4], [(), (), (), (), ()])
    >>> correlation.n, round(correlation.value or 0, 3)
    (5, 0.8)
    """
    x, y = (np.asarray(values, dtype=np.float64) for values in (first, second))
    n = x.size
    if n < FEWEST_PAIRS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Estimate(None, UNKNOWN, n)
    x, y = ((values - values.mean()) / values.std() for values in (x, y))
    value = float(np.clip((x * y).mean(), -1, 1))
    if abs(value) >= 1 - 1e-12:
        return Estimate(value, UNKNOWN, n)
    influence = x * y - value / 2 * (x**2 + y**2)
    try:
        bounds = mean_interval(influence, groups, confidence=CONFIDENCE)
    except NotEnoughEvidence:
        return Estimate(value, UNKNOWN, n)
    half = (bounds.upper - bounds.lower) / 2 / (1 - value**2)
    return Estimate(value, Interval(tanh(atanh(value) - half), tanh(atanh(value) + half)), n)


def _lengths(pairs: Sequence[tuple[ExportedSeat, ExportedSeat]]) -> Estimate:
    """Correlation between characters of all answers and the guess about them, where the texts may be analysed."""
    seen = [(sum(map(len, own.answers)), other.guess, (own.player, other.player)) for own, other in pairs if own.answers]
    lengths, guesses, players = zip(*seen, strict=True) if seen else ((), (), ())
    return clustered_correlation(lengths, guesses, players)


def _received(seats: Sequence[tuple[ExportedSeat, ExportedSeat]]) -> Mapping[tuple[str, bool], list[float]]:
    """People's guesses about each player, keyed by name and whether it is a machine."""
    guesses: dict[tuple[str, bool], list[float]] = defaultdict(list)
    for own, other in seats:
        if other.kind != "machine" and not other.voided:
            guesses[own.player, own.kind == "machine"].append(other.guess)
    return guesses


def _machines(received: Mapping[tuple[str, bool], list[float]]) -> tuple[MachineFigures, ...]:
    machines = [(player, guesses) for (player, is_machine), guesses in received.items() if is_machine]
    figures = [MachineFigures(name, _mean(guesses, most=HIGHEST), min(guesses), max(guesses)) for name, guesses in machines]
    return tuple(sorted(figures, key=lambda machine: (-(machine.rating.value or 0.0), machine.player)))


def _histogram(ratings: Sequence[float]) -> tuple[int, ...]:
    if not ratings:
        return (0,) * len(list(pairwise(BINS)))
    return tuple(int(number) for number in np.histogram(ratings, bins=BINS)[0])


def _share(hits: int, n: int) -> Estimate:
    if not n:
        return Estimate(None, Interval(0.0, 1.0), 0)
    bounds = share_interval([number < hits for number in range(n)], [()] * n, confidence=CONFIDENCE)
    return Estimate(hits / n, Interval(*bounds), n)


def _mean(values: Sequence[float], *, most: float = inf) -> Estimate:
    """The mean of numbers from 0 to `most`, by Student's t; no interval if all are equal: their spread is unknown."""
    if not values:
        return Estimate(None, UNKNOWN, 0)
    mean = float(np.mean(values))
    if len(values) < 2 or np.ptp(values) == 0:
        return Estimate(mean, UNKNOWN, len(values))
    lower, upper = mean_interval(values, [()] * len(values), confidence=CONFIDENCE)
    return Estimate(mean, Interval(max(0.0, lower), min(most, upper)), len(values))


def _median(values: Sequence[float]) -> Estimate:
    """The median with an interval between two order statistics, which holds for any distribution; it needs six values."""
    n = len(values)
    if not n:
        return Estimate(None, UNKNOWN, 0)
    chances = bdtr(np.arange(n + 1), n, 0.5)  # chances that at most 0, 1, ..., n values are below the median
    index, ordered = int(np.searchsorted(chances, (1 - CONFIDENCE) / 2, side="right")) - 1, sorted(values)
    interval = Interval(ordered[index], ordered[n - 1 - index]) if index >= 0 else UNKNOWN
    return Estimate(float(np.median(ordered)), interval, n)
