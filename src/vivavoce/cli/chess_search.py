"""`viva consistency chess-search`: boards on which an engine contradicts itself, searched by several methods."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli.chess_sources import require_chess
from vivavoce.cli.endings import resumable
from vivavoce.cli.kept import Kept, keepsake
from vivavoce.cli.pages import check_page, write_finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.consistency.chess.search.finding import ChessSearch, Method
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript

METHODS = ("random", "genetic", "archive")
THRESHOLDS = ("0.05", "0.1", "0.25", "0.5", "0.75", "1")


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    engine: str
    method: str
    evaluations: int
    seeds: int
    seed: int
    threshold: str
    orientations: str
    population: int | None
    workers: int
    cluster: str | None
    transcript: str | None
    as_json: bool
    html: Path | None
    quiet: bool

    @property
    def methods(self) -> tuple[Method, ...]:
        """By which boards are searched."""
        from vivavoce.consistency.chess.search.finding import Method

        return tuple(Method) if self.method == "all" else (Method(self.method),)


@click.command("chess-search")
@click.argument("engine")
@click.option("--method", type=click.Choice([*METHODS, "all"]), default="all", show_default=True, help="How to search.")
@click.option(
    "--evaluations", type=click.IntRange(min=2), metavar="N", default=6_000, show_default=True, help="Budget of every run."
)
@click.option("--seeds", type=click.IntRange(1, 1_000), metavar="N", default=3, show_default=True, help="Runs of each method.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help="Of the first run.")
@click.option(
    "--threshold",
    type=click.Choice(THRESHOLDS),
    default="0.25",
    show_default=True,
    help="Difference above which a board counts in the sentence and the plot.",
)
@click.option(
    "--orientations",
    type=click.Choice(["half-turn", "all"]),
    default="half-turn",
    show_default=True,
    help="Compare a board with its rotation by 180 degrees (2 evaluations), or all eight with each other (8).",
)
@click.option(
    "--population", type=click.IntRange(min=4), metavar="N", help="Of the genetic search; by default a 50th of all boards."
)
@click.option("--workers", type=click.IntRange(1, 1_000), metavar="N", default=1, show_default=True, help="Engine processes.")
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler whose workers run the engines.")
@click.option("--transcript", metavar="FILE|URL", help="Keep every evaluation there; what is there already is not asked again.")
@click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a page with plots.")
@click.option("--quiet", is_flag=True, help="No progress.")
def chess_search(**given: Any) -> None:
    """Search for boards on which ENGINE contradicts itself, by several methods with equal budgets.

    \b
    viva consistency chess-search 'uci:stockfish?nodes=1000&hash=1' --workers 2 --html search.html
    """
    require_chess()
    order = Order(**given)
    if order.orientations == "all" and order.evaluations < 8:
        raise click.UsageError(f"--evaluations {order.evaluations}: one board with all its orientations takes 8.")
    check_page(order.html)
    found, kept = _examine(order)
    try:
        _print(order, found, kept)
    finally:  # whoever reads the output may have gone away; the page is wanted all the same
        write_finding(order.html, found, quietly=order.as_json)


def _examine(order: Order) -> tuple[ChessSearch, Kept | None]:
    """What was found, and what to remember of the transcript; None for one in memory."""
    import asyncio

    from rich.console import Console

    from vivavoce.dossier.terminal import ProgressLine
    from vivavoce.interview.transcript import Transcript

    with resumable(order.transcript), Transcript.open(order.transcript) as transcript:
        with ProgressLine(Console(stderr=True, quiet=order.quiet)) as progress:
            found = asyncio.run(_search(order, transcript, progress))
        return found, keepsake(transcript, order.transcript)


async def _search(order: Order, transcript: Transcript, on_progress: Callable[[Progress], None]) -> ChessSearch:
    from dataclasses import replace

    from vivavoce.candidates.uci_pool import open_engine
    from vivavoce.consistency.chess.search.examine import search_boards
    from vivavoce.consistency.chess.search.genetic import scaled_to
    from vivavoce.interview.batch import BatchInterview
    from vivavoce.interview.engine import Evaluation

    half_turn_only = order.orientations == "half-turn"
    evolution = scaled_to(order.evaluations // (2 if half_turn_only else 8))
    if order.population is not None:
        evolution = replace(evolution, population=order.population)
    engine = open_engine(order.engine, workers=order.workers, cluster=order.cluster)
    try:
        interview = BatchInterview(
            engine,
            answers=Evaluation,
            transcript=transcript,
            expected=len(order.methods) * order.seeds * order.evaluations,
            on_progress=on_progress,
        )
        return await search_boards(
            interview,
            order.methods,
            evaluations=order.evaluations,
            seeds=range(order.seed, order.seed + order.seeds),
            threshold=float(order.threshold),
            half_turn_only=half_turn_only,
            evolution=evolution,
        )
    finally:
        await engine.close()


def _print(order: Order, found: ChessSearch, kept: Kept | None) -> None:
    if order.as_json:
        import json

        values = found.as_json() | ({"transcript_head": kept.head} if kept else {})
        click.echo(json.dumps(values, allow_nan=False))
        return
    from rich.console import Console

    from vivavoce.dossier.chess_search_terminal import print_chess_search

    print_chess_search(found, Console())
    if kept:
        click.echo(f"Transcript: {kept.name}, head {kept.head}")
