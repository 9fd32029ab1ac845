"""Lets an engine play xiangqi or shogi, and compares positions that must have the same value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final

import numpy as np

from vivavoce.consistency.chess.comparison import DIGITS
from vivavoce.consistency.chess.counting import CheckedPositions, CheckTally
from vivavoce.consistency.config import GAME_CHECKS, GameCheckName, GameName, GamesConfig
from vivavoce.consistency.games.boards import BOARDS, ChessLike, Diagram
from vivavoce.errors import CandidateUnreachable
from vivavoce.formats.wording import capital, counted, signed
from vivavoce.interview.batch_interview import BatchInterview
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Assessment, BoardPosition, GameToPlay, PlayedGame
from vivavoce.report.blocks import ReportFigure
from vivavoce.report.figures import Board, Boards


@dataclass(frozen=True, slots=True)
class EvaluatedGamePosition:
    """A position and the engine's evaluation of it."""

    position: str
    value: float
    """The value for `viewpoint`."""
    viewpoint: str
    """The name of the side whose value is given."""
    best_move: str


@dataclass(frozen=True, slots=True)
class GameComparison:
    """One check on one position."""

    check: GameCheckName
    game: str
    """The game of the position; positions of one game are not independent."""
    label: str
    """The step from the first position to the second: a move or a transformation."""
    first: EvaluatedGamePosition
    second: EvaluatedGamePosition
    plays_otherwise: bool | None = None
    """Whether the best move in the second position is not the image of that in the first; None if not comparable."""
    signed: float = field(init=False)
    """The first value minus the second. After a move, both are for the side that moved; a positive value favours the side to
    move."""
    difference: float = field(init=False)
    """The absolute value of `signed`, between 0 and 2."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "signed", round(self.first.value - self.second.value, DIGITS))
        object.__setattr__(self, "difference", abs(self.signed))

    @property
    def positions(self) -> tuple[str, str]:
        """Both positions as text."""
        return self.first.position, self.second.position

    @property
    def extreme(self) -> float:
        """The larger absolute value of the two evaluations."""
        return max(abs(self.first.value), abs(self.second.value))


NAME: Final[Mapping[str, str]] = {
    "recommended": "Recommended moves",
    "forced": "Forced moves",
    "mirror": "Mirroring",
    "colours": "Colours exchanged",
}
OCCASION: Final[Mapping[str, str]] = {
    "recommended": "when it plays its own best move",
    "forced": "when the only legal move is played",
    "mirror": "when left and right are exchanged",
    "colours": "when the two sides are exchanged",
}
"""The end of a sentence that says when a contradiction shows."""
LAWS: Final[Mapping[str, str]] = {
    "recommended": "Recommended moves: the engine's own best move must not change what the position is worth to it.",
    "forced": "Forced moves: before and after the only legal move, the game is the same game.",
    "mirror": "Mirroring: pieces move alike to the left and to the right, so the mirrored position is the same game.",
    "colours": "Colours exchanged: with both sides and the turn exchanged, the other side has this side's game.",
}


def in_words(comparison: GameComparison) -> str:
    """The engine's two evaluations in one sentence."""
    first, second = comparison.first, comparison.second
    values = [signed(side.value) for side in (first, second)]
    gap = f"a difference of {comparison.difference:.2f}"
    match comparison.check:
        case "recommended" | "forced":
            kind = "its own best move" if comparison.check == "recommended" else "the only legal move"
            return f"{values[0]} for {first.viewpoint} before {kind} {comparison.label}, {values[1]} after: {gap}."
        case _:
            as_it_is = f"{values[0]} for {first.viewpoint} as it is"
            return f"{as_it_is}, {values[1]} for {second.viewpoint} once {comparison.label}: {gap}."


def titles(comparison: GameComparison) -> tuple[str, str]:
    """The titles of the two diagrams."""
    match comparison.check:
        case "recommended" | "forced":
            return f"Before {comparison.label}", f"After {comparison.label}"
        case _:
            return "As it is", capital(comparison.label)


def board_pair(comparison: GameComparison, board: ChessLike) -> ReportFigure:
    """Two positions as diagrams, with the engine's evaluations; the reader can copy both."""
    positions = (comparison.first.position, comparison.second.position)
    first, second = (
        _board(judged, title, board.diagram(judged.position), board.to_move(judged.position))
        for judged, title in zip((comparison.first, comparison.second), titles(comparison), strict=True)
    )
    return ReportFigure(Boards((first, second), in_words(comparison)), codes=positions, source=comparison.game)


def _board(judged: EvaluatedGamePosition, title: str, diagram: Diagram, to_move: str) -> Board:
    more = filter(None, (f"{to_move} to move", diagram.below))
    return Board(title, diagram.rows, diagram.pieces, (f"{signed(judged.value)} for {judged.viewpoint}", *more))


GAMES_AT_ONCE = 8
"""This does not depend on the number of engines, so the table does not either."""
SPARE = 2
"""Games are played until every check has its positions, but at most this many times the expected number of games."""


@dataclass(frozen=True, slots=True)
class GamePositionJob:
    """A position to be checked."""

    check: GameCheckName
    game: str
    position: str


async def compare_positions(
    game: GameName,
    interview: BatchInterview[BoardPosition, Assessment],
    player: BatchInterview[GameToPlay, PlayedGame],
    config: GamesConfig = GamesConfig(),  # noqa: B008 -- frozen
) -> CheckedPositions[GameComparison]:
    """Let an engine play, evaluate positions that must have the same value, and count the differences.

    Parameters
    ----------
    interview: the interview of the engine that evaluates positions.
    player: the interview of the engine that plays both sides of the games from which positions are drawn.

    Each check takes the first positions that it applies to, in the order of the games, for any number of engines.
    Raises `CandidateUnreachable` if no game could be played.
    """
    checks = _in_order(config.checks)
    run = _Run(game, interview, config, {check: CheckTally(check, seed=config.seed) for check in checks})
    due = games_due(config)
    for numbers in _batches(due):
        if run.is_done or (run.has_all_but_forced and numbers[0] > due):
            break
        questions = [GameToPlay(game, number, config.seed, config.opening, config.length) for number in numbers]
        played = await player.ask_together(questions, topic=f"{game}/self-play")
        run.note(played)
        await run.settle(
            [job for number, game_played in zip(numbers, played, strict=True) for job in run.jobs(number, game_played)]
        )
    if not run.played:
        raise CandidateUnreachable(f"{player.candidate.name} played no game: {run.unplayed}")
    settings = {
        "game": game,
        "checks": checks,
        **{name: getattr(config, name) for name in ("limit", "per_game", "opening", "length")},
        "player": player.candidate.name,
        "numpy": np.__version__,
    }
    source = f"{counted(run.played, 'game')} of self-play, after a random opening of {config.opening} moves"
    return CheckedPositions(
        interview.candidate.name,
        source,
        "",
        config.seed,
        settings,
        summaries=tuple(tally.summary() for tally in run.tallies.values()),
        each=tuple(sorted(run.each, key=lambda pair: (checks.index(pair.check), -pair.difference, *pair.positions))),
    )


def games_due(config: GamesConfig) -> int:
    """The expected number of games that give enough positions."""
    return ceil(config.limit / config.per_game)


def _batches(due: int) -> Iterator[range]:
    """The numbers of the games in batches: first the expected ones, then the spare ones.

    >>> list(_batches(9))
    [range(1, 9), range(9, 10), range(10, 18), range(18, 19)]
    """
    for start, end in ((1, due), (due + 1, SPARE * due)):
        for first in range(start, end + 1, GAMES_AT_ONCE):
            yield range(first, min(first + GAMES_AT_ONCE, end + 1))


def questions_due(config: GamesConfig) -> int:
    """The approximate number of questions, including games to play.

    >>> questions_due(GamesConfig(limit=100, per_game=4))  # 25 games; 100 positions, each after a move and in two images, too
    425
    """
    others = len({*config.checks} - {"forced"})
    return games_due(config) + config.limit * (1 + others)


def _in_order(checks: Sequence[GameCheckName]) -> tuple[GameCheckName, ...]:
    return tuple(check for check in GAME_CHECKS if check in checks)


class _Run:
    """The state of one examination."""

    def __init__(
        self,
        game: GameName,
        interview: BatchInterview[BoardPosition, Assessment],
        config: GamesConfig,
        tallies: dict[GameCheckName, CheckTally[GameComparison]],
    ) -> None:
        self.tallies = tallies
        self.each: list[GameComparison] = []
        self.played = 0
        self.unplayed = ""
        self._game = game
        self._board: ChessLike = BOARDS[game]
        self._interview = interview
        self._config = config
        self._wanted = dict.fromkeys(tallies, config.limit)

    @property
    def is_done(self) -> bool:
        """Whether every check has its positions."""
        return not any(self._wanted.values())

    @property
    def has_all_but_forced(self) -> bool:
        """Whether every check but forced moves has its positions; the games needed for forced moves can't be predicted."""
        return not any(wanted for check, wanted in self._wanted.items() if check != "forced")

    def note(self, played: Sequence[PlayedGame | NoAnswer]) -> None:
        """Count the games that were played, and keep the reason why others were not."""
        for game in played:
            if isinstance(game, NoAnswer):
                self.unplayed = game.reason
            self.played += isinstance(game, PlayedGame) and bool(game.positions)

    def jobs(self, number: int, played: PlayedGame | NoAnswer) -> Iterator[GamePositionJob]:
        """The positions of a game to check, in its order: a random sample, and all forced moves."""
        if isinstance(played, NoAnswer):
            return
        rng = np.random.default_rng([self._config.seed, number, 1])
        size = min(self._config.per_game, len(played.positions))
        drawn = set(rng.choice(len(played.positions), size, replace=False).tolist())
        name = f"self-play game {number}"
        for i, position in enumerate(played.positions):
            for check in self.tallies:
                if played.choices[i] == 1 if check == "forced" else i in drawn:
                    yield GamePositionJob(check, name, position)

    async def settle(self, jobs: Sequence[GamePositionJob]) -> None:
        """Evaluate and count the jobs that are still needed, by check and in their order."""
        due: list[GamePositionJob] = []
        promised = dict.fromkeys(self.tallies, 0)
        for job in jobs:
            if promised[job.check] < self._wanted[job.check]:
                promised[job.check] += 1
                due.append(job)
        known = await self._values([BoardPosition(self._game, job.position) for job in due])
        pairs = [self._counterpart(job, known) for job in due]
        known |= await self._values([pair[1] for pair in pairs if isinstance(pair, tuple)])
        for job, pair in zip(due, pairs, strict=True):
            self._count(job, pair, known)

    async def _values(self, questions: Sequence[BoardPosition]) -> dict[BoardPosition, Assessment | NoAnswer]:
        distinct = list(dict.fromkeys(questions))
        if not distinct:
            return {}
        answers = await self._interview.ask_together(distinct, topic=self._game)
        return dict(zip(distinct, answers, strict=True))

    def _counterpart(
        self, job: GamePositionJob, known: dict[BoardPosition, Assessment | NoAnswer]
    ) -> tuple[str, BoardPosition] | str | NoAnswer:
        """The counterpart of the job's position, with what leads to it; or the reason why there is none."""
        base = known[BoardPosition(self._game, job.position)]
        if isinstance(base, NoAnswer):
            return base
        if job.check in ("recommended", "forced"):
            if job.check == "forced" and base.choices != 1:
                return "more than one legal move"
            return (base.best_move, BoardPosition(self._game, base.after)) if base.after else "move ends the game"
        symmetry = self._board.symmetries[job.check]
        return symmetry.label, BoardPosition(self._game, symmetry.position(job.position))

    def _count(
        self,
        job: GamePositionJob,
        pair: tuple[str, BoardPosition] | str | NoAnswer,
        known: dict[BoardPosition, Assessment | NoAnswer],
    ) -> None:
        compared = self._compared(job, *pair, known) if isinstance(pair, tuple) else pair
        tally = self.tallies[job.check]
        if isinstance(compared, str):
            tally.skip(compared)
            return
        self._wanted[job.check] -= 1
        if isinstance(compared, NoAnswer):
            tally.no_answer(compared.reason)
        else:
            tally.add(compared)
            self.each.append(compared)

    def _compared(
        self, job: GamePositionJob, label: str, counterpart: BoardPosition, known: dict[BoardPosition, Assessment | NoAnswer]
    ) -> GameComparison | NoAnswer:
        judged: list[EvaluatedGamePosition] = []
        side = self._board.to_move(job.position)
        moved = job.check in ("recommended", "forced")
        for question in (BoardPosition(self._game, job.position), counterpart):
            answer = known[question]
            if isinstance(answer, NoAnswer):
                return answer
            value, viewpoint = answer.value, self._board.to_move(question.position)
            if moved and viewpoint != side:
                value, viewpoint = -value, side
            judged.append(EvaluatedGamePosition(question.position, value, viewpoint, answer.best_move))
        first, second = judged
        return GameComparison(job.check, job.game, label, first, second, self._plays_otherwise(job.check, first, second))

    def _plays_otherwise(
        self, check: GameCheckName, first: EvaluatedGamePosition, second: EvaluatedGamePosition
    ) -> bool | None:
        """Whether the best move in the image differs from the image of the best move; None without an image."""
        symmetry = self._board.symmetries.get(check)
        return None if symmetry is None else symmetry.move(first.best_move) != second.best_move
