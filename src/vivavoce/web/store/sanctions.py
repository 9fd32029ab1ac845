"""What the operator does about a player, and what becomes of ratings by it: told before it is done, and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, Literal

from sqlalchemy import Connection, func, select

from vivavoce.luna.rules import rating
from vivavoce.web.store import reports
from vivavoce.web.store.locking import alone
from vivavoce.web.store.voiding import restore_guesses, void_guesses
from vivavoce.web.tables import GAMES, PLAYERS, SEATS

Sanction = Literal["ban", "ban-and-void", "void", "restore", "unban"]
SANCTIONS: Final[Mapping[Sanction, str]] = {
    "ban": "Ban the player",
    "ban-and-void": "Ban the player, and void the guesses",
    "void": "Void the guesses",
    "restore": "Let the guesses count again",
    "unban": "Let the player in again, and let voided guesses count",
}
"""With what a button for each says."""
SMALLEST: Final = 1e-9
"""Points below which a rating has not moved: sums of the same guesses may differ so much by their order."""


@dataclass(frozen=True, slots=True)
class MovedRating:
    """A player whose rating changes."""

    id: str
    name: str
    before: float | None
    after: float | None
    """None for who has no rating, then or before."""

    @property
    def by(self) -> float | None:
        """Points; None where there is no rating before or after."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class Consequences:
    """What a sanction changes."""

    sanction: Sanction
    player: str
    name: str
    guesses: int
    """That begin or cease to count; a machine's count in no rating anyway."""
    ratings: tuple[MovedRating, ...]
    """Those that change, the largest change first; who gains or loses a rating altogether comes before them."""
    games: int
    """In play, which end."""

    @property
    def largest(self) -> float | None:
        """Points by which a rating moves at most; None where none moves from one value to another."""
        return max((abs(one.by) for one in self.ratings if one.by is not None), default=None)

    @property
    def statement(self) -> str:
        """All of it in up to three sentences.

        >>> Consequences("void", "1", "Zero", 6, (MovedRating("2", "Ann", 40.0, 52.5),), 0).statement
        'Guesses that no longer count: 6. Ratings that change: 1, by up to 12.5 points.'
        """
        back = self.sanction in ("restore", "unban")
        told = [f"Guesses that {'count again' if back else 'no longer count'}: {self.guesses}."]
        ends = sum(one.by is None for one in self.ratings)
        largest = "" if self.largest is None else f", by up to {self.largest:.1f} points"
        lost = "" if not ends else f"; {ends} of them {'begin' if back else 'cease'} to exist"
        told.append(f"Ratings that change: {len(self.ratings)}{largest}{lost}.")
        if self.sanction.startswith("ban"):
            told.append(f"Games in play that end: {self.games}.")
        return " ".join(told)

    def as_json(self) -> dict[str, object]:
        """The numbers as JSON values."""
        moved = [{"player": one.id, "before": one.before, "after": one.after} for one in self.ratings]
        return {"guesses": self.guesses, "games": self.games, "ratings": moved, "largest": self.largest}


def foreseen(c: Connection, sanction: Sanction, player: str) -> Consequences:
    """What it would change, were it done now. Raises `UnknownName`."""
    reports.check_player(c, player)
    theirs = _changing(c, sanction, player)
    voiding = sanction in ("ban-and-void", "void")
    before = _ratings(c, theirs)
    after = _ratings(c, theirs, without=player) if voiding else _ratings(c, theirs, restored=player) if theirs else {}
    return _consequences(c, sanction, player, sum(theirs.values()), before, after)


def carry_out(c: Connection, sanction: Sanction, player: str, now: datetime) -> Consequences:
    """Do it; what it has changed. Raises `UnknownName`."""
    alone(c)
    reports.check_player(c, player)
    theirs = _changing(c, sanction, player)
    before, games = _ratings(c, theirs), _games(c, sanction, player)
    guesses = _DONE[sanction](c, player, now)
    found = _consequences(c, sanction, player, guesses, before, _ratings(c, theirs))
    return Consequences(sanction, player, found.name, guesses, found.ratings, games)


def _void(c: Connection, player: str, now: datetime) -> int:
    return void_guesses(c, player, now)


def _restore(c: Connection, player: str, now: datetime) -> int:
    return restore_guesses(c, player)


def _unban(c: Connection, player: str, now: datetime) -> int:
    return reports.pardon(c, player)


_DONE: Final[Mapping[Sanction, Callable[[Connection, str, datetime], int]]] = {
    "ban": reports.ban,
    "ban-and-void": partial(reports.ban, void=True),
    "void": _void,
    "restore": _restore,
    "unban": _unban,
}
"""How each is done; how many guesses begin or cease to count."""


def _changing(c: Connection, sanction: Sanction, player: str) -> dict[str, int]:
    """At whom the guesses go that begin or cease to count, and how many do."""
    if sanction == "ban":
        return {}
    counted = SEATS.c.voided.is_(None) if sanction in ("ban-and-void", "void") else SEATS.c.voided.is_not(None)
    rows = select(SEATS.c.player, func.count()).where(SEATS.c.opponent == player, SEATS.c.finished.is_not(None), counted)
    return {row[0]: row[1] for row in c.execute(rows.group_by(SEATS.c.player))}


def _ratings(c: Connection, players: Mapping[str, int], *, without: str = "", restored: str = "") -> dict[str, float | None]:
    """Of these players, from the guesses that count: without those of one player, or with that one's that are voided."""
    found: dict[str, list[float]] = {player: [] for player in players}
    counted = SEATS.c.voided.is_(None) | (SEATS.c.opponent == restored)
    rows = select(SEATS.c.player, SEATS.c.received).where(
        SEATS.c.player.in_(list(players)),
        SEATS.c.finished.is_not(None),
        SEATS.c.received_from_human.is_(True),
        SEATS.c.opponent != without,
        counted,
    )
    for player, received in c.execute(rows.order_by(SEATS.c.finished, SEATS.c.game)):
        found[player].append(received)
    return {player: rating(received) for player, received in found.items()}


def _consequences(
    c: Connection,
    sanction: Sanction,
    player: str,
    guesses: int,
    before: Mapping[str, float | None],
    after: Mapping[str, float | None],
) -> Consequences:
    asked = select(PLAYERS.c.id, PLAYERS.c.name).where(PLAYERS.c.id.in_([player, *before]))
    names = {row.id: row.name for row in c.execute(asked)}
    moved = [MovedRating(one, names[one], before[one], after[one]) for one in before if _differ(before[one], after[one])]
    ordered = sorted(moved, key=lambda one: (one.by is not None, -abs(one.by or 0.0), one.name, one.id))
    return Consequences(sanction, player, names[player], guesses, tuple(ordered), _games(c, sanction, player))


def _differ(one: float | None, other: float | None) -> bool:
    return (one is None) != (other is None) or abs((one or 0.0) - (other or 0.0)) > SMALLEST


def _games(c: Connection, sanction: Sanction, player: str) -> int:
    if not sanction.startswith("ban"):
        return 0
    theirs = SEATS.join(GAMES, GAMES.c.id == SEATS.c.game)
    still = select(func.count()).select_from(theirs).where(SEATS.c.player == player, GAMES.c.state == "open")
    return int(c.execute(still).scalar_one())
