"""Two positions that must be worth the same, with what the engine said about each."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from vivavoce.interview.engine import Evaluation

DIGITS: Final = 9
"""Differences are rounded: .65 - .6 is no more than .05."""


class PositionPair(Protocol):
    """Two positions that must be worth the same, as they are counted for any game."""

    @property
    def game(self) -> str:
        """Where the first position comes from; positions of one game are not independent."""
        ...

    @property
    def label(self) -> str:
        """What lies between the two."""
        ...

    @property
    def positions(self) -> tuple[str, str]:
        """Both as texts."""
        ...

    @property
    def signed(self) -> float:
        """The first value less the second."""
        ...

    @property
    def difference(self) -> float:
        """Its size, between 0 and 2."""
        ...

    @property
    def extreme(self) -> float:
        """The larger size of the two values."""
        ...

    @property
    def plays_otherwise(self) -> bool | None:
        """Whether the best move in the second is not the image of that in the first; None if that says nothing."""
        ...


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
    """

    check: Check
    game: str
    """Where the position comes from; positions of one game are not independent."""
    label: str
    """What lies between the two: a move in UCI notation, or the name of a transformation."""
    first: Judged
    second: Judged
    signed: float
    difference: float = field(init=False)
    """The size of `signed`, between 0 and 2."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "signed", round(self.signed, DIGITS))
        object.__setattr__(self, "difference", abs(self.signed))

    @property
    def positions(self) -> tuple[str, str]:
        """Both FENs."""
        return self.first.fen, self.second.fen

    @property
    def extreme(self) -> float:
        """The larger size of the two values."""
        return max(abs(self.first.evaluation.q), abs(self.second.evaluation.q))

    @property
    def plays_otherwise(self) -> bool | None:
        """Best moves are not compared."""
        return None
