"""`viva consistency games`: contradictions of an engine of xiangqi or shogi."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import on_record
from vivavoce.cli.config_options import config_options
from vivavoce.cli.consistency.chess.sources import Engines, engine_options, engines_of
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.consistency.games.config import CHECKS, GAMES, GameName, GamesConfig

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript
    from vivavoce.studies.engine_checks.counting import EngineFinding


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which engine is examined, in which game, and how."""

    game: GameName
    engine: str
    config: GamesConfig
    engines: Engines


@click.command(epilog=exit_codes(GOES_ON))
@click.argument("game", type=click.Choice(GAMES), metavar=f"[{'|'.join(GAMES)}]")
@click.argument("engine")
@config_options(
    GamesConfig, checks={"option": "--check", "type": str, "default": ("all",), "callback": options.checks_among(CHECKS)}
)
@engine_options
@options.verdict_options
def games(*, game: GameName, engine: str, as_json: bool, html: Path | None, **given: Any) -> None:
    """How often does ENGINE give two values to positions of a GAME that must be worth the same?

    \b
    viva consistency games xiangqi uci:fairy-stockfish --workers 2 --html xiangqi.html
    viva consistency games shogi 'uci:fairy-stockfish?nodes=1000' --check mirror,colours
    viva consistency games xiangqi uci:fairy-stockfish --limit 4000 --cluster tcp://scheduler:8786 --transcript run.sqlite

    Positions come from games that the engine plays against itself.
    """
    from vivavoce.consistency.games.examine import questions_due

    config, engines = options.taken_out(given, GamesConfig), engines_of(given)
    wanted = Wanted(game, engine, config, engines)
    check_page(html)
    expected = questions_due(config)
    finding, kept = on_record(engines.transcript, partial(_check, wanted, expected), quiet=engines.quiet)
    show(finding, as_json=as_json, html=html, kept=kept)


async def _check(
    wanted: Wanted, expected: int, transcript: Transcript, on_progress: Callable[[Progress], None]
) -> EngineFinding:
    from vivavoce.candidates.variants.options import PlayingPool, open_variant, player_of
    from vivavoce.interview.batch import BatchInterview
    from vivavoce.interview.engine import Assessment, PlayedGame
    from vivavoce.interview.progress import Together
    from vivavoce.studies.games import check_game

    together = Together(on_progress, expected=expected)
    opened = partial(open_variant, game=wanted.game, workers=wanted.engines.workers, cluster=wanted.engines.cluster)
    engine = opened(wanted.engine)
    try:
        player = opened(player_of(wanted.engine))
        try:
            return await check_game(
                wanted.game,
                BatchInterview(engine, answers=Assessment, transcript=transcript, on_progress=together.one()),
                BatchInterview(PlayingPool(player), answers=PlayedGame, transcript=transcript, on_progress=together.one()),
                wanted.config,
            )
        finally:
            await player.close()
    finally:
        await engine.close()
