"""`viva luna machine release`, `compare`, `plan`: versions of machines, and how far people's guesses of them lie apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.config_options import config_options
from vivavoce.cli.output import say, show
from vivavoce.cli.pages import check_page
from vivavoce.cli.site_database import DATABASE, database_option, site_database
from vivavoce.luna.config import MachinePlanConfig, VersionsConfig

if TYPE_CHECKING:
    from vivavoce.formats.interval import Estimate


@click.command()
@click.argument("name")
@click.option("--version", required=True, metavar="VERSION", help="A name that this machine has not had: 1 to 40 letters.")
@DATABASE
@options.JSON
def release(name: str, version: str, database: str, as_json: bool) -> None:
    """Say that NAME is another version from now on.

    \b
    viva luna machine release "My model" --version 2 --database luna.sqlite

    Games that begin from now on belong to it; games in play stay with the version before. A machine of which nothing was ever
    released is version 1. The machine's rating mixes its versions; 'viva luna machine compare' tells them apart.
    """
    from datetime import UTC, datetime

    with site_database(database) as c:
        from vivavoce.web.store import versions as store

        known = store.release(c, name, version, datetime.now(UTC))
    names = [one.name for one in known]
    words = f"'{name}' is version '{names[-1]}' from now on, after {', '.join(names[:-1])}."
    values = {"name": name, "version": names[-1], "released": known[-1].released.isoformat(), "versions": names}
    say(values, words, as_json, err=True)


@click.command()
@click.argument("name")
@click.option(
    "--versions", nargs=2, metavar="OLD NEW", help="Two versions of the machine. [default: the last two that were released]"
)
@DATABASE
@config_options(VersionsConfig)
@options.output_options
def compare(
    name: str, versions: tuple[str, str] | None, database: str, *, as_json: bool, html: Path | None, **given: Any
) -> None:
    """Do people find one version of the machine NAME smarter than another?

    \b
    viva luna machine compare "My model" --database luna.sqlite
    viva luna machine compare "My model" --versions 1 3 --json --database luna.sqlite

    The difference of the means of people's guesses, with an interval that allows for the same people guessing both versions
    or one of them often; and the same adjusted for how high these people guess of others.
    """
    check_page(html)
    from vivavoce.errors import NotEnoughEvidence

    with site_database(database, writes=False) as c:
        from vivavoce.luna.machine_compare import OnSite, compare_versions
        from vivavoce.web.settings import Settings
        from vivavoce.web.store import versions as store
        from vivavoce.web.store.guessers import games_played, of_version
        from vivavoce.web.store.machines import named_machine

        player = named_machine(c, name)
        known = store.versions(c, (player,))[player]
        if versions is None and len(known) < 2:
            raise NotEnoughEvidence(f"'{name}' has one version: 'viva luna machine release' makes another")
        first, second = versions or (known[-2].name, known[-1].name)
        chosen = store.known_version(known, first), store.known_version(known, second)
        if chosen[0] == chosen[1]:
            raise click.UsageError("--versions names the same version twice.")
        guesses = store.guesses_of_machine(c, player)
        games = games_played(c, by_version=True)
        places = [of_version(player, one) for one in chosen]
        known_there = games is not None and all(one in games.names for one in places)
        site = (
            OnSite(games.counted, (games.names.index(places[0]), games.names.index(places[1])))
            if games and known_there
            else None
        )
        source = Path(Settings(database=database, secret="-" * 32).shown_database).name
    show(compare_versions(name, chosen, guesses, site, VersionsConfig(**given), source=source), as_json=as_json, html=html)


@click.command()
@click.argument("name", required=False)
@click.option(
    "--sd", type=float, metavar="X", help="Standard deviation of people's guesses of one version. [default: the site's]"
)
@config_options(MachinePlanConfig)
@database_option(required=False)
@options.output_options
def plan(name: str | None, sd: float | None, database: str | None, *, as_json: bool, html: Path | None, **given: Any) -> None:
    """How many games does it take to tell two versions of a machine apart?

    \b
    viva luna machine plan --difference 5 --sd 20
    viva luna machine plan --difference 5 --database luna.sqlite
    viva luna machine plan "My model" --difference 5 --power .8 --database luna.sqlite

    The standard deviation of guesses comes from the site's database: of the machine NAME, or of all machines. Where there are
    too few guesses, or no database is named, a range is assumed, and said.
    """
    check_page(html)
    if name is not None and (database is None or sd is not None):
        raise click.UsageError("NAME says whose guesses on a site to go by: give --database, and no --sd.")
    from vivavoce.luna.machine_plan import plan_machine

    estimated = _deviation(database, name) if sd is None and database is not None else None
    source = "" if database is None else Path(database).name if "://" not in database else "a site"
    show(plan_machine(MachinePlanConfig(**given), deviation=sd, estimated=estimated, source=source), as_json=as_json, html=html)


def _deviation(database: str, name: str | None) -> Estimate | None:
    """Of people's guesses of one version of a machine, as the site's games have it."""
    with site_database(database, writes=False) as c:
        from vivavoce.luna.machine_plan import guess_deviation
        from vivavoce.web.store.machines import machines, named_machine
        from vivavoce.web.store.versions import guesses_of_machine

        players = [one.player.id for one in machines(c)] if name is None else [named_machine(c, name)]
        guesses = [(player, one) for player in players for one in guesses_of_machine(c, player)]
    values, targets = [one.guess for _, one in guesses], [(player, one.version) for player, one in guesses]
    return guess_deviation(values, targets, [one.guesser for _, one in guesses])
