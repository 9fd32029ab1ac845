"""`viva consistency chess`: contradictions of a chess engine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli.chess_sources import (
    PER_GAME,
    PER_GAME_WITH_FORCED,
    SELF_PLAY,
    Source,
    check_positions,
    checks_named,
    positions_per_game,
    require_chess,
)
from vivavoce.cli.endings import resumable
from vivavoce.cli.kept import Kept, keepsake, print_finding
from vivavoce.cli.pages import check_page, write_finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.consistency.chess.comparison import Check
    from vivavoce.consistency.chess.finding import ChessConsistency
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    engine: str
    check: tuple[str, ...]
    positions: str
    boards: str | None
    per_game: str | None
    make_forced: bool
    orientations: str
    limit: int
    seed: int
    workers: int
    cluster: str | None
    transcript: str | None
    each: bool
    as_json: bool
    html: Path | None
    quiet: bool

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


@click.command()
@click.argument("engine")
@click.option(
    "--check",
    multiple=True,
    metavar="CHECK,...",
    default=("all",),
    show_default=True,
    help="recommended, forced, mirror, boards or all.",
)
@click.option(
    "--positions",
    metavar=f"FILE|{SELF_PLAY}",
    default=SELF_PLAY,
    show_default=True,
    help="Games (.pgn) or positions (.epd, .fen), also in .zip or .gz; or the engine plays against itself.",
)
@click.option("--boards", metavar="FILE", help="Positions without pawns for 'boards'; if not given they are made.")
@click.option(
    "--per-game",
    metavar="N|all",
    help=f"Positions of one game at most; by default {PER_GAME}, with forced moves {PER_GAME_WITH_FORCED}, for them alone all.",
)
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
@click.option("--limit", type=click.IntRange(min=1), metavar="N", default=200, show_default=True, help="Positions a check.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help="Draws the positions.")
@click.option("--workers", type=click.IntRange(1, 1_000), metavar="N", default=1, show_default=True, help="Engine processes.")
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler whose workers run the engines.")
@click.option("--transcript", metavar="FILE|URL", help="Keep every evaluation there; what is there already is not asked again.")
@click.option("--each", is_flag=True, help="With --json: every comparison, not only the counts.")
@click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a page with boards.")
@click.option("--quiet", is_flag=True, help="No progress.")
def chess(**given: Any) -> None:
    """How often does ENGINE give two values to positions that must be worth the same?

    \b
    viva consistency chess uci:stockfish --limit 100 --workers 2
    viva consistency chess 'uci:stockfish?nodes=81000' --check recommended --positions games.pgn --html page.html
    viva consistency chess 'uci:stockfish?Use NNUE=false' --check mirror,boards --transcript run.sqlite

    Nodes and all options of the engine belong to its name. Exit code 0 when done, 2 bad input, 5 cannot go on now (with
    --transcript, the same command again goes on where it stopped).
    """
    require_chess()
    order = Order(**given)
    check_page(order.html)
    for file in filter(None, (order.positions, order.boards)):
        check_positions(file)
    if order.each and not order.as_json:
        raise click.UsageError("--each lists every comparison as JSON: give --json, too.")
    finding, kept = _examine(order)
    try:
        print_finding(finding, "vivavoce.dossier.chess_terminal:print_chess", as_json=order.as_json, kept=kept)
    finally:  # whoever reads the output may have gone away; the page is wanted all the same
        write_finding(order.html, finding, quietly=order.as_json)
        _tell_of_shortage(order, finding)


def _examine(order: Order) -> tuple[ChessConsistency, Kept | None]:
    """The finding, and what to remember of the transcript; None for one in memory."""
    import asyncio

    from rich.console import Console

    from vivavoce.dossier.terminal import ProgressLine
    from vivavoce.interview.transcript import Transcript

    with resumable(order.transcript), Transcript.open(order.transcript) as transcript:
        with ProgressLine(Console(stderr=True, quiet=order.quiet)) as progress:
            finding = asyncio.run(_check(order, transcript, progress))
        return finding, keepsake(transcript, order.transcript)


def _tell_of_shortage(order: Order, finding: ChessConsistency) -> None:
    short = [f"{row.check.value} {row.n}" for row in finding.rows if row.n + row.no_answers < order.limit]
    if short and not order.quiet:
        more = "" if order.source.per_game is None else ": --per-game all may find more"
        click.echo(f"viva: the positions ran out before {order.limit} were compared ({', '.join(short)}){more}", err=True)


async def _check(order: Order, transcript: Transcript, on_progress: Callable[[Progress], None]) -> ChessConsistency:
    from vivavoce.candidates.uci_pool import open_engine
    from vivavoce.consistency.chess.examine import Material, check_chess
    from vivavoce.consistency.chess.sources import from_file
    from vivavoce.interview.batch import BatchInterview
    from vivavoce.interview.engine import Evaluation

    engine = open_engine(order.engine, workers=order.workers, cluster=order.cluster)
    interview = BatchInterview(
        engine, answers=Evaluation, transcript=transcript, expected=_expected(order), on_progress=on_progress
    )
    source = order.source
    try:
        async with source.open(order.engine, transcript, workers=order.workers, cluster=order.cluster) as positions:
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
