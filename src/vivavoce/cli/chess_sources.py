"""Which positions a chess command examines, and which checks it makes: options that several commands share."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from vivavoce.cli import options
from vivavoce.cli.asking import TRANSCRIPT, file_digest
from vivavoce.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from vivavoce.candidates.uci_pool import EnginePool
    from vivavoce.consistency.chess.comparison import Check
    from vivavoce.consistency.chess.examine import Positions
    from vivavoce.interview.transcript import Transcript

SELF_PLAY = "selfplay"
PLAYED_AT = 1_000
"""Nodes of the engine that plays for positions: sensible games at a small part of the cost."""
PER_GAME, PER_GAME_WITH_FORCED = 2, 10
"""Positions of one game by default: few, since they are alike, but more where forced moves are sought, which are rare."""
GAMES_AT_ONCE = 64
OPENING_PLIES = 4
"""Random half-moves before the engine plays: with eight, two positions in three are won or lost already, with four fewer."""


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

    def open(self, engine: str) -> EnginePool:
        """The engine of that name, in as many processes as are wanted."""
        from vivavoce.candidates.uci_pool import open_engine

        return open_engine(engine, workers=self.workers, cluster=self.cluster)


def engines_from(given: dict[str, Any]) -> dict[str, Any]:
    """What was given on the command line, with the options of `Engines` as one value `engines`."""
    engines = options.taken_out(given, Engines)
    return given | {"engines": engines}


@dataclass(frozen=True, slots=True)
class Source:
    """Where positions come from."""

    positions: str
    """A file, or `SELF_PLAY`."""
    per_game: int | None
    """None: all."""
    seed: int
    limit: int

    @property
    def title(self) -> str:
        """In words, without folders."""
        most = "" if self.per_game is None else f", at most {self.per_game} of a game"
        if self.positions == SELF_PLAY:
            return f"self-play from random openings{most}"
        return f"{Path(self.positions).name}{most}"

    @property
    def digest(self) -> str:
        """SHA-256 in hex of the file, so that equal digests mean equal positions; empty for self-play."""
        if self.positions == SELF_PLAY:
            return ""
        return file_digest(Path(self.positions))

    @asynccontextmanager
    async def open(self, engine: str, transcript: Transcript, *, workers: int, cluster: str | None) -> AsyncIterator[Positions]:
        """The positions; the same ones at each call. In self-play `engine` plays both sides, with `PLAYED_AT` nodes a move."""
        if self.positions != SELF_PLAY:
            from vivavoce.consistency.chess.sources import from_file

            yield from_file(self.positions, per_game=self.per_game, seed=self.seed)
            return
        from vivavoce.candidates.uci_pool import open_engine
        from vivavoce.consistency.chess.selfplay import self_play
        from vivavoce.interview.batch import BatchInterview
        from vivavoce.interview.engine import Evaluation, Position

        player = open_engine(with_nodes(engine, PLAYED_AT), workers=workers, cluster=cluster)
        interview = BatchInterview(player, answers=Evaluation, transcript=transcript)

        async def best_moves(fens: Sequence[str]) -> list[str | None]:
            answers = await interview.ask_together([Position(fen) for fen in fens], topic="chess/self-play")
            return [answer.best_move if isinstance(answer, Evaluation) else None for answer in answers]

        games_at_once = min(GAMES_AT_ONCE, ceil(self.limit / (self.per_game or PER_GAME_WITH_FORCED)))
        games = self_play(
            best_moves, seed=self.seed, games_at_once=games_at_once, random_plies=OPENING_PLIES, per_game=self.per_game
        )
        try:
            yield games
        finally:
            await player.close()


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


def positions_per_game(given: int | Literal["all"] | None, checks: Sequence[Check]) -> int | None:
    """How many positions of a game, from the option `--per-game`; None: all, as by default for forced moves alone."""
    from vivavoce.consistency.chess.comparison import Check

    if given is None:
        if Check.FORCED not in checks:
            return PER_GAME
        return PER_GAME_WITH_FORCED if set(checks) & {Check.RECOMMENDED, Check.MIRROR} else None
    return None if given == "all" else given


def check_positions(given: str) -> None:
    """Refuse a file that is not there, before an engine is started."""
    if given != SELF_PLAY and not Path(given).is_file():
        raise click.BadParameter(
            f"there is no file '{given}': give one of games (.pgn) or positions (.epd, .fen), or {SELF_PLAY}.",
            param_hint="'--positions'",
        )


def with_nodes(engine: str, nodes: int) -> str:
    """The engine's name with so many nodes instead of its own.

    >>> with_nodes("uci:stockfish?nodes=10&Use NNUE=false", 500)
    'uci:stockfish?Use NNUE=false&nodes=500'
    """
    program, _, query = engine.partition("?")
    others = [pair for pair in query.split("&") if pair and pair.partition("=")[0].lower() != "nodes"]
    return f"{program}?{'&'.join([*others, f'nodes={nodes}'])}"


def without_nodes(name: str) -> str:
    """An engine's name without its nodes.

    >>> without_nodes("uci:stockfish?nodes=10&hash=1")
    'uci:stockfish?hash=1'
    """
    return with_nodes(name, 0).removesuffix("nodes=0").rstrip("&?")
