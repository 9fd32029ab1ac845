"""Site-wide locks, and the address of the site.

The lock of the queue always comes first, then games, then players in the order of their ids, so locks never deadlock. SQLite
needs none of this, since its writers take turns, and its rows are not locked. The module is small because all modules that
write import it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, bindparam, insert, select, update

from vivavoce.web.tables import LOCKS, PLAYERS, SITE

_QUEUE: Final = select(LOCKS.c.name).where(LOCKS.c.name == "queue").with_for_update()
_CHANGED: Final = update(PLAYERS).where(PLAYERS.c.id == bindparam("of")).values(changes=PLAYERS.c.changes + 1)


def locks_rows(c: Connection) -> bool:
    """Whether writers lock the rows that they change; otherwise they take turns."""
    return c.dialect.name != "sqlite"


def alone(c: Connection) -> None:
    """Lock the queue: only this transaction pairs players or ends several games."""
    if locks_rows(c):
        c.execute(_QUEUE)


def lock_players(c: Connection, players: Collection[str]) -> None:
    """Lock these players and their ratings until the transaction ends."""
    if not locks_rows(c):
        return
    # without key_share, a new game with one of them would wait, too
    rows = select(PLAYERS.c.id).where(PLAYERS.c.id.in_(players)).order_by(PLAYERS.c.id)
    c.execute(rows.with_for_update(key_share=True)).all()


def changed(c: Connection, players: Collection[str]) -> None:
    """Notify the pages of these players, which must be locked, of a change."""
    for player in players:
        c.execute(_CHANGED, {"of": player})


_ROW: Final = "site"


def remember_address(c: Connection, address: str) -> None:
    """Save the address of the site."""
    alone(c)
    if not c.execute(update(SITE).where(SITE.c.name == _ROW).values(address=address)).rowcount:
        c.execute(insert(SITE).values(name=_ROW, address=address))


def last_address(c: Connection) -> str | None:
    """The last address of the site; None if it was never served."""
    address: str | None = c.execute(select(SITE.c.address).where(SITE.c.name == _ROW)).scalar()
    return address
