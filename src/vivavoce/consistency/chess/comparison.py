"""Two positions that must be worth the same, with what the engine said about each."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from vivavoce.interview.engine import Evaluation


class Check(StrEnum):
    """Which law of chess the two positions are compared by."""

    FORCED = "forced"
    """Before and after the only legal move."""
    RECOMMENDED = "recommended"
    """Before and after the engine's own best move."""
    MIRROR = "mirror"
    """Colours swapped, the board turned over, the other side to move."""
    BOARDS = "boards"
    """Eight orientations of a board without pawns and castling; the two that differ most."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A position and its evaluation."""

    fen: str
    evaluation: Evaluation


@dataclass(frozen=True, slots=True)
class Comparison:
    """One check on one position.

    Sign: `signed` is q(first) - q(second), the second's q negated beforehand where the other side is to move there (forced
    and recommended moves). So it is the side-to-move bias there: positive if the engine likes to be the one to move.
    `difference` is its absolute value.
    """

    check: Check
    game: str
    """Where the position comes from; positions of one game are not independent."""
    label: str
    """What lies between the two: a move in UCI notation, or the name of a transformation."""
    first: Judged
    second: Judged
    signed: float

    @property
    def difference(self) -> float:
        """Between 0 and 2."""
        return abs(self.signed)

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON values; differences without the noise of the last binary digits."""
        return {
            "check": self.check.value,
            "game": self.game,
            "label": self.label,
            "fen": self.first.fen,
            "other_fen": self.second.fen,
            "difference": round(self.difference, 9),
            "signed": round(self.signed, 9),
            "evaluation": asdict(self.first.evaluation),
            "other_evaluation": asdict(self.second.evaluation),
        }
