"""`viva consistency chess-search`: boards on which an engine contradicts itself, searched by several methods."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import on_record
from vivavoce.cli.consistency.chess.sources import Engines, engine_options, engines_of, require_chess
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.consistency.chess.search.finding import ChessSearch
    from vivavoce.consistency.chess.search.runs import Method
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript

METHODS = ("random", "genetic", "archive")
THRESHOLDS = ("0.05", "0.1", "0.25", "0.5", "0.75", "1")


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    engine: str
    engines: Engines
    method: str
    evaluations: int
    seeds: int
    seed: int
    threshold: str
    orientations: str
    population: int | None
    as_json: bool
    html: Path | None

    @property
    def methods(self) -> tuple[Method, ...]:
        """By which boards are searched."""
        from vivavoce.consistency.chess.search.runs import Method

        return tuple(Method) if self.method == "all" else (Method(self.method),)


@click.command("chess-search", epilog=exit_codes(GOES_ON))
@click.argument("engine")
@click.option("--method", type=click.Choice([*METHODS, "all"]), default="all", show_default=True, help="How to search.")
@click.option(
    "--evaluations",
    type=click.IntRange(2, 10_000_000),
    metavar="N",
    default=6_000,
    show_default=True,
    help="Budget of every run.",
)
@click.option("--seeds", type=click.IntRange(1, 1_000), metavar="N", default=3, show_default=True, help="Runs of each method.")
@options.seed("Draws the first run; each further run has the next one.")
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
    "--population",
    type=click.IntRange(4, 1_000_000),
    metavar="N",
    help="Of the genetic search; by default a 50th of all boards.",
)
@engine_options
@options.output_options
def chess_search(**given: Any) -> None:
    """Search for boards on which ENGINE contradicts itself, by several methods with equal budgets.

    \b
    viva consistency chess-search 'uci:stockfish?nodes=1000&hash=1' --workers 2 --html search.html
    """
    require_chess()
    engines = engines_of(given)
    order = Order(engines=engines, **given)
    if order.orientations == "all" and order.evaluations < 8:
        raise click.UsageError(f"--evaluations {order.evaluations}: one board with all its orientations takes 8.")
    check_page(order.html)
    found, kept = on_record(order.engines.transcript, partial(_search, order), quiet=order.engines.quiet)
    show(found, as_json=order.as_json, html=order.html, kept=kept)


async def _search(order: Order, transcript: Transcript, on_progress: Callable[[Progress], None]) -> ChessSearch:
    from dataclasses import replace

    from vivavoce.consistency.chess.search.examine import search_boards
    from vivavoce.consistency.chess.search.genetic import scaled_to
    from vivavoce.interview.batch import BatchInterview
    from vivavoce.interview.engine import Evaluation

    half_turn_only = order.orientations == "half-turn"
    evolution = scaled_to(order.evaluations // (2 if half_turn_only else 8))
    if order.population is not None:
        evolution = replace(evolution, population=order.population)
    engine = order.engines.open(order.engine)
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
