"""The source of a chess engine's positions: a file, or games that the engine plays against itself."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from vivavoce.consistency.config import PER_GAME, PER_GAME_WITH_FORCED, SELF_PLAY, CheckName, ChessConfig, PositionsConfig
from vivavoce.formats.lines import file_digest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from vivavoce.consistency.chess.compare_positions import Positions
    from vivavoce.interview.transcript import Transcript

SELF_PLAY_TOPIC: Final = "chess/self-play"
PLAYED_AT: Final = 1_000
"""Nodes per move in self-play: sensible games at a small part of the cost."""
GAMES_AT_ONCE: Final = 64
OPENING_PLIES: Final = 4
"""Random half-moves at the start: after eight, two positions in three are already decided; after four, fewer."""


@dataclass(frozen=True, slots=True)
class PositionSource:
    """The source of positions."""

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
    async def open(self, engine: str, transcript: Transcript, *, opened: Callable[[str], Any]) -> AsyncIterator[Positions]:
        """The positions, the same at each call. In self-play, `engine` plays both sides, with `PLAYED_AT` nodes per move.

        opened: opens an engine by its name.
        """
        if self.positions != SELF_PLAY:
            from vivavoce.consistency.chess.position_files import from_file

            yield from_file(self.positions, per_game=self.per_game, seed=self.seed)
            return
        from vivavoce.consistency.chess.positions import self_play
        from vivavoce.interview.batch_interview import BatchInterview
        from vivavoce.interview.candidate_kinds import Evaluation, Position

        player = opened(with_nodes(engine, PLAYED_AT))
        interview = BatchInterview(player, answers=Evaluation, transcript=transcript)

        async def best_moves(fens: Sequence[str]) -> list[str | None]:
            answers = await interview.ask_together([Position(fen) for fen in fens], topic=SELF_PLAY_TOPIC)
            return [answer.best_move if isinstance(answer, Evaluation) else None for answer in answers]

        games_at_once = min(GAMES_AT_ONCE, ceil(self.limit / (self.per_game or PER_GAME_WITH_FORCED)))
        games = self_play(
            best_moves, seed=self.seed, games_at_once=games_at_once, random_plies=OPENING_PLIES, per_game=self.per_game
        )
        try:
            yield games
        finally:
            await player.close()


def source_of(drawn: PositionsConfig, config: ChessConfig) -> PositionSource:
    """The source of a configuration's positions."""
    return PositionSource(drawn.positions, positions_per_game(drawn.per_game, config.checks), config.seed, config.limit)


def positions_per_game(given: int | Literal["all"] | None, checks: Sequence[CheckName]) -> int | None:
    """Positions per game; None: all, the default for forced moves alone."""
    if given is None:
        if "forced" not in checks:
            return PER_GAME
        return PER_GAME_WITH_FORCED if {"recommended", "mirror"} & set(checks) else None
    return None if given == "all" else given


def evaluations_of(check: CheckName, config: ChessConfig) -> int:
    """Evaluations per comparison: two, or for boards one for each orientation."""
    return 8 if check == "boards" and not config.half_turn_only else 2


def with_nodes(engine: str, nodes: int) -> str:
    """The engine's name with this many nodes instead of its own.

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
