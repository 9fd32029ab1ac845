"""Which positions a chess command examines, and which checks it makes: options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import TRANSCRIPT
from vivavoce.cli.results import check_results
from vivavoce.errors import MissingExtra
from vivavoce.examination.chess_source import PER_GAME, PER_GAME_WITH_FORCED, SELF_PLAY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.candidates.uci.pool import EnginePool
    from vivavoce.consistency.chess.comparison import Check

LIMIT = click.option(
    "--limit", type=options.count, metavar="N", default=200, show_default=True, help="Positions a check, drawn by the seed."
)
POSITIONS = options.together(
    click.option(
        "--positions",
        metavar=f"FILE|{SELF_PLAY}",
        default=SELF_PLAY,
        show_default=True,
        help="Games (.pgn) or positions (.epd, .fen), also in .zip or .gz; or the engine plays against itself.",
    ),
    click.option(
        "--per-game",
        type=options.count_or_all,
        metavar="N|all",
        help=f"Positions of one game at most; by default {PER_GAME}, with forced moves {PER_GAME_WITH_FORCED}, for them alone "
        "all.",
    ),
)
engine_options = options.together(
    click.option(
        "--workers", type=click.IntRange(1, 1_000), metavar="N", default=1, show_default=True, help="Engine processes."
    ),
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

    def open(self, engine: str) -> EnginePool:
        """The engine of that name, in as many processes as are wanted."""
        from vivavoce.candidates.uci.pool import open_engine

        return open_engine(engine, workers=self.workers, cluster=self.cluster)


def engines_from(given: dict[str, Any]) -> dict[str, Any]:
    """What was given on the command line, with the options of `Engines` as one value `engines`."""
    engines = options.taken_out(given, Engines)
    check_results(engines.results)
    return given | {"engines": engines}


def require_chess() -> None:
    """Refuse to begin without the package that knows the rules of chess."""
    if find_spec("chess") is None:
        raise MissingExtra("chess", extra="chess")


def checks_named(given: Sequence[str]) -> tuple[Check, ...]:
    """The checks of these lists with commas, each once and in their usual order; `all` is all of them."""
    from vivavoce.consistency.chess.comparison import Check

    names = {name.strip() for names in given for name in names.split(",")}
    for name in sorted(names - {*Check, "all"}):
        raise click.BadParameter(
            f"'{name}' is no check: give {', '.join(Check)} or all, several with commas.", param_hint="'--check'"
        )
    return tuple(check for check in Check if "all" in names or check in names)


def check_positions(given: str) -> None:
    """Refuse a file that is not there, before an engine is started."""
    if given != SELF_PLAY and not Path(given).is_file():
        raise click.BadParameter(
            f"there is no file '{given}': give one of games (.pgn) or positions (.epd, .fen), or {SELF_PLAY}.",
            param_hint="'--positions'",
        )
