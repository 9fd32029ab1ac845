"""Keys that are mailed: each opens one thing, once, for a while. Of its secret only a hash is kept.

A key has an id, by which it is found, and a secret. Wrong secrets are counted, and after a few the key opens nothing any more.
A user of a key is `alone`, so that it cannot be used twice at once.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from string import hexdigits
from typing import Final, Literal

from sqlalchemy import Connection, delete, insert, select, update

from vivavoce.web.store.sessions import hashed
from vivavoce.web.tables import KEYS

Purpose = Literal["confirm", "reset"]

LIFE: Final[dict[Purpose, timedelta]] = {"confirm": timedelta(hours=24), "reset": timedelta(hours=1)}
TRIES: Final = 5
"""Wrong secrets after which a key is worth nothing."""
_ID: Final = 16
_LENGTH: Final = _ID + 64
"""Of a key, in hexadecimal digits: no mail program takes its end for the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of a key that opens something."""

    player: str
    address: str = field(repr=False)
    """To which it was mailed: that is what it proves."""


def make(c: Connection, purpose: Purpose, player: str, address: str, now: datetime) -> str:
    """A new key, which is known to nobody else; older ones go on to hold."""
    key = secrets.token_hex(_LENGTH // 2)
    kept = {"id": key[:_ID], "secret_hash": hashed(key[_ID:]), "expires": now + LIFE[purpose], "tries": 0}
    c.execute(insert(KEYS).values(kept | {"player": player, "purpose": purpose, "address": address}))
    return key


def look(c: Connection, purpose: Purpose, key: str, now: datetime) -> Key | None:
    """What a key opens; None for one that was used, has expired, is for something else, or is wrong, which is counted."""
    if len(key) != _LENGTH or not set(key) <= set(hexdigits):
        return None
    columns = (KEYS.c.player, KEYS.c.address, KEYS.c.secret_hash)
    holds = (KEYS.c.id == key[:_ID], KEYS.c.purpose == purpose, KEYS.c.expires > now, KEYS.c.tries < TRIES)
    row = c.execute(select(*columns).where(*holds).with_for_update()).one_or_none()
    if row is None:
        return None
    if not hmac.compare_digest(row.secret_hash, hashed(key[_ID:])):
        c.execute(update(KEYS).where(KEYS.c.id == key[:_ID]).values(tries=KEYS.c.tries + 1))
        return None
    return Key(row.player, row.address)


def forget(c: Connection, player: str) -> None:
    """All keys of this player are worth nothing from now on."""
    c.execute(delete(KEYS).where(KEYS.c.player == player))


def forget_expired(c: Connection, now: datetime) -> int:
    """Delete the keys that have expired; returns how many."""
    return c.execute(delete(KEYS).where(KEYS.c.expires <= now)).rowcount
