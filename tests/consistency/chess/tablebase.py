"""King and queen, or king and rook, against king: solved by retrograde analysis, with no use of any symmetry."""

from __future__ import annotations

from functools import cache

import chess
import numpy as np
from numpy.typing import NDArray

from vivavoce.interview.candidate_kinds import Evaluation

Bools = NDArray[np.bool_]
_N = np.arange(64)
_ADJACENT: Bools = np.array([[chess.square_distance(a, b) == 1 for b in range(64)] for a in range(64)])
_SAME: Bools = np.eye(64, dtype=bool)


class SolvedEnding:
    """Who wins with one piece (rook or queen) against a bare king; arrays are indexed [king, piece, bare king]."""

    def __init__(self, piece: chess.PieceType) -> None:
        empty = [chess.Board(None) for _ in range(64)]
        for square in range(64):
            empty[square].set_piece_at(square, chess.Piece(piece, chess.WHITE))
        aligned = np.array([[b in empty[a].attacks(a) for b in range(64)] for a in range(64)])
        between = np.array([[[bool(chess.between(a, b) >> x & 1) for x in range(64)] for b in range(64)] for a in range(64)])
        # attacked[k, r, x]: the piece on r attacks x past its own king on k; the bare king hides nothing from itself
        attacked = (aligned[:, :, None] & ~between).transpose(2, 0, 1)
        legal = ~(_ADJACENT | _SAME)[:, None, :] & ~_SAME[:, :, None] & ~_SAME[None, :, :]
        safe = legal & ~attacked
        captures = _ADJACENT[None, :, :] & ~_ADJACENT[:, :, None]
        # reach[k, b, r, s]: the piece can go from r to s
        free = aligned[:, :, None] & ~between
        reach = free.transpose(2, 0, 1)[:, None] & free.transpose(2, 0, 1)[None]
        reach &= ~_SAME[:, None, None, :] & ~_SAME[None, :, None, :]
        moves = reach.astype(np.float32)
        steps = _ADJACENT.astype(np.float32)
        mobile = _some(safe.astype(np.float32) @ steps) | captures
        self.wins: Bools = np.zeros((64, 64, 64), dtype=bool)
        self.lost: Bools = np.zeros((64, 64, 64), dtype=bool)
        self.moves_to_mate = 0
        while True:
            escapes = _some((safe & ~self.wins).astype(np.float32) @ steps) | captures
            self.lost = legal & ~escapes & (mobile | attacked)
            lost = self.lost.astype(np.float32)
            by_king = _some(np.tensordot(steps, lost, axes=1))
            by_piece = _some((moves @ lost.transpose(0, 2, 1)[..., None])[..., 0]).transpose(0, 2, 1)
            wins = legal & ~attacked & (by_king | by_piece)
            if (wins == self.wins).all():
                break
            self.wins = wins
            self.moves_to_mate += 1


def _some(counts: NDArray[np.float32]) -> Bools:
    return counts > 0.5


@cache
def solved(piece: chess.PieceType) -> SolvedEnding:
    return SolvedEnding(piece)


def value(board: chess.Board) -> int:
    """The game's value for the side to move: 1, 0 or -1."""
    others = board.occupied & ~board.kings
    if not others:
        return 0
    square = chess.msb(others)
    strong = board.color_at(square)
    piece = board.piece_type_at(square)
    king, bare = board.king(bool(strong)), board.king(not strong)
    assert piece is not None
    table = solved(piece)
    if board.turn == strong:
        return int(table.wins[king, square, bare])
    return -int(table.lost[king, square, bare])


def perfect(fen: str) -> Evaluation:
    """The value, and a move that keeps it: what an engine without fault would say."""
    board = chess.Board(fen)
    q = value(board)
    for move in board.legal_moves:
        board.push(move)
        kept = -value(board) == q
        board.pop()
        if kept:
            return Evaluation(q=q, best_move=move.uci(), nodes=1)
    raise AssertionError(f"no move of {fen} keeps its value {q}")
