"""`viva luna machine`: who may play through the interface for machines."""

from __future__ import annotations

import click

from vivavoce.cli import options
from vivavoce.cli.help import CommandGroup
from vivavoce.cli.output import print_json, say
from vivavoce.cli.site_database import DATABASE, site_database


@click.group(cls=CommandGroup)
def machine() -> None:
    """Issue and revoke the tokens of machines.

    \b
    viva luna machine add "My model" --database luna.sqlite > token.txt
    viva luna machine list --database luna.sqlite
    viva luna machine revoke "My model" --database luna.sqlite
    """


@machine.command()
@click.argument("name")
@DATABASE
@options.JSON
def add(name: str, database: str, as_json: bool) -> None:
    """Register a machine as NAME, and print its token once; only a hash of it is stored.

    A missing database is created, for 'viva serve'.
    """
    from datetime import UTC, datetime

    with site_database(database, make=True) as c:
        from vivavoce.web.store.machines import create_machine

        token = create_machine(c, name=name, now=datetime.now(UTC))[1]
    _print_token(name, token, as_json)


@machine.command()
@click.argument("name")
@DATABASE
@options.JSON
def renew(name: str, database: str, as_json: bool) -> None:
    """Print a new token for NAME, also after it was revoked; the old one no longer works."""
    with site_database(database) as c:
        from vivavoce.web.store.machines import renew_token

        token = renew_token(c, name)
    _print_token(name, token, as_json)


@machine.command()
@click.argument("name")
@DATABASE
@options.JSON
def revoke(name: str, database: str, as_json: bool) -> None:
    """Revoke the token of NAME at once; its rating and finished games stay."""
    with site_database(database) as c:
        from vivavoce.web.store import machines

        machines.revoke(c, name)
    say({"name": name, "revoked": True}, f"'{name}' may not play any more.", as_json, err=True)


@machine.command("list")
@DATABASE
@options.JSON
def list_machines(database: str, as_json: bool) -> None:
    """List machines: registered, last seen, rating, token revoked or not."""
    with site_database(database, writes=False) as c:
        from vivavoce.web.store.machines import machines
        from vivavoce.web.store.ratings import rating_of

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
        print_json(rows)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("machine", "since", "last seen", "rating", "guesses", "token")
    for one, rating, guesses in found:
        dates = (f"{moment:%Y-%m-%d %H:%M}" for moment in (one.player.created, one.seen))
        number = "none yet" if rating is None else f"{rating:.0f}"
        token = "revoked" if one.revoked else "valid"
        table.add_row(Text(one.player.name), *dates, number, str(guesses), token)
    Console().print(table)


def _print_token(name: str, token: str, as_json: bool) -> None:
    say({"name": name, "token": token}, token, as_json)
    click.echo(f"This is the token of '{name}'. It is not shown again: keep it in a file that only you can read.", err=True)
