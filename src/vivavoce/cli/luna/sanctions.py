"""`viva luna flags`, `ban`, `void`, `unban`: who seems to guess by a rule, and what an operator does about a player."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.output import print_json, say
from vivavoce.cli.site_database import DATABASE, site_database

if TYPE_CHECKING:
    from vivavoce.web.store.sanctions import Consequences, Sanction

LISTED = 20
"""Ratings that change, in the terminal; JSON has all."""
_DECIDED = options.together(
    click.option("--dry-run", is_flag=True, help="Only say what it would change."),
    click.option("--yes", is_flag=True, help="Do it without being asked."),
    DATABASE,
    options.JSON,
)


@click.command()
@DATABASE
@options.JSON
def flags(database: str, as_json: bool) -> None:
    """List players who seem to guess by a rule, with the evidence, and what voiding their guesses would change.

    \b
    viva luna flags --database luna.sqlite

    A flag is a reason to look, and no proof. Ids are those that 'viva luna ban' and 'viva luna void' take.
    """
    from vivavoce.formats.wording import name_of

    with site_database(database, writes=False) as c:
        from vivavoce.web.store.guessers import flagged
        from vivavoce.web.store.sanctions import foreseen

        found = [(one, foreseen(c, "void", one.id)) for one in flagged(c)]
    if as_json:
        rows = [
            {"player": one.id, "name": one.name, "banned": one.banned, "evidence": list(one.statements), "void": void.as_json()}
            for one, void in found
        ]
        print_json(rows)
        return
    for one, void in found:
        click.echo(f"{one.id} {name_of(one.name)}{' (banned)' if one.banned else ''}")
        for statement in one.statements:
            click.echo(f"  {statement}")
        click.echo(f"  Voided: {void.statement}")
    click.echo(f"{len(found)} player{'' if len(found) == 1 else 's'} to look at", err=True)


@click.command()
@click.argument("player")
@click.option("--void-guesses", is_flag=True, help="PLAYER's guesses no longer count: all ratings are computed without them.")
@_DECIDED
def ban(player: str, void_guesses: bool, **given: Any) -> None:
    """Ban PLAYER, an id that 'viva luna reports' or 'viva luna flags' names, once it was said what that changes.

    \b
    viva luna ban PLAYER --dry-run --database luna.sqlite
    viva luna ban PLAYER --void-guesses --yes --json --database luna.sqlite

    Games in play expire. Guesses that others got stay, unless they are voided.
    """
    found = _decided("ban-and-void" if void_guesses else "ban", player, **given)
    voided = f" Guesses voided: {found.guesses}." if void_guesses else ""
    _tell(found, {"banned": True, "voided": found.guesses}, f"The player is banned.{voided}", **given)


@click.command()
@click.argument("player")
@click.option("--undo", is_flag=True, help="Let them count again.")
@_DECIDED
def void(player: str, undo: bool, **given: Any) -> None:
    """Void PLAYER's guesses, once it was said what that changes: all ratings are computed without them.

    \b
    viva luna void PLAYER --dry-run --database luna.sqlite
    viva luna void PLAYER --database luna.sqlite
    viva luna void PLAYER --undo --database luna.sqlite

    They stay on record, and who won a game stays as it was. PLAYER plays on; what is guessed from now on counts.
    """
    found = _decided("restore" if undo else "void", player, **given)
    words = f"Guesses that count again: {found.guesses}." if undo else f"Guesses voided: {found.guesses}."
    _tell(found, {"restored" if undo else "voided": found.guesses}, words, **given)


@click.command()
@click.argument("player")
@_DECIDED
def unban(player: str, **given: Any) -> None:
    """Let PLAYER in again; a machine needs a new token. Voided guesses count again."""
    found = _decided("unban", player, **given)
    restored = f" Guesses that count again: {found.guesses}." if found.guesses else ""
    _tell(found, {"banned": False, "restored": found.guesses}, f"The player may come in again.{restored}", **given)


def _decided(sanction: Sanction, player: str, *, database: str, dry_run: bool, yes: bool, as_json: bool) -> Consequences:
    """What it changes; it is done unless this is a dry run."""
    from datetime import UTC, datetime

    from vivavoce.formats.wording import name_of

    with site_database(database, writes=False) as c:
        from vivavoce.web.store.sanctions import SANCTIONS, carry_out, foreseen

        found = foreseen(c, sanction, player)
    if dry_run:
        return found
    if not yes:
        if not _can_ask():
            raise click.UsageError("Nobody can be asked here: give --yes, or --dry-run to see what it would change.")
        _list(found)
        click.confirm(f"{SANCTIONS[sanction]}: {name_of(found.name)}?", abort=True, err=True)
    with site_database(database) as c:
        return replace(carry_out(c, sanction, player, datetime.now(UTC)), name=found.name)


def _can_ask() -> bool:
    return sys.stdin.isatty()


def _tell(found: Consequences, values: dict[str, Any], words: str, *, dry_run: bool, as_json: bool, **_: Any) -> None:
    told = {"player": found.player, "dry_run": dry_run, **({} if dry_run else values), **found.as_json()}
    if dry_run and not as_json:
        _list(found)
    say(told, "Nothing is changed: this was a dry run." if dry_run else f"{words} {found.statement}", as_json, err=True)


def _list(found: Consequences) -> None:
    """What it would change, in lines; names are strangers'."""
    from vivavoce.formats.wording import name_of

    click.echo(f"{name_of(found.name)}: {found.statement}", err=True)
    for one in found.ratings[:LISTED]:
        before, after = ("none" if value is None else f"{value:.1f}" for value in (one.before, one.after))
        click.echo(f"  {name_of(one.name)}: {before} -> {after}", err=True)
    if len(found.ratings) > LISTED:
        click.echo(f"  and {len(found.ratings) - LISTED} more, which move less", err=True)
