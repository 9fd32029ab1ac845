"""Whether the database of a transcript is as it was made, and holds no more than its head says.

What hangs on a table can make it answer otherwise. Each check tells what is wrong in a clause, and nothing where nothing is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from sqlalchemy import Connection, Table, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from vivavoce.interview.layout import TABLES
from vivavoce.interview.statements import statements_for
from vivavoce.interview.storage import carry_out

_SQLITE: Final = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_POSTGRES: Final = text(
    "SELECT c.relkind, c.relrowsecurity, c.relhasrules, c.relhassubclass, "
    "EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) "
    "FROM pg_class c WHERE c.oid = to_regclass(:name)"
)
_POSTGRES_COLUMNS: Final = text(
    "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef OR a.attgenerated <> '', "
    "a.attcollation NOT IN (0, 'pg_catalog.default'::regcollation) "
    "FROM pg_attribute a WHERE a.attrelid = to_regclass(:name) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
)
_POSTGRES_KEYS: Final = text(
    "SELECT count(*) FROM pg_constraint WHERE conrelid = to_regclass(:name) AND contype IN ('p', 'u') AND convalidated"
)


def altered_tables(connection: Connection) -> str:
    """Whether its tables, which are there, are as they were made.

    A trigger, a view, a rule or another collation could change an answer after it was checked, or hide it from a search.
    """
    local = connection.dialect.name == "sqlite"
    problem = next(_of_sqlite(connection) if local else _of_postgres(connection), "")
    return f"its tables were altered: {problem}" if problem else ""


def beyond_head(connection: Connection) -> str:
    """Whether there is more than the head says."""
    statements = statements_for(connection.dialect)
    for beyond, what in ((statements.beyond, "record"), (statements.askings_beyond, "asking")):
        # one statement sees one moment, no matter who is writing
        for (seq,) in carry_out(connection, beyond).fetchall():
            return f"it has more {what}s than its head says, such as {what} {seq}"
    return ""


def broken_file(connection: Connection) -> str:
    """SQLite's own check: damage where no record lies, such as an index that would not find one."""
    problem = str(connection.execute(text("PRAGMA integrity_check(1)")).scalar_one())
    return "" if problem == "ok" else f"the file's structure is broken ({' '.join(problem.split())})"


def _of_sqlite(connection: Connection) -> Iterator[str]:
    expected = {table.name: _definition(table) for table in TABLES}
    for kind, name, table, sql in carry_out(connection, _SQLITE).fetchall():
        if kind in ("trigger", "view"):
            yield f"there is a {kind} '{name}'"
        elif kind == "index" and table in expected and sql is not None:
            yield f"there is an index '{name}' on {table}"
        elif kind == "table" and name in expected and _plain(sql or "") != expected[name]:
            yield f"{name} is defined otherwise"


@cache
def _definition(table: Table) -> str:
    """How it was made in SQLite."""
    return _plain(str(CreateTable(table).compile(dialect=sqlite.dialect())))


def _plain(sql: str) -> str:
    """A definition without line breaks, which say nothing."""
    return " ".join(sql.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split())


def _of_postgres(connection: Connection) -> Iterator[str]:
    for table in TABLES:
        name = {"name": table.name}
        kind, guarded, ruled, inherited, triggered = connection.execute(_POSTGRES, name).one()
        if kind not in ("r", b"r") or guarded or ruled or inherited or triggered:
            yield f"{table.name} is no plain table: it has a trigger, a rule, a policy or a table under it"
        found = [tuple(row) for row in connection.execute(_POSTGRES_COLUMNS, name)]
        wanted = [
            (column.name, str(column.type.compile(connection.dialect)).lower(), not column.nullable, False, False)
            for column in table.columns
        ]
        if found != wanted:
            yield f"{table.name} is defined otherwise"
        keys = 1 + sum(1 for constraint in table.constraints if "unique" in type(constraint).__name__.lower())
        if connection.execute(_POSTGRES_KEYS, name).scalar_one() != keys:
            yield f"{table.name} is defined otherwise: a key is missing"
