"""A game of a match, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final


class Ending(StrEnum):
    """How a game ended."""

    MATE = "checkmate"
    STALEMATE = "stalemate"
    MATERIAL = "insufficient material"
    FIFTY = "fifty moves"
    REPETITION = "third repetition"
    WON = "won in both engines' eyes"
    DRAWN = "drawn in both engines' eyes"
    LONGEST = "too long"
    FAULT = "no legal move came"


ADJUDICATED: Final = (Ending.WON, Ending.DRAWN, Ending.LONGEST)
"""Not by the rules of chess, but by those of the match."""


@dataclass(frozen=True, slots=True)
class Game:
    """One game."""

    opening: int
    """Its number, from 0."""
    first_is_white: bool
    """Whether the first engine has White."""
    score: float
    """The first engine's: 1, 0.5 or 0."""
    ending: Ending
    plies: int
    """Half-moves that were played."""
    moves: tuple[str, ...]
    """In UCI notation, after the opening."""

    def as_json(self) -> Mapping[str, Any]:
        """The game as JSON values."""
        return {
            "opening": self.opening,
            "first_is_white": self.first_is_white,
            "score": self.score,
            "ending": self.ending.value,
            "moves": list(self.moves),
        }
