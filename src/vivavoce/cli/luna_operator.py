"""`viva luna export`, `stats`, `reports`, `hide`, `ban`, `pardon`, `backup`: what an operator does with a site's database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from vivavoce.cli.pages import check_page, write_finding

if TYPE_CHECKING:
    from sqlalchemy import Connection

FILE = click.Path(dir_okay=False, path_type=Path)
SHOWN = 2_000
"""Characters of a reported text in the terminal."""
_DATABASE = click.option(
    "--database",
    envvar="VIVA_WEB_DATABASE",
    show_envvar=True,
    required=True,
    metavar="FILE|URL",
    help="Of the site: a file (SQLite), or postgresql://...",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")


@click.command()
@_DATABASE
@click.option(
    "--out", "folder", type=click.Path(file_okay=False, path_type=Path), required=True, metavar="FOLDER", help="New, or empty."
)
@click.option(
    "--salt-file",
    type=FILE,
    metavar="FILE",
    help="Keeps what pseudonyms are made with (made if it is not there), so that the next export has the same ones. Guard it: "
    "with it and the database, pseudonyms can be told apart.",
)
@_JSON
def export(database: str, folder: Path, salt_file: Path | None, as_json: bool) -> None:
    """Write finished games for researchers: CSV, JSON and a codebook, without names.

    \b
    viva luna export --database luna.sqlite --out luna-2026-06

    Only games of which both players have agreed to the release, and neither has left. Without --salt-file nobody, the operator
    included, can tell later whose pseudonym is whose.

    \b
    Exit codes: 0 done, 2 bad input, such as a folder that is not empty.
    """
    import secrets
    from datetime import UTC, datetime

    with _opened(database, writes=False) as c:
        from vivavoce.web.release import write_release
        from vivavoce.web.settings import kept_secret
        from vivavoce.web.store.export import exported_games

        salt = secrets.token_bytes(32) if salt_file is None else kept_secret(salt_file).encode()
        found = write_release(folder, exported_games(c, salt=salt), now=datetime.now(UTC))
    if as_json:
        click.echo(json.dumps({"games": found.games, "answers": found.answers, "hidden": found.hidden, "folder": str(folder)}))
    else:
        games = f"{found.games} game{'' if found.games == 1 else 's'}"
        click.echo(f"{games} with {found.answers} answers written to {folder}; codebook.md says what is where.")


@click.command()
@_DATABASE
@click.option("--html", type=FILE, metavar="FILE", help="Write a page.")
@_JSON
def stats(database: str, html: Path | None, as_json: bool) -> None:
    """Who came, what was played, how people rate each other: the figures of the thesis for this site.

    \b
    viva luna stats --database luna.sqlite --html figures.html

    \b
    Exit codes: 0 done, 2 bad input.
    """
    import secrets

    check_page(html)
    with _opened(database, writes=False) as c:
        from vivavoce.luna.stats import statistics
        from vivavoce.web.settings import Settings
        from vivavoce.web.store.export import exported_games, traffic

        site = Settings(database=database, secret="-" * 32).shown_database
        salt = secrets.token_bytes(32)
        found = statistics(exported_games(c, salt=salt), traffic(c), site=Path(site).name)
    if as_json:
        click.echo(json.dumps(found.as_json(), allow_nan=False))
    else:
        from rich.console import Console

        from vivavoce.dossier.luna_stats_terminal import print_luna_stats

        print_luna_stats(found, Console())
    write_finding(html, found, quietly=as_json)


@click.command()
@_DATABASE
@_JSON
def reports(database: str, as_json: bool) -> None:
    """List what players have reported and nobody has seen to, oldest first.

    \b
    viva luna reports --database luna.sqlite

    Exit code 0 when done, 2 bad input.
    """
    from dataclasses import asdict

    from vivavoce.interview.wording import clipped

    with _opened(database, writes=False) as c:
        from vivavoce.web.store.reports import open_reports

        found = open_reports(c)
    if as_json:
        click.echo(json.dumps([asdict(one) | {"created": one.created.isoformat()} for one in found]))
        return
    for one in found:
        click.echo(f"Report {one.id}, {one.created:%Y-%m-%d %H:%M} UTC: {clipped(one.name, 80)}")
        click.echo(f"  viva luna hide {one.game} {one.place}; viva luna ban {one.player}; viva luna dismiss {one.id}")
        click.echo(f"  reason: {_line(one.reason)}")
        for text in (*(one.questions or ()), *(one.answers or ())):
            click.echo(f"  | {_line(text)}")
    click.echo(f"{len(found)} open report{'' if len(found) == 1 else 's'}", err=True)


@click.command()
@click.argument("game")
@click.argument("place", type=click.Choice(["0", "1"]))
@click.option("--undo", is_flag=True, help="Show it again.")
@_DATABASE
def hide(game: str, place: Literal["0", "1"], undo: bool, database: str) -> None:
    """Show nobody what the player at PLACE of GAME wrote, nor export it; 'viva luna reports' names both.

    Exit code 0 when done, 2 bad input, such as a game that is not there.
    """
    with _opened(database) as c:
        from vivavoce.web.store import reports as store

        store.hide(c, game, 0 if place == "0" else 1, hidden=not undo)
    click.echo("It is shown again." if undo else "It is hidden.", err=True)


@click.command()
@click.argument("player")
@_DATABASE
def ban(player: str, database: str) -> None:
    """Shut PLAYER out; 'viva luna reports' names the player of a text. Games in play expire, guesses that others got stay.

    Exit code 0 when done, 2 bad input, such as a player who is not there.
    """
    from datetime import UTC, datetime

    with _opened(database) as c:
        from vivavoce.web.store import reports as store

        store.ban(c, player, datetime.now(UTC))
    click.echo("The player is shut out.", err=True)


@click.command()
@click.argument("player")
@_DATABASE
def pardon(player: str, database: str) -> None:
    """Let PLAYER in again; a machine needs a new token.

    Exit code 0 when done, 2 bad input, such as a player who is not there.
    """
    with _opened(database) as c:
        from vivavoce.web.store import reports as store

        store.pardon(c, player)
    click.echo("The player may come in again.", err=True)


@click.command()
@click.argument("report", type=click.IntRange(1, 2**62))
@_DATABASE
def dismiss(report: int, database: str) -> None:
    """Close REPORT: it has been seen to.

    Exit code 0 when done, 2 bad input.
    """
    from datetime import UTC, datetime

    with _opened(database) as c:
        from vivavoce.web.store.reports import close_report

        close_report(c, report, datetime.now(UTC))
    click.echo("The report is closed.", err=True)


@click.command()
@_DATABASE
@click.argument("file", type=FILE)
def backup(database: str, file: Path) -> None:
    """Copy the database to FILE while the site runs; for PostgreSQL use its own pg_dump.

    \b
    viva luna backup --database luna.sqlite luna-2026-06-14.sqlite

    To go back: stop the site, put the copy in the place of the database, remove the files beside it that end in -wal and -shm.

    \b
    Exit codes: 0 done, 2 bad input, such as a FILE that exists.
    """
    from vivavoce.web.backup import back_up

    size = back_up(database, file)
    click.echo(f"{size / 1e6:.1f} MB written to {file}", err=True)


@contextmanager
def _opened(database: str, *, writes: bool = True) -> Iterator[Connection]:
    """A connection to the database of a site, which must be there; one that only reads keeps no player waiting."""
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


def _line(text: Any) -> str:
    from vivavoce.interview.wording import clipped

    return " ".join(clipped(str(text), SHOWN).split())
