"""Crossover: two boards exchange a pair of pieces (appendix B.2 of `fluri2024`)."""

from __future__ import annotations

import chess
import numpy as np

from vivavoce.consistency.chess.search.material import pieces
from vivavoce.consistency.chess.search.mutation import one_of

Pair = tuple[chess.PieceType, chess.Square, chess.Square]
"""A type of piece, and where the white and the black one stand."""


def exchange(first: chess.Board, second: chess.Board, rng: np.random.Generator) -> tuple[chess.Board, chess.Board] | None:
    """Exchange a pair of one type and opposite colours for such a pair of the other board, both drawn at random.

    The two knights of the first board and the two bishops of the second, say. The paper does not tell where the newcomers
    stand: here they keep the squares they had, as the rest of the inheritance does. None where one of these squares is taken;
    the results may be illegal.
    """
    given, taken = _pair(first, rng), _pair(second, rng)
    one, other = _replaced(first, given, taken), _replaced(second, taken, given)
    return None if one is None or other is None else (one, other)


def _pair(board: chess.Board, rng: np.random.Generator) -> Pair:
    kind = one_of(pieces(board, chess.WHITE), rng)
    white, black = (one_of(list(board.pieces(kind, colour)), rng) for colour in chess.COLORS)
    return kind, white, black


def _replaced(board: chess.Board, old: Pair, new: Pair) -> chess.Board | None:
    result = board.copy(stack=False)
    for square in old[1:]:
        result.remove_piece_at(square)
    kind, *squares = new
    for square, colour in zip(squares, chess.COLORS, strict=True):
        if result.piece_at(square) is not None:
            return None
        result.set_piece_at(square, chess.Piece(kind, colour))
    return result
