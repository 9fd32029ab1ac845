"""Secret tokens: sessions of signed-in players, and keys that are mailed."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from string import hexdigits
from typing import Final, Literal

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from vivavoce.web.store.people import AWAY, FIELDS, SEEN_EVERY, Player, read
from vivavoce.web.tables import KEYS, PLAYERS, PRESENCE, SESSIONS

SESSION_LIFE: Final = timedelta(days=60)
"""Lifetime of an unused session (silver2016, chapter 6)."""
RENEW_EVERY: Final = timedelta(days=1)

_MAY_PLAY = (SESSIONS.c.expires > bindparam("now"), PLAYERS.c.left_at.is_(None), PLAYERS.c.banned.is_(False))
_OF = select(*FIELDS).join(SESSIONS, SESSIONS.c.player == PLAYERS.c.id)
_PLAYER = _OF.where(SESSIONS.c.token_hash == bindparam("hash"), *_MAY_PLAY)
_OPEN = (
    select(SESSIONS.c.token_hash, PLAYERS.c.id, PLAYERS.c.changes, AWAY)
    .join(PLAYERS, PLAYERS.c.id == SESSIONS.c.player)
    .join(PRESENCE, PRESENCE.c.player == PLAYERS.c.id)
    .where(SESSIONS.c.token_hash.in_(bindparam("hashes", expanding=True)), *_MAY_PLAY)
)


def hashed(token: str) -> str:
    """The stored hash of a token; with 256 random bits, one round of SHA-256 is enough."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token() -> str:
    """A new random token."""
    return secrets.token_urlsafe(32)


def open_session(c: Connection, player: Player, now: datetime) -> str:
    """Open a session, and return its token."""
    token = new_token()
    c.execute(insert(SESSIONS).values(token_hash=hashed(token), player=player.id, expires=now + SESSION_LIFE))
    return token


def session_player(c: Connection, token: str, now: datetime) -> Player | None:
    """The player of a session; None if it is closed or expired, or the player has left or is banned."""
    row = c.execute(_PLAYER, {"hash": hashed(token), "now": now}).one_or_none()
    return None if row is None else read(row)


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session, and what an open page of its player waits for."""

    token_hash: str
    player: str
    changes: int
    is_away: bool
    """Whether the player has closed the last page, or was last seen half a minute ago."""


def open_sessions(c: Connection, hashes: Collection[str], now: datetime) -> list[OpenSession]:
    """Those of these sessions that `session_player` has a player for."""
    rows = c.execute(_OPEN, {"hashes": list(hashes), "now": now, "before": now - SEEN_EVERY})
    return [OpenSession(*row) for row in rows.all()]


def renew_session(c: Connection, token: str, now: datetime) -> bool:
    """Extend a session in use, at most once a day; return whether it was extended."""
    mine = (SESSIONS.c.token_hash == hashed(token), SESSIONS.c.expires > now)
    due = SESSIONS.c.expires <= now + SESSION_LIFE - RENEW_EVERY
    return bool(c.execute(update(SESSIONS).where(*mine, due).values(expires=now + SESSION_LIFE)).rowcount)


def close_session(c: Connection, token: str) -> None:
    """Invalidate the token."""
    c.execute(delete(SESSIONS).where(SESSIONS.c.token_hash == hashed(token)))


def close_sessions(c: Connection, player: Player) -> None:
    """Invalidate all tokens of this player."""
    c.execute(delete(SESSIONS).where(SESSIONS.c.player == player.id))


def forget_expired_sessions(c: Connection, now: datetime) -> int:
    """Delete expired sessions; return their number."""
    return c.execute(delete(SESSIONS).where(SESSIONS.c.expires <= now)).rowcount


Purpose = Literal["confirm", "reset"]

KEY_LIFE: Final[dict[Purpose, timedelta]] = {"confirm": timedelta(hours=24), "reset": timedelta(hours=1)}
KEY_TRIES: Final = 5
"""Wrong secrets after which a key is invalid."""
_ID: Final = 16
_LENGTH: Final = _ID + 64
"""Hexadecimal digits of a key; mail programs never cut them off at the end of a link."""


@dataclass(frozen=True, slots=True)
class MailedKey:
    """A valid key."""

    player: str
    address: str = field(repr=False)
    """The address that it was mailed to, and which it confirms."""


def new_key(c: Connection, purpose: Purpose, player: str, address: str, now: datetime) -> str:
    """Create a key; older keys remain valid."""
    key = secrets.token_hex(_LENGTH // 2)
    kept = {"id": key[:_ID], "secret_hash": hashed(key[_ID:]), "expires": now + KEY_LIFE[purpose], "tries": 0}
    c.execute(insert(KEYS).values(kept | {"player": player, "purpose": purpose, "address": address}))
    return key


def open_key(c: Connection, purpose: Purpose, key: str, now: datetime) -> MailedKey | None:
    """The key, if valid; None if it was used, has expired, has another purpose, or is wrong (which is counted)."""
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
    """Invalidate all keys of this player."""
    c.execute(delete(KEYS).where(KEYS.c.player == player))


def forget_expired_keys(c: Connection, now: datetime) -> int:
    """Delete expired keys; return their number."""
    return c.execute(delete(KEYS).where(KEYS.c.expires <= now)).rowcount
