"""Mail that waits to be sent, written in the same transaction as what it tells of.

A mail is sent once, except where the sender dies between sending and saying so: then it is sent again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from vivavoce.web.store.keys import Purpose
from vivavoce.web.tables import OUTBOX

LEASE: Final = timedelta(minutes=5)
"""Time for a sender to say what became of a mail, before another may try."""
ATTEMPTS: Final = 8
"""With pauses of 5, 10, 20 ... minutes; then a mail is given up."""
_LONGEST_ERROR: Final = 500


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail to be sent."""

    id: int
    player: str | None
    """Whom it is for, to make the link by which they unsubscribe."""
    recipient: str = field(repr=False)
    subject: str
    body: str = field(repr=False)
    purpose: Purpose | None = None
    """Of the key that it brings, which is made when it leaves: so no key waits here for who reads the database."""


def add(
    c: Connection, to: str, subject: str, body: str, now: datetime, *, player: str | None = None, purpose: Purpose | None = None
) -> None:
    """Send this as soon as possible; what brings a key is written when it leaves."""
    mail = {"player": player, "recipient": to, "subject": subject, "body": body, "purpose": purpose}
    c.execute(insert(OUTBOX).values(mail | {"created": now, "due": now, "attempts": 0}))


def due(c: Connection, now: datetime, limit: int) -> list[Mail]:
    """Mails to be sent now. They are this sender's for five minutes: nobody else is given them meanwhile."""
    columns = (OUTBOX.c.id, OUTBOX.c.player, OUTBOX.c.recipient, OUTBOX.c.subject, OUTBOX.c.body, OUTBOX.c.purpose)
    waiting = select(*columns).where(OUTBOX.c.due <= now).order_by(OUTBOX.c.due, OUTBOX.c.id).limit(limit)
    mails = [Mail(*row) for row in c.execute(waiting.with_for_update(skip_locked=True))]
    taken = {"due": now + LEASE, "attempts": OUTBOX.c.attempts + 1}
    if mails:
        c.execute(update(OUTBOX).where(OUTBOX.c.id.in_([mail.id for mail in mails])).values(taken))
    return mails


def sent(c: Connection, id: int, now: datetime) -> None:  # noqa: A002  the name that its callers know
    """It has been sent; what it said and to which address is forgotten, and all of it if it was to bring a key."""
    _forget(c, id)
    c.execute(update(OUTBOX).where(OUTBOX.c.id == id).values(sent=now, due=None, error=None))


def failed(c: Connection, id: int, error: str, now: datetime, *, final: bool = False) -> None:  # noqa: A002  known by it
    """It could not be sent: try later, with longer and longer pauses; give up after eight attempts, or at once if `final`."""
    found = c.execute(select(OUTBOX.c.attempts, OUTBOX.c.recipient).where(OUTBOX.c.id == id, OUTBOX.c.sent.is_(None))).first()
    if found is None:
        return
    attempts, recipient = found
    later = None if final or attempts >= ATTEMPTS else now + LEASE * 2 ** (attempts - 1)
    if later is None:
        _forget(c, id)
    told = error.replace(recipient, "(the address)") if recipient else error  # servers repeat it
    plain = "".join(letter if letter.isprintable() else " " for letter in told[:_LONGEST_ERROR])
    c.execute(update(OUTBOX).where(OUTBOX.c.id == id).values(due=later, error=plain))


def _forget(c: Connection, given: int) -> None:
    """Of a mail that brings a key all, for it may have gone to a stranger; of others what was written, and to whom."""
    c.execute(delete(OUTBOX).where(OUTBOX.c.id == given, OUTBOX.c.purpose.is_not(None)))
    c.execute(update(OUTBOX).where(OUTBOX.c.id == given).values(recipient="", body=""))
