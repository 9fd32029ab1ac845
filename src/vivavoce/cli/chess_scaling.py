"""`viva consistency chess-scaling`: how a chess engine's contradictions become rarer with search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli.chess_sources import (
    SELF_PLAY,
    Source,
    check_positions,
    checks_named,
    positions_per_game,
    require_chess,
    with_nodes,
    without_nodes,
)
from vivavoce.cli.endings import resumable
from vivavoce.cli.pages import check_page, write_finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.consistency.chess.finding import ChessConsistency
    from vivavoce.consistency.chess.scaling import ChessScaling
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript

CHECKS = ("recommended", "forced", "mirror", "boards")


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    engine: str
    nodes: tuple[int, ...]
    check: str
    positions: str
    per_game: str | None
    limit: int
    seed: int
    workers: int
    cluster: str | None
    transcript: str | None
    as_json: bool
    html: Path | None
    quiet: bool

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


@click.command("chess-scaling")
@click.argument("engine")
@click.option("--nodes", type=node_counts, metavar="N,N,...", required=True, help="Nodes to search, instead of ENGINE's own.")
@click.option("--check", type=click.Choice(CHECKS), default="recommended", show_default=True, help="Which check is made.")
@click.option(
    "--positions", metavar=f"FILE|{SELF_PLAY}", default=SELF_PLAY, show_default=True, help="As in 'viva consistency chess'."
)
@click.option("--per-game", metavar="N|all", help="As in 'viva consistency chess'.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", default=200, show_default=True, help="Positions, each time.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help="Draws the positions.")
@click.option("--workers", type=click.IntRange(1, 1_000), metavar="N", default=1, show_default=True, help="Engine processes.")
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler whose workers run the engines.")
@click.option("--transcript", metavar="FILE|URL", help="Keep every evaluation there; what is there already is not asked again.")
@click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a page with a plot.")
@click.option("--quiet", is_flag=True, help="No progress.")
def chess_scaling(**given: Any) -> None:
    """Do contradictions of ENGINE become rarer as it searches longer, and how fast?

    \b
    viva consistency chess-scaling uci:stockfish --nodes 100,1000,10000 --limit 500 --workers 2 --html page.html

    The same positions are examined at each number of nodes.
    """
    require_chess()
    order = Order(**given)
    check_page(order.html)
    check_positions(order.positions)
    finding = _examine(order)
    try:
        _print(order, finding)
    finally:  # whoever reads the output may have gone away; the page is wanted all the same
        write_finding(order.html, finding, quietly=order.as_json)


def _examine(order: Order) -> ChessScaling:
    import asyncio

    from rich.console import Console

    from vivavoce.consistency.chess.scaling import scaling
    from vivavoce.dossier.terminal import ProgressLine
    from vivavoce.interview.transcript import Transcript

    line = ProgressLine(Console(stderr=True, quiet=order.quiet))
    with resumable(order.transcript), Transcript.open(order.transcript) as transcript, line as progress:
        findings = asyncio.run(_check(order, transcript, progress))
    return scaling(without_nodes(findings[order.nodes[0]].candidate), findings)


async def _check(order: Order, transcript: Transcript, on_progress: Callable[[Progress], None]) -> dict[int, ChessConsistency]:
    """One examination for each number of nodes, on the same positions."""
    from vivavoce.candidates.uci_pool import open_engine
    from vivavoce.consistency.chess.examine import Material, check_chess
    from vivavoce.interview.batch import BatchInterview
    from vivavoce.interview.engine import Evaluation

    source, checks = order.source, checks_named([order.check])
    findings = {}
    for nodes in order.nodes:
        engine = open_engine(with_nodes(order.engine, nodes), workers=order.workers, cluster=order.cluster)
        interview = BatchInterview(
            engine,
            answers=Evaluation,
            transcript=transcript,
            expected=order.limit * (8 if order.check == "boards" else 2),
            on_progress=on_progress,
        )
        try:
            async with source.open(order.engine, transcript, workers=order.workers, cluster=order.cluster) as positions:
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


def _print(order: Order, finding: ChessScaling) -> None:
    if order.as_json:
        import json

        click.echo(json.dumps(finding.as_json(), allow_nan=False))
        return
    from rich.console import Console

    from vivavoce.dossier.chess_terminal import print_scaling

    print_scaling(finding, Console())
