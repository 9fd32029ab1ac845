"""`viva consistency chess-truth`: a chess engine against endings that are solved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import on_record
from vivavoce.cli.config_options import config_options
from vivavoce.cli.consistency.chess.sources import Engines, engine_options, engines_of, require_chess
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.consistency.chess.config import TruthConfig

if TYPE_CHECKING:
    from vivavoce.consistency.chess.truth.finding import ChessTruth
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


def endings_named(_: click.Context, __: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    """The endings of these lists with commas, each once."""
    names = (name.strip().upper().replace("V", "") for names in given for name in names.split(","))
    return tuple(dict.fromkeys(filter(None, names)))


@click.command("chess-truth", epilog=exit_codes(GOES_ON))
@click.argument("engine")
@config_options(TruthConfig, endings={"callback": endings_named})
@engine_options
@options.output_options
def chess_truth(*, engine: str, as_json: bool, html: Path | None, **given: Any) -> None:
    """How often does ENGINE contradict what is known of a position?

    \b
    viva consistency chess-truth 'uci:stockfish?nodes=1000' --limit 1000 --workers 2 --html truth.html
    viva consistency chess-truth uci:stockfish --endings KRPKR,KQKP --syzygy tables

    King and queen, rook or pawn against king are solved here; for other endings give Syzygy tables.
    """
    require_chess()
    config, engines = options.taken_out(given, TruthConfig), engines_of(given)
    check_page(html)
    from vivavoce.consistency.chess.truth.endings import men

    for ending in config.endings:
        men(ending)
    finding, kept = on_record(engines.transcript, partial(_check, engine, config, engines), quiet=engines.quiet)
    show(finding, as_json=as_json, html=html, kept=kept)


async def _check(
    name: str, config: TruthConfig, engines: Engines, transcript: Transcript, on_progress: Callable[[Progress], None]
) -> ChessTruth:
    from vivavoce.consistency.chess.truth.examine import check_truth

    expected = config.limit * len(config.endings)
    async with engines.interview(name, transcript, on_progress, expected=expected) as interview:
        return await check_truth(interview, config)
