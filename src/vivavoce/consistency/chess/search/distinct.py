"""When two boards are the same find: up to symmetry, and as members of one family.

An evolutionary search breeds near-copies, so that its raw counts say little. Boards are therefore also counted up to the eight
symmetries of the square and the swap of colours, and by family: the pieces, and where the two kings stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import chess

from vivavoce.consistency.chess.search.material import Pieces, pieces
from vivavoce.consistency.chess.transform import TURNS

_DIGIT, _BLANKS = re.compile(r"\d"), re.compile(" +")


@dataclass(frozen=True, slots=True)
class Family:
    """Boards with the same pieces and kings on the same squares, up to symmetry and the swap of colours."""

    pieces: Pieces
    """Of either side."""
    kings: tuple[chess.Square, chess.Square]
    """The least pair of squares that the kings can be brought to."""


def canonical(board: chess.Board) -> str:
    """The least FEN, without counters, of the sixteen boards that are this one up to symmetry.

    These are the eight orientations, and the same with colours swapped. It is equal for two boards exactly if each is one of
    the other's sixteen.

    >>> from vivavoce.consistency.chess.transform import SYMMETRIES, mirrored
    >>> board = chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40")
    >>> canonical(board) == canonical(mirrored(board)) == canonical(SYMMETRIES["rotate 90"](board))
    True
    """
    mine, other = "wb" if board.turn else "bw"
    rows = _DIGIT.sub(lambda digit: " " * int(digit[0]), board.board_fen()).split("/")
    return min(
        f"{_BLANKS.sub(lambda run: str(len(run[0])), image)} {turn}"
        for written in _orientations(rows)
        for image, turn in ((written, mine), (written.swapcase(), other))
    )


def _orientations(rows: Sequence[str]) -> Iterator[str]:
    """A board's eight rows of men and blanks, and the same turned and flipped in each of the eight ways."""
    for grid in (list(rows), ["".join(column) for column in zip(*rows, strict=True)]):
        for upright in (grid, grid[::-1]):
            yield "/".join(upright)
            yield "/".join(row[::-1] for row in upright)


def family(board: chess.Board) -> Family:
    """The family of a board with two kings and equal sides."""
    white, black = (board.kings & board.occupied_co[colour] for colour in (chess.WHITE, chess.BLACK))
    both = ((white, black), (black, white))
    kings = min((chess.lsb(turn(one)), chess.lsb(turn(other))) for turn in TURNS.values() for one, other in both)
    return Family(pieces(board, chess.WHITE), kings)
