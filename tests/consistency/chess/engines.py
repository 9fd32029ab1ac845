"""Engines that never contradict themselves, and made-up comparisons."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import chess
import numpy as np
from hypothesis import strategies as st

from vivavoce.consistency.chess.positions import GamePosition, synthetic_boards
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Evaluation, Position

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}


def material(board: chess.Board) -> float:
    """White's material less Black's, in (-1, 1)."""
    balance = sum(WORTH[piece.piece_type] * (1 if piece.color else -1) for piece in board.piece_map().values())
    return balance / 100


@dataclass
class PlainEngine:
    """Evaluates by a function of the board, from White's point of view; plays the first legal move in UCI order."""

    value: Callable[[chess.Board], float] = material
    name: str = "uci:counting"
    size: int = 16
    concurrency: int = 3
    dead_on: Callable[[str], bool] = lambda _: False
    lost_on: Callable[[str], bool] = lambda _: False
    """Where it plays what is no move."""
    asked: list[str] = field(default_factory=list)
    seed: int = 0

    async def answer_all(self, positions: Sequence[Position], /) -> list[Evaluation | NoAnswer]:
        self.asked += [position.fen for position in positions]
        await asyncio.sleep(random.Random(f"{self.seed}{positions[0].fen}").random() / 100)
        return [self._evaluate(position.fen) for position in positions]

    def _evaluate(self, fen: str) -> Evaluation | NoAnswer:
        if self.dead_on(fen):
            return NoAnswer("the engine died")
        board = chess.Board(fen)
        q = self.value(board) * (1 if board.turn else -1)
        move = "a1a1" if self.lost_on(fen) else min(move.uci() for move in board.legal_moves)
        return Evaluation(q=q, best_move=move, nodes=1, wins=0, draws=1000, losses=0)


def random_positions(number: int, *, seed: int = 0) -> list[GamePosition]:
    """Positions of random play, a few of each game."""
    rng = random.Random(seed)
    positions: list[GamePosition] = []
    game = 0
    while len(positions) < number:
        game += 1
        board = chess.Board()
        for _ in range(rng.randint(20, 80)):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
            if board.ply() % 20 == 0 and not board.is_game_over() and len(positions) < number:
                positions.append(GamePosition(board.fen(), f"random {game}"))
    return positions


@st.composite
def played(draw: st.DrawFn, *, plies: int = 80) -> chess.Board:
    """Random play from the start position, by drawn moves; may be over."""
    board = chess.Board()
    for choice in draw(st.lists(st.integers(0, 1 << 16), max_size=plies)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[choice % len(moves)])
    return board


@st.composite
def pawnless(draw: st.DrawFn) -> chess.Board:
    """A synthetic board."""
    return chess.Board(next(synthetic_boards(np.random.default_rng(draw(st.integers(0, 1 << 32))))).fen)


def perft(board: chess.Board, depth: int) -> int:
    """How many lines of so many half-moves there are."""
    if depth == 0:
        return 1
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += perft(board, depth - 1)
        board.pop()
    return count
