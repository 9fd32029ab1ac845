"""What is asked of the tables of a transcript, as a driver takes it; made once, since making costs more than carrying out."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sqlalchemy import ClauseElement, Dialect, Select, Table, bindparam, func, insert, literal_column, or_, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from vivavoce.interview.layout import ASKINGS, FIND, HEAD, READ, READ_ASKINGS, RECORDS, TABLES
from vivavoce.interview.record import Key, canonical_json


class Statements(NamedTuple):
    """For one kind of database; both drivers take values by name."""

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


MOVED: Final = ("count", "digest", "asked", "asked_digest")
"""Columns of the head that move with what is written."""
_MADE: Final[dict[str, Statements]] = {}


def statements_for(dialect: Dialect) -> Statements:
    """The statements in the words of this kind of database."""
    kind = dialect.name
    if kind not in _MADE:
        _MADE[kind] = _made(sqlite.dialect(paramstyle="named") if kind == "sqlite" else dialect)
    return _MADE[kind]


def records_of(candidate: str | None, topic: str | None) -> Select[Any]:
    """A page of the records of one candidate, or at and under one topic."""
    query, columns = READ, RECORDS.c
    if candidate is not None:
        query = query.where(columns.candidate == candidate)
    if topic is not None:
        under = topic.rstrip("/") + "/"
        query = query.where(or_(columns.topic == topic, func.substr(columns.topic, 1, len(under)) == under))
    return query


def in_other_words(entry: Key, *, topic: str, id: str) -> Select[Any]:  # noqa: A002 -- the prompt's own word
    """A record of a question of this id at this topic, under another key."""
    columns = RECORDS.c
    return (
        select(columns.draw)
        .where(columns.candidate == entry.candidate, columns.topic == topic)
        .where(columns.question_digest != entry.question_digest)
        .where(columns.question.contains(f'"id":{canonical_json(id)},', autoescape=True))
        .limit(1)
    )


def _made(dialect: Dialect) -> Statements:
    def text(statement: ClauseElement) -> str:
        return str(statement.compile(dialect=dialect))

    return Statements(
        create=tuple(text(CreateTable(table, if_not_exists=True)) for table in TABLES),
        add_head=text(insert(HEAD)),
        read_head=text(select(HEAD)),
        lock_head=text(select(HEAD).with_for_update()),
        move_head=text(update(HEAD).values({name: bindparam(f"new_{name}") for name in MOVED})),
        add=text(insert(RECORDS)),
        add_askings=text(insert(ASKINGS)),
        find=text(FIND),
        read=text(_page(READ)),
        read_askings=text(_page(READ_ASKINGS)),
        beyond=text(_beyond(RECORDS, "count")),
        askings_beyond=text(_beyond(ASKINGS, "asked")),
    )


def _page(query: Select[Any]) -> Select[Any]:
    """The query with its end written out, which would be a further value for SQLite."""
    return query.offset(literal_column("0"))


def _beyond(table: Table, count: str) -> Select[Any]:
    last = select(func.max(table.c.seq)).scalar_subquery()
    return select(last).where(last > HEAD.c[count])
