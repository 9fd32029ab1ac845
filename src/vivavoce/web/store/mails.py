"""Mails to players: their texts, and the queue of mails to be sent."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from sqlalchemy import Connection, delete, insert, select, update

from vivavoce.luna.settings import GameTerms
from vivavoce.web.store import people
from vivavoce.web.store.people import FIELDS, Player, Purpose
from vivavoce.web.tables import OUTBOX, PLAYERS

LEASE: Final = timedelta(minutes=5)
"""Time for a sender to report the outcome of a mail, before another may try."""
ATTEMPTS: Final = 8
"""Attempts, with pauses of 5, 10, 20 ... minutes; then a mail is given up."""
_LONGEST_ERROR: Final = 500


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail to be sent."""

    id: int
    player: str | None
    """The player that it is for, for the link by which they unsubscribe."""
    recipient: str = field(repr=False)
    subject: str
    body: str = field(repr=False)
    purpose: Purpose | None = None
    """Purpose of the key in the mail. The key is made when the mail is sent, so none is stored here."""


def add(
    c: Connection, to: str, subject: str, body: str, now: datetime, *, player: str | None = None, purpose: Purpose | None = None
) -> None:
    """Send this as soon as possible; a mail with a key is written when it is sent."""
    mail = {"player": player, "recipient": to, "subject": subject, "body": body, "purpose": purpose}
    c.execute(insert(OUTBOX).values(mail | {"created": now, "due": now, "attempts": 0}))


def due(c: Connection, now: datetime, limit: int) -> list[Mail]:
    """Mails to be sent now, reserved for this sender for five minutes."""
    columns = (OUTBOX.c.id, OUTBOX.c.player, OUTBOX.c.recipient, OUTBOX.c.subject, OUTBOX.c.body, OUTBOX.c.purpose)
    waiting = select(*columns).where(OUTBOX.c.due <= now).order_by(OUTBOX.c.due, OUTBOX.c.id).limit(limit)
    mails = [Mail(*row) for row in c.execute(waiting.with_for_update(skip_locked=True))]
    taken = {"due": now + LEASE, "attempts": OUTBOX.c.attempts + 1}
    if mails:
        c.execute(update(OUTBOX).where(OUTBOX.c.id.in_([mail.id for mail in mails])).values(taken))
    return mails


def sent(c: Connection, id: int, now: datetime) -> None:  # noqa: A002  the name that its callers know
    """Mark a mail as sent; its text and address are deleted, and all of it if it contained a key."""
    _forget(c, id)
    c.execute(update(OUTBOX).where(OUTBOX.c.id == id).values(sent=now, due=None, error=None))


def failed(c: Connection, id: int, error: str, now: datetime, *, final: bool = False) -> None:  # noqa: A002  known by it
    """Mark a mail as failed: retry with growing pauses; give up after eight attempts, or at once if `final`."""
    first = c.execute(select(OUTBOX.c.attempts, OUTBOX.c.recipient).where(OUTBOX.c.id == id, OUTBOX.c.sent.is_(None))).first()
    if first is None:
        return
    attempts, recipient = first
    later = None if final or attempts >= ATTEMPTS else now + LEASE * 2 ** (attempts - 1)
    if later is None:
        _forget(c, id)
    text = error.replace(recipient, "(the address)") if recipient else error  # servers repeat it
    plain = "".join(letter if letter.isprintable() else " " for letter in text[:_LONGEST_ERROR])
    c.execute(update(OUTBOX).where(OUTBOX.c.id == id).values(due=later, error=plain))


def _forget(c: Connection, given: int) -> None:
    """Delete text and address of a mail; delete a mail with a key entirely, because it may have gone to a stranger."""
    c.execute(delete(OUTBOX).where(OUTBOX.c.id == given, OUTBOX.c.purpose.is_not(None)))
    c.execute(update(OUTBOX).where(OUTBOX.c.id == given).values(recipient="", body=""))


Occasion = Literal["begun", "turn", "over", "ended", "taken over"]

CONFIRM: Final = "/account/address/confirm"
"""The page on which an address is confirmed."""
RESET: Final = "/password/new"
"""The page on which a new password is set."""
TAKEN_OVER: Final = "The other player has left. A machine now plays for them"
_SAID: Final[dict[Occasion, tuple[str, str]]] = {
    "begun": ("A game has started", "You have an opponent. Ask your {questions} here:"),
    "turn": ("It is your turn", "The other player has made a move, and now it is your turn:"),
    "over": ("Your game is over", "Both of you have guessed. See how it ended:"),
    "ended": ("Your game has ended", ""),
    "taken over": ("The other player has left", f"{TAKEN_OVER}:"),
}
_CONFIRM: Final = (
    "Confirm your address",
    "This address was given for an account at {site}. If it was you, open this page within 24 hours and press the button "
    "there:",
    "If it was not you, do nothing: you will get no mail about games.",
)
_CONFIRM_FIRST: Final = (
    "Confirm your address first",
    "A password reset was requested for the account with this address at {site}. The address was never confirmed. If the "
    "account is yours, open this page within 24 hours, press the button there, and then request a new password again:",
    "If it was not you, do nothing.",
)
_RESET: Final = (
    "A new password",
    "A password reset was requested for the account with this address at {site}. If it was you, open this "
    "page within an hour and choose a new one:",
    "If it was not you, do nothing: the password stays the same.",
)


def letter(occasion: Occasion, game: str, terms: GameTerms, words: str = "") -> tuple[str, str]:
    """Subject and body.

    Parameters
    ----------
    words: why a game has ended without a result.

    >>> letter("turn", "7", GameTerms())[0]
    'It is your turn'
    """
    subject, sentence = _SAID[occasion]
    if occasion == "ended":
        return subject, f"{words}, so the game has no result, and no rating has changed.\n\n{{site}}/games/{game}\n"
    text = sentence.format(questions="question" if terms.questions == 1 else terms.questions_in_words)
    ends = f"This game ends if one of its parts takes longer than {terms.time_in_words}."
    return subject, f"{text}\n\n{{site}}/games/{game}\n\n{ends}\n"


def prepared(c: Connection, mail: Mail, now: datetime) -> Mail | None:
    """The mail to send, with a new key if it needs one; None if it is obsolete.

    Its player may have left, stopped mail, or changed the address. An unconfirmed address gets a key to confirm it instead of
    one for a new password.
    """
    if mail.purpose is None:
        return mail if mail.player is None or _is_told(people.player(c, mail.player), mail.recipient) else None
    holder = _holder(c, mail)
    if holder is None or holder.banned:
        return None
    if holder.may_confirm(mail.recipient):
        key = people.new_key(c, "confirm", holder.id, mail.recipient, now)
        return _with_key(mail, _CONFIRM if mail.purpose == "confirm" else _CONFIRM_FIRST, f"{{site}}{CONFIRM}?key={key}")
    if mail.purpose == "reset" and mail.recipient == holder.email:
        return _with_key(mail, _RESET, f"{{site}}{RESET}?key={people.new_key(c, 'reset', holder.id, mail.recipient, now)}")
    return None


def _is_told(player: Player | None, recipient: str) -> bool:
    return player is not None and player.told_by_mail and not player.banned and player.email == recipient


def _holder(c: Connection, mail: Mail) -> Player | None:
    """The account of the mail; it can't leave before the transaction ends."""
    whose = PLAYERS.c.email == mail.recipient if mail.player is None else PLAYERS.c.id == mail.player
    row = c.execute(select(*FIELDS).where(whose, PLAYERS.c.left_at.is_(None)).with_for_update(read=True, key_share=True))
    holder = row.one_or_none()
    return None if holder is None else people.read(holder)


def _with_key(mail: Mail, pair: tuple[str, str, str], link: str) -> Mail:
    subject, before, after = pair
    return replace(mail, player=None, subject=subject, body=f"{before}\n\n{link}\n\n{after}\n")
