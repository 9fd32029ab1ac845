"""What tables are made of. Texts of players are kept as JSON: no character that somebody types can be refused by a database."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import CheckConstraint, Column, DateTime, Dialect, ForeignKey, MetaData, Text, TypeDecorator


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite keeps it without its zone, and it comes back with it."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without its zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Written(TypeDecorator[Any]):
    """Lists, mappings and texts as JSON in ASCII letters."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


NAMES: Final = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "ix": "ix_%(table_name)s_%(column_0_name)s",
}
TABLES: Final = MetaData(naming_convention=NAMES)


def refers(name: str, table: str, **more: Any) -> Column[str]:
    """A column with the id of a row of another table."""
    return Column(name, Text, ForeignKey(f"{table}.id"), **more)


def one_of(name: str, *values: str | int) -> CheckConstraint:
    """That a column has one of these values."""
    return CheckConstraint(f"{name} IN ({', '.join(map(repr, values))})", name=name)
