"""Who knows the truth about a position: our own tables for three men, Syzygy tables for more."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import chess
import chess.syzygy

from vivavoce.consistency.chess.truth.retrograde import OPEN, SOLVED, solved
from vivavoce.errors import BadInput


@dataclass(frozen=True, slots=True)
class Truth:
    """What a position is worth to the side to move under best play."""

    value: int
    """1 won, 0 drawn, -1 lost."""
    plies: int | None
    """Half-moves to mate; None where nobody mates, or it is not known."""

    @property
    def moves(self) -> int | None:
        """The winner's moves to mate."""
        return None if self.plies is None else (self.plies + 1) // 2


DRAWN = Truth(0, None)


class Oracle(Protocol):
    """Knows positions."""

    def truth(self, board: chess.Board) -> Truth | None:
        """The truth about a position that has a legal move; None where it is not known."""
        ...


class Solved:
    """Positions of up to three men, by retrograde analysis (`retrograde`).

    >>> Solved().truth(chess.Board("7k/8/5KQ1/8/8/8/8/8 w - - 0 60"))  # Qg7, Qd8 or Qe8
    Truth(value=1, plies=1)
    """

    def truth(self, board: chess.Board) -> Truth | None:
        """Known for two and three men without castling rights."""
        if chess.popcount(board.occupied) > 3:
            return None
        others = board.occupied & ~board.kings
        piece = board.piece_type_at(chess.msb(others)) if others else None
        if piece is None or piece not in SOLVED.values():
            return DRAWN
        strong = bool(board.occupied_co[chess.WHITE] & others)
        squares = (board.king(strong), chess.msb(others), board.king(not strong))
        flip = 0 if strong else 56
        place = tuple(square ^ flip for square in squares if square is not None)
        table = solved(piece)
        to_win = board.turn == strong
        depth = int((table.won if to_win else table.lost)[place])
        return DRAWN if depth == OPEN else Truth(1 if to_win else -1, depth)


class Syzygy:
    """Positions by Syzygy tables, which know the result under the fifty-move rule, but not the distance to mate.

    A win that the fifty-move rule spoils counts as drawn. Raises `BadInput` for a folder without tables, or a damaged one.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise BadInput(f"there is no folder '{folder}': give one with Syzygy tables (*.rtbw)")
        self._tables = chess.syzygy.Tablebase()
        if not self._tables.add_directory(str(folder)):
            raise BadInput(f"there is no Syzygy table in '{folder}': its names end in .rtbw")

    def truth(self, board: chess.Board) -> Truth | None:
        """None where the table, or one that a capture leads to, is missing."""
        try:
            value = self._tables.probe_wdl(board)
        except (chess.syzygy.MissingTableError, KeyError, IndexError, ValueError, AssertionError):
            return None
        except OSError as error:
            raise BadInput(f"a Syzygy table of {chess.popcount(board.occupied)} men cannot be read: {error}") from None
        return Truth(value // 2, None) if abs(value) == 2 else DRAWN

    def close(self) -> None:
        """Let go of the tables."""
        self._tables.close()


class Both:
    """Our own tables first, since they know the distance to mate as well."""

    def __init__(self, syzygy: Syzygy | None) -> None:
        self._solved, self._syzygy = Solved(), syzygy

    def truth(self, board: chess.Board) -> Truth | None:
        """The truth from whoever knows it."""
        known = self._solved.truth(board)
        return known if known is not None or self._syzygy is None else self._syzygy.truth(board)
