"""Databases with their tables, which are made once: a file that is copied, and a schema that is emptied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Engine, MetaData, Table, insert, select

from tests.postgres import fresh_schema
from vivavoce.web.database import migrate, open_database, reading, transaction


@cache
def made_file() -> bytes:
    """What a file of SQLite's holds in which the tables were made, and nothing else."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "site.sqlite"
        engine = open_database(file)
        migrate(engine)
        engine.dispose()
        return file.read_bytes()


def put_tables(file: Path) -> Path:
    """Make this file a database with its tables, as the site would have made it."""
    file.touch(mode=0o600, exist_ok=False)
    file.write_bytes(made_file())
    return file


@dataclass(frozen=True, slots=True)
class KeptSchema:
    """A schema on PostgreSQL that is as good as new after each `empty`; tables must stay what they are."""

    address: str
    engine: Engine
    tables: Sequence[Table]
    """Those that others point to come first."""
    rows: dict[Table, list[dict[str, Any]]]
    """What a new database holds."""
    numbered: Sequence[str]
    """Names of what counts rows."""

    def empty(self) -> None:
        """Make it as it was when its tables were new."""
        names = [table.name for table in reversed(self.tables)]
        held = f"LOCK TABLE {', '.join(names)}"  # what a process was killed over may still be on its way
        emptied = [held, *(f"DELETE FROM {name}" for name in names)]
        counted = [f"ALTER SEQUENCE {name} RESTART" for name in self.numbered]
        with transaction(self.engine) as c:
            c.exec_driver_sql("; ".join(emptied + counted))
            for table, rows in self.rows.items():
                c.execute(insert(table), rows)


@contextmanager
def kept_schema(postgres_server: str) -> Iterator[KeptSchema]:
    """A schema with its tables."""
    address = fresh_schema(postgres_server)
    engine = open_database(address)
    migrate(engine)
    data = MetaData()
    with reading(engine) as c:
        data.reflect(c)
        rows = {table: [dict(row) for row in c.execute(select(table)).mappings()] for table in data.sorted_tables}
        counted = c.exec_driver_sql("SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema()")
        numbered = [str(name) for name in counted.scalars()]
    yield KeptSchema(address, engine, data.sorted_tables, {table: kept for table, kept in rows.items() if kept}, numbered)
    engine.dispose()
