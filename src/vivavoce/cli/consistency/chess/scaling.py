"""`viva consistency chess-scaling`: how a chess engine's contradictions become rarer with search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from vivavoce.cli import options
from vivavoce.cli.asking import on_record
from vivavoce.cli.consistency.chess.sources import (
    LIMIT,
    POSITIONS,
    Engines,
    check_positions,
    checks_named,
    engine_options,
    engines_from,
    require_chess,
)
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.examination.chess_source import Source, positions_per_game, with_nodes, without_nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.consistency.chess.finding import ChessConsistency
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript

CHECKS = ("recommended", "forced", "mirror", "boards")


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    engine: str
    engines: Engines
    nodes: tuple[int, ...]
    check: str
    positions: str
    per_game: int | Literal["all"] | None
    limit: int
    seed: int
    as_json: bool
    html: Path | None

    @property
    def source(self) -> Source:
        """Where positions come from."""
        return Source(self.positions, positions_per_game(self.per_game, checks_named([self.check])), self.seed, self.limit)


def node_counts(text: str) -> tuple[int, ...]:
    """Two or more numbers of nodes, separated by commas; given back in rising order."""
    parts = [part.strip() for part in text.split(",")]
    if len({*parts}) < 2 or not all(part.isascii() and part.isdecimal() and 0 < int(part[:13]) < 10**12 for part in parts):
        raise click.BadParameter(f"'{text}' is no list of nodes: give two or more whole numbers, such as 100,1000,10000.")
    return tuple(sorted({int(part) for part in parts}))


@click.command("chess-scaling", epilog=exit_codes(GOES_ON))
@click.argument("engine")
@click.option("--nodes", type=node_counts, metavar="N,N,...", required=True, help="Nodes to search, instead of ENGINE's own.")
@click.option("--check", type=click.Choice(CHECKS), default="recommended", show_default=True, help="Which check to run.")
@POSITIONS
@LIMIT
@options.seed("Draws the positions.")
@engine_options
@options.output_options
def chess_scaling(**given: Any) -> None:
    """Do contradictions of ENGINE become rarer as it searches longer, and how fast?

    \b
    viva consistency chess-scaling uci:stockfish --nodes 100,1000,10000 --limit 500 --workers 2 --html page.html

    The same positions are examined at each number of nodes.
    """
    require_chess()
    from vivavoce.consistency.chess.scaling import scaling

    order = Order(**engines_from(given))
    check_page(order.html)
    check_positions(order.positions)
    findings, kept = on_record(order.engines.transcript, partial(_check, order), quiet=order.engines.quiet)
    finding = scaling(without_nodes(findings[order.nodes[0]].candidate), findings)
    show(finding, as_json=order.as_json, html=order.html, kept=kept)


async def _check(order: Order, transcript: Transcript, on_progress: Callable[[Progress], None]) -> dict[int, ChessConsistency]:
    """One examination for each number of nodes, on the same positions."""
    from vivavoce.consistency.chess.examine import Material, check_chess
    from vivavoce.interview.batch import BatchInterview
    from vivavoce.interview.engine import Evaluation

    source, engines, checks = order.source, order.engines, checks_named([order.check])
    findings = {}
    for nodes in order.nodes:
        engine = engines.open(with_nodes(order.engine, nodes))
        interview = BatchInterview(
            engine,
            answers=Evaluation,
            transcript=transcript,
            expected=order.limit * (8 if order.check == "boards" else 2),
            on_progress=on_progress,
        )
        try:
            async with source.open(order.engine, transcript, opened=engines.open) as positions:
                findings[nodes] = await check_chess(
                    interview,
                    Material(positions, title=source.title, digest=source.digest),
                    checks,
                    limit=order.limit,
                    seed=order.seed,
                )
        finally:
            await engine.close()
    return findings
