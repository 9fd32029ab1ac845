"""How a chess engine is examined: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

from vivavoce.settings import Count, Seed, Within, check, setting

CheckName = Literal["forced", "recommended", "mirror", "boards"]
CHECKS: Final[tuple[CheckName, ...]] = get_args(CheckName)
SELF_PLAY: Final = "selfplay"
PER_GAME, PER_GAME_WITH_FORCED = 2, 10
"""Positions of one game by default: few, since they are alike, but more where forced moves are sought, which are rare."""


@dataclass(frozen=True, slots=True)
class PositionsConfig:
    """Which positions are examined."""

    positions: str = setting(
        SELF_PLAY,
        "Games (.pgn) or positions (.epd, .fen), also in .zip or .gz; or the engine plays against itself.",
        metavar=f"FILE|{SELF_PLAY}",
    )
    per_game: Count | Literal["all"] | None = setting(
        None,
        f"Positions of one game at most; by default {PER_GAME}, with forced moves {PER_GAME_WITH_FORCED}, for them alone all.",
        metavar="N|all",
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class ChessConfig:
    """Which checks are made on them, and how."""

    checks: tuple[CheckName, ...] = setting(CHECKS, "recommended, forced, mirror, boards or all.", metavar="CHECK,...")
    make_forced: bool = setting(
        True,
        "Make forced moves, by a check that leaves one reply, where a position has several; else only those that occur.",
    )
    """Positions whose move is forced anyway are rare (0.5% of master positions), but made ones are mostly decided (the check is
    often a sacrifice)."""
    orientations: Literal["all", "half-turn"] = setting(
        "all", "Boards in all eight orientations, or in two: as they are and turned by 180 degrees."
    )
    limit: Count = setting(200, "Positions a check, drawn by the seed.")
    """Fewer if they run out."""
    seed: Seed = setting(0, "Draws the positions.")
    """And the intervals' resamples."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def half_turn_only(self) -> bool:
        """Whether boards are compared with their rotation by 180 degrees alone."""
        return self.orientations == "half-turn"


@dataclass(frozen=True, slots=True)
class EnginesConfig:
    """How engines are run."""

    workers: Annotated[int, Within(1, 1_000)] = setting(1, "Engine processes.")

    def __post_init__(self) -> None:
        check(self)
