"""Commands for the operator of a site: machines, reports, bans, flags, backups."""

from __future__ import annotations

import secrets
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from vivavoce.cli import options
from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import CommandGroup, command
from vivavoce.cli.output import output_options, print_json, say, show
from vivavoce.cli.site_database import DATABASE, site_database
from vivavoce.formats.json_values import to_json
from vivavoce.formats.wording import clipped, name_of

if TYPE_CHECKING:
    from vivavoce.web.store.moderation import Consequences, Sanction


SHOWN = 2_000
"""Characters of a reported text in the terminal."""


@command(epilog=exit_codes("2 bad input, such as a folder that is not empty"))
@DATABASE
@click.option(
    "--out", "folder", type=options.FOLDER, required=True, metavar="FOLDER", help="Write to this folder, new or empty."
)
@click.option("--salt-file", type=options.FILE, help="Keep pseudonyms across exports by this secret salt, created if missing.")
@options.JSON
def export(database: str, folder: Path, salt_file: Path | None) -> None:
    """Export finished games for research: CSV, JSON and a codebook, without names.

    \b
    viva luna admin export --database luna.sqlite --out luna-2026-06

    Includes only games of two players who consented and have not left. Without --salt-file, no one, not even the operator,
    can link a pseudonym to a player.
    """
    with site_database(database, writes=False) as c:
        from vivavoce.web.release import write_release
        from vivavoce.web.settings import kept_secret
        from vivavoce.web.store.ratings import exported_games

        salt = secrets.token_bytes(32) if salt_file is None else kept_secret(salt_file).encode()
        counts = write_release(folder, exported_games(c, salt=salt), now=datetime.now(UTC))
    games = f"{counts.games} game{'' if counts.games == 1 else 's'}"
    words = f"{games} with {counts.answers} answers written to {folder}; codebook.md describes the files."
    values = {"games": counts.games, "answers": counts.answers, "hidden": counts.hidden, "folder": str(folder)}
    say(values, words)


@command()
@DATABASE
@output_options
def stats(database: str) -> None:
    """Show the thesis' figures for this site: players, games, and how people rate each other.

    \b
    viva luna admin stats --database luna.sqlite --html figures.html
    """
    with site_database(database, writes=False) as c:
        from vivavoce.luna.site_statistics import statistics
        from vivavoce.web.settings import SiteSettings
        from vivavoce.web.store.ratings import counted_games, traffic

        site = SiteSettings(database=database, secret="-" * 32).shown_database
        salt = secrets.token_bytes(32)
        games = list(counted_games(c, salt=salt))
        luna_statistics = statistics(games, traffic(c), site=Path(site).name)
    show(luna_statistics)


@command()
@click.option("--dismiss", type=options.WholeNumber(1, 2**62), metavar="REPORT", help="Close this report as handled.")
@DATABASE
@options.JSON
def reports(dismiss: int | None, database: str) -> None:
    """List the open reports of players, oldest first.

    \b
    viva luna admin reports --database luna.sqlite
    viva luna admin reports --dismiss 3 --database luna.sqlite
    """
    if dismiss is not None:
        _dismiss(dismiss, database)
        return

    with site_database(database, writes=False) as c:
        from vivavoce.web.store.moderation import open_reports

        player_reports = open_reports(c)
    if options.wants_json():
        print_json([asdict(report) | {"created": report.created.isoformat()} for report in player_reports])
        return
    for report in player_reports:
        click.echo(f"Report {report.id}, {report.created:%Y-%m-%d %H:%M} UTC: {clipped(report.name, 80)}")
        click.echo(
            f"  viva luna admin hide {report.game} {report.place}; viva luna admin ban {report.player}; "
            f"viva luna admin reports --dismiss {report.id}"
        )
        click.echo(f"  reason: {_line(report.reason)}")
        for text in (*(report.questions or ()), *(report.answers or ())):
            click.echo(f"  | {_line(text)}")
    click.echo(f"{len(player_reports)} open report{'' if len(player_reports) == 1 else 's'}", err=True)


@command()
@click.argument("game")
@click.argument("place", metavar="PLACE", type=options.Choice(["0", "1"]))
@click.option("--undo", is_flag=True, help="Show it again.")
@DATABASE
@options.JSON
def hide(game: str, place: Literal["0", "1"], undo: bool, database: str) -> None:
    """Hide the texts of the player at PLACE of GAME on the site and in exports; 'viva luna admin reports' lists both."""
    with site_database(database) as c:
        from vivavoce.web.store import moderation

        moderation.hide(c, game, 0 if place == "0" else 1, hidden=not undo)
    words = "The text is shown again." if undo else "It is hidden."
    say({"game": game, "place": int(place), "hidden": not undo}, words, err=True)


@command(epilog=exit_codes("2 bad input, such as a FILE that exists"))
@click.argument("file", type=options.FILE)
@DATABASE
@options.JSON
def backup(file: Path, database: str) -> None:
    """Copy the database to FILE while the site runs; for PostgreSQL use its own pg_dump.

    \b
    viva luna admin backup --database luna.sqlite luna-2026-06-14.sqlite

    To restore: stop the site, replace the database by the copy, and remove its files that end in -wal and -shm.
    """
    from vivavoce.web.database import back_up

    size = back_up(database, file)
    say({"bytes": size, "out": str(file)}, f"{size / 1e6:.1f} MB written to {file}", err=True)


def _dismiss(report: int, database: str) -> None:
    with site_database(database) as c:
        from vivavoce.web.store.moderation import close_report

        close_report(c, report, datetime.now(UTC))
    say({"report": report, "open": False}, "The report is closed.", err=True)


def _line(text: Any) -> str:

    return " ".join(clipped(str(text), SHOWN).split())


LISTED = 20
"""Changed ratings shown in the terminal; JSON has all."""
_DECIDED = options.together(
    click.option("--dry-run", is_flag=True, help="Only print the effect."),
    click.option("--yes", is_flag=True, help="Do not ask for confirmation."),
    DATABASE,
    options.JSON,
)


@command()
@DATABASE
@options.JSON
def flags(database: str) -> None:
    """List players who seem to guess by a rule, with the evidence and the effect of voiding their guesses.

    \b
    viva luna admin flags --database luna.sqlite

    A flag is a reason to look, not a proof. 'viva luna admin ban' and 'viva luna admin void' take these ids.
    """

    with site_database(database, writes=False) as c:
        from vivavoce.web.store.moderation import foreseen
        from vivavoce.web.store.ratings import flagged

        pairs = [(flagged_player, foreseen(c, "void", flagged_player.id)) for flagged_player in flagged(c)]
    if options.wants_json():
        rows = [
            {
                "player": player.id,
                "name": player.name,
                "banned": player.banned,
                "evidence": player.statements,
                "void": void,
            }
            for player, void in pairs
        ]
        print_json(to_json(rows))
        return
    for flagged_player, void in pairs:
        click.echo(f"{flagged_player.id} {name_of(flagged_player.name)}{' (banned)' if flagged_player.banned else ''}")
        for statement in flagged_player.statements:
            click.echo(f"  {statement}")
        click.echo(f"  Voided: {void.statement}")
    click.echo(f"{len(pairs)} player{'' if len(pairs) == 1 else 's'} to look at", err=True)


@command()
@click.argument("player")
@click.option("--void-guesses", is_flag=True, help="Also void PLAYER's guesses: ratings ignore them.")
@click.option("--undo", is_flag=True, help="Lift the ban; voided guesses count again.")
@_DECIDED
def ban(player: str, void_guesses: bool, undo: bool, **given: Any) -> None:
    """Ban PLAYER (an id from 'viva luna admin reports' or 'viva luna admin flags') after showing the effect.

    \b
    viva luna admin ban PLAYER --dry-run --database luna.sqlite
    viva luna admin ban PLAYER --void-guesses --yes --json --database luna.sqlite
    viva luna admin ban PLAYER --undo --database luna.sqlite

    Current games expire. The player's earlier guesses stay unless voided. With --undo, a machine needs a new token.
    """
    if undo and void_guesses:
        raise click.UsageError("'--undo' lifts a ban: leave out '--void-guesses'.")
    if undo:
        consequences = _decided("unban", player, **given)
        restored = f" Guesses that count again: {consequences.guesses}." if consequences.guesses else ""
        values = {"banned": False, "restored": consequences.guesses}
        _tell(consequences, values, f"The player can come back.{restored}", **given)
        return
    consequences = _decided("ban-and-void" if void_guesses else "ban", player, **given)
    voided = f" Guesses voided: {consequences.guesses}." if void_guesses else ""
    _tell(consequences, {"banned": True, "voided": consequences.guesses}, f"The player is banned.{voided}", **given)


@command()
@click.argument("player")
@click.option("--undo", is_flag=True, help="Count them again.")
@_DECIDED
def void(player: str, undo: bool, **given: Any) -> None:
    """Void PLAYER's guesses after showing the effect: all ratings are computed without them.

    \b
    viva luna admin void PLAYER --dry-run --database luna.sqlite
    viva luna admin void PLAYER --database luna.sqlite
    viva luna admin void PLAYER --undo --database luna.sqlite

    They stay on record, and winners of games stay the same. PLAYER may play on; later guesses count.
    """
    consequences = _decided("restore" if undo else "void", player, **given)
    words = f"Guesses that count again: {consequences.guesses}." if undo else f"Guesses voided: {consequences.guesses}."
    _tell(consequences, {"restored" if undo else "voided": consequences.guesses}, words, **given)


def _decided(sanction: Sanction, player: str, *, database: str, dry_run: bool, yes: bool) -> Consequences:
    """Apply the change, unless this is a dry run; returns its consequences."""

    with site_database(database, writes=False) as c:
        from vivavoce.web.store.moderation import SANCTIONS, carry_out, foreseen

        consequences = foreseen(c, sanction, player)
    if dry_run:
        return consequences
    if not yes:
        if not _can_ask():
            raise click.UsageError("there is no terminal to ask for confirmation: give --yes, or --dry-run to see the effect.")
        _list(consequences)
        click.confirm(f"{SANCTIONS[sanction]}: {name_of(consequences.name)}?", abort=True, err=True)
    with site_database(database) as c:
        return replace(carry_out(c, sanction, player, datetime.now(UTC)), name=consequences.name)


def _can_ask() -> bool:
    return sys.stdin.isatty()


def _tell(consequences: Consequences, values: dict[str, Any], words: str, *, dry_run: bool, **_: Any) -> None:
    document = {
        "player": consequences.player,
        "dry_run": dry_run,
        **({} if dry_run else values),
        **to_json(consequences),
    }
    if dry_run and not options.wants_json():
        _list(consequences)
    say(document, "Dry run: nothing was changed." if dry_run else f"{words} {consequences.statement}", err=True)


def _list(consequences: Consequences) -> None:
    """The consequences in lines; names come from strangers."""

    click.echo(f"{name_of(consequences.name)}: {consequences.statement}", err=True)
    for rating in consequences.ratings[:LISTED]:
        before, after = ("none" if value is None else f"{value:.1f}" for value in (rating.before, rating.after))
        click.echo(f"  {name_of(rating.name)}: {before} -> {after}", err=True)
    if len(consequences.ratings) > LISTED:
        click.echo(f"  and {len(consequences.ratings) - LISTED} smaller changes", err=True)


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
@click.option("--renew", is_flag=True, help="Replace the token of a registered or revoked machine.")
@DATABASE
@options.JSON
def add(name: str, renew: bool, database: str) -> None:
    """Register a machine as NAME, and print its token once; only a hash of it is stored.

    A missing database is created, for 'viva luna serve'.
    """
    with site_database(database, make=not renew) as c:
        from vivavoce.web.store.machines import create_machine, renew_token

        token = renew_token(c, name) if renew else create_machine(c, name=name, now=datetime.now(UTC))[1]
    say({"name": name, "token": token}, token)
    click.echo(f"This is the token of '{name}'. It is not shown again: save it in a file that only you can read.", err=True)


@machine.command()
@click.argument("name")
@DATABASE
@options.JSON
def revoke(name: str, database: str) -> None:
    """Revoke the token of NAME at once; its rating and finished games stay."""
    with site_database(database) as c:
        from vivavoce.web.store import machines

        machines.revoke(c, name)
    say({"name": name, "revoked": True}, f"'{name}' can no longer play.", err=True)


@machine.command("list")
@DATABASE
@options.JSON
def list_machines(database: str) -> None:
    """List machines: registered, last seen, rating, token revoked or not."""
    with site_database(database, writes=False) as c:
        from vivavoce.web.store.machines import machines
        from vivavoce.web.store.ratings import rating_of

        pairs = [(entry, *rating_of(c, entry.player.id)) for entry in machines(c)]
    if options.wants_json():
        rows = [
            {
                "name": entry.player.name,
                "created": entry.player.created.isoformat(),
                "seen": entry.seen.isoformat(),
                "revoked": entry.revoked,
                "rating": rating,
                "guesses": guesses,
            }
            for entry, rating, guesses in pairs
        ]
        print_json(rows)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("machine", "since", "last seen", "rating", "guesses", "token")
    for entry, rating, guesses in pairs:
        dates = (f"{moment:%Y-%m-%d %H:%M}" for moment in (entry.player.created, entry.seen))
        number = "none yet" if rating is None else f"{rating:.0f}"
        token = "revoked" if entry.revoked else "valid"
        table.add_row(Text(entry.player.name), *dates, number, str(guesses), token)
    Console().print(table)
