"""Whether the machine of the house is here: it plays whoever finds nobody else, and in place of who has left."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, select

from vivavoce.web.tables import MACHINES, PLAYERS, PRESENCE

HOUSE_PRESENT: Final = timedelta(seconds=75)
"""The machine of the house is here as long as a server process that plays for it was so lately."""


def house_seen(c: Connection, now: datetime) -> tuple[str, datetime] | None:
    """The id of the machine of the house, and when it was here last; None if it is not."""
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
