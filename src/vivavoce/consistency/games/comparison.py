"""Two positions that must be worth the same, with what the engine said about each."""

from __future__ import annotations

from dataclasses import dataclass, field

from vivavoce.consistency.chess.comparison import DIGITS
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
    signed: float = field(init=False)
    """The first value less the second; after a move both are for the side that moved, so above 0 it likes to be to move."""
    difference: float = field(init=False)
    """The size of `signed`, between 0 and 2."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "signed", round(self.first.value - self.second.value, DIGITS))
        object.__setattr__(self, "difference", abs(self.signed))

    @property
    def positions(self) -> tuple[str, str]:
        """Both as texts."""
        return self.first.position, self.second.position

    @property
    def extreme(self) -> float:
        """The larger size of the two values."""
        return max(abs(self.first.value), abs(self.second.value))
