"""King and queen, rook or pawn against king, solved backwards from mate: won, drawn or lost, and how far from mate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import chess
import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Depths = NDArray[np.int16]
OPEN: Final = -1
"""In a table of depths: not won, or not lost."""
SOLVED: Final = {"KQK": chess.QUEEN, "KRK": chess.ROOK, "KPK": chess.PAWN}
"""Endings of three men that can be won, by the piece of the stronger side."""
_SHAPE: Final = (64, 64, 64)


@dataclass(frozen=True, slots=True)
class Table:
    """An ending with White as the stronger side; arrays by squares of [White's king, White's piece, Black's king]."""

    piece: chess.PieceType
    white_legal: Bools
    """White to move, and Black not in check."""
    black_legal: Bools
    """Black to move, and the kings apart."""
    won: Depths
    """Half-moves to mate with White to move; `OPEN` where White cannot win."""
    lost: Depths
    """Half-moves to mate with Black to move, 0 where it is mated; `OPEN` where Black is not lost."""

    @property
    def longest(self) -> int:
        """White's moves in the longest win: 10 with a queen, 16 with a rook, 28 with a pawn."""
        return (int(self.won.max()) + 1) // 2


@cache
def solved(piece: chess.PieceType) -> Table:
    """The table of king and that piece (queen, rook or pawn) against king.

    Every legal position is given the least number of half-moves in which White mates against the best defence, by
    retrograde analysis: mates first, then what leads to them, depth by depth. Symmetry is not used, so nothing rests on it.
    A pawn may become a queen or a rook; with a bishop or a knight nobody could win. There are no castling rights, and the
    fifty-move rule ends nothing, since every win takes fewer.

    >>> solved(chess.ROOK).longest
    16
    """
    rules = _Rules(piece)
    won, lost = np.full(_SHAPE, OPEN, np.int16), np.full(_SHAPE, OPEN, np.int16)
    lost[rules.black_legal & rules.attacked & ~rules.mobile] = 0
    promoted = _promotions(piece)
    for depth in range(1, 512):
        if depth % 2:
            found = rules.before(lost == depth - 1) | (promoted == depth - 1)
            table, found = won, found & rules.white_legal & (won == OPEN)
        else:
            found = rules.cornered(won != OPEN) & rules.black_legal & rules.mobile
            table, found = lost, found & (lost == OPEN)
        table[found] = depth
        if depth > 1 and not found.any() and depth > int(promoted.max()) + 1:
            break
    return Table(piece, rules.white_legal, rules.black_legal, won, lost)


class _Rules:
    """How men move in an ending of three, as arrays of truth values over [White's king, White's piece, Black's king]."""

    def __init__(self, piece: chess.PieceType) -> None:
        near = np.array([[chess.square_distance(a, b) == 1 for b in range(64)] for a in range(64)])
        same = np.eye(64, dtype=bool)
        self._near = near
        self._steps = near.astype(np.float32)
        apart = ~(near | same)[:, None, :] & ~same[:, :, None] & ~same[None, :, :]
        if piece == chess.PAWN:
            ranks = np.array([chess.square_rank(square) for square in range(64)])
            apart = apart & ((ranks > 0) & (ranks < 7))[None, :, None]
        self.attacked = _attacks(piece)
        """Where White's piece gives check, or would to a king on that square; Black's own king hides nothing from itself."""
        self.black_legal = apart
        self.white_legal = apart & ~self.attacked
        captures = near[None, :, :] & ~near[:, :, None]
        self._takes = captures
        self.mobile = _any(self.white_legal.astype(np.float32) @ self._steps) | captures
        """Whether Black has a move: a square that is not attacked, or the piece where it stands alone."""
        self._moves = None if piece == chess.PAWN else _piece_moves(self.attacked)

    def before(self, lost: Bools) -> Bools:
        """White to move: whether some move of king or piece leads to one of these positions with Black to move."""
        reached = lost.astype(np.float32)
        by_king = _any(np.tensordot(self._steps, reached, axes=1))
        return by_king | (self._by_pawn(lost) if self._moves is None else self._by_piece(lost))

    def cornered(self, won: Bools) -> Bools:
        """Black to move: whether every move leads to one of these positions with White to move."""
        escapes = _any((self.white_legal & ~won).astype(np.float32) @ self._steps)
        return np.asarray(~escapes & ~self._takes)

    def _by_piece(self, lost: Bools) -> Bools:
        assert self._moves is not None
        wanted = _boards(lost.transpose(0, 2, 1))
        return np.asarray((self._moves & wanted[:, None, :]) != 0)

    def _by_pawn(self, lost: Bools) -> Bools:
        """A step forward, and two from the second rank over an empty square; not to the last rank, where it is no pawn."""
        found = np.zeros(_SHAPE, dtype=bool)
        found[:, 8:48] |= lost[:, 16:56]
        over = np.ones(_SHAPE, dtype=bool)
        squares = np.arange(8, 16)
        over[squares + 8, squares, :] = False
        over[:, squares, squares + 8] = False
        found[:, 8:16] |= lost[:, 24:32] & over[:, 8:16]
        return found


def _promotions(piece: chess.PieceType) -> Depths:
    """The depth of the position after the best promotion, with Black to move; `OPEN` where none is possible or wins."""
    best = np.full(_SHAPE, OPEN, np.int16)
    if piece != chess.PAWN:
        return best
    for promoted in (chess.QUEEN, chess.ROOK):
        lost = solved(promoted).lost[:, 56:64]
        here = best[:, 48:56]
        better = (lost != OPEN) & ((here == OPEN) | (lost < here))
        best[:, 48:56] = np.where(better, lost, here)
    return best


def _attacks(piece: chess.PieceType) -> Bools:
    """By [a king, the piece, target]: whether the piece attacks the target with that king alone in its way."""
    board, rows = chess.Board(None), []
    for square in range(64):
        board.clear()
        board.set_piece_at(square, chess.Piece(piece, chess.WHITE))
        rows.append(int(board.attacks(square)))
    between = [[chess.between(a, b) for b in range(64)] for a in range(64)]
    blocked = _bits(np.array(between, dtype=np.uint64))
    return np.asarray((_bits(np.array(rows, dtype=np.uint64))[:, :, None] & ~blocked).transpose(2, 0, 1))


def _piece_moves(attacked: Bools) -> NDArray[np.uint64]:
    """By [White's king, from, Black's king]: a bitboard of where the piece can go, both kings in its way."""
    one_king = _boards(attacked)
    kings = np.uint64(1) << np.arange(64, dtype=np.uint64)
    blocked = ~(kings[:, None, None] | kings[None, None, :])
    return np.asarray(one_king[:, :, None] & one_king.T[None, :, :] & blocked)


def _boards(squares: Bools) -> NDArray[np.uint64]:
    """The last axis, of 64 squares, as a bitboard."""
    return np.packbits(squares, axis=-1, bitorder="little").view("<u8")[..., 0]


def _bits(boards: NDArray[np.uint64]) -> Bools:
    """The squares of each bitboard along a further axis."""
    return np.asarray((boards[..., None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).astype(bool)


def _any(counts: NDArray[np.float32]) -> Bools:
    return np.asarray(counts > 0.5)
