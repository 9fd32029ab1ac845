"""Engines made of one formula, so that it is known on which boards they contradict themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import chess
import numpy as np

from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.vendor_batches import BatchInterview

VALUES = {chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}


class Formula:
    """An engine whose q is a formula of the board; counts what it is asked."""

    name, size, concurrency = "test:formula", 64, 1

    def __init__(self, q: Callable[[chess.Board], float | None]) -> None:
        self._q = q
        self.asked: list[str] = []

    async def answer_all(self, questions: Sequence[Position], /) -> list[Evaluation | NoAnswer]:
        self.asked += [question.fen for question in questions]
        return [self._answer(chess.Board(question.fen)) for question in questions]

    def _answer(self, board: chess.Board) -> Evaluation | NoAnswer:
        q = self._q(board)
        return NoAnswer("engine died") if q is None else Evaluation(q=q, best_move="0000", nodes=1)


def interview(engine: Formula) -> BatchInterview[Position, Evaluation]:
    return BatchInterview(engine, answers=Evaluation)


def perfect(board: chess.Board) -> float:
    """Material and the distance of the kings: worth the same under every symmetry."""
    balance = sum((1 if man.color is board.turn else -1) * VALUES.get(man.piece_type, 0) for man in board.piece_map().values())
    return balance / 100 + king_distance(board) / 10


def biased(board: chess.Board) -> float:
    """Depends on where White's king and queen or rooks stand: a half turn changes q by up to 2, on few boards by much."""
    white = chess.SquareSet(board.occupied_co[chess.WHITE])
    lean = np.mean([chess.square_file(square) + chess.square_rank(square) for square in white])
    return float(np.clip(round(((lean - 7) / 7) ** 3, 3), -1, 1))


def king_distance(board: chess.Board) -> int:
    white, black = board.king(chess.WHITE), board.king(chess.BLACK)
    assert white is not None
    assert black is not None
    return chess.square_distance(white, black)
