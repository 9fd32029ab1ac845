"""What a board is worth to a search: by how much the engine contradicts itself on it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass

import chess

from vivavoce.consistency.chess.checks import Counterpart, base, compare, counterparts
from vivavoce.consistency.chess.comparison import Check, Comparison, Judged
from vivavoce.consistency.chess.config import SearchConfig
from vivavoce.interview.batch import BatchInterview
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.engine import Evaluation, Position


@dataclass(frozen=True, slots=True)
class Assessed:
    """One board with what the engine says about it and of its images."""

    evaluations: int
    """Spent by the search up to and including this board."""
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class _Orbit:
    """A board with its images, all of which are worth the same."""

    fens: tuple[str, ...]
    """The board's own first."""
    others: tuple[Counterpart, ...]
    evaluations: int
    """Spent by the search once these are paid for."""


class Assessor:
    """Has boards and their images evaluated, within a budget of evaluations.

    Every board costs one evaluation for itself and one for each image; a board and its images cost nothing the second time.
    What a transcript already holds costs no time but counts all the same, so that the same search takes the same course
    whatever is on record.

    Parameters
    ----------
    config: its budget, and the orientations of a board that are compared.
    origin: names the search in the comparisons and in the record's topic.
    """

    def __init__(self, interview: BatchInterview[Position, Evaluation], config: SearchConfig, *, origin: str) -> None:
        self._interview = interview
        self._config = config
        self._origin = origin
        self._differences: dict[str, float | None] = {}
        self.spent = 0
        self.no_answers = 0
        """Boards that could not be compared because an evaluation is missing."""
        self.assessed: list[Assessed] = []
        """All boards that were compared, in the order of asking, images of earlier ones left out."""

    @property
    def exhausted(self) -> bool:
        """Whether the budget has no room for another board."""
        return not self.affordable

    @property
    def affordable(self) -> int:
        """Further boards that the budget has room for."""
        return (self._config.evaluations - self.spent) // self._config.cost

    async def differences(self, boards: Sequence[chess.Board]) -> list[float | None]:
        """The fitness of each board: the difference in evaluation between it and its images, in [0, 2].

        None where an evaluation is missing, or the budget is used up.
        """
        orbits = [orbit for board in boards if (orbit := self._enter(board)) is not None]
        positions = [Position(fen) for orbit in orbits for fen in orbit.fens]
        answers = iter(await self._ask(positions))
        for orbit in orbits:
            self._settle(orbit, [next(answers) for _ in orbit.fens])
        return [self._differences.get(base(Check.BOARDS, board)) for board in boards]

    async def _ask(self, positions: Sequence[Position]) -> list[Evaluation | NoAnswer]:
        """All answers, asked in parts that are small enough to keep every worker busy."""
        candidate = self._interview.candidate
        size = max(1, min(candidate.size, math.ceil(len(positions) / candidate.concurrency)))
        parts = [positions[start : start + size] for start in range(0, len(positions), size)]
        tasks = [asyncio.create_task(self._interview.ask_together(part, topic=self._origin)) for part in parts]
        try:
            return [answer for part in await asyncio.gather(*tasks) for answer in part]
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _enter(self, board: chess.Board) -> _Orbit | None:
        """The board and its images, if it is new and can still be paid for."""
        fen = base(Check.BOARDS, board)
        if fen in self._differences or self.exhausted:
            return None
        others = counterparts(Check.BOARDS, board, None, only_rotate_180=self._config.half_turn_only)
        if isinstance(others, str):
            raise ValueError(f"{fen}: {others}")
        self.spent += self._config.cost
        orbit = _Orbit((fen, *(other.fen for other in others)), tuple(others), self.spent)
        self._differences |= dict.fromkeys(orbit.fens)
        return orbit

    def _settle(self, orbit: _Orbit, answers: list[Evaluation | NoAnswer]) -> None:
        evaluations = [answer for answer in answers if not isinstance(answer, NoAnswer)]
        if len(evaluations) < len(answers):
            self.no_answers += 1
            return
        judged = Judged(orbit.fens[0], evaluations[0])
        others = list(zip(orbit.others, evaluations[1:], strict=True))
        comparison = compare(Check.BOARDS, self._origin, judged, others)
        self.assessed.append(Assessed(orbit.evaluations, comparison))
        self._differences |= dict.fromkeys(orbit.fens, comparison.difference)
