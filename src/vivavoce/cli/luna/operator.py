"""`viva luna export`, `stats`, `reports`, `hide`, `dismiss`, `backup`: what an operator does with a site's database."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from vivavoce.cli import options
from vivavoce.cli.endings import exit_codes
from vivavoce.cli.output import print_json, say, show
from vivavoce.cli.pages import check_page
from vivavoce.cli.site_database import DATABASE, site_database

SHOWN = 2_000
"""Characters of a reported text in the terminal."""


@click.command(epilog=exit_codes("2 bad input, such as a folder that is not empty"))
@DATABASE
@click.option("--out", "folder", type=options.FOLDER, required=True, metavar="FOLDER", help="New, or empty.")
@click.option(
    "--salt-file",
    type=options.FILE,
    metavar="FILE",
    help="Holds the salt of the pseudonyms (made if it is not there), so that the next export has the same ones. Guard it: "
    "with it and the database, pseudonyms can be traced to players.",
)
@options.JSON
def export(database: str, folder: Path, salt_file: Path | None, as_json: bool) -> None:
    """Write finished games for researchers: CSV, JSON and a codebook, without names.

    \b
    viva luna export --database luna.sqlite --out luna-2026-06

    Only games of which both players have agreed to the release, and neither has left. Without --salt-file nobody, the operator
    included, can tell later whose pseudonym is whose.
    """
    import secrets
    from datetime import UTC, datetime

    with site_database(database, writes=False) as c:
        from vivavoce.web.release import write_release
        from vivavoce.web.settings import kept_secret
        from vivavoce.web.store.export import exported_games

        salt = secrets.token_bytes(32) if salt_file is None else kept_secret(salt_file).encode()
        found = write_release(folder, exported_games(c, salt=salt), now=datetime.now(UTC))
    games = f"{found.games} game{'' if found.games == 1 else 's'}"
    words = f"{games} with {found.answers} answers written to {folder}; codebook.md says what is where."
    values = {"games": found.games, "answers": found.answers, "hidden": found.hidden, "folder": str(folder)}
    say(values, words, as_json)


@click.command()
@DATABASE
@options.output_options
def stats(database: str, as_json: bool, html: Path | None) -> None:
    """Who came, what was played, how people rate each other: the figures of the thesis for this site.

    \b
    viva luna stats --database luna.sqlite --html figures.html
    """
    import secrets

    check_page(html)
    with site_database(database, writes=False) as c:
        from vivavoce.luna.question_statistics import asked_questions
        from vivavoce.luna.site_statistics import statistics
        from vivavoce.web.settings import Settings
        from vivavoce.web.store.export import counted_games, traffic

        site = Settings(database=database, secret="-" * 32).shown_database
        salt = secrets.token_bytes(32)
        games = list(counted_games(c, salt=salt))
        found = statistics(games, traffic(c), questions=asked_questions(games), site=Path(site).name)
    show(found, as_json=as_json, html=html)


@click.command()
@DATABASE
@options.JSON
def reports(database: str, as_json: bool) -> None:
    """List the open reports of players, oldest first.

    \b
    viva luna reports --database luna.sqlite
    """
    from dataclasses import asdict

    from vivavoce.formats.wording import clipped

    with site_database(database, writes=False) as c:
        from vivavoce.web.store.reports import open_reports

        found = open_reports(c)
    if as_json:
        print_json([asdict(one) | {"created": one.created.isoformat()} for one in found])
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
@click.argument("place", metavar="PLACE", type=click.Choice(["0", "1"]))
@click.option("--undo", is_flag=True, help="Show it again.")
@DATABASE
@options.JSON
def hide(game: str, place: Literal["0", "1"], undo: bool, database: str, as_json: bool) -> None:
    """Hide what the player at PLACE of GAME wrote from everybody, and from exports; 'viva luna reports' names both."""
    with site_database(database) as c:
        from vivavoce.web.store import reports as store

        store.hide(c, game, 0 if place == "0" else 1, hidden=not undo)
    words = "It is shown again." if undo else "It is hidden."
    say({"game": game, "place": int(place), "hidden": not undo}, words, as_json, err=True)


@click.command()
@click.argument("report", type=click.IntRange(1, 2**62))
@DATABASE
@options.JSON
def dismiss(report: int, database: str, as_json: bool) -> None:
    """Close REPORT: it has been handled."""
    from datetime import UTC, datetime

    with site_database(database) as c:
        from vivavoce.web.store.reports import close_report

        close_report(c, report, datetime.now(UTC))
    say({"report": report, "open": False}, "The report is closed.", as_json, err=True)


@click.command(epilog=exit_codes("2 bad input, such as a FILE that exists"))
@click.argument("file", type=options.FILE)
@DATABASE
@options.JSON
def backup(file: Path, database: str, as_json: bool) -> None:
    """Copy the database to FILE while the site runs; for PostgreSQL use its own pg_dump.

    \b
    viva luna backup --database luna.sqlite luna-2026-06-14.sqlite

    To go back: stop the site, put the copy in the place of the database, remove the files next to it that end in -wal and -shm.
    """
    from vivavoce.web.database import back_up

    size = back_up(database, file)
    say({"bytes": size, "out": str(file)}, f"{size / 1e6:.1f} MB written to {file}", as_json, err=True)


def _line(text: Any) -> str:
    from vivavoce.formats.wording import clipped

    return " ".join(clipped(str(text), SHOWN).split())
