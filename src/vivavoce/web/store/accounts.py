"""Accounts: the address, confirmed by a mailed key, and the password."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, select, update

from vivavoce.errors import BadInput
from vivavoce.web.store import mails, people
from vivavoce.web.store.moves import end_games_of
from vivavoce.web.store.people import LEFT, NOTHING_WRITTEN, Player, close_sessions
from vivavoce.web.store.site import alone, lock_players
from vivavoce.web.tables import DRAFTS, KEYS, MACHINES, OUTBOX, PLAYERS, QUEUE, REPORTS, SEATS, SESSIONS


def ask_to_confirm(c: Connection, player: Player, now: datetime) -> bool:
    """Mail a key to the address that the player has yet to confirm; returns whether there is one."""
    if player.to_confirm is None:
        return False
    mails.add(c, player.to_confirm, "", "", now, player=player.id, purpose="confirm")
    return True


def ask_for_reset(c: Connection, email: str, now: datetime) -> None:
    """Mail a key for a new password to this address, if an account has it. That is checked only when the mail is sent: this
    function does the same for every address. Raises `BadInput` for an invalid address.
    """
    mails.add(c, people.checked_email(email), "", "", now, purpose="reset")


def want_address(c: Connection, player: Player, email: str) -> Player:
    """Change the player's address, pending its confirmation; the current address cancels a change. Raises `BadInput`. It is not
    revealed before the confirmation whether another account has the address.
    """
    email = people.checked_email(email)
    wanted = None if email == player.email else email
    number = c.execute(update(PLAYERS).where(*_account(player)).values(new_email=wanted)).rowcount
    changed = people.player(c, player.id)
    if not number or changed is None:
        raise BadInput("only an account has an address")
    return changed


def address_of(c: Connection, key: str, now: datetime) -> tuple[Player, str] | None:
    """The player and address that a key confirms; None for an invalid key."""
    mailed_key = people.open_key(c, "confirm", key, now)
    player = None if mailed_key is None else people.player(c, mailed_key.player)
    return (player, mailed_key.address) if mailed_key and player and player.may_confirm(mailed_key.address) else None


def confirm(c: Connection, key: str, now: datetime) -> Player | None:
    """Confirm an address with a mailed key; None for an invalid key. All keys of the player become invalid.

    Raises `NameTaken` if another account has the address.
    """
    alone(c)
    address = address_of(c, key, now)
    if address is None:
        return None
    player, email = address
    values = {"email": email, "email_confirmed": now, "new_email": None if email == player.new_email else player.new_email}
    with people.unless_taken(c, values):
        c.execute(update(PLAYERS).where(PLAYERS.c.id == player.id).values(values))
    people.forget_keys(c, player.id)
    return people.player(c, player.id)


def resets(c: Connection, key: str, now: datetime) -> Player | None:
    """The player whose password a key can set; None for an invalid key."""
    mailed_key = people.open_key(c, "reset", key, now)
    player = None if mailed_key is None else people.player(c, mailed_key.player)
    if mailed_key is None or player is None or player.banned:
        return None
    return player if player.email_confirmed is not None and player.email == mailed_key.address else None


def reset_password(c: Connection, key: str, password_hash: str, now: datetime) -> Player | None:
    """Set a forgotten password with a mailed key; None for an invalid key. All sessions of the player end, and all keys become
    invalid.
    """
    alone(c)
    player = resets(c, key, now)
    if player is not None:
        _set(c, player, password_hash)
    return player


def change_password(c: Connection, player: Player, old_hash: str, password_hash: str) -> bool:
    """Set another password; returns whether the old one was still valid. All sessions of the player end, and all keys become
    invalid.
    """
    alone(c)
    known = is_still(c, player, old_hash)
    if known:
        _set(c, player, password_hash)
    return known


def password_of(c: Connection, player: Player) -> str | None:
    """The hash of an account's password; None without an account."""
    return c.execute(select(PLAYERS.c.password_hash).where(PLAYERS.c.id == player.id)).scalar_one_or_none()


def is_still(c: Connection, player: Player, password_hash: str) -> bool:
    """Whether this is the hash of the player's password; it can't change until the transaction ends."""
    lock_players(c, {player.id})
    return password_of(c, player) == password_hash


def _set(c: Connection, player: Player, password_hash: str) -> None:
    # an intruder with the old password may have requested their own address
    c.execute(update(PLAYERS).where(*_account(player)).values(password_hash=password_hash, new_email=None))
    close_sessions(c, player)
    people.forget_keys(c, player.id)


def _account(player: Player) -> tuple[ColumnElement[bool], ...]:
    return (PLAYERS.c.id == player.id, PLAYERS.c.kind == "account", PLAYERS.c.left_at.is_(None))


def delete_player(c: Connection, player: Player, now: datetime) -> None:
    """Withdrawal: delete a player's texts and identity.

    Deletes name, address, password, consent, questions, answers, sliders, judgements, drafts, reports, mail, keys and
    sessions; games in play end. Numbers stay: the guesses that others
    received, because their ratings depend on them, and the guesses that this player received, now without a name.
    """
    mine = player.id
    alone(c)
    end_games_of(c, mine, "left", now)
    for table, column in (
        (SESSIONS, SESSIONS.c.player), (DRAFTS, DRAFTS.c.player), (QUEUE, QUEUE.c.player), (OUTBOX, OUTBOX.c.player),
        (MACHINES, MACHINES.c.player), (REPORTS, REPORTS.c.reporter),
    ):  # fmt: skip
        c.execute(delete(table).where(column == mine))
    c.execute(delete(OUTBOX).where(OUTBOX.c.recipient.in_([name for name in (player.email, player.new_email) if name])))
    c.execute(update(SEATS).where(SEATS.c.player == mine).values(NOTHING_WRITTEN))
    known = ("name_key", "email", "email_confirmed", "new_email", "password_hash", "consent", "consented")
    unknown = dict.fromkeys(known) | {"name": LEFT, "left_at": now, "mail_on_turn": False}
    c.execute(update(PLAYERS).where(PLAYERS.c.id == mine).values(unknown))
    c.execute(delete(KEYS).where(KEYS.c.player == mine))  # last: no mail is made for a player without an address
