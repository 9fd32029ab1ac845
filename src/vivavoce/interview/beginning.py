"""How a transcript is begun: its tables, made by one of all who come at once."""

from __future__ import annotations

import secrets
from typing import Any, Final

from sqlalchemy import Engine, func, insert, select

from vivavoce.interview.layout import FORMAT, LAYOUTS
from vivavoce.interview.record import GENESIS
from vivavoce.interview.write_ahead import use_write_ahead_log

_CREATION_LOCK: Final = 7_226_519  # any number, the same in every process


def begin(engine: Engine, *, patience: float) -> None:
    """Make the tables; of several processes that come at once, one does. It waits so many seconds for others."""
    sqlite = engine.dialect.name == "sqlite"
    if sqlite:
        _switch_to_wal(engine, patience)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if not sqlite:
            connection.execute(select(func.pg_advisory_xact_lock(_CREATION_LOCK)))
        layout = LAYOUTS[FORMAT]
        layout.head.metadata.create_all(connection)
        if connection.execute(select(layout.head.c.count)).first() is None:
            first = {"format": FORMAT, "count": 0, "digest": GENESIS, "asked": 0, "asked_digest": GENESIS}
            connection.execute(insert(layout.head).values(**first, secret=secrets.token_hex(32)))


def _switch_to_wal(engine: Engine, patience: float) -> None:
    raw: Any = engine.raw_connection()
    try:
        use_write_ahead_log(raw.driver_connection, seconds=patience)
    finally:
        raw.close()
