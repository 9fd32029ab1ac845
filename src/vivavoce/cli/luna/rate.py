"""`viva luna rate`: everybody's rating in all ways, who guesses well, and who seems to guess by a rule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.config_options import config_options
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.cli.site_database import site_database
from vivavoce.luna.settings import RateConfig

if TYPE_CHECKING:
    from vivavoce.luna.games_file import LunaGames


@click.command()
@click.argument("games", type=click.Path(exists=True, path_type=Path), required=False)
@click.option(
    "--database",
    metavar="FILE|URL",
    help="Database of a site, instead of GAMES: players go by the ids that 'viva luna ban' takes.",
)
@click.option("--difference", nargs=2, metavar="A B", help="Also tell how far the rating of B lies above that of A.")
@config_options(RateConfig)
@options.output_options
def rate(
    games: Path | None,
    database: str | None,
    difference: tuple[str, str] | None,
    *,
    as_json: bool,
    html: Path | None,
    **given: Any,
) -> None:
    """Rate all players of GAMES, with bootstrap intervals; also who guesses well, and who seems to guess by a rule.

    \b
    viva luna export --database luna.sqlite --out games
    viva luna rate games --html ratings.html
    viva luna rate guesses.csv --method robust --json
    viva luna rate --database luna.sqlite
    viva luna rate guesses.csv --difference ann bob

    GAMES is an export's folder, its games.json, or a CSV table with the columns guesser, target, guess and if wished game,
    human (true or false: whether the guesser is a person), judged_human, confidence and right (whether the guesser takes the
    target for a person, how surely in percent, and whether that is so) and finished (when; rows are in order of time without
    it).

    The published rating is the mean. The robust one trusts guessers as far as they agree with others; severity also subtracts
    how much each is above or below the others throughout.

    With --database all finished games of a site are read, also those that no export may hold, without voided guesses. That is
    for its operator: ids belong to no publication.
    """
    check_page(html)
    if (games is None) == (database is None):
        raise click.UsageError("Give GAMES (an export or a table) or --database (of a site), one of them.")
    from vivavoce.luna.rate import rate as rated

    played, source, digest = _of_site(str(database)) if games is None else _of_file(games)
    found = rated(played, RateConfig(**given), difference=difference, source=source, digest=digest)
    show(found, as_json=as_json, html=html)
    for player in dict.fromkeys(one.name for one in found.flags) if games is None else ():
        click.echo(f"viva luna ban {player} --void-guesses", err=True)


def _of_file(games: Path) -> tuple[LunaGames, str, str]:
    from vivavoce.luna.games_file import read_games

    return read_games(games), games.name, _digest(games)


def _of_site(database: str) -> tuple[LunaGames, str, str]:
    from vivavoce.errors import NotEnoughEvidence

    with site_database(database, writes=False) as c:
        from vivavoce.web.settings import Settings
        from vivavoce.web.store.guessers import games_played

        played = games_played(c)
        if played is None:
            raise NotEnoughEvidence("no game of this site is finished: there is nobody to rate yet")
        return played, Path(Settings(database=database, secret="-" * 32).shown_database).name, ""


def _digest(games: Path) -> str:
    """Of what was read: an export's games.json stands for its folder."""
    from vivavoce.formats.lines import file_digest

    inside = [games / "games.json", games / "players.csv"] if games.is_dir() else [games]
    return next((file_digest(file) for file in inside if file.is_file()), "")
