"""Ratings of players: history, leaderboard, numbers of games, and how well guessers judge."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import sqrt
from typing import Final, Literal

import numpy as np
from scipy.special import stdtrit
from sqlalchemy import Connection, and_, bindparam, case, distinct, func, select

from vivavoce.formats.interval import CONFIDENCE
from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.guessers import flags
from vivavoce.luna.rate import NamedFlag
from vivavoce.luna.ratings import Guesses
from vivavoce.luna.rules import HIGHEST, LOWEST
from vivavoce.web.store.people import Kind
from vivavoce.web.tables import GAMES, PLAYERS, SEATS

MONTH: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class FlaggedPlayer:
    """A suspicious player."""

    id: str
    name: str
    banned: bool
    statements: tuple[str, ...]
    """The evidence, one sentence per rule, strongest first."""


@dataclass(frozen=True, slots=True)
class SiteCounts:
    """Games that have ended."""

    players: int
    """Players who have finished a game."""
    games: int
    recent: int
    """Games of the last month."""


def counts(c: Connection, now: datetime) -> SiteCounts:
    """Numbers of games, which change only after a game has ended."""
    over = select(func.count()).select_from(GAMES).where(GAMES.c.state == "over")
    players = select(func.count(distinct(SEATS.c.player))).where(SEATS.c.finished.is_not(None))
    recent = over.where(GAMES.c.finished >= now - MONTH)
    return SiteCounts(*(c.execute(which).scalar_one() for which in (players, over, recent)))


def games_played(c: Connection, *, with_voided_of: str = "") -> LunaGames | None:
    """All guesses in finished games except voided ones, oldest first, with players' ids; None without any. with_voided_of: a
    player whose voided guesses are included.
    """
    columns = (SEATS.c[name] for name in ("game", "opponent", "player", "received", "received_from_human"))
    taken = SEATS.c.voided.is_(None) | (SEATS.c.opponent == with_voided_of)
    counted = select(*columns).where(SEATS.c.finished.is_not(None), taken)
    rows = c.execute(counted.order_by(SEATS.c.finished, SEATS.c.game, SEATS.c.place)).all()
    if not rows:
        return None
    players: dict[str, int] = {}
    games: dict[str, int] = {}
    number = [games.setdefault(row.game, len(games)) for row in rows]
    guessers = [players.setdefault(row.opponent, len(players)) for row in rows]
    targets = [players.setdefault(row.player, len(players)) for row in rows]
    guesses = Guesses(guessers, targets, [row.received for row in rows], number, players=len(players))
    by_human = np.array([row.received_from_human for row in rows], dtype=bool)
    machines = frozenset(guesser for guesser, row in zip(guessers, rows, strict=True) if not row.received_from_human)
    return LunaGames(tuple(players), guesses, by_human, machines)


def flagged(c: Connection, *, with_voided_of: str = "") -> list[FlaggedPlayer]:
    """Suspicious players, strongest evidence first, without those whose guesses are voided. with_voided_of: a player whose
    voided guesses are checked all the same.
    """
    games = games_played(c, with_voided_of=with_voided_of)
    if games is None:
        return []
    document: dict[str, list[str]] = {}
    for flag in flags(games):
        player = games.names[flag.player]
        document.setdefault(player, []).append(NamedFlag(player, flag.player in games.machines, flag).evidence)
    rows = c.execute(select(PLAYERS.c.id, PLAYERS.c.name, PLAYERS.c.banned).where(PLAYERS.c.id.in_(list(document))))
    known = {row.id: row for row in rows}
    return [FlaggedPlayer(player, known[player].name, known[player].banned, tuple(texts)) for player, texts in document.items()]


Outcome = Literal["won", "lost", "tied", "first"]

BY_PEOPLE: Final = and_(SEATS.c.received_from_human.is_(True), SEATS.c.voided.is_(None))
"""Whether a received guess counts."""
_GUESS = case((BY_PEOPLE, SEATS.c.received))
MEAN_OF_GUESSES: Final = (
    func.avg(_GUESS),
    func.count(_GUESS),
    func.sum((_GUESS - 50.0) * (_GUESS - 50.0)),  # around 50, so that no digits are lost
)
"""The mean of the guesses that count, their number, and the sum of squares for `interval_of`."""
_COUNTED = (SEATS.c.finished.is_not(None), BY_PEOPLE)
_RECEIVED = select(SEATS.c.received).where(SEATS.c.player == bindparam("of"), *_COUNTED)


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A finished game in a player's history."""

    finished: datetime
    guess: float
    """The guess that the player received."""
    by_human: bool
    rating_after: float | None
    outcome: Outcome
    voided: bool = False
    """Whether the operator has voided the guess, so that it does not count."""


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A player on the leaderboard."""

    name: str
    kind: Kind
    rating: float
    interval: tuple[float, float] | None
    """The 95% confidence interval of the mean, if guesses of this player were normally distributed; None for a single guess."""
    games: int
    """Finished games."""
    wins: int


def received(c: Connection, player_id: str) -> list[float]:
    """Guesses of this player by people in finished games."""
    return list(c.execute(_RECEIVED, {"of": player_id}).scalars())


def rating_of(c: Connection, player_id: str) -> tuple[float | None, int]:
    """The mean and number of people's guesses in finished games; None without any."""
    counted = select(func.avg(SEATS.c.received), func.count()).where(SEATS.c.player == player_id, *_COUNTED)
    mean, count = c.execute(counted).one()
    return (None if mean is None else float(mean)), count


def history(c: Connection, player_id: str) -> list[RatingPoint]:
    """The player's finished games, oldest first."""
    voided = SEATS.c.voided.is_not(None)
    columns = (SEATS.c.finished, SEATS.c.received, SEATS.c.received_from_human, SEATS.c.rating_after, SEATS.c.outcome, voided)
    mine = select(*columns).where(SEATS.c.player == player_id, SEATS.c.finished.is_not(None))
    return [RatingPoint(*row) for row in c.execute(mine.order_by(SEATS.c.finished, SEATS.c.game))]


def leaderboard(c: Connection, *, least_games: int = 1) -> list[LeaderboardRow]:
    """Players with a rating and this many finished games, best first, without those who have left or are banned."""
    columns = (*MEAN_OF_GUESSES, func.count(), func.sum(case((SEATS.c.outcome == "won", 1), else_=0)))
    rows = (
        select(PLAYERS.c.name, PLAYERS.c.kind, *columns)
        .join(SEATS, SEATS.c.player == PLAYERS.c.id)
        .where(SEATS.c.finished.is_not(None), PLAYERS.c.left_at.is_(None), PLAYERS.c.banned.is_(False))
        .group_by(PLAYERS.c.id, PLAYERS.c.name, PLAYERS.c.kind)
        .having(func.count() >= least_games, func.count(_GUESS) >= 1)
    )
    standings = [
        LeaderboardRow(name, kind, mean, interval_of(mean, guesses, squares), games, int(wins))
        for name, kind, mean, guesses, squares, games, wins in c.execute(rows)
    ]
    return sorted(standings, key=lambda row: (-row.rating, -row.games, row.name))


def interval_of(mean: float, guesses: int, squares: float) -> tuple[float, float] | None:
    """The 95% confidence interval of the mean, by Student's t; None for a single guess. squares: the sum of the squared
    distances of the guesses from 50.
    """
    if guesses < 2:
        return None
    variance = max(0.0, squares / guesses - (mean - 50.0) ** 2) * guesses / (guesses - 1)
    half = float(stdtrit(guesses - 1, (1 + CONFIDENCE) / 2)) * sqrt(variance / guesses)
    return max(LOWEST, mean - half), min(HIGHEST, mean + half)
