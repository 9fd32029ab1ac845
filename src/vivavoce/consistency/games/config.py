"""How an engine of a board game is examined: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

from vivavoce.errors import BadInput
from vivavoce.settings import Count, Seed, Within, check, setting

GameName = Literal["xiangqi", "shogi"]
GAMES: Final[tuple[GameName, ...]] = get_args(GameName)
CheckName = Literal["recommended", "forced", "mirror", "colours"]
CHECKS: Final[tuple[CheckName, ...]] = get_args(CheckName)


@dataclass(frozen=True, slots=True)
class GamesConfig:
    """Which checks are made, on which positions."""

    checks: tuple[CheckName, ...] = setting(CHECKS, f"{', '.join(CHECKS)} or all.", metavar="CHECK,...")
    limit: Count = setting(100, "Positions a check.")
    """Fewer if they run out."""
    per_game: Count = setting(4, "Positions of one game at most; of forced moves all.")
    opening: Annotated[int, Within(0, 60)] = setting(4, "Random moves of the opening, of which no position is taken.")
    length: Annotated[int, Within(1, 1_000)] = setting(80, "Moves of a game at most, the opening included.")
    seed: Seed = setting(0, "Draws openings and positions.")
    """And the intervals' resamples."""

    def __post_init__(self) -> None:
        check(self)
        if self.opening >= self.length:
            raise BadInput(f"length is {self.length}: give more moves than the {self.opening} of the opening")
