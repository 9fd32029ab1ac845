"""What a match reports: wins, draws and losses by colour, pairs of games, how games ended, and the method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.consistency.chess.config import DRAWN_AFTER, DRAWN_AT, DRAWN_FOR, WON_AT, WON_FOR, MatchConfig
from vivavoce.consistency.chess.match.game import Ending, Game
from vivavoce.consistency.chess.match.score import pair_scores, score_of
from vivavoce.consistency.chess.match.words import elo_cell
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count
from vivavoce.report.blocks import Block, Column, Figure, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell, share_cell
from vivavoce.report.parts import notes

PAIR_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_SEATS: Final = (("as White", True), ("as Black", False))


@dataclass(frozen=True, slots=True)
class Tally:
    """Wins, draws and losses of the first engine in one seat."""

    seat: str
    wins: int
    draws: int
    losses: int
    score: Estimate
    """Over openings."""

    @property
    def games(self) -> int:
        """All of them."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class MatchResults:
    """Wins, draws and losses by colour and in all, with the score, to be drawn."""

    tallies: tuple[Tally, ...]
    """The last one is of all games."""


def tallies(games: Sequence[Game]) -> tuple[Tally, ...]:
    """By colour of the first engine, and all games last."""
    seats = [(seat, [game for game in games if game.first_is_white is white]) for seat, white in _SEATS]
    found = []
    for seat, played in (*seats, ("all games", list(games))):
        scores = Counter(game.score for game in played)
        found.append(Tally(seat, scores[1.0], scores[0.5], scores[0.0], score_of(played)))
    return tuple(found)


def results(games: Sequence[Game], difference: Estimate) -> Section:
    """Wins, draws and losses with the score; as a table and drawn."""
    counted = tallies(games)
    *by_colour, whole = counted
    rows = [Row(Cell(tally.seat), (*_counts(tally), share_cell(tally.score), Cell(""))) for tally in by_colour]
    total = Row(Cell(whole.seat), (*_counts(whole), share_cell(whole.score), elo_cell(difference)), kind="sum")
    heads = (Column("Games"), *(Column(head, number=True) for head in ("Won", "Drawn", "Lost")), Column("Score"), Column("Elo"))
    table = Table(heads, (*rows, total))
    return Section("Results of the first engine", (table, Figure(MatchResults(counted))))


def scores_of_pairs(games: Sequence[Game]) -> tuple[Block, ...]:
    """How often both games of an opening brought how many points."""
    found = Counter(pair_scores(games))
    rows = tuple(Row(Cell(f"{2 * score:g}"), (count_cell(found[score]),)) for score in PAIR_SCORES)
    table = Table((Column("Points of two games"), Column("Openings", number=True)), rows)
    return (Section("Pairs of games", (table, *notes("Two games from one opening, with each colour once."))),)


def endings(games: Sequence[Game]) -> Section:
    """How games ended, and how long they were."""
    found = Counter(game.ending for game in games)
    rows = tuple(
        Row(Cell(ending.value), (count_cell(found[ending]), Cell(f"{_mean_length(games, ending):.0f}")))
        for ending in Ending
        if found[ending]
    )
    return Section(
        "How games ended", (Table((Column("Ending"), Column("Games", number=True), Column("Mean half-moves")), rows),)
    )


def how_played(config: MatchConfig, source: str) -> tuple[str, ...]:
    """The rules of the match in sentences."""
    return (
        f"{count(config.openings)} openings ({source}), drawn by the seed, each played twice with colours changed. Before "
        "every move the engine's memory is cleared; then it is told the game so far, and searches as far as its name says.",
        "A game ends by checkmate, stalemate, insufficient material, after fifty moves without capture or pawn move, or when a "
        f"position occurs for the third time. After {count(config.longest)} half-moves it is drawn; an engine that gives no "
        "legal move loses.",
        f"Besides, a game is stopped as won where both engines value the same side at {WON_AT:g} or more for {WON_FOR} "
        f"half-moves in a row, and as drawn where all values of the last {DRAWN_FOR} half-moves are within {DRAWN_AT:g} of 0, "
        f"after move {DRAWN_AFTER // 2}."
        if config.adjudicate
        else "No game was stopped because of what the engines thought of it.",
        "The score is the mean over openings of the first engine's points in both games, with Student's interval at level 95% "
        "over openings: the two games of one are alike. Elo is 400 log10(s / (1 − s)) of the score s.",
    )


def _counts(tally: Tally) -> tuple[Cell, ...]:
    return tuple(map(count_cell, (tally.wins, tally.draws, tally.losses)))


def _mean_length(games: Sequence[Game], ending: Ending) -> float:
    lengths = [game.plies for game in games if game.ending is ending]
    return sum(lengths) / len(lengths)
