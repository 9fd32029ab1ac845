"""`viva luna rate`: everybody's rating in all ways, who guesses well, and who seems to guess by a rule."""

from __future__ import annotations

from pathlib import Path

import click

from vivavoce.cli import options
from vivavoce.cli.kept import show
from vivavoce.cli.pages import check_page


@click.command()
@click.argument("games", type=click.Path(exists=True, path_type=Path))
@click.option("--method", metavar="NAME", default="mean", show_default=True, help="Order by it: mean, robust or severity.")
@click.option(
    "--rounds", type=click.IntRange(100, 100_000), metavar="N", default=1_000, show_default=True, help="Of the bootstrap."
)
@options.seed("Draws the bootstrap.")
@options.output_options
def rate(games: Path, method: str, rounds: int, seed: int, as_json: bool, html: Path | None) -> None:
    """Rate all players of GAMES, with intervals; and who guesses well, and who seems to guess by a rule.

    \b
    viva luna export --database luna.sqlite --out games
    viva luna rate games --html ratings.html
    viva luna rate guesses.csv --method robust --json

    GAMES is an export's folder, its games.json, or a CSV table with the columns guesser, target, guess and if wished game,
    human (true or false: whether the guesser is a person) and finished (when; rows are in order of time without it).

    The published rating is the mean. The robust one trusts guessers as far as they agree with others; severity also takes away
    by how much each is above or below the others throughout.
    """
    check_page(html)
    from vivavoce.luna.games_file import read_games
    from vivavoce.luna.rate import rate as rated

    found = rated(read_games(games), method=method, rounds=rounds, seed=seed, source=games.name, digest=_digest(games))
    show(found, "vivavoce.dossier.luna_rate_terminal:print_luna_rating", as_json=as_json, html=html)


def _digest(games: Path) -> str:
    """Of what was read: an export's games.json stands for its folder."""
    from vivavoce.interview.lines import file_digest

    inside = [games / "games.json", games / "players.csv"] if games.is_dir() else [games]
    return next((file_digest(file) for file in inside if file.is_file()), "")
