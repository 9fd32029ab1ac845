"""`viva consistency chess`: contradictions of a chess engine."""

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
from vivavoce.cli.results import RESULTS, rows_into
from vivavoce.examination.chess_source import Source, positions_per_game

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.consistency.chess.comparison import Check
    from vivavoce.consistency.chess.finding import ChessConsistency
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.results import Results
    from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    engine: str
    engines: Engines
    check: tuple[str, ...]
    positions: str
    boards: str | None
    per_game: int | Literal["all"] | None
    make_forced: bool
    orientations: str
    limit: int
    seed: int
    each: bool
    as_json: bool
    html: Path | None

    @property
    def checks(self) -> tuple[Check, ...]:
        """Which checks are made."""
        return checks_named(self.check)

    @property
    def source(self) -> Source:
        """Where positions come from."""
        return Source(self.positions, positions_per_game(self.per_game, self.checks), self.seed, self.limit)

    @property
    def title(self) -> str:
        """Where all that is compared comes from, in words."""
        from vivavoce.consistency.chess.comparison import Check

        parts = [self.source.title] if set(self.checks) - {Check.BOARDS} else []
        if Check.BOARDS in self.checks:
            parts.append("boards made at random" if self.boards is None else f"boards of {Path(self.boards).name}")
        return "; ".join(parts)


@click.command(epilog=exit_codes(GOES_ON))
@click.argument("engine")
@click.option(
    "--check",
    multiple=True,
    metavar="CHECK,...",
    default=("all",),
    show_default=True,
    help="recommended, forced, mirror, boards or all.",
)
@POSITIONS
@click.option("--boards", metavar="FILE", help="Positions without pawns for 'boards'; if not given they are made.")
@click.option(
    "--make-forced/--no-make-forced",
    default=True,
    show_default=True,
    help="Make forced moves, by a check that leaves one reply, where a position has several; else only those that occur.",
)
@click.option(
    "--orientations",
    type=click.Choice(["all", "half-turn"]),
    default="all",
    show_default=True,
    help="Boards in all eight orientations, or in two: as they are and turned by 180 degrees.",
)
@LIMIT
@options.seed("Draws the positions.")
@click.option("--details", "each", is_flag=True, help="With --json: every comparison, not only the counts.")
@RESULTS
@engine_options
@options.output_options
def chess(**given: Any) -> None:
    """How often does ENGINE give two values to positions that must be worth the same?

    \b
    viva consistency chess uci:stockfish --limit 100 --workers 2
    viva consistency chess 'uci:stockfish?nodes=81000' --check recommended --positions games.pgn --html page.html
    viva consistency chess 'uci:stockfish?Use NNUE=false' --check mirror,boards --transcript run.sqlite

    Nodes and all options of the engine belong to its name.
    """
    require_chess()
    order = Order(**engines_from(given))
    check_page(order.html)
    for file in filter(None, (order.positions, order.boards)):
        check_positions(file)
    if order.each and not order.as_json:
        raise click.UsageError("--details lists every comparison as JSON: give --json, too.")
    with rows_into(order.engines.results) as results:
        finding, kept = on_record(order.engines.transcript, partial(_check, order, results), quiet=order.engines.quiet)
    try:
        show(finding, as_json=order.as_json, html=order.html, kept=kept)
    finally:
        _tell_of_shortage(order, finding)


def _tell_of_shortage(order: Order, finding: ChessConsistency) -> None:
    short = [f"{row.check.value} {row.n}" for row in finding.summaries if row.n + row.no_answers < order.limit]
    if short and not order.engines.quiet:
        more = "" if order.source.per_game is None else ": --per-game all may find more"
        click.echo(f"viva: the positions ran out before {order.limit} were compared ({', '.join(short)}){more}", err=True)


async def _check(
    order: Order, results: Results | None, transcript: Transcript, on_progress: Callable[[Progress], None]
) -> ChessConsistency:
    from vivavoce.consistency.chess.examine import Material, check_chess
    from vivavoce.consistency.chess.sources import from_file
    from vivavoce.interview.batch import BatchInterview
    from vivavoce.interview.engine import Evaluation

    engine = order.engines.open(order.engine)
    interview = BatchInterview(
        engine,
        answers=Evaluation,
        transcript=transcript,
        expected=_expected(order),
        on_progress=on_progress,
        results=results,
    )
    source, engines = order.source, order.engines
    try:
        async with source.open(order.engine, transcript, opened=engines.open) as positions:
            material = Material(
                positions,
                boards=None if order.boards is None else from_file(order.boards),
                make_forced=order.make_forced,
                half_turn_only=order.orientations == "half-turn",
                title=order.title,
                digest=source.digest,
            )
            return await check_chess(interview, material, order.checks, limit=order.limit, seed=order.seed, each=order.each)
    finally:
        await engine.close()


def _expected(order: Order) -> int:
    """About how many evaluations there will be: two a comparison, eight for boards; for the progress line alone."""
    from vivavoce.consistency.chess.comparison import Check

    for_boards = 8 if order.orientations == "all" else 2
    return order.limit * sum(for_boards if check is Check.BOARDS else 2 for check in order.checks)
