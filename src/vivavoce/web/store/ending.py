"""Games that end without a winner. Callers must be `alone`, for these lock several games."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, select, update

from vivavoce.web.store.locking import changed, lock_players
from vivavoce.web.tables import DRAFTS, GAMES, HELD, SEATS


@dataclass(frozen=True, slots=True)
class Ending:
    """Games that are locked and will end, and who plays them."""

    games: Collection[str]
    players: Collection[str]


def due(c: Connection, now: datetime) -> Ending:
    """The games in which nobody has moved for too long, and which are not marked yet."""
    return _locked(c, GAMES.c.expires <= now)


def of_player(c: Connection, player: str) -> Ending:
    """The games of somebody who will not move any more."""
    return _locked(c, GAMES.c.id.in_(select(SEATS.c.game).where(SEATS.c.player == player)))


def expire(c: Connection, ending: Ending, now: datetime) -> None:
    """End them; the players must be locked."""
    if not ending.games:
        return
    those = GAMES.c.id.in_(ending.games)
    c.execute(update(GAMES).where(those).values(state="expired"))
    c.execute(update(GAMES).where(those, GAMES.c.expires > now).values(expires=now))
    for table in (DRAFTS, HELD):
        c.execute(delete(table).where(table.c.game.in_(ending.games)))
    changed(c, ending.players)


def expire_games_of(c: Connection, player: str, now: datetime) -> None:
    """End the games of somebody who will not move any more at once, so that nobody waits for them."""
    ending = of_player(c, player)
    lock_players(c, {player, *ending.players})
    expire(c, ending, now)


def _locked(c: Connection, which: ColumnElement[bool]) -> Ending:
    games = c.execute(select(GAMES.c.id).where(GAMES.c.state == "open", which).with_for_update()).scalars().all()
    players = c.execute(select(SEATS.c.player).where(SEATS.c.game.in_(games)).distinct()).scalars().all() if games else []
    return Ending(games, players)
