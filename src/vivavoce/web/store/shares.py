"""Results that a player shows to whoever has the address: scores alone, and withdrawn at any time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, delete, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from vivavoce.errors import BadInput
from vivavoce.web.store.games import NotYourGame, load
from vivavoce.web.store.people import Player, is_id, new_id
from vivavoce.web.store.ratings import Outcome
from vivavoce.web.tables import PLAYERS, SEATS, SHARES


@dataclass(frozen=True, slots=True)
class Scores:
    """What one player shows of a finished game; nothing of it names anybody."""

    guess: float
    """Of the other's rating."""
    their_rating: float | None
    """Before the game; None for a newcomer."""
    their_guess: float
    own_rating: float | None
    """Before the game."""
    other_human: bool
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Shared:
    """A result that is shared."""

    owner: str
    game: str
    scores: Scores


_OTHER = SEATS.alias("other")
_RESULT = (
    select(
        SEATS.c.player,
        SHARES.c.game,
        SEATS.c.guess,
        _OTHER.c.rating_before.label("theirs"),
        SEATS.c.received,
        SEATS.c.rating_before,
        _OTHER.c.human,
        SEATS.c.outcome,
    )
    .select_from(SHARES)
    .join(SEATS, and_(SEATS.c.game == SHARES.c.game, SEATS.c.place == SHARES.c.place))
    .join(_OTHER, and_(_OTHER.c.game == SHARES.c.game, _OTHER.c.place != SHARES.c.place))
    .join(PLAYERS, PLAYERS.c.id == SEATS.c.player)
    .where(PLAYERS.c.banned.is_(False))
)


def share(c: Connection, game_id: str, player: Player, now: datetime) -> str:
    """The key under which everybody sees this player's scores of a finished game; the same one each time.

    Raises `NotYourGame`, and `BadInput` for a game without a result.
    """
    game, place = load(c, game_id, player, lock=True)
    if game.verdicts is None:
        raise BadInput("only the result of a finished game can be shared")
    if c.execute(select(SEATS.c.taken_over).where(SEATS.c.game == game_id, SEATS.c.taken_over.is_not(None))).first():
        raise BadInput("a machine has taken over a seat of this game: its result cannot be shared")
    row: dict[str, Any] = {"key": new_id(), "game": game_id, "place": place, "created": now}
    inserted = (postgres_insert if c.dialect.name == "postgresql" else sqlite_insert)(SHARES).values(row)
    c.execute(inserted.on_conflict_do_nothing(index_elements=["game", "place"]))
    mine = (SHARES.c.game == game_id, SHARES.c.place == place)
    return str(c.execute(select(SHARES.c.key).where(*mine)).scalar_one())


def shared(c: Connection, key: str) -> Shared | None:
    """What stands under a key; None where nothing does, or no longer."""
    if not is_id(key):
        return None
    row = c.execute(_RESULT.where(SHARES.c.key == key)).one_or_none()
    return None if row is None else Shared(row[0], row[1], Scores(*row[2:]))


def withdraw(c: Connection, key: str, player: Player) -> None:
    """Nobody sees it any more. Raises `NotYourGame` for what somebody else shares, and for what is gone."""
    found = shared(c, key)
    if found is None or found.owner != player.id:
        raise NotYourGame
    c.execute(delete(SHARES).where(SHARES.c.key == key))
