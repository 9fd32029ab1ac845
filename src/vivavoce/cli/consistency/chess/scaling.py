"""`viva consistency chess-scaling`: how a chess engine's contradictions become rarer with search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import on_record
from vivavoce.cli.config_options import config_options
from vivavoce.cli.consistency.chess.sources import (
    POSITIONS,
    Engines,
    check_positions,
    engine_options,
    engines_of,
    require_chess,
)
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.consistency.chess.config import CHECKS, CheckName, ChessConfig, PositionsConfig
from vivavoce.examination.chess_source import evaluations_of, source_of, with_nodes, without_nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.consistency.chess.comparison import Comparison
    from vivavoce.consistency.chess.score import CheckedPositions
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which engine is examined on what."""

    engine: str
    nodes: tuple[int, ...]
    config: ChessConfig
    drawn: PositionsConfig
    engines: Engines


def node_counts(text: str) -> tuple[int, ...]:
    """Two or more numbers of nodes, separated by commas; given back in rising order."""
    parts = [part.strip() for part in text.split(",")]
    if len({*parts}) < 2 or not all(part.isascii() and part.isdecimal() and 0 < int(part[:13]) < 10**12 for part in parts):
        raise click.BadParameter(f"'{text}' is no list of nodes: give two or more whole numbers, such as 100,1000,10000.")
    return tuple(sorted({int(part) for part in parts}))


def check_nodes_alone(engine: str) -> None:
    """Refuse an engine with a depth, which would end its searches before the nodes that are wanted."""
    if "depth" in (pair.partition("=")[0].strip().lower() for pair in engine.partition("?")[2].split("&")):
        raise click.UsageError(f"'{engine[:80]}' has a depth, which may end a search before its --nodes: leave depth out.")


@click.command("chess-scaling", epilog=exit_codes(GOES_ON))
@click.argument("engine")
@click.option("--nodes", type=node_counts, metavar="N,N,...", required=True, help="Nodes to search, instead of ENGINE's own.")
@click.option("--check", type=click.Choice(CHECKS), default="recommended", show_default=True, help="Which check to run.")
@POSITIONS
@config_options(ChessConfig, only=("limit", "seed"))
@engine_options
@options.output_options
def chess_scaling(
    *, engine: str, nodes: tuple[int, ...], check: CheckName, as_json: bool, html: Path | None, **given: Any
) -> None:
    """Do contradictions of ENGINE become rarer as it searches longer, and how fast?

    \b
    viva consistency chess-scaling uci:stockfish --nodes 100,1000,10000 --limit 500 --workers 2 --html page.html

    The same positions are examined at each number of nodes.
    """
    require_chess()
    check_nodes_alone(engine)
    from vivavoce.studies.chess_scaling import scaling

    config = ChessConfig((check,), **{name: given.pop(name) for name in ("limit", "seed")})
    wanted = Wanted(engine, nodes, config, options.taken_out(given, PositionsConfig), engines_of(given))
    check_page(html)
    check_positions(wanted.drawn.positions)
    checked, kept = on_record(wanted.engines.transcript, partial(_check, wanted), quiet=wanted.engines.quiet)
    finding = scaling(without_nodes(checked[nodes[0]].candidate), checked)
    show(finding, as_json=as_json, html=html, kept=kept)


async def _check(
    wanted: Wanted, transcript: Transcript, on_progress: Callable[[Progress], None]
) -> dict[int, CheckedPositions[Comparison]]:
    """One examination for each number of nodes, on the same positions."""
    from vivavoce.consistency.chess.examine import Material, compare_positions

    config, engines, source = wanted.config, wanted.engines, source_of(wanted.drawn, wanted.config)
    expected = config.limit * sum(evaluations_of(check, config) for check in config.checks)
    checked = {}
    for nodes in wanted.nodes:
        name = with_nodes(wanted.engine, nodes)
        async with (
            engines.interview(name, transcript, on_progress, expected=expected) as interview,
            source.open(wanted.engine, transcript, opened=engines.open) as positions,
        ):
            material = Material(positions, title=source.title, digest=source.digest)
            checked[nodes] = await compare_positions(interview, material, config)
    return checked
