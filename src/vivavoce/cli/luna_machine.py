"""`viva luna machine`: who may play through the interface for machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from sqlalchemy import Connection

_DATABASE = click.option(
    "--database",
    envvar="VIVA_WEB_DATABASE",
    show_envvar=True,
    required=True,
    metavar="FILE|URL",
    help="Of the site: a file (SQLite), or postgresql://...",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")


@click.group()
def machine() -> None:
    """Give machines their tokens, and take them away.

    \b
    viva luna machine add "My model" --database luna.sqlite > token.txt
    viva luna machine list --database luna.sqlite
    viva luna machine revoke "My model" --database luna.sqlite

    \b
    Exit codes: 0 done, 2 bad input, such as a name that is taken or not there.
    """


@machine.command()
@click.argument("name")
@_DATABASE
@_JSON
def add(name: str, database: str, as_json: bool) -> None:
    """Let a machine play under NAME, and print its token: once, since only a hash of it is kept."""
    from datetime import UTC, datetime

    from vivavoce.web.store.machines import create_machine

    _print_token(name, database, as_json, lambda c: create_machine(c, name=name, now=datetime.now(UTC))[1])


@machine.command()
@click.argument("name")
@_DATABASE
@_JSON
def renew(name: str, database: str, as_json: bool) -> None:
    """Print a new token for NAME, also after it was revoked; the old one is worth nothing from then on."""
    from vivavoce.web.store.machines import renew_token

    _print_token(name, database, as_json, lambda c: renew_token(c, name))


@machine.command()
@click.argument("name")
@_DATABASE
def revoke(name: str, database: str) -> None:
    """Take the token away from NAME at once; its rating and its finished games stay."""
    from vivavoce.web.store import machines

    with _writing(database) as c:
        machines.revoke(c, name)
    click.echo(f"'{name}' may not play any more.", err=True)


@machine.command("list")
@_DATABASE
@_JSON
def list_machines(database: str, as_json: bool) -> None:
    """All machines: since when, last seen, rating, and whether the token was revoked."""
    from vivavoce.web.store.machines import machines
    from vivavoce.web.store.ratings import rating_of

    with _writing(database) as c:
        found = [(one, *rating_of(c, one.player.id)) for one in machines(c)]
    if as_json:
        rows = [
            {
                "name": one.player.name,
                "created": one.player.created.isoformat(),
                "seen": one.seen.isoformat(),
                "revoked": one.revoked,
                "rating": rating,
                "guesses": guesses,
            }
            for one, rating, guesses in found
        ]
        click.echo(json.dumps(rows, allow_nan=False))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("machine", "since", "last seen", "rating", "guesses", "token")
    for one, rating, guesses in found:
        dates = (f"{moment:%Y-%m-%d %H:%M}" for moment in (one.player.created, one.seen))
        number = "none yet" if rating is None else f"{rating:.0f}"
        table.add_row(Text(one.player.name), *dates, number, str(guesses), "revoked" if one.revoked else "valid")
    Console().print(table)


def _print_token(name: str, database: str, as_json: bool, make: Callable[[Connection], str]) -> None:
    with _writing(database) as c:
        token = make(c)
    click.echo(json.dumps({"name": name, "token": token}) if as_json else token)
    click.echo(f"This is the token of '{name}'. It is not shown again: keep it in a file that only you can read.", err=True)


@contextmanager
def _writing(database: str) -> Iterator[Any]:
    """A transaction in the site's database, whose tables are made where they are not there yet."""
    from vivavoce.errors import MissingExtra

    try:
        from vivavoce.web.database import migrate, open_database, transaction
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "alembic").partition(".")[0], extra="web") from None
    engine = open_database(database)
    try:
        migrate(engine)
        with transaction(engine) as c:
            yield c
    finally:
        engine.dispose()
