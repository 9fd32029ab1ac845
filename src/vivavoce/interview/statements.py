"""What is asked of the tables of a transcript, as a driver takes it; made once, since making costs more than carrying out."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sqlalchemy import ClauseElement, Dialect, Select, Table, bindparam, func, insert, literal_column, or_, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from vivavoce.interview.layout import Layout
from vivavoce.interview.record import Key, canonical_json


class Statements(NamedTuple):
    """For one format and one kind of database; both drivers take values by name. Those about askings are empty in format 1."""

    create: tuple[str, ...]
    """The tables, but for those that are there."""
    add_head: str
    read_head: str
    lock_head: str
    move_head: str
    """To `new_count` and `new_digest`, and for askings to `new_asked` and `new_asked_digest`."""
    add: str
    """Records."""
    add_askings: str
    find: str
    """The record of a key."""
    read: str
    """`size` records after the `last`."""
    read_askings: str
    beyond: str
    """The number of the last record where the head says that there are fewer."""
    askings_beyond: str


_MADE: Final[dict[tuple[int, str], Statements]] = {}


def statements_for(layout: Layout, dialect: Dialect) -> Statements:
    """What is asked of the tables of this format in a database of this kind."""
    kind = layout.format, dialect.name
    if kind not in _MADE:
        _MADE[kind] = _made(layout, sqlite.dialect(paramstyle="named") if dialect.name == "sqlite" else dialect)
    return _MADE[kind]


def records_of(layout: Layout, candidate: str | None, topic: str | None) -> Select[Any]:
    """A page of the records of one candidate, or at and under one topic."""
    query, columns = layout.read, layout.records.c
    if candidate is not None:
        query = query.where(columns.candidate == candidate)
    if topic is not None:
        under = topic.rstrip("/") + "/"
        query = query.where(or_(columns.topic == topic, func.substr(columns.topic, 1, len(under)) == under))
    return query


def in_other_words(layout: Layout, entry: Key, *, topic: str, id: str) -> Select[Any]:  # noqa: A002 -- the prompt's own word
    """A record of a question of this id at this topic, under another key."""
    columns = layout.records.c
    return (
        select(columns.draw)
        .where(columns.candidate == entry.candidate, columns.topic == topic)
        .where(columns.question_digest != entry.question_digest)
        .where(columns.question.contains(f'"id":{canonical_json(id)},', autoescape=True))
        .limit(1)
    )


def _made(layout: Layout, dialect: Dialect) -> Statements:
    def text(statement: ClauseElement | None) -> str:
        return "" if statement is None else str(statement.compile(dialect=dialect))

    head, records, askings = layout.head, layout.records, layout.askings
    moved = ["count", "digest"] if askings is None else ["count", "digest", "asked", "asked_digest"]
    return Statements(
        create=tuple(text(CreateTable(table, if_not_exists=True)) for table in head.metadata.sorted_tables),
        add_head=text(insert(head)),
        read_head=text(select(head)),
        lock_head=text(select(head).with_for_update()),
        move_head=text(update(head).values({name: bindparam(f"new_{name}") for name in moved})),
        add=text(insert(records)),
        add_askings=text(None if askings is None else insert(askings)),
        find=text(layout.find),
        read=text(_page(layout.read)),
        read_askings=text(None if layout.read_askings is None else _page(layout.read_askings)),
        beyond=text(_beyond(records, head, "count")),
        askings_beyond=text(None if askings is None else _beyond(askings, head, "asked")),
    )


def _page(query: Select[Any]) -> Select[Any]:
    """The query with its end written out, which would be a further value for SQLite."""
    return query.offset(literal_column("0"))


def _beyond(table: Table, head: Table, count: str) -> Select[Any]:
    last = select(func.max(table.c.seq)).scalar_subquery()
    return select(last).where(last > head.c[count])
