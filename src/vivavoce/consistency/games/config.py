"""How an engine of a board game is examined: every setting, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

from vivavoce.errors import BadInput
from vivavoce.interview.boards import Measure
from vivavoce.settings import Count, Seed, Within, check, setting

GameName = Literal["xiangqi", "shogi", "go", "backgammon"]
GAMES: Final[tuple[GameName, ...]] = get_args(GameName)
CheckName = Literal["recommended", "forced", "mirror", "colours", "orientations", "rolls"]
CHECKS: Final[tuple[CheckName, ...]] = get_args(CheckName)


@dataclass(frozen=True, slots=True)
class Scale:
    """What differences between values of one kind are counted in."""

    unit: str
    """Behind a number; empty for an expected outcome."""
    thresholds: tuple[float, ...]
    """Differences that are counted."""
    telling: float
    """The difference that a sentence speaks of; one of the thresholds."""
    most: float
    """The largest difference that there can be."""
    end: float | None
    """A value of this size leaves no room above it, so a difference may be hidden there; None where values have no such end."""


SCALES: Final[Mapping[Measure, Scale]] = {
    "outcome": Scale("", (0.05, 0.1, 0.25, 0.5, 0.75, 1.0), 0.25, 2.0, 0.999),
    "points": Scale("points", (1.0, 2.0, 5.0, 10.0, 20.0, 50.0), 5.0, 2_000.0, None),
    "equity": Scale("points a game", (0.01, 0.05, 0.1, 0.25, 0.5, 0.75), 0.05, 6.0, None),
}
"""Expected outcomes are counted as chess engines' are; points of Go and equities of backgammon in their own units."""


@dataclass(frozen=True, slots=True)
class GamesConfig:
    """Which checks are made, on which positions."""

    checks: tuple[CheckName, ...] = setting((), f"{', '.join(CHECKS)}, or all that the game has.", metavar="CHECK,...")
    """Empty: all."""
    limit: Count = setting(100, "Positions a check.")
    """Fewer if they run out."""
    per_game: Count = setting(4, "Positions of one game at most; of forced moves all.")
    opening: Annotated[int, Within(0, 60)] = setting(
        4, "Moves of the opening, at random (in backgammon the engine's), of which no position is taken."
    )
    length: Annotated[int, Within(1, 1_000)] = setting(80, "Moves of a game at most, the opening included.")
    size: Annotated[int, Within(5, 19)] = setting(9, "Lines of a Go board each way.")
    komi: Annotated[float, Within(-100, 100)] = setting(6.5, "Points that White is given in Go.", metavar="X")
    seed: Seed = setting(0, "Draws openings, dice and positions.")
    """And the intervals' resamples."""

    def __post_init__(self) -> None:
        check(self)
        if self.opening >= self.length:
            raise BadInput(f"length is {self.length}: give more moves than the {self.opening} of the opening")
        if round(self.komi * 2) != self.komi * 2:
            raise BadInput(f"komi is {self.komi:g}: give whole or half points")
