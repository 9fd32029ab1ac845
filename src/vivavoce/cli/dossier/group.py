"""`viva dossier`, and its commands that put dossiers on a site for everybody to read."""

from __future__ import annotations

from pathlib import Path

import click

from vivavoce.cli import options
from vivavoce.cli.lazy import LazyGroup
from vivavoce.cli.output import say
from vivavoce.cli.site_database import BASE_URL, DATABASE, site_address, site_database

COMMANDS = {
    "compare": "vivavoce.cli.dossier.compare:dossier",
    "publish": "vivavoce.cli.dossier.group:publish",
    "unpublish": "vivavoce.cli.dossier.group:unpublish",
}
"""Where each command is."""


@click.command()
@click.argument("file", metavar="FILE", type=options.FILE)
@DATABASE
@BASE_URL
@click.option("--title", metavar="TEXT", default="", help="Its title on the site; the candidate's name if not given.")
@options.JSON
def publish(file: Path, database: str, base_url: str | None, title: str, as_json: bool) -> None:
    """Put a dossier (dossier.json of 'viva examine') on the site, where everybody may read it.

    \b
    viva dossier publish found/dossier.json --database luna.sqlite

    The site makes a page of it by its own templates; nothing in the file is run.
    """
    from datetime import UTC, datetime

    from vivavoce.errors import BadFile, BadInput

    with site_database(database) as c:
        from vivavoce.web.store.dossiers import LARGEST
        from vivavoce.web.store.dossiers import publish as published

        try:
            with file.open("rb") as stream:
                text = stream.read(LARGEST + 1).decode("utf-8", "replace")
            found = published(c, text, title, datetime.now(UTC))
            address = f"{site_address(c, base_url)}/dossiers/{found.id}"
        except OSError as error:
            raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
        except BadInput as error:
            raise BadFile(file, str(error)) from None
    say({"dossier": found.id, "title": found.title, "address": address}, address, as_json)


@click.command()
@click.argument("dossier", metavar="ID")
@DATABASE
@options.JSON
def unpublish(dossier: str, database: str, as_json: bool) -> None:
    """Take the dossier ID, as it stands at the end of its address, off the site."""
    with site_database(database) as c:
        from vivavoce.web.store.dossiers import unpublish as taken_back

        found = taken_back(c, dossier.rstrip("/").rpartition("/")[2])
    say({"dossier": found.id}, f"'{found.title}' is unpublished", as_json)


class Dossiers(LazyGroup):
    """Where the first word is no command, all words are dossiers to be put side by side."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words, with the command that they mean."""
        alone = not args or args[0] in (*COMMANDS, *ctx.help_option_names)
        return super().parse_args(ctx, args if alone else ["compare", *args])


@click.command(cls=Dossiers, places=COMMANDS)
def dossier() -> None:
    """Put dossiers (dossier.json of 'viva examine') side by side, or on a site for everybody to read.

    \b
    viva dossier calculator/dossier.json eliza/dossier.json
    viva dossier publish calculator/dossier.json --database luna.sqlite
    """
