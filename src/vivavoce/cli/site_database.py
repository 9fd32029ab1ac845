"""The database of a site, for commands that look into it or write to it while the site runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

DATABASE = click.option(
    "--database",
    envvar="VIVA_WEB_DATABASE",
    show_envvar=True,
    required=True,
    metavar="FILE|URL",
    help="Of the site: a file (SQLite), or postgresql://...",
)
BASE_URL = click.option(
    "--base-url",
    envvar="VIVA_WEB_BASE_URL",
    show_envvar=True,
    default="http://127.0.0.1:8000",
    show_default=True,
    metavar="URL",
    help="The site's address as people type it.",
)


@contextmanager
def site_engine(database: str) -> Iterator[Engine]:
    """The database of a site, which must be there, for as long as it is needed.

    Raises `BadFile`, `BadInput`, `MissingExtra`.
    """
    from vivavoce.errors import BadFile, MissingExtra

    if "://" not in database and not Path(database).is_file():
        raise BadFile(database, "there is no such database; 'viva serve' makes one")
    try:
        from vivavoce.web.database import migrate, open_database
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "alembic").partition(".")[0], extra="web") from None
    engine = open_database(database)
    try:
        migrate(engine)
        yield engine
    finally:
        engine.dispose()


@contextmanager
def site_database(database: str, *, writes: bool = True) -> Iterator[Connection]:
    """A connection to the database of a site, which must be there; one that only reads keeps nobody waiting.

    Raises `BadFile`, `BadInput`, `MissingExtra`.
    """
    with site_engine(database) as engine:
        from vivavoce.web.database import reading, transaction

        with transaction(engine) if writes else reading(engine) as c:
            yield c
