"""Access to a site's database, for commands that read or change it while the site runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli import options
from vivavoce.cli.endings import needs_extra
from vivavoce.errors import BadFile

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


def database_option(*, required: bool) -> Callable[[options.Command], options.Command]:
    """The option `--database`."""
    return click.option(
        "--database",
        envvar="VIVA_WEB_DATABASE",
        show_envvar=True,
        required=required,
        metavar="FILE|URL",
        help="The site's database: a file (SQLite), or postgresql://...",
    )


DATABASE = database_option(required=True)
BASE_URL = click.option(
    "--base-url",
    envvar="VIVA_WEB_BASE_URL",
    show_envvar=True,
    metavar="URL",
    help="Public address of the site. [default: the last one served]",
)


@contextmanager
def _site_engine(database: str, *, writes: bool = True, make: bool = False) -> Iterator[Engine]:
    """Open a site's database; `make` creates a missing one.

    writes: if False, nothing is written, and the tables must have this version.

    Raises `BadFile`, `BadInput`, `MissingExtra`.
    """
    if not make and "://" not in database and not Path(database).is_file():
        raise BadFile(database, "there is no such database: 'viva luna serve' makes one")
    with needs_extra("web", "alembic"):
        from vivavoce.web.database import check_tables, migrate, open_database, opened_to_read
    if not make:
        with opened_to_read(database) as engine:
            check_tables(engine, of_any_version=writes)
            if not writes:
                yield engine
                return
    engine = open_database(database)
    try:
        migrate(engine)
        yield engine
    finally:
        engine.dispose()


@contextmanager
def site_database(database: str, *, writes: bool = True, make: bool = False) -> Iterator[Connection]:
    """A connection to a site's database; `make` creates a missing one. Reading blocks no other process.

    Raises `BadFile`, `BadInput`, `MissingExtra`.
    """
    with _site_engine(database, writes=writes, make=make) as engine:
        from vivavoce.web.database import reading, transaction

        with transaction(engine) if writes else reading(engine) as c:
            yield c


def site_address(c: Connection, given: str | None) -> str:
    """The site's address for links: the given one, the last one served, or the default."""
    from vivavoce.web.settings import DEFAULT_ADDRESS
    from vivavoce.web.store.site import last_address

    return (given or last_address(c) or DEFAULT_ADDRESS).rstrip("/")
