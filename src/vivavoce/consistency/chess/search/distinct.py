"""When two boards are the same find: up to symmetry, and as members of one family.

An evolutionary search breeds near-copies, so that its raw counts say little. Boards are therefore also counted up to the eight
symmetries of the square and the swap of colours, and by family: the pieces, and where the two kings stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import chess

from vivavoce.consistency.chess.search.material import Pieces, pieces
from vivavoce.consistency.chess.transform import SYMMETRIES, mirrored


@dataclass(frozen=True, slots=True)
class Family:
    """Boards with the same pieces and kings on the same squares, up to symmetry and the swap of colours."""

    pieces: Pieces
    """Of either side."""
    kings: tuple[chess.Square, chess.Square]
    """The least pair of squares that the kings can be brought to."""


def images(board: chess.Board) -> Iterator[chess.Board]:
    """The sixteen boards that are this one up to symmetry: eight orientations, and the same with colours swapped."""
    for start in (board, mirrored(board)):
        for turned in SYMMETRIES.values():
            yield turned(start)


def canonical(board: chess.Board) -> str:
    """The least FEN, without counters, of all images: equal for two boards exactly if each is an image of the other.

    >>> board = chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40")
    >>> canonical(board) == canonical(mirrored(board)) == canonical(SYMMETRIES["rotate 90"](board))
    True
    """
    return min(f"{image.board_fen()} {'w' if image.turn else 'b'}" for image in images(board))


def family(board: chess.Board) -> Family:
    """The family of a board with two kings and equal sides."""
    kings = min((_king(image, chess.WHITE), _king(image, chess.BLACK)) for image in images(board))
    return Family(pieces(board, chess.WHITE), kings)


def _king(board: chess.Board, colour: chess.Color) -> chess.Square:
    return chess.lsb(board.kings & board.occupied_co[colour])
