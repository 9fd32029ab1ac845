"""Secret tokens: sessions of signed-in players, and keys that are mailed."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from string import hexdigits
from typing import Final, Literal

from sqlalchemy import Connection, delete, insert, select, update

from vivavoce.web.store.people import FIELDS, Player, read
from vivavoce.web.tables import KEYS, PLAYERS, SESSIONS

SESSION_LIFE: Final = timedelta(days=60)
"""Of a session that is not used (silver2016, chapter 6)."""
RENEW_EVERY: Final = timedelta(days=1)


def hashed(token: str) -> str:
    """What is kept of a token. It has 256 random bits, so that one round of SHA-256 is enough."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def open_session(c: Connection, player: Player, now: datetime) -> str:
    """The token of a new session, which is known to nobody else."""
    token = new_token()
    c.execute(insert(SESSIONS).values(token_hash=hashed(token), player=player.id, expires=now + SESSION_LIFE))
    return token


def session_player(c: Connection, token: str, now: datetime) -> Player | None:
    """Whose session it is; None for one that is closed, has expired, or is of a player who has left or is banned."""
    of = select(*FIELDS).join(SESSIONS, SESSIONS.c.player == PLAYERS.c.id).where(SESSIONS.c.token_hash == hashed(token))
    row = c.execute(of.where(SESSIONS.c.expires > now, PLAYERS.c.left_at.is_(None), PLAYERS.c.banned.is_(False))).one_or_none()
    return None if row is None else read(row)


def renew_session(c: Connection, token: str, now: datetime) -> bool:
    """Let a session that is in use live on; returns whether anything was written, which is so once a day at most."""
    mine = (SESSIONS.c.token_hash == hashed(token), SESSIONS.c.expires > now)
    due = SESSIONS.c.expires <= now + SESSION_LIFE - RENEW_EVERY
    return bool(c.execute(update(SESSIONS).where(*mine, due).values(expires=now + SESSION_LIFE)).rowcount)


def close_session(c: Connection, token: str) -> None:
    """The token is worth nothing from now on."""
    c.execute(delete(SESSIONS).where(SESSIONS.c.token_hash == hashed(token)))


def close_sessions(c: Connection, player: Player) -> None:
    """All tokens of this player are worth nothing from now on."""
    c.execute(delete(SESSIONS).where(SESSIONS.c.player == player.id))


def forget_expired_sessions(c: Connection, now: datetime) -> int:
    """Delete the sessions that have expired; returns how many."""
    return c.execute(delete(SESSIONS).where(SESSIONS.c.expires <= now)).rowcount


Purpose = Literal["confirm", "reset"]

KEY_LIFE: Final[dict[Purpose, timedelta]] = {"confirm": timedelta(hours=24), "reset": timedelta(hours=1)}
KEY_TRIES: Final = 5
"""Wrong secrets after which a key is worth nothing."""
_ID: Final = 16
_LENGTH: Final = _ID + 64
"""Of a key, in hexadecimal digits: no mail program takes its end for the end of a sentence."""


@dataclass(frozen=True, slots=True)
class MailedKey:
    """What is known of a key that opens something."""

    player: str
    address: str = field(repr=False)
    """To which it was mailed: that is what it proves."""


def new_key(c: Connection, purpose: Purpose, player: str, address: str, now: datetime) -> str:
    """A new key, which is known to nobody else; older ones go on to hold."""
    key = secrets.token_hex(_LENGTH // 2)
    kept = {"id": key[:_ID], "secret_hash": hashed(key[_ID:]), "expires": now + KEY_LIFE[purpose], "tries": 0}
    c.execute(insert(KEYS).values(kept | {"player": player, "purpose": purpose, "address": address}))
    return key


def open_key(c: Connection, purpose: Purpose, key: str, now: datetime) -> MailedKey | None:
    """What a key opens; None for one that was used, has expired, is for something else, or is wrong, which is counted."""
    if len(key) != _LENGTH or not set(key) <= set(hexdigits):
        return None
    columns = (KEYS.c.player, KEYS.c.address, KEYS.c.secret_hash)
    holds = (KEYS.c.id == key[:_ID], KEYS.c.purpose == purpose, KEYS.c.expires > now, KEYS.c.tries < KEY_TRIES)
    row = c.execute(select(*columns).where(*holds).with_for_update()).one_or_none()
    if row is None:
        return None
    if not hmac.compare_digest(row.secret_hash, hashed(key[_ID:])):
        c.execute(update(KEYS).where(KEYS.c.id == key[:_ID]).values(tries=KEYS.c.tries + 1))
        return None
    return MailedKey(row.player, row.address)


def forget_keys(c: Connection, player: str) -> None:
    """All keys of this player are worth nothing from now on."""
    c.execute(delete(KEYS).where(KEYS.c.player == player))


def forget_expired_keys(c: Connection, now: datetime) -> int:
    """Delete the keys that have expired; returns how many."""
    return c.execute(delete(KEYS).where(KEYS.c.expires <= now)).rowcount
