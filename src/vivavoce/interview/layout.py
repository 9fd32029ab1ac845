"""The tables of a transcript, in the format of today and in the one before it."""

from __future__ import annotations

from dataclasses import dataclass, field
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
from vivavoce.interview.record import FIELDS_OF_FORMAT_1, RECORD_FIELDS, Key

FORMAT: Final = 2
"""Of a transcript that is begun: version of the tables and of what a digest covers."""

_WHOLE = BigInteger().with_variant(Integer, "sqlite")  # SQLite takes only INTEGER as the row's own number


def _records(tables: MetaData, *further: Column[str]) -> Table:
    return Table(
        "transcript_records",
        tables,
        Column("candidate", Text, nullable=False),
        Column("question_digest", Text, nullable=False),
        Column("draw", _WHOLE, nullable=False),
        Column("topic", Text, nullable=False),
        Column("question", Text, nullable=False),
        Column("answer", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("asked_at", Text, nullable=False),
        Column("seconds", Double, nullable=False),
        Column("tokens_in", _WHOLE, nullable=False),
        Column("tokens_out", _WHOLE, nullable=False),
        Column("money", Double, nullable=False),
        Column("seq", _WHOLE, primary_key=True, autoincrement=False),
        Column("previous", Text, nullable=False),
        Column("digest", Text, nullable=False),
        *further,
        UniqueConstraint("candidate", "question_digest", "draw"),
    )


def _head(tables: MetaData, *further: Column[Any]) -> Table:
    return Table(
        "transcript_head",
        tables,
        Column("format", Integer, primary_key=True, autoincrement=False),
        Column("count", _WHOLE, nullable=False),
        Column("digest", Text, nullable=False),
        *further,
    )


def _askings(tables: MetaData) -> Table:
    return Table(
        "transcript_askings",
        tables,
        Column("candidate", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("at", Text, nullable=False),
        Column("questions", Text, nullable=False),
        Column("keys", Text, nullable=False),
        Column("salt", Text, nullable=False),
        Column("seq", _WHOLE, primary_key=True, autoincrement=False),
        Column("previous", Text, nullable=False),
        Column("digest", Text, nullable=False),
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """The tables of one format, and what is asked of them."""

    format: int
    head: Table
    records: Table
    askings: Table | None
    """None in format 1."""
    find: Select[Any] = field(init=False)
    """The record of a key."""
    read: Select[Any] = field(init=False)
    """`size` records after the `last`."""
    read_askings: Select[Any] | None = field(init=False)
    names: tuple[str, ...] = field(init=False)
    """The fields of a record that are kept."""

    def __post_init__(self) -> None:
        # made once: to make a statement costs more than to carry it out
        names = FIELDS_OF_FORMAT_1 if self.askings is None else RECORD_FIELDS
        columns = [self.records.c[name] for name in names]
        keyed = [self.records.c[name] == bindparam(name) for name in Key._fields]
        askings = None if self.askings is None else _after(self.askings, [self.askings.c[name] for name in ROW_FIELDS])
        object.__setattr__(self, "find", select(*columns).where(*keyed))
        object.__setattr__(self, "read", _after(self.records, columns))
        object.__setattr__(self, "read_askings", askings)
        object.__setattr__(self, "names", names)

    @property
    def tables(self) -> tuple[Table, ...]:
        """All of them."""
        return (self.records, self.head) if self.askings is None else (self.records, self.head, self.askings)


def _after(table: Table, columns: list[Column[Any]]) -> Select[Any]:
    return select(*columns).where(table.c.seq > bindparam("last")).order_by(table.c.seq).limit(bindparam("size"))


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


_BEFORE, _TODAY = MetaData(), MetaData()
LAYOUTS: Final = {
    1: Layout(1, _head(_BEFORE), _records(_BEFORE), None),
    FORMAT: Layout(
        FORMAT,
        _head(_TODAY, Column("asked", _WHOLE, nullable=False), _text("asked_digest"), _text("secret")),
        _records(_TODAY, _text("question_salt"), _text("answer_salt"), _text("askings")),
        _askings(_TODAY),
    ),
}
"""By format. `transcript_head.secret` is what all salts are drawn from; it leaves the transcript never."""
