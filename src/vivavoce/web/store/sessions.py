"""Who is at the other end: sessions that can be revoked, known by a random token of which only the hash is kept."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from vivavoce.web.store.people import FIELDS, Player, read
from vivavoce.web.tables import PLAYERS, SESSIONS

LIFE: Final = timedelta(days=60)
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
    c.execute(insert(SESSIONS).values(token_hash=hashed(token), player=player.id, expires=now + LIFE))
    return token


def session_player(c: Connection, token: str, now: datetime) -> Player | None:
    """Whose session it is; None for one that is closed, has expired, or is of a player who has left or is banned."""
    of = select(*FIELDS).join(SESSIONS, SESSIONS.c.player == PLAYERS.c.id).where(SESSIONS.c.token_hash == hashed(token))
    row = c.execute(of.where(SESSIONS.c.expires > now, PLAYERS.c.left_at.is_(None), PLAYERS.c.banned.is_(False))).one_or_none()
    return None if row is None else read(row)


def renew_session(c: Connection, token: str, now: datetime) -> bool:
    """Let a session that is in use live on; returns whether anything was written, which is so once a day at most."""
    mine = (SESSIONS.c.token_hash == hashed(token), SESSIONS.c.expires > now)
    due = SESSIONS.c.expires <= now + LIFE - RENEW_EVERY
    return bool(c.execute(update(SESSIONS).where(*mine, due).values(expires=now + LIFE)).rowcount)


def close_session(c: Connection, token: str) -> None:
    """The token is worth nothing from now on."""
    c.execute(delete(SESSIONS).where(SESSIONS.c.token_hash == hashed(token)))


def close_all(c: Connection, player: Player) -> None:
    """All tokens of this player are worth nothing from now on."""
    c.execute(delete(SESSIONS).where(SESSIONS.c.player == player.id))


def forget_expired(c: Connection, now: datetime) -> int:
    """Delete the sessions that have expired; returns how many."""
    return c.execute(delete(SESSIONS).where(SESSIONS.c.expires <= now)).rowcount
