"""Positions from games that an engine plays against itself, from random openings."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

import chess
import numpy as np

from vivavoce.consistency.chess.checks import ended
from vivavoce.consistency.chess.placed import AFTER_MOVE, Placed, in_middle_game, sampled
from vivavoce.errors import CandidateUnreachable

RANDOM_PLIES = 8
"""Random half-moves at the start: enough that no two of many games are alike, few enough for games worth playing."""
MAX_PLIES = 200
_PATIENCE = 3

BestMoves = Callable[[Sequence[str]], Awaitable[Sequence[str | None]]]
"""Best moves in UCI notation for several positions (FEN) at one go; None where there is no answer."""


@dataclass(slots=True)
class _Game:
    number: int
    board: chess.Board
    rng: np.random.Generator
    fens: list[str] = field(default_factory=list)


async def self_play(
    best_moves: BestMoves,
    *,
    seed: int = 0,
    games_at_once: int = 64,
    random_plies: int = RANDOM_PLIES,
    per_game: int | None = None,
) -> AsyncGenerator[Placed, None]:
    """Endless middle-game positions (`in_middle_game`) of games that the engine plays on both sides.

    Games are played side by side, each a move further at every call of `best_moves`, so that a pool of engines has work. A
    game ends by the rules, by its third repetition, when it leaves the middle game, or after 200 half-moves; one without a
    legal move from the engine is dropped. Games come out whole and in the order in which they were
    begun, whichever is over first, so that short games are not preferred.

    Parameters
    ----------
    seed: of the openings and of the draw of positions; game n depends on the seed and n only.
    random_plies: random half-moves from the start position before the engine plays.
    per_game: this many positions of a game at most, drawn at random; None: all.

    Raises
    ------
    CandidateUnreachable: the engine plays no legal move, time after time.
    """
    numbers = count(1)
    playing = [_opened(seed, next(numbers), random_plies) for _ in range(games_at_once)]
    finished: dict[int, _Game] = {}
    due, fruitless = 1, 0
    while True:
        moves = await best_moves([game.board.fen() for game in playing])
        played = [_play(game, move) for game, move in zip(playing, moves, strict=True)]
        fruitless = 0 if any(played) else fruitless + 1
        if fruitless == _PATIENCE:
            raise CandidateUnreachable(f"no legal move came for {_PATIENCE * len(playing)} positions")
        for i, game in enumerate(playing):
            if not played[i]:
                game.fens.clear()
            if not played[i] or _is_over(game.board):
                finished[game.number] = game
                playing[i] = _opened(seed, next(numbers), random_plies)
        while game_due := finished.pop(due, None):
            for fen in sampled(game_due.fens, per_game, game_due.rng):
                yield Placed(fen, f"self-play game {due}")
            due += 1


def _opened(seed: int, number: int, plies: int) -> _Game:
    """A game after its random opening; an opening that ends the game is played again."""
    rng = np.random.default_rng([seed, number])
    while True:
        board = chess.Board()
        for _ in range(plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[rng.integers(len(moves))])
        if ended(board) is None:
            return _Game(number, board, rng)


def _play(game: _Game, move: str | None) -> bool:
    """Play the move and note the position after it; False if it is no legal move."""
    try:
        played = game.board.push_uci(move or "")
    except ValueError:
        return False
    if played and ended(game.board) is None and in_middle_game(game.board):
        game.fens.append(game.board.fen())
    return bool(played)


def _is_over(board: chess.Board) -> bool:
    return (
        ended(board) is not None
        or board.is_repetition(3)
        or len(board.move_stack) >= MAX_PLIES
        or (board.fullmove_number > AFTER_MOVE and not in_middle_game(board))
    )
