"""Versions of machines: a game belongs to the last version that was released before it began."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, insert, select

from vivavoce.errors import BadInput, UnknownName
from vivavoce.luna.rules import rating
from vivavoce.web.store.locking import lock_players
from vivavoce.web.store.machines import named_machine
from vivavoce.web.store.people import key_of
from vivavoce.web.store.ratings import interval_of
from vivavoce.web.tables import GAMES, MACHINE_VERSIONS, PLAYERS, SEATS

FIRST: Final = "1"
"""The version of a machine of which none was ever released, since it was made."""
LONGEST: Final = 40
"""Characters of a version's name."""
MOST: Final = 1_000
"""Versions of one machine."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a machine."""

    name: str
    released: datetime


@dataclass(frozen=True, slots=True)
class GuessOfMachine:
    """What a person guessed of a machine in a finished game; voided guesses are none."""

    game: str
    guesser: str
    version: str
    guess: float


@dataclass(frozen=True, slots=True)
class VersionStanding:
    """A version of a machine, and what people guessed of it."""

    name: str
    released: datetime
    rating: float | None
    interval: tuple[float, float] | None
    """95%, by Student's t; None for fewer than two guesses."""
    guesses: int


def release(c: Connection, machine: str, version: str, now: datetime) -> tuple[Version, ...]:
    """From now on a machine plays as this version; all its versions, oldest first.

    Games in play stay with the version in which they began. Raises `UnknownName`, and `BadInput` for a name that this machine
    has had, or that cannot be one.
    """
    player, name = named_machine(c, machine), checked_version(version)
    lock_players(c, (player,))
    known = versions(c, (player,))[player]
    if key_of(name) in {key_of(one.name) for one in known}:
        raise BadInput(f"'{machine}' has a version '{name}' already: choose another name")
    if len(known) >= MOST:
        raise BadInput(f"'{machine}' has {MOST} versions: no machine has more")
    if now <= known[-1].released:
        raise BadInput(f"version '{known[-1].name}' was released at this moment or later: set the clock right")
    new = Version(name, now)
    kept = set(c.execute(select(MACHINE_VERSIONS.c.version).where(MACHINE_VERSIONS.c.player == player)).scalars())
    rows = [one for one in (*known, new) if one.name not in kept]
    c.execute(insert(MACHINE_VERSIONS), [{"player": player, "version": one.name, "released": one.released} for one in rows])
    return (*known, new)


def versions(c: Connection, players: Sequence[str] | None = None) -> Mapping[str, tuple[Version, ...]]:
    """The versions of each machine, oldest first; of these players, or of all machines. Others than machines have none."""
    which = PLAYERS.c.kind == "machine"
    if players is not None:
        which &= PLAYERS.c.id.in_(list(players))
    made = {row.id: row.created for row in c.execute(select(PLAYERS.c.id, PLAYERS.c.created).where(which))}
    rows = select(MACHINE_VERSIONS).join(PLAYERS, PLAYERS.c.id == MACHINE_VERSIONS.c.player).where(which)
    found: dict[str, list[Version]] = {player: [] for player in made}
    for row in c.execute(rows.order_by(MACHINE_VERSIONS.c.released, MACHINE_VERSIONS.c.version)):
        found[row.player].append(Version(row.version, row.released))
    return {player: tuple(known) or (Version(FIRST, made[player]),) for player, known in found.items()}


def version_at(known: Sequence[Version], moment: datetime) -> str:
    """The name of the version that played in a game which began then.

    known: all of a machine, oldest first.

    >>> from datetime import UTC
    >>> two = Version("1", datetime(2026, 1, 1, tzinfo=UTC)), Version("2", datetime(2026, 2, 1, tzinfo=UTC))
    >>> version_at(two, datetime(2026, 1, 31, tzinfo=UTC)), version_at(two, datetime(2026, 2, 1, tzinfo=UTC))
    ('1', '2')
    """
    return next((one.name for one in reversed(known) if one.released <= moment), known[0].name)


def guesses_of_machine(c: Connection, player: str) -> list[GuessOfMachine]:
    """What people guessed of a machine in finished games, oldest first, by version; without voided guesses."""
    known = versions(c, (player,))[player]
    columns = (SEATS.c.game, SEATS.c.opponent, GAMES.c.begun, SEATS.c.received)
    counted = (SEATS.c.finished.is_not(None), SEATS.c.received_from_human.is_(True), SEATS.c.voided.is_(None))
    rows = select(*columns).join(GAMES, GAMES.c.id == SEATS.c.game).where(SEATS.c.player == player, *counted)
    ordered = c.execute(rows.order_by(SEATS.c.finished, SEATS.c.game))
    return [GuessOfMachine(row.game, row.opponent, version_at(known, row.begun), row.received) for row in ordered]


def standings(c: Connection, player: str) -> tuple[VersionStanding, ...]:
    """What people guessed of each version of a machine, oldest first; nothing for a person."""
    known = versions(c, (player,)).get(player, ())
    guesses = guesses_of_machine(c, player) if known else []
    found = []
    for version in known:
        own = [one.guess for one in guesses if one.version == version.name]
        mean = rating(own)
        interval = None if mean is None else interval_of(mean, len(own), sum((guess - 50) ** 2 for guess in own))
        found.append(VersionStanding(version.name, version.released, mean, interval, len(own)))
    return tuple(found)


def known_version(known: Sequence[Version], name: str) -> str:
    """The version of this name, in whatever letters it is written. Raises `UnknownName`."""
    found = next((one.name for one in known if key_of(one.name) == key_of(name.strip())), None)
    if found is None:
        raise UnknownName("version", name, [one.name for one in known])
    return found


def checked_version(name: str) -> str:
    """The name as it is kept, without spaces around it. Raises `BadInput`.

    >>> checked_version(" 2  (fine-tuned) ")
    '2 (fine-tuned)'
    """
    name = " ".join(unicodedata.normalize("NFC", name[: 10 * LONGEST]).split())
    if not 1 <= len(name) <= LONGEST or not name.isprintable():
        raise BadInput(f"a version's name has 1 to {LONGEST} letters that can be printed")
    return name
