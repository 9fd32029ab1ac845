"""`viva luna rate` and `simulate`: rate players from games, and check the ratings on simulated games."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options
from vivavoce.cli.output import output_options, show
from vivavoce.cli.site_database import site_database
from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.lines import file_digest
from vivavoce.luna.settings import RateConfig, SimulationConfig

if TYPE_CHECKING:
    from vivavoce.luna.games_file import LunaGames


@command()
@click.argument("games", type=click.Path(exists=True, path_type=Path), required=False)
@click.option(
    "--database",
    metavar="FILE|URL",
    help="Read a site's database instead of GAMES, with its player ids.",
)
@click.option("--difference", nargs=2, metavar="A B", help="Also print the difference of the ratings of B and A.")
@config_options(RateConfig)
@output_options
def rate(games: Path | None, database: str | None, difference: tuple[str, str] | None, **given: Any) -> None:
    """Rate all players of GAMES with bootstrap intervals, and show who guesses well and who seems to guess by a rule.

    \b
    viva luna admin export --database luna.sqlite --out games
    viva luna rate games --html ratings.html
    viva luna rate guesses.csv --method robust --json
    viva luna rate --database luna.sqlite
    viva luna rate guesses.csv --difference ann bob

    GAMES is an export's folder, its games.json, or a CSV table with the columns guesser, target, guess and if wished game,
    human (true or false: whether the guesser is a person), judged_human, confidence and right (whether the guesser takes the
    target for a person, how surely in percent, and whether that is so) and finished (when; rows are in order of time without
    it).

    The published rating is the mean. The robust rating weights guessers by their agreement with others; severity also
    subtracts each guesser's general leniency.

    With --database all finished games of a site are read, including those that no export may hold, without voided guesses.
    This is for the operator: do not publish the ids.
    """
    if (games is None) == (database is None):
        raise click.UsageError("give GAMES (an export or a table), or --database (of a site).")
    from vivavoce.luna.rate import rate as rated

    played, source, digest = _of_site(str(database)) if games is None else _of_file(games)
    rating = rated(played, RateConfig(**given), difference=difference, source=source, digest=digest)
    show(rating)
    for player in dict.fromkeys(flag.player for flag in rating.flags) if games is None else ():
        click.echo(f"viva luna admin ban {player} --void-guesses", err=True)


def _of_file(games: Path) -> tuple[LunaGames, str, str]:
    from vivavoce.luna.games_file import read_games

    return read_games(games), games.name, _digest(games)


def _of_site(database: str) -> tuple[LunaGames, str, str]:
    with site_database(database, writes=False) as c:
        from vivavoce.web.settings import SiteSettings
        from vivavoce.web.store.ratings import games_played

        played = games_played(c)
        if played is None:
            raise NotEnoughEvidence("no game of this site is finished yet, so no one can be rated")
        return played, Path(SiteSettings(database=database, secret="-" * 32).shown_database).name, ""


def _digest(games: Path) -> str:
    """The name of the source: for an export's games.json, its folder."""
    inside = [games / "games.json", games / "players.csv"] if games.is_dir() else [games]
    return next((file_digest(file) for file in inside if file.is_file()), "")


@command()
@click.option(
    "--figure", "figures", multiple=True, metavar="3.N", help="Draw this figure of the thesis, 3.1 to 3.8. Repeatable."
)
@click.option("--all", "everything", is_flag=True, help="Draw all figures of the chapter.")
@click.option("--attacks", is_flag=True, help="Simulate dishonest, colluding and changing players.")
@config_options(SimulationConfig, only=("rating", "players", "trials", "variance", "seed"))
@options.PROCESSES
@options.QUIET
@output_options
def simulate(*, figures: tuple[str, ...], everything: bool, attacks: bool, workers: int, quiet: bool, **given: Any) -> None:
    """Simulate Luna games, and measure the error of ratings when some players guess by a rule.

    \b
    viva luna simulate --figure 3.8
    viva luna simulate --all --html chapter3.html
    viva luna simulate --attacks --workers 2 --json

    Each figure is simulated twice: by the text of the thesis, and as its figures seem to have been made, with four errors
    of an early program. The page shows both.
    """
    from vivavoce.luna.simulation_finding import examine_simulation
    from vivavoce.luna.simulation_tables import FIGURES

    numbers = tuple(FIGURES) if everything else tuple(dict.fromkeys(figures))
    if not (numbers or attacks):
        raise click.UsageError("nothing to simulate: give --figure 3.1, --all or --attacks.")
    with options.pool(workers) as executor:
        simulation = examine_simulation(
            numbers,
            SimulationConfig(**given),
            attacks=attacks,
            executor=executor,
            on_progress=None if quiet else partial(click.echo, err=True),
        )
    show(simulation)
