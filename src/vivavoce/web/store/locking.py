"""Who waits for whom: always the lock of the queue first, then games, then players in the order of their ids.

Locks that are taken in that one order never deadlock. SQLite needs none of this: its writers take turns.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, select, update

from vivavoce.web.tables import LOCKS, PLAYERS


def alone(c: Connection) -> None:
    """Be the only one who pairs players, or ends several games, until the transaction ends."""
    c.execute(select(LOCKS.c.name).where(LOCKS.c.name == "queue").with_for_update())


def lock_players(c: Connection, players: Collection[str]) -> None:
    """Be the only one who changes these players, and what their ratings rest on, until the transaction ends."""
    # without key_share, a game that begins with one of them would wait too
    rows = select(PLAYERS.c.id).where(PLAYERS.c.id.in_(players)).order_by(PLAYERS.c.id)
    c.execute(rows.with_for_update(key_share=True)).all()


def changed(c: Connection, players: Collection[str]) -> None:
    """Tell the pages of these players that there is something new; they must be locked."""
    c.execute(update(PLAYERS).where(PLAYERS.c.id.in_(players)).values(changes=PLAYERS.c.changes + 1))
