"""Which boards are searched: each side has its king and the same three pieces, and there are no pawns."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import chess

from vivavoce.consistency.chess.checks import unfit
from vivavoce.consistency.chess.comparison import Check
from vivavoce.consistency.chess.synthetic import PIECES, PIECES_A_SIDE

Pieces = tuple[chess.PieceType, ...]
"""The pieces of one side without its king, in ascending order of their types."""

SUPPLY: Pieces = tuple(sorted(PIECES))
"""What the three pieces are drawn from: one set of chessmen, in ascending order."""

CLASSES: tuple[Pieces, ...] = tuple(sorted(set(combinations(SUPPLY, PIECES_A_SIDE))))
"""All thirteen sets of three pieces that a side can have."""


def pieces(board: chess.Board, colour: chess.Color) -> Pieces:
    """What one side has beside its king.

    >>> [chess.piece_name(piece) for piece in pieces(chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40"), chess.WHITE)]
    ['knight', 'rook', 'queen']
    """
    men = board.piece_map(mask=board.occupied_co[colour] & ~board.kings).values()
    return tuple(sorted(man.piece_type for man in men))


def drawable(chosen: Pieces) -> bool:
    """Whether one set of chessmen has these pieces.

    >>> drawable((chess.BISHOP, chess.BISHOP, chess.QUEEN)), drawable((chess.KNIGHT, chess.QUEEN, chess.QUEEN))
    (True, False)
    """
    return Counter(chosen) <= Counter(SUPPLY)


def searchable(board: chess.Board) -> bool:
    """Whether the board is one of those that are searched: both sides alike, legal, the game not over.

    >>> searchable(chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40")), searchable(chess.Board())
    (True, False)
    """
    white = pieces(board, chess.WHITE)
    alike = white == pieces(board, chess.BLACK) and white in CLASSES
    return alike and not board.clean_castling_rights() and unfit(Check.BOARDS, board) is None
