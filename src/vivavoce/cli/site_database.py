"""The database of a site, for commands that look into it or write to it while the site runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sqlalchemy import Connection

DATABASE = click.option(
    "--database",
    envvar="VIVA_WEB_DATABASE",
    show_envvar=True,
    required=True,
    metavar="FILE|URL",
    help="Of the site: a file (SQLite), or postgresql://...",
)


@contextmanager
def site_database(database: str, *, writes: bool = True) -> Iterator[Connection]:
    """A connection to the database of a site, which must be there; one that only reads keeps nobody waiting.

    Raises `BadFile`, `BadInput`, `MissingExtra`.
    """
    from vivavoce.errors import BadFile, MissingExtra

    if "://" not in database and not Path(database).is_file():
        raise BadFile(database, "there is no such database; 'viva serve' makes one")
    try:
        from vivavoce.web.database import migrate, open_database, reading, transaction
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "alembic").partition(".")[0], extra="web") from None
    engine = open_database(database)
    try:
        migrate(engine)
        with transaction(engine) if writes else reading(engine) as c:
            yield c
    finally:
        engine.dispose()
