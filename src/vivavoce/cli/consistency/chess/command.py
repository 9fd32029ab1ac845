"""`viva consistency chess`: contradictions of a chess engine."""

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
from vivavoce.cli.results import RESULTS, rows_into
from vivavoce.consistency.chess.config import CHECKS, ChessConfig, PositionsConfig
from vivavoce.examination.chess_source import Source, evaluations_of, source_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.interview.progress import Progress
    from vivavoce.interview.results import Results
    from vivavoce.interview.transcript import Transcript
    from vivavoce.studies.engine_checks.counting import EngineFinding


@click.command(epilog=exit_codes(GOES_ON))
@click.argument("engine")
@config_options(
    ChessConfig,
    checks={"option": "--check", "type": str, "default": ("all",), "callback": options.checks_among(CHECKS)},
)
@POSITIONS
@click.option("--boards", metavar="FILE", help="Positions without pawns for 'boards'; if not given they are made.")
@click.option("--details", "each", is_flag=True, help="With --json: every comparison, not only the counts.")
@RESULTS
@engine_options
@options.verdict_options
def chess(*, engine: str, boards: str | None, each: bool, as_json: bool, html: Path | None, **given: Any) -> None:
    """How often does ENGINE give two values to positions that must be worth the same?

    \b
    viva consistency chess uci:stockfish --limit 100 --workers 2
    viva consistency chess 'uci:stockfish?nodes=81000' --check recommended --positions games.pgn --html page.html
    viva consistency chess 'uci:stockfish?Use NNUE=false' --check mirror,boards --transcript run.sqlite

    Nodes and all options of the engine belong to its name.
    """
    require_chess()
    wanted = Wanted(
        engine,
        options.taken_out(given, ChessConfig),
        options.taken_out(given, PositionsConfig),
        engines_of(given),
        boards,
        each=each,
    )
    check_page(html)
    for file in filter(None, (wanted.drawn.positions, boards)):
        check_positions(file)
    if each and not as_json:
        raise click.UsageError("--details lists every comparison as JSON: give --json, too.")
    engines = wanted.engines
    with rows_into(engines.results) as results:
        finding, kept = on_record(engines.transcript, partial(_check, wanted, results), quiet=engines.quiet)
    try:
        show(finding, as_json=as_json, html=html, kept=kept)
    finally:
        _tell_of_shortage(wanted, finding)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which engine is examined on what."""

    engine: str
    config: ChessConfig
    drawn: PositionsConfig
    engines: Engines
    boards: str | None
    each: bool

    @property
    def source(self) -> Source:
        """Where positions come from."""
        return source_of(self.drawn, self.config)

    @property
    def title(self) -> str:
        """Where all that is compared comes from, in words."""
        checks = self.config.checks
        parts = [self.source.title] if set(checks) - {"boards"} else []
        if "boards" in checks:
            parts.append("boards made at random" if self.boards is None else f"boards of {Path(self.boards).name}")
        return "; ".join(parts)


def _tell_of_shortage(wanted: Wanted, finding: EngineFinding) -> None:
    limit = wanted.config.limit
    counts = {effect.treatment.name: (effect.n, effect.numbers["no_answers"] or 0) for effect in finding.effects}
    short = [f"{check} {n}" for check, (n, no_answers) in counts.items() if n + no_answers < limit]
    if short and not wanted.engines.quiet:
        more = "" if wanted.source.per_game is None else ": --per-game all may find more"
        click.echo(f"viva: the positions ran out before {limit} were compared ({', '.join(short)}){more}", err=True)


async def _check(
    wanted: Wanted, results: Results | None, transcript: Transcript, on_progress: Callable[[Progress], None]
) -> EngineFinding:
    from vivavoce.consistency.chess.examine import Material
    from vivavoce.consistency.chess.sources import from_file
    from vivavoce.studies.chess import check_chess

    source, engines, config = wanted.source, wanted.engines, wanted.config
    expected = config.limit * sum(evaluations_of(check, config) for check in config.checks)
    async with (
        engines.interview(wanted.engine, transcript, on_progress, expected=expected, results=results) as interview,
        source.open(wanted.engine, transcript, opened=engines.open) as positions,
    ):
        boards = None if wanted.boards is None else from_file(wanted.boards)
        material = Material(positions, boards=boards, title=wanted.title, digest=source.digest)
        return await check_chess(interview, material, config, each=wanted.each)
