"""Settings of the tests with chess, legal cases and rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

from vivavoce.errors import BadInput
from vivavoce.settings import CheckedConfig, Count, Seed, Share, Within, check, setting

CheckName = Literal["forced", "recommended", "mirror", "boards"]
CHECKS: Final[tuple[CheckName, ...]] = get_args(CheckName)
SELF_PLAY: Final = "selfplay"
PER_GAME, PER_GAME_WITH_FORCED = 2, 10
"""Default number of positions per game: small, since positions of one game are alike, but larger for the rare forced moves."""
THRESHOLDS: Final = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
"""Thresholds of the counted differences, as in Tables 1 and 8 of `fluri2024`."""
TELLING: Final = 0.25
"""The threshold used in sentences: an eighth of the way from a loss to a win."""
SearchMethod = Literal["random", "genetic", "archive"]
"""The search methods."""
SEARCH_METHODS: Final[tuple[SearchMethod, ...]] = get_args(SearchMethod)


@dataclass(frozen=True, slots=True)
class PositionsConfig(CheckedConfig):
    """Settings of the source of positions."""

    positions: str = setting(
        SELF_PLAY, "Games (.pgn) or positions (.epd, .fen), also zipped; or self-play.", metavar=f"FILE|{SELF_PLAY}"
    )
    per_game: Count | Literal["all"] | None = setting(
        None,
        f"Take at most N positions of a game. [default: {PER_GAME}; forced: {PER_GAME_WITH_FORCED}, alone all]",
        metavar="N|all",
    )


@dataclass(frozen=True, slots=True)
class ChessConfig(CheckedConfig):
    """Settings of the checks on chess positions."""

    checks: tuple[CheckName, ...] = setting(CHECKS, "recommended, forced, mirror, boards or all.", metavar="CHECK,...")
    make_forced: bool = setting(True, "Make checks with a single reply, instead of only using those that occur.")
    """Whether to construct forced positions. Found ones are rare (0.5% of master positions). In constructed ones one side is
    usually winning, since the check is often a sacrifice."""
    orientations: Literal["all", "half-turn"] = setting(
        "all", "Turn and mirror boards in all eight ways, or only by 180 degrees."
    )
    limit: Count = setting(200, "Draw this many positions for each check, by the seed.")
    seed: Seed = setting(0, "Draw the positions with this seed.")
    """Seed of positions and of the intervals' resampling."""

    @property
    def half_turn_only(self) -> bool:
        """Whether boards are compared only with their rotation by 180 degrees."""
        return self.orientations == "half-turn"


@dataclass(frozen=True, slots=True)
class EnginesConfig(CheckedConfig):
    """Settings of engine processes."""

    workers: Annotated[int, Within(1, 1_000)] = setting(1, "Run this many engine processes.")


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """Settings of the search for boards on which an engine contradicts itself.

    >>> SearchConfig(method="genetic", seed=5).run_seeds, SearchConfig(orientations="all").boards
    (range(5, 8), 750)
    """

    method: Literal[SearchMethod, "all"] = setting("all", "How to search.")
    evaluations: Annotated[int, Within(2, 10_000_000)] = setting(6_000, "Stop every run after this many evaluations.")
    """Maximum number of evaluations per run; repeated questions cost nothing."""
    seeds: Annotated[int, Within(1, 1_000)] = setting(3, "Runs of each method.")
    seed: Seed = setting(0, "Draw the first run with this seed; further runs have the next ones.")
    """Number of seeds; for one seed, all methods start from the same random boards."""
    threshold: float = setting(0.25, "Count a board in sentence and plot above this difference.")
    """One of `THRESHOLDS`."""
    orientations: Literal["half-turn", "all"] = setting(
        "half-turn", "Compare a board with its half-turn (2 evaluations), or all eight images (8)."
    )
    """The orientations to compare; by default the rotation by 180 degrees alone, as in Table 2 of `fluri2024`."""

    def __post_init__(self) -> None:
        check(self)
        if self.threshold not in THRESHOLDS:
            raise BadInput(
                f"threshold is {self.threshold:g}: give one of {', '.join(f'{threshold:g}' for threshold in THRESHOLDS)}"
            )
        if not self.boards:
            raise BadInput(f"evaluations is {self.evaluations}: one board with all its orientations takes {self.cost}")

    @property
    def methods(self) -> tuple[SearchMethod, ...]:
        """The search methods to run."""
        return SEARCH_METHODS if self.method == "all" else (self.method,)

    @property
    def run_seeds(self) -> range:
        """The seed of each run of a method."""
        return range(self.seed, self.seed + self.seeds)

    @property
    def half_turn_only(self) -> bool:
        """Whether boards are compared only with their rotation by 180 degrees."""
        return self.orientations == "half-turn"

    @property
    def cost(self) -> int:
        """Evaluations per board: one for itself and one for each image."""
        return 2 if self.half_turn_only else 8

    @property
    def boards(self) -> int:
        """The number of boards that the budget of a run covers."""
        return self.evaluations // self.cost


Boxes = Literal["both", "black", "white"]
ImportanceMethod = Literal["auto", "attention", "leave-one-out"]
"""How a fact's importance is measured."""


@dataclass(frozen=True, slots=True)
class CasesConfig(CheckedConfig):
    """Settings of legal cases: by default one random and the most important fact of each case, with three paraphrases each."""

    box: Boxes = setting("both", "Reword a fact drawn at random (black), the most important one (white), or each.")
    importance: ImportanceMethod = setting("auto", "Measure importance by attention, or by leaving facts out.")
    paraphrases: Annotated[int, Within(1, 100)] = setting(3, "Write this many paraphrases of each fact.")
    """Appendix D of `fluri2024` uses 10."""
    facts: Annotated[int, Within(1, 1_000)] = setting(1, "Draw this many facts from each case.")
    shortest: Annotated[int, Within(least=0)] = setting(120, "Reword only facts of at least this many characters.")
    repeats: Annotated[int, Within(0, 100)] = setting(1, "The control: ask each case again as it is.")
    threshold: Share = setting(0.5, "Decide a violation from this probability on.")
    limit: Count | None = setting(None, "Use at most this many cases, drawn at random if there are more.")
    seed: Seed = setting(0, "Draw cases and facts with this seed.")


@dataclass(frozen=True, slots=True)
class TrainingConfig(CheckedConfig):
    """Settings for training a classifier and testing it on held-out cases."""

    article: str = setting("", "Article whose violation counts as yes, such as 3 or P1-1. [default: any]", metavar="ARTICLE")
    dimensions: Annotated[int, Within(1, 2_000)] = setting(200, "Use at most this many dimensions in the encoder lsa.")
    units: Annotated[int, Within(1, 1_000)] = setting(32, "Use this many hidden units in the attention.")
    steps: Annotated[int, Within(1, 100_000)] = setting(500, "Stop each search after this many steps.")
    starts: Annotated[int, Within(1, 1_000)] = setting(3, "Start the search at this many random points.")
    held_out: Share = setting(0.25, "Hold out this share of the cases, without --test.")
    validation: Share = setting(0.2, "Choose the penalty on this share of the other cases, without --dev.")
    threshold: Share = setting(0.5, "Decide a violation from this probability on.")
    seed: Seed = setting(0, "Draw cases and the start of the search with this seed.")


@dataclass(frozen=True, slots=True)
class RelationsConfig(CheckedConfig):
    """Settings of the calls of a function, or of the questions to a model, whose outputs are checked by rules."""

    batch: bool = setting(False, "The function takes a list of inputs and returns a list of outputs.")
    """Whether the function takes several inputs at once, like scikit-learn's `predict`."""
    task: str = setting("", "Put this text before each input, for a candidate that is asked in words.")
    """For example "What is this house worth, in euros?"."""
    seed: Seed = setting(0, "Shuffle the outputs with this seed.")
    """Seed of the reference: outputs that are unrelated to their inputs."""

    def check_fits(self, *, function: bool) -> None:
        """Raise `BadInput` for settings that do not apply to a function, or to a model that answers in words."""
        if self.batch and not function:
            raise BadInput("batch is for functions; other candidates are asked one input at a time")
        if self.task and function:
            raise BadInput("a task is for candidates that are asked in words; a function is called with each input")
