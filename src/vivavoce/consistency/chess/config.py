"""How a chess engine is examined: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

from vivavoce.errors import BadInput
from vivavoce.settings import Count, Seed, Within, check, setting

CheckName = Literal["forced", "recommended", "mirror", "boards"]
CHECKS: Final[tuple[CheckName, ...]] = get_args(CheckName)
SELF_PLAY: Final = "selfplay"
PER_GAME, PER_GAME_WITH_FORCED = 2, 10
"""Positions of one game by default: few, since they are alike, but more where forced moves are sought, which are rare."""
THRESHOLDS: Final = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
"""Differences that are counted, as in Tables 1 and 8 of `fluri2024`."""
TELLING: Final = 0.25
"""The difference that a sentence is about: an eighth of the way from lost to won."""
Method = Literal["random", "genetic", "archive"]
"""How boards are searched."""
METHODS: Final[tuple[Method, ...]] = get_args(Method)


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


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How boards are searched for those on which an engine contradicts itself.

    >>> SearchConfig(method="genetic", seed=5).run_seeds, SearchConfig(orientations="all").boards
    (range(5, 8), 750)
    """

    method: Literal[Method, "all"] = setting("all", "How to search.")
    evaluations: Annotated[int, Within(2, 10_000_000)] = setting(6_000, "Budget of every run.")
    """What a run asks again costs nothing."""
    seeds: Annotated[int, Within(1, 1_000)] = setting(3, "Runs of each method.")
    seed: Seed = setting(0, "Draws the first run; each further run has the next one.")
    """All methods draw the same random boards for a seed."""
    threshold: float = setting(0.25, "Difference above which a board counts in the sentence and the plot.")
    """One of `THRESHOLDS`."""
    orientations: Literal["half-turn", "all"] = setting(
        "half-turn", "Compare a board with its rotation by 180 degrees (2 evaluations), or all eight with each other (8)."
    )
    """The half turn alone as in Table 2 of `fluri2024`."""

    def __post_init__(self) -> None:
        check(self)
        if self.threshold not in THRESHOLDS:
            raise BadInput(f"threshold is {self.threshold:g}: give one of {', '.join(f'{one:g}' for one in THRESHOLDS)}")
        if not self.boards:
            raise BadInput(f"evaluations is {self.evaluations}: one board with all its orientations takes {self.cost}")

    @property
    def methods(self) -> tuple[Method, ...]:
        """Those that boards are searched by."""
        return METHODS if self.method == "all" else (self.method,)

    @property
    def run_seeds(self) -> range:
        """The seed of each run of a method."""
        return range(self.seed, self.seed + self.seeds)

    @property
    def half_turn_only(self) -> bool:
        """Whether boards are compared with their rotation by 180 degrees alone."""
        return self.orientations == "half-turn"

    @property
    def cost(self) -> int:
        """Evaluations a board: one for itself and one for each of its images."""
        return 2 if self.half_turn_only else 8

    @property
    def boards(self) -> int:
        """Those that a run has room for."""
        return self.evaluations // self.cost
