"""Ratings: the mean of what people guessed in finished games. Machines' guesses, and voided ones, are kept and not counted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import sqrt
from typing import Literal

from scipy.special import stdtrit
from sqlalchemy import Connection, and_, bindparam, case, func, select

from vivavoce.formats.interval import CONFIDENCE
from vivavoce.luna.rules import HIGHEST, LOWEST
from vivavoce.web.store.people import Kind
from vivavoce.web.tables import PLAYERS, SEATS

Outcome = Literal["won", "lost", "tied", "first"]

_BY_PEOPLE = and_(SEATS.c.received_from_human.is_(True), SEATS.c.voided.is_(None))
_COUNTED = (SEATS.c.finished.is_not(None), _BY_PEOPLE)
_RECEIVED = select(SEATS.c.received).where(SEATS.c.player == bindparam("of"), *_COUNTED)


@dataclass(frozen=True, slots=True)
class Point:
    """A finished game in a player's history."""

    finished: datetime
    guess: float
    """That the player received."""
    by_human: bool
    rating_after: float | None
    outcome: Outcome
    voided: bool = False
    """Whether the operator has voided the guess, so that it does not count."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player on the leaderboard."""

    name: str
    kind: Kind
    rating: float
    interval: tuple[float, float] | None
    """In which the mean lies with 95% confidence, were guesses of this player normally distributed; None for a single guess."""
    games: int
    """That were finished."""
    wins: int


def received(c: Connection, player_id: str) -> list[float]:
    """What people guessed of this player in finished games."""
    return list(c.execute(_RECEIVED, {"of": player_id}).scalars())


def rating_of(c: Connection, player_id: str) -> tuple[float | None, int]:
    """The mean of what people guessed in finished games, and how many guesses that is; None where there are none."""
    counted = select(func.avg(SEATS.c.received), func.count()).where(SEATS.c.player == player_id, *_COUNTED)
    mean, count = c.execute(counted).one()
    return (None if mean is None else float(mean)), count


def history(c: Connection, player_id: str) -> list[Point]:
    """The player's finished games, oldest first."""
    voided = SEATS.c.voided.is_not(None)
    columns = (SEATS.c.finished, SEATS.c.received, SEATS.c.received_from_human, SEATS.c.rating_after, SEATS.c.outcome, voided)
    mine = select(*columns).where(SEATS.c.player == player_id, SEATS.c.finished.is_not(None))
    return [Point(*row) for row in c.execute(mine.order_by(SEATS.c.finished, SEATS.c.game))]


def leaderboard(c: Connection, *, least_games: int = 1) -> list[Standing]:
    """All who have a rating and have finished this many games, best first; without those who have left or are banned."""
    counted = case((_BY_PEOPLE, SEATS.c.received))
    columns = (
        func.avg(counted),
        func.count(counted),
        # the squares are taken around 50, so that no digits are lost
        func.sum((counted - 50.0) * (counted - 50.0)),
        func.count(),
        func.sum(case((SEATS.c.outcome == "won", 1), else_=0)),
    )
    rows = (
        select(PLAYERS.c.name, PLAYERS.c.kind, *columns)
        .join(SEATS, SEATS.c.player == PLAYERS.c.id)
        .where(SEATS.c.finished.is_not(None), PLAYERS.c.left_at.is_(None), PLAYERS.c.banned.is_(False))
        .group_by(PLAYERS.c.id, PLAYERS.c.name, PLAYERS.c.kind)
        .having(func.count() >= least_games, func.count(counted) >= 1)
    )
    standings = [
        Standing(name, kind, mean, interval_of(mean, guesses, squares), games, int(wins))
        for name, kind, mean, guesses, squares, games, wins in c.execute(rows)
    ]
    return sorted(standings, key=lambda one: (-one.rating, -one.games, one.name))


def interval_of(mean: float, guesses: int, squares: float) -> tuple[float, float] | None:
    """In which the mean lies with 95% confidence, by Student's t; None for a single guess.

    squares: the sum of the squared distances of the guesses from 50.
    """
    if guesses < 2:
        return None
    variance = max(0.0, squares / guesses - (mean - 50.0) ** 2) * guesses / (guesses - 1)
    half = float(stdtrit(guesses - 1, (1 + CONFIDENCE) / 2)) * sqrt(variance / guesses)
    return max(LOWEST, mean - half), min(HIGHEST, mean + half)
