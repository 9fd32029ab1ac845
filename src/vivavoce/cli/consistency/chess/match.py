"""`viva consistency chess-match`: which of two engines is stronger, and when they are equally strong."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import on_record
from vivavoce.cli.config_options import config_options
from vivavoce.cli.consistency.chess.scaling import check_nodes_alone, node_counts
from vivavoce.cli.consistency.chess.sources import Engines, engine_options, engines_of, require_chess
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.consistency.chess.config import MatchConfig
from vivavoce.examination.chess_source import with_nodes, without_nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.candidates.uci.pool import EnginePool
    from vivavoce.consistency.chess.match.examine import MatchProgress
    from vivavoce.consistency.chess.match.finding import ChessMatch
    from vivavoce.interview.batch import BatchInterview
    from vivavoce.interview.engine import Evaluation, GamePosition
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who plays whom, and how."""

    first: str
    seconds: tuple[str, ...]
    """The second engine, at each number of nodes that is wanted."""
    config: MatchConfig
    engines: Engines


@click.command("chess-match", epilog=exit_codes(GOES_ON))
@click.argument("engine")
@click.argument("opponent")
@click.option(
    "--nodes",
    type=node_counts,
    metavar="N,N,...",
    help="A match at each of these nodes of OPPONENT: at how many are they equal?",
)
@config_options(MatchConfig)
@engine_options
@options.output_options
def chess_match(
    *, engine: str, opponent: str, nodes: tuple[int, ...] | None, as_json: bool, html: Path | None, **given: Any
) -> None:
    """Is ENGINE stronger than OPPONENT, and by how much?

    \b
    viva consistency chess-match 'uci:stockfish?nodes=1000' 'uci:stockfish?nodes=1000&Use NNUE=false'
    viva consistency chess-match 'uci:lc0?nodes=400' uci:stockfish --nodes 30000,80000,200000 \\
        --openings 500 --workers 8 --transcript match.sqlite --html match.html

    Every opening is played twice with colours changed.
    """
    require_chess()
    config = options.taken_out(given, MatchConfig)
    if nodes is not None:
        check_nodes_alone(opponent)
    seconds = (opponent,) if nodes is None else tuple(with_nodes(opponent, number) for number in nodes)
    wanted = Wanted(engine, seconds, config, engines_of(given))
    check_page(html)
    if config.book is not None and not Path(config.book).is_file():
        raise click.BadParameter(f"there is no file '{config.book}'.", param_hint="'--book'")
    matches, kept = on_record(wanted.engines.transcript, partial(_play, wanted), quiet=wanted.engines.quiet)
    if nodes is None:
        show(matches[0], as_json=as_json, html=html, kept=kept)
        return
    from vivavoce.consistency.chess.match.strength import strength

    by_nodes = dict(zip(nodes, matches, strict=True))
    show(strength(without_nodes(matches[0].opponent), by_nodes), as_json=as_json, html=html, kept=kept)


async def _play(wanted: Wanted, transcript: Transcript, on_progress: Callable[[Progress], None]) -> list[ChessMatch]:
    from vivavoce.consistency.chess.match.examine import MatchProgress

    progress = MatchProgress(on_progress, matches=len(wanted.seconds))
    first = wanted.engines.open(wanted.first)
    try:
        return [await _match(wanted, first, second, transcript, progress) for second in wanted.seconds]
    finally:
        await first.close()


async def _match(wanted: Wanted, first: EnginePool, name: str, transcript: Transcript, progress: MatchProgress) -> ChessMatch:
    from vivavoce.consistency.chess.match.examine import play_match

    second = wanted.engines.open(name)
    try:
        one, other = (_interview(engine, transcript, progress) for engine in (first, second))
        return await play_match((one, other), wanted.config, on_round=progress.on_round)
    finally:
        await second.close()


def _interview(engine: EnginePool, transcript: Transcript, progress: MatchProgress) -> BatchInterview[GamePosition, Evaluation]:
    from vivavoce.interview.batch import BatchInterview
    from vivavoce.interview.engine import Evaluation

    return BatchInterview(engine, answers=Evaluation, transcript=transcript, on_progress=progress.engine())
