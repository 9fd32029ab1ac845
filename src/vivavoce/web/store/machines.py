"""Machines that play through the API; of each token only the hash is stored."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from vivavoce.errors import UnknownName
from vivavoce.web.store.people import FIELDS, NameTaken, Player, create_machine_player, hashed, key_of, new_token, read, seen
from vivavoce.web.tables import MACHINES, PLAYERS, PRESENCE, QUEUE

HOUSE_PRESENT: Final = timedelta(seconds=75)
"""The built-in opponent is present while a server process that plays for it was active this recently."""


def house_seen(c: Connection, now: datetime) -> tuple[str, datetime] | None:
    """The id of the built-in opponent, and when it was last present; None if it is not."""
    here = (
        select(PLAYERS.c.id, PRESENCE.c.seen)
        .join(MACHINES, MACHINES.c.player == PLAYERS.c.id)
        .join(PRESENCE, PRESENCE.c.player == PLAYERS.c.id)
        .where(MACHINES.c.house, PLAYERS.c.banned.is_(False), PRESENCE.c.seen > now - HOUSE_PRESENT)
        .order_by(PLAYERS.c.id)
        .limit(1)
    )
    row = c.execute(here).one_or_none()
    return None if row is None else (row.id, row.seen)


@dataclass(frozen=True, slots=True)
class SiteMachine:
    """A machine as the operator sees it."""

    player: Player
    seen: datetime
    revoked: bool


def create_machine(c: Connection, *, name: str, now: datetime) -> tuple[Player, str]:
    """A new machine, and its token, of which only a hash is stored. Raises `BadInput`, `NameTaken`."""
    player, token = create_machine_player(c, name=name, now=now), new_token()
    c.execute(insert(MACHINES).values(player=player.id, token_hash=hashed(token), house=False))
    return player, token


def of_the_house(c: Connection, name: str, now: datetime) -> Player:
    """The built-in machine, created if there is none. It has no token, so no one else can play for it.

    If another player has the name, a number is added to it.
    """
    house = (
        select(*FIELDS).join(MACHINES, MACHINES.c.player == PLAYERS.c.id).where(MACHINES.c.house, PLAYERS.c.left_at.is_(None))
    )
    row = c.execute(house.order_by(PLAYERS.c.created)).first()
    if row is not None:
        return read(row)
    for number in count(1):
        with suppress(NameTaken):
            player = create_machine_player(c, name=name if number == 1 else f"{name} {number}", now=now)
            c.execute(insert(MACHINES).values(player=player.id, token_hash=None, house=True))
            return player
    raise AssertionError


def machine_by_token(c: Connection, token: str, now: datetime) -> Player | None:
    """The machine of a token; None for a revoked token or a banned machine. Within `transaction`, the machine is also marked as
    present, which matching needs.
    """
    of = select(*FIELDS).join(MACHINES, MACHINES.c.player == PLAYERS.c.id).where(MACHINES.c.token_hash == hashed(token))
    row = c.execute(of.where(PLAYERS.c.banned.is_(False), PLAYERS.c.left_at.is_(None))).one_or_none()
    player = None if row is None else read(row)
    if player is not None and c.get_execution_options().get("writes"):
        seen(c, player, now)
    return player


def revoke(c: Connection, name: str) -> None:
    """Revoke the machine's token; its games expire, its rating stays. Raises `UnknownName`."""
    player = named_machine(c, name)
    c.execute(update(MACHINES).where(MACHINES.c.player == player).values(token_hash=None))
    c.execute(delete(QUEUE).where(QUEUE.c.player == player))


def renew_token(c: Connection, name: str) -> str:
    """A new token for a machine; the old one becomes invalid. Raises `UnknownName`."""
    player, token = named_machine(c, name), new_token()
    c.execute(update(MACHINES).where(MACHINES.c.player == player).values(token_hash=hashed(token)))
    return token


def machines(c: Connection) -> list[SiteMachine]:
    """All machines, by name."""
    columns = (*FIELDS, PRESENCE.c.seen, MACHINES.c.token_hash.is_(None) & ~MACHINES.c.house)
    rows = select(*columns).join(MACHINES, MACHINES.c.player == PLAYERS.c.id).join(PRESENCE, PRESENCE.c.player == PLAYERS.c.id)
    return [SiteMachine(read(row[:-2]), *row[-2:]) for row in c.execute(rows.order_by(PLAYERS.c.name_key))]


def named_machine(c: Connection, name: str) -> str:
    """The id of the machine of this name. Raises `UnknownName`."""
    query = select(PLAYERS.c.id).where(PLAYERS.c.name_key == key_of(name.strip()), PLAYERS.c.kind == "machine")
    player = c.execute(query).scalar_one_or_none() if name.isprintable() else None
    if player is None:
        raise UnknownName("machine", name, [machine.player.name for machine in machines(c)])
    return str(player)
