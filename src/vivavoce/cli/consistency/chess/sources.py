"""Which positions a chess command examines, and which checks it makes: options that several commands share."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import TRANSCRIPT
from vivavoce.cli.config_options import config_options
from vivavoce.cli.results import check_results
from vivavoce.consistency.chess.config import SELF_PLAY, EnginesConfig, PositionsConfig
from vivavoce.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from vivavoce.candidates.uci.pool import EnginePool
    from vivavoce.interview.batch import BatchInterview
    from vivavoce.interview.engine import Evaluation, Position
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.results import Results
    from vivavoce.interview.transcript import Transcript

POSITIONS = config_options(PositionsConfig, per_game={"type": options.count_or_all})
engine_options = options.together(
    config_options(EnginesConfig),
    click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler whose workers run the engines."),
    TRANSCRIPT,
    options.QUIET,
)
"""The options of `Engines`."""


@dataclass(frozen=True, slots=True)
class Engines:
    """How engines are run and what they say is kept, whatever they are asked."""

    workers: int
    cluster: str | None
    transcript: str | None
    quiet: bool
    results: Path | None = None
    """Where a row a position goes; None: nowhere."""
    warned: set[str] = field(default_factory=set, init=False, compare=False)
    """What was warned of, which is said once however many engines are opened."""

    def open(self, engine: str) -> EnginePool:
        """The engine of that name, in as many processes as are wanted."""
        from vivavoce.candidates.uci.pool import open_engine

        pool = open_engine(engine, workers=self.workers, cluster=self.cluster)
        given = ", ".join(f"'{option[:80]}'" for option in pool.undeclared)
        if given and given not in self.warned and not self.quiet:
            self.warned.add(given)
            click.echo(f"viva: warning: the engine does not declare {given}: passed on, without a check of the value", err=True)
        return pool

    @asynccontextmanager
    async def interview(
        self,
        engine: str,
        transcript: Transcript,
        on_progress: Callable[[Progress], None],
        *,
        expected: int,
        results: Results | None = None,
    ) -> AsyncIterator[BatchInterview[Position, Evaluation]]:
        """An interview with the engine of that name, which is closed at its end; `expected`: evaluations, as a guess."""
        from vivavoce.interview.batch import BatchInterview
        from vivavoce.interview.engine import Evaluation

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


def engines_of(given: dict[str, Any]) -> Engines:
    """Take the options of `Engines` out of what was given on the command line."""
    engines = options.taken_out(given, Engines)
    check_results(engines.results)
    return engines


def require_chess() -> None:
    """Refuse to begin without the package that knows the rules of chess."""
    if find_spec("chess") is None:
        raise MissingExtra("chess", extra="chess")


def check_positions(given: str) -> None:
    """Refuse a file that is not there, before an engine is started."""
    if given != SELF_PLAY and not Path(given).is_file():
        raise click.BadParameter(
            f"there is no file '{given}': give one of games (.pgn) or positions (.epd, .fen), or {SELF_PLAY}.",
            param_hint="'--positions'",
        )
