"""Players, both people and machines: identity, presence, consent, and secret tokens for sessions and mailed keys."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from string import hexdigits
from typing import Any, Final, Literal

from sqlalchemy import Connection, Row, bindparam, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import BadInput
from vivavoce.web.tables import KEYS, PLAYERS, PRESENCE, SESSIONS

Kind = Literal["guest", "account", "machine"]

LONGEST_NAME: Final = 40
LONGEST_EMAIL: Final = 254
"""Most characters of an e-mail address, by RFC 5321."""
SEEN_EVERY: Final = timedelta(seconds=30)
"""Precision of the time when a player was last seen."""
LEFT: Final = "Former player"
"""Name of all players who have deleted their account."""
_RESERVED: Final = ("guest", "former player")
NOTHING_WRITTEN: Final = dict.fromkeys(("questions", "answers", "sliders", "thinks_human", "confidence"))
"""Fields of a seat that are deleted when its player leaves; guesses stay, since ratings of others depend on them."""
_ANIMALS: Final = (
    "badger", "bear", "beaver", "bison", "camel", "crane", "deer", "dolphin", "eagle", "falcon", "ferret", "finch", "fox",
    "gecko", "goose", "hare", "hedgehog", "heron", "horse", "ibex", "jackdaw", "kestrel", "kingfisher", "lark", "lemur", "lion",
    "llama", "lynx", "magpie", "marmot", "marten", "mole", "moose", "newt", "otter", "owl", "panda", "pelican", "penguin",
    "puffin", "rabbit", "raven", "robin", "salmon", "seal", "sparrow", "squirrel", "starling", "stork", "swallow", "swan",
    "tern", "tiger", "toad", "trout", "turtle", "walrus", "weasel", "whale", "wolf", "wombat", "wren", "yak", "zebra",
)  # fmt: skip
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Player:
    """A player: a guest, an account or a machine."""

    id: str
    """Random; never shown to other players."""
    kind: Kind
    name: str
    email: str | None = field(repr=False)
    created: datetime
    consent: str | None
    """The consent version; None for machines."""
    machines_may_step_in: bool
    seat_may_be_taken: bool
    """Whether a machine may play on when one of the two leaves a game."""
    mail_on_turn: bool
    banned: bool
    email_confirmed: datetime | None
    new_email: str | None = field(repr=False)
    """Replaces `email` once confirmed."""

    @property
    def told_by_mail(self) -> bool:
        """Whether this player gets mail about games."""
        return self.mail_on_turn and self.email_confirmed is not None

    @property
    def to_confirm(self) -> str | None:
        """The unconfirmed address, if any."""
        return self.new_email or (self.email if self.email_confirmed is None else None)

    def may_confirm(self, address: str) -> bool:
        """Whether the address is unconfirmed, both a first and a new one."""
        return address == self.new_email or (address == self.email and self.email_confirmed is None)

    @property
    def human(self) -> bool:
        """Whether a guess of this player counts."""
        return self.kind != "machine"


AWAY: Final = or_(PRESENCE.c.seen <= bindparam("before"), PRESENCE.c.closed.is_not(None))
"""Whether a player has closed the last page, or was last seen before a time."""
_ANY_AWAY = select(PRESENCE.c.player).where(AWAY).with_for_update(skip_locked=True)
_IS_AWAY = _ANY_AWAY.where(PRESENCE.c.player == bindparam("of"))
_AWAY_AMONG = _ANY_AWAY.where(PRESENCE.c.player.in_(bindparam("of", expanding=True)))
_SEEN = update(PRESENCE).where(PRESENCE.c.player.in_(bindparam("of", expanding=True))).values(seen=bindparam("at"), closed=None)
FIELDS: Final = [PLAYERS.c[name] for name in Player.__dataclass_fields__]
"""The columns of a `Player`, in its order."""


class NameTaken(BadInput):
    """Another player has the name or address."""

    def __init__(self, what: Literal["name", "address"]) -> None:
        super().__init__(f"this {what} is taken: choose another")
        self.what = what


def create_guest(c: Connection, *, consent_version: str, now: datetime) -> Player:
    """Create a player without an account, with a generated name."""
    name = f"Guest of {now.day} {_MONTHS[now.month - 1]}, {secrets.choice(_ANIMALS)}"
    return _create(c, "guest", {"name": name, "consent": consent_version, "consented": now}, now)


def create_account(c: Connection, *, name: str, email: str, password_hash: str, consent_version: str, now: datetime) -> Player:
    """Create an account. Raises `BadInput`, `NameTaken`."""
    values = _account(name, email, password_hash) | {"consent": consent_version, "consented": now}
    return _create(c, "account", values, now)


def create_machine_player(c: Connection, *, name: str, now: datetime) -> Player:
    """The player that a machine is. Raises `BadInput`, `NameTaken`."""
    name = checked_name(name)
    return _create(c, "machine", {"name": name, "name_key": key_of(name)}, now)


def upgrade_guest(c: Connection, guest: Player, *, name: str, email: str, password_hash: str) -> Player:
    """The guest with an account; games and rating are kept. Raises `BadInput` (also for who is no guest), `NameTaken`."""
    values = _account(name, email, password_hash) | {"kind": "account", "mail_on_turn": True}
    mine = (PLAYERS.c.id == guest.id, PLAYERS.c.kind == "guest", PLAYERS.c.left_at.is_(None))
    with unless_taken(c, values):
        number = c.execute(update(PLAYERS).where(*mine).values(values)).rowcount
    upgraded = player(c, guest.id)
    if not number or upgraded is None:
        raise BadInput("only a guest can get an account")
    return upgraded


def player(c: Connection, given: str) -> Player | None:
    """The player with this id, or None, also if they have left."""
    if not is_id(given):
        return None
    row = c.execute(select(*FIELDS).where(PLAYERS.c.id == given, PLAYERS.c.left_at.is_(None))).one_or_none()
    return None if row is None else read(row)


def by_email(c: Connection, email: str) -> tuple[Player, str] | None:
    """The account with this address, and the hash of its password; None without one."""
    try:
        email = checked_email(email)
    except BadInput:
        return None
    row = c.execute(select(*FIELDS, PLAYERS.c.password_hash).where(PLAYERS.c.email == email)).one_or_none()
    return None if row is None else (read(row[:-1]), str(row[-1]))


def change_settings(
    c: Connection, player: Player, *, machines_may_step_in: bool, mail_on_turn: bool, seat_may_be_taken: bool = False
) -> None:
    """Change a player's settings."""
    wanted = {
        "machines_may_step_in": machines_may_step_in, "mail_on_turn": mail_on_turn, "seat_may_be_taken": seat_may_be_taken,
    }  # fmt: skip
    c.execute(update(PLAYERS).where(PLAYERS.c.id == player.id).values(wanted))


def agree(c: Connection, player: Player, *, consent_version: str, now: datetime) -> None:
    """Record a player's consent to a newer version."""
    c.execute(update(PLAYERS).where(PLAYERS.c.id == player.id).values(consent=consent_version, consented=now))


def seen(c: Connection, player: Player, now: datetime) -> bool:
    """Record that a player is present, at most every half a minute; returns whether anything was written. A player who had left
    the page is present again at once. The update never waits and never blocks, so it may come anywhere in a transaction.
    """
    away = c.execute(_IS_AWAY, {"of": player.id, "before": now - SEEN_EVERY}).first() is not None
    return away and bool(all_seen(c, (player.id,), now))


def all_seen(c: Connection, players: Collection[str], now: datetime) -> int:
    """Record that these players are present, as `seen` does; returns for how many anything was written."""
    away = c.execute(_AWAY_AMONG, {"of": list(players), "before": now - SEEN_EVERY}).scalars().all()
    if away:
        c.execute(_SEEN, {"of": away, "at": now})
    return len(away)


def has_gone(c: Connection, player: Player) -> bool:
    """Whether the player has closed the last page."""
    gone = select(PRESENCE.c.player).where(PRESENCE.c.player == player.id, PRESENCE.c.closed.is_not(None))
    return c.execute(gone).first() is not None


def page_closed(c: Connection, player_id: str, at: datetime) -> None:
    """Record that a player has closed the last page, until they are seen again."""
    c.execute(update(PRESENCE).where(PRESENCE.c.player == player_id).values(closed=at))


def checked_name(name: str) -> str:
    """The name as it is stored, without spaces around it. Raises `BadInput`.

    >>> checked_name("  Ada ")
    'Ada'
    """
    name = " ".join(unicodedata.normalize("NFC", name[: 10 * LONGEST_NAME]).split())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise BadInput(f"the name is empty, too long or not printable: give 1 to {LONGEST_NAME} printable characters")
    if key_of(name).startswith(_RESERVED):
        raise BadInput("this name is reserved: choose another")
    return name


def checked_email(email: str) -> str:
    """The address as it is stored, in lower case. Raises `BadInput`, without repeating it.

    >>> checked_email("Ada@Example.org")
    'ada@example.org'
    """
    email = email.strip().lower()  # not cut: a cut would map many addresses to one, and limits count by it
    user, at, host = email.rpartition("@")
    plain = email.isascii() and email.isprintable() and not set(email) & set(' ,;:<>()[]\\"')
    if not (plain and user and at and "." in host.strip(".") and "@" not in user and len(email) <= LONGEST_EMAIL):
        raise BadInput("the mail address must have the form NAME@HOST")
    return email


def key_of(name: str) -> str:
    """The key by which names are compared, without case and letter forms.

    >>> key_of("ＡＤＡ") == key_of("ada")
    True
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def is_id(text: str) -> bool:
    """Whether this can be the id of anything; addresses may contain anything."""
    return 0 < len(text) <= 64 and text.isascii() and text.isalnum()


def new_id() -> str:
    """An id that cannot be guessed."""
    return secrets.token_hex(16)


def read(row: Row[Any] | tuple[Any, ...]) -> Player:
    """The player in a row of `FIELDS`."""
    return Player(*row)


def _account(name: str, email: str, password_hash: str) -> dict[str, Any]:
    name = checked_name(name)
    return {"name": name, "name_key": key_of(name), "email": checked_email(email), "password_hash": password_hash}


def _create(c: Connection, kind: Kind, values: dict[str, Any], now: datetime) -> Player:
    fresh: dict[str, Any] = {
        "id": new_id(), "kind": kind, "created": now, "machines_may_step_in": True,
        "mail_on_turn": kind == "account", "banned": False, "changes": 0,
        "seat_may_be_taken": False,
    }  # fmt: skip
    with unless_taken(c, values):
        c.execute(insert(PLAYERS).values(fresh | values))
        c.execute(insert(PRESENCE).values(player=fresh["id"], seen=now))
    created = player(c, fresh["id"])
    assert created is not None
    return created


@contextmanager
def unless_taken(c: Connection, values: dict[str, Any]) -> Iterator[None]:
    """Write a value that only one player may have. Raises `NameTaken`; the transaction continues."""
    try:
        with c.begin_nested():
            yield
    except IntegrityError:
        same_name = select(PLAYERS.c.id).where(PLAYERS.c.name_key == values.get("name_key", ""))
        raise NameTaken("name" if c.execute(same_name).first() else "address") from None


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
