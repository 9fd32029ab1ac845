"""`viva consistency chess check`, `search` and `scaling`: contradictions of chess engines."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import TRANSCRIPT, on_record
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import RESULTS, output_options, rows_into, show, verdict_options
from vivavoce.consistency.config import (
    CHECKS,
    SELF_PLAY,
    THRESHOLDS,
    CheckName,
    ChessConfig,
    EnginesConfig,
    PositionsConfig,
    SearchConfig,
)
from vivavoce.errors import MissingExtra
from vivavoce.examination.parts.chess import evaluations_of, source_of, with_nodes, without_nodes

if TYPE_CHECKING:
    from vivavoce.candidates.uci.pool import EnginePool
    from vivavoce.consistency.chess.counting import CheckedPositions
    from vivavoce.consistency.chess.search.search_finding import ChessSearch
    from vivavoce.interview.candidate_kinds import Evaluation, Position
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.results import ResultRows
    from vivavoce.interview.transcript import Transcript
    from vivavoce.interview.vendor_batches import BatchInterview
    from vivavoce.studies.engine_checks import EngineFinding


POSITIONS = config_options(PositionsConfig, per_game={"type": options.count_or_all})
engine_options = options.together(
    config_options(EnginesConfig),
    click.option("--cluster", metavar="ADDRESS", help="Dask scheduler whose workers run the engines."),
    TRANSCRIPT,
    options.QUIET,
)
"""The options of `EngineSetup`."""


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """How engines run, and where their output is kept."""

    workers: int
    cluster: str | None
    transcript: str | None
    quiet: bool
    results: Path | None = None
    """File for one row per position; None: no file."""
    warned: set[str] = field(default_factory=set, init=False, compare=False)
    """Warnings that were given; each is printed once, however many engines are opened."""

    def open(self, engine: str) -> EnginePool:
        """Open the engine of that name in as many processes as requested."""
        from vivavoce.candidates.uci.pool import open_engine

        pool = open_engine(engine, workers=self.workers, cluster=self.cluster)
        given = ", ".join(f"'{option[:80]}'" for option in pool.undeclared)
        if given and given not in self.warned and not self.quiet:
            self.warned.add(given)
            click.echo(f"viva: warning: the engine does not declare {given}: passed on unchecked", err=True)
        return pool

    @asynccontextmanager
    async def interview(
        self,
        engine: str,
        transcript: Transcript,
        on_progress: Callable[[Progress], None],
        *,
        expected: int,
        results: ResultRows | None = None,
    ) -> AsyncIterator[BatchInterview[Position, Evaluation]]:
        """An interview with the engine of that name, closed at its end; `expected`: a rough number of evaluations."""
        from vivavoce.interview.candidate_kinds import Evaluation
        from vivavoce.interview.vendor_batches import BatchInterview

        opened = self.open(engine)
        try:
            yield BatchInterview(
                opened,
                answers=Evaluation,
                transcript=transcript,
                expected=expected,
                on_progress=on_progress,
                results=results,
            )
        finally:
            await opened.close()


def require_chess() -> None:
    """Refuse to start without the package with the rules of chess."""
    if find_spec("chess") is None:
        raise MissingExtra("chess", extra="chess")


def check_positions(given: str) -> None:
    """Refuse a missing file before an engine is started."""
    if given != SELF_PLAY and not Path(given).is_file():
        raise click.BadParameter(
            f"there is no file '{given}': give games (.pgn), positions (.epd, .fen), or {SELF_PLAY}.",
            param_hint="'--positions'",
        )


@command(epilog=exit_codes(GOES_ON))
@click.argument("engine")
@config_options(
    ChessConfig,
    checks={"option": "--check", "type": str, "default": ("all",), "callback": options.checks_among(CHECKS)},
)
@POSITIONS
@click.option("--boards", metavar="FILE", help="Positions without pawns for 'boards'. [default: random boards]")
@click.option("--details", "each", is_flag=True, help="With --json: list each comparison.")
@RESULTS
@engine_options
@verdict_options
def check(*, engine: str, boards: str | None, each: bool, **given: Any) -> None:
    """Count how often ENGINE gives different values to equivalent positions.

    \b
    viva consistency chess check uci:stockfish --limit 100 --workers 2
    viva consistency chess check 'uci:stockfish?nodes=81000' --check recommended --positions games.pgn --html page.html
    viva consistency chess check 'uci:stockfish?Use NNUE=false' --check mirror,boards --transcript run.sqlite

    Nodes and engine options are part of the engine's name.
    """
    require_chess()
    from vivavoce.consistency.chess.compare_positions import Material
    from vivavoce.consistency.chess.position_files import from_file
    from vivavoce.studies.chess import check_chess

    config, drawn = options.taken_out(given, ChessConfig), options.taken_out(given, PositionsConfig)
    engines, source = EngineSetup(**given), source_of(drawn, config)
    for file in filter(None, (drawn.positions, boards)):
        check_positions(file)
    if each and not wants_json():
        raise click.UsageError("--details lists every comparison as JSON: give --json, too.")
    titles = [source.title] if set(config.checks) - {"boards"} else []
    if "boards" in config.checks:
        titles.append("boards made at random" if boards is None else f"boards of {Path(boards).name}")

    async def ask(transcript: Transcript, on_progress: Callable[[Progress], None]) -> EngineFinding:
        async with (
            engines.interview(engine, transcript, on_progress, expected=_expected(config), results=results) as interview,
            source.open(engine, transcript, opened=engines.open) as positions,
        ):
            given_boards = None if boards is None else from_file(boards)
            material = Material(positions, boards=given_boards, title="; ".join(titles), digest=source.digest)
            return await check_chess(interview, material, config, each=each)

    with rows_into(engines.results) as results:
        finding = on_record(engines.transcript, ask, quiet=engines.quiet)
    try:
        show(finding)
    finally:
        if not engines.quiet:
            _tell_of_shortage(finding, config.limit, all_of_games=source.per_game is None)


def _expected(config: ChessConfig) -> int:
    """A rough number of evaluations."""
    return config.limit * sum(evaluations_of(check, config) for check in config.checks)


def _tell_of_shortage(finding: EngineFinding, limit: int, *, all_of_games: bool) -> None:
    counts = {effect.treatment.name: (effect.n, effect.numbers["no_answers"] or 0) for effect in finding.effects}
    short = [f"{check} {n}" for check, (n, no_answers) in counts.items() if n + no_answers < limit]
    if short:
        more = "" if all_of_games else ": --per-game all may find more"
        click.echo(f"viva: the positions ran out before {limit} were compared ({', '.join(short)}){more}", err=True)


def node_counts(text: str) -> tuple[int, ...]:
    """Two or more numbers of nodes, separated by commas; given back in rising order."""
    parts = [part.strip() for part in text.split(",")]
    if len({*parts}) < 2 or not all(part.isascii() and part.isdecimal() and 0 < int(part[:13]) < 10**12 for part in parts):
        raise click.BadParameter(f"'{text}' is not a list of nodes: give two or more whole numbers, such as 100,1000,10000.")
    return tuple(sorted({int(part) for part in parts}))


def check_nodes_alone(engine: str) -> None:
    """Refuse an engine with a depth, which would end its searches before the requested nodes."""
    if "depth" in (pair.partition("=")[0].strip().lower() for pair in engine.partition("?")[2].split("&")):
        raise click.UsageError(f"'{engine[:80]}' has a depth, which may end a search before its --nodes: leave depth out.")


@command(epilog=exit_codes(GOES_ON))
@click.argument("engine")
@click.option(
    "--nodes", type=node_counts, metavar="N,N,...", required=True, help="Search this many nodes, instead of ENGINE's own."
)
@click.option("--check", type=options.Choice(CHECKS), default="recommended", show_default=True, help="Which check to run.")
@POSITIONS
@config_options(ChessConfig, only=("limit", "seed"))
@engine_options
@output_options
def scaling(*, engine: str, nodes: tuple[int, ...], check: CheckName, **given: Any) -> None:
    """Measure how fast contradictions of ENGINE become rarer as it searches more nodes.

    \b
    viva consistency chess scaling uci:stockfish --nodes 100,1000,10000 --limit 500 --workers 2 --html page.html

    The same positions are examined at each number of nodes.
    """
    require_chess()
    from vivavoce.consistency.chess.compare_positions import Material, compare_positions
    from vivavoce.studies.chess import scaling

    check_nodes_alone(engine)
    config = ChessConfig((check,), **{name: given.pop(name) for name in ("limit", "seed")})
    drawn = options.taken_out(given, PositionsConfig)
    engines, source = EngineSetup(**given), source_of(drawn, config)
    check_positions(drawn.positions)

    async def ask(transcript: Transcript, on_progress: Callable[[Progress], None]) -> dict[int, CheckedPositions]:
        checked = {}
        for number in nodes:
            name = with_nodes(engine, number)
            async with (
                engines.interview(name, transcript, on_progress, expected=_expected(config)) as interview,
                source.open(engine, transcript, opened=engines.open) as positions,
            ):
                material = Material(positions, title=source.title, digest=source.digest)
                checked[number] = await compare_positions(interview, material, config)
        return checked

    checked = on_record(engines.transcript, ask, quiet=engines.quiet)
    show(scaling(without_nodes(checked[nodes[0]].candidate), checked))


_THRESHOLD: Final[Mapping[str, Any]] = {
    "type": options.Choice([f"{threshold:g}" for threshold in THRESHOLDS]),
    "metavar": None,
    "callback": lambda _, __, given: float(given),
}


@command(epilog=exit_codes(GOES_ON))
@click.argument("engine")
@config_options(SearchConfig, threshold=_THRESHOLD)
@engine_options
@output_options
def search(*, engine: str, **given: Any) -> None:
    """Search for boards on which ENGINE contradicts itself, with several methods on equal budgets.

    \b
    viva consistency chess search 'uci:stockfish?nodes=1000&hash=1' --workers 2 --html search.html
    """
    require_chess()
    from vivavoce.consistency.chess.search.search_boards import search_boards

    config = options.taken_out(given, SearchConfig)
    engines, expected = EngineSetup(**given), len(config.methods) * config.seeds * config.evaluations

    async def ask(transcript: Transcript, on_progress: Callable[[Progress], None]) -> ChessSearch:
        async with engines.interview(engine, transcript, on_progress, expected=expected) as interview:
            return await search_boards(interview, config)

    show(on_record(engines.transcript, ask, quiet=engines.quiet))
