"""Xiangqi and shogi: boards of nine files on which pieces of either side move alike to left and right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vivavoce.consistency.games.board import Diagram, Symmetry
from vivavoce.consistency.games.config import CheckName, GameName
from vivavoce.consistency.games.fen import Fen, Turn, moved


@dataclass(frozen=True, slots=True)
class ChessLike:
    """A game in Fairy-Stockfish's FEN.

    Left and right are alike in the rules of both games. Counters (moves without capture, full moves) stay as they are, so that
    both positions of a pair carry the same.
    """

    title: str
    ranks: int
    hands: bool
    """Whether captured pieces are kept in hand."""
    turn: Turn
    sides: tuple[str, str]
    """The side that begins, and the other."""

    @property
    def symmetries(self) -> Mapping[CheckName, Symmetry]:
        """Left and right exchanged; sides exchanged."""
        turned = self.turn == "turn"
        return {
            "mirror": Symmetry(
                "left and right were exchanged",
                lambda position: self.read(position).mirrored.written,
                moved(ranks=self.ranks, mirrored=True, upside_down=False),
            ),
            "colours": Symmetry(
                "the colours were exchanged",
                lambda position: self.read(position).swapped(self.turn).written,
                moved(ranks=self.ranks, mirrored=turned, upside_down=True),
            ),
        }

    def read(self, position: str) -> Fen:
        """The position, taken apart. Raises `BadInput`."""
        return Fen.read(position, ranks=self.ranks, hands=self.hands)

    def to_move(self, position: str) -> str:
        """The side to move, by its name."""
        return self.sides[self.read(position).side == "b"]

    def diagram(self, position: str) -> Diagram:
        """Pieces on a grid, with those in hand."""
        fen = self.read(position)
        below = f"In hand: {fen.hand or 'nothing'}" if self.hands else ""
        return Diagram(fen.ranks, "wedges" if self.hands else "discs", below)


XIANGQI = ChessLike("xiangqi", 10, hands=False, turn="flip", sides=("Red", "Black"))
SHOGI = ChessLike("shogi", 9, hands=True, turn="turn", sides=("Black", "White"))
"""In shogi the side that begins is called Black (sente)."""
BOARDS: Final[Mapping[GameName, ChessLike]] = {"xiangqi": XIANGQI, "shogi": SHOGI}
"""Every game of the room."""
