"""The tables of a transcript, and the queries that read them."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    MetaData,
    Select,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    select,
)

from vivavoce.interview.askings import ROW_FIELDS
from vivavoce.interview.record import RECORD_FIELDS, Key

FORMAT: Final = 3
"""Version of the tables and of what a digest covers."""

_WHOLE = BigInteger().with_variant(Integer, "sqlite")  # SQLite takes only INTEGER as the row's own number


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


METADATA: Final = MetaData()
RECORDS: Final = Table(
    "transcript_records",
    METADATA,
    _text("candidate"),
    _text("question_digest"),
    Column("draw", _WHOLE, nullable=False),
    _text("topic"),
    _text("question"),
    _text("answer"),
    _text("kind"),
    _text("asked_at"),
    Column("seconds", Double, nullable=False),
    Column("tokens_in", _WHOLE, nullable=False),
    Column("tokens_out", _WHOLE, nullable=False),
    Column("money", Double, nullable=False),
    Column("seq", _WHOLE, primary_key=True, autoincrement=False),
    _text("previous"),
    _text("digest"),
    _text("askings"),
    UniqueConstraint("candidate", "question_digest", "draw"),
)
HEAD: Final = Table(
    "transcript_head",
    METADATA,
    Column("format", Integer, primary_key=True, autoincrement=False),
    Column("count", _WHOLE, nullable=False),
    _text("digest"),
    Column("asked", _WHOLE, nullable=False),
    _text("asked_digest"),
)
"""One row."""
ASKINGS: Final = Table(
    "transcript_askings",
    METADATA,
    _text("candidate"),
    _text("kind"),
    _text("at"),
    _text("keys"),
    Column("seq", _WHOLE, primary_key=True, autoincrement=False),
    _text("previous"),
    _text("digest"),
)
TABLES: Final = (RECORDS, HEAD, ASKINGS)


def _after(table: Table, names: tuple[str, ...]) -> Select[Any]:
    columns = [table.c[name] for name in names]
    return select(*columns).where(table.c.seq > bindparam("last")).order_by(table.c.seq).limit(bindparam("size"))


# made once: to make a query costs more than to carry it out
FIND: Final = select(*(RECORDS.c[name] for name in RECORD_FIELDS)).where(
    *(RECORDS.c[name] == bindparam(name) for name in Key._fields)
)
"""The record of a key."""
READ: Final = _after(RECORDS, RECORD_FIELDS)
"""`size` records after the `last`."""
READ_ASKINGS: Final = _after(ASKINGS, ROW_FIELDS)
