"""Two positions that must be worth the same, with what the engine said about each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vivavoce.consistency.games.config import CheckName


@dataclass(frozen=True, slots=True)
class Judged:
    """A position and what the engine holds it to be worth."""

    position: str
    value: float
    """For `viewpoint`."""
    viewpoint: str
    """A side, by its name."""
    best_move: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One check on one position."""

    check: CheckName
    game: str
    """Where the position comes from; positions of one game are not independent."""
    label: str
    """What lies between the two: a move, or what was done to the board."""
    first: Judged
    second: Judged
    plays_otherwise: bool | None = None
    """Whether its best move in the second is another one than the image of that in the first; None where that says nothing."""

    @property
    def signed(self) -> float:
        """The first value less the second; after a move both are for the side that moved, so above 0 it likes to be to move."""
        return self.first.value - self.second.value

    @property
    def difference(self) -> float:
        """Its size."""
        return abs(self.signed)

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON values; differences without the noise of the last binary digits."""
        return {
            "check": self.check,
            "game": self.game,
            "label": self.label,
            "position": self.first.position,
            "other_position": self.second.position,
            "value": self.first.value,
            "other_value": self.second.value,
            "viewpoint": self.first.viewpoint,
            "other_viewpoint": self.second.viewpoint,
            "best_move": self.first.best_move,
            "other_best_move": self.second.best_move,
            "plays_otherwise": self.plays_otherwise,
            "difference": round(self.difference, 9),
            "signed": round(self.signed, 9),
        }
