"""Evaluates chess positions that must have the same value, and counts the differences."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import chess
import numpy as np

from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, EvaluatedChessPosition
from vivavoce.consistency.chess.counting import CheckedPositions, CheckTally
from vivavoce.consistency.chess.positions import (
    Counterpart,
    GamePosition,
    base,
    compare,
    counterparts,
    forced_from,
    synthetic_boards,
    unfit,
)
from vivavoce.consistency.config import ChessConfig
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.results import AnswerEvent, ResultMark
from vivavoce.interview.vendor_batches import BatchInterview

NO_SUCH_CHECK = "no check leaves one reply"


@dataclass(frozen=True, slots=True)
class ChessPositionJob:
    """A position and a check that applies to it."""

    check: ChessCheck
    game: str
    board: chess.Board
    fen: str
    """The FEN of the base position; jobs of several checks share its evaluation."""


Positions = Iterable[GamePosition] | AsyncIterator[GamePosition]
Result = ChessComparison | str | NoAnswer
"""A comparison, the reason why there is none, or the missing evaluation."""


@dataclass(frozen=True, slots=True)
class Material:
    """The positions that an engine is tested on."""

    positions: Positions
    """For forced moves, recommended moves and mirroring."""
    boards: Positions | None = None
    """For board transformations; None for synthetic boards."""
    title: str = ""
    """Description of the positions' source."""
    digest: str = ""
    """SHA-256 of the positions' file in hex; empty without a file."""


async def compare_positions(
    interview: BatchInterview[Position, Evaluation],
    material: Material,
    config: ChessConfig = ChessConfig(),  # noqa: B008 -- frozen
    *,
    each: bool = False,
) -> CheckedPositions:
    """Evaluate positions that must have the same value, and count the differences.

    Parameters
    ----------
    each: keep every comparison, by check in the order of `config.checks`, and not only the counts and the largest differences.
        Memory then grows with the number of comparisons.

    Otherwise memory does not grow with the number of positions. Each check takes the first positions that it applies to and
    that are not skipped after their evaluation. Results are counted in the order of the positions, so the number of workers
    does not change the table.
    """
    checks = [ChessCheck(name) for name in config.checks]
    if not checks:
        raise BadInput("at least one check is needed")
    ledger = _Ledger(checks, limit=config.limit, seed=config.seed, each=each)
    supply = _Supply(ledger, material, np.random.default_rng(config.seed), make_forced=config.make_forced)
    order = _RowOrder()
    interview.results.mark_by(order.marks)
    under_way: deque[asyncio.Task[list[tuple[ChessCheck, Result]]]] = deque()
    try:
        while True:
            while len(under_way) < interview.candidate.concurrency and (jobs := await supply.take(interview.candidate.size)):
                settled = _settle(interview, jobs, order.batch(), half_turn_only=config.half_turn_only)
                under_way.append(asyncio.create_task(settled))
            if not under_way:
                break
            for check, result in await under_way[0]:
                ledger.book(check, result)
            under_way.popleft()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
    settings = {
        "checks": [check.value for check in checks],
        "limit": config.limit,
        "make_forced": config.make_forced,
        "half_turn_only": config.half_turn_only,
        "numpy": np.__version__,
    }
    return CheckedPositions(
        interview.candidate.name,
        material.title,
        material.digest,
        config.seed,
        settings,
        summaries=tuple(ledger.tallies[check].summary() for check in checks),
        each=tuple(sorted(ledger.each, key=lambda comparison: checks.index(comparison.check))),
        made_forced=supply.made_forced,
    )


class _Ledger:
    """The counts so far, and how many positions each check still needs."""

    def __init__(self, checks: Sequence[ChessCheck], *, limit: int, seed: int, each: bool) -> None:
        self.tallies: dict[ChessCheck, CheckTally] = {check: CheckTally(check, seed=seed) for check in checks}
        self.each: list[ChessComparison] = []
        self._keep = each
        self._wanted = dict.fromkeys(checks, limit)
        self._under_way = dict.fromkeys(checks, 0)

    def wants(self, check: ChessCheck) -> bool:
        return self._wanted.get(check, 0) > 0

    def waits(self, check: ChessCheck) -> bool:
        """Whether the check needs another position only if a pending one is skipped."""
        return not self.wants(check) and self._under_way.get(check, 0) > 0

    def promise(self, check: ChessCheck) -> None:
        self._wanted[check] -= 1
        self._under_way[check] += 1

    def book(self, check: ChessCheck, result: Result) -> None:
        """Record a result; if a position was skipped, another one replaces it."""
        self._under_way[check] -= 1
        if isinstance(result, ChessComparison):
            self.tallies[check].add(result)
            if self._keep:
                self.each.append(result)
        elif isinstance(result, NoAnswer):
            self.tallies[check].no_answer(result.reason)
        else:
            self.tallies[check].skip(result)
            self._wanted[check] += 1


class _Supply:
    """Turns positions into jobs, and makes no more jobs than needed."""

    def __init__(self, ledger: _Ledger, material: Material, rng: np.random.Generator, *, make_forced: bool) -> None:
        self._ledger = ledger
        self._make_forced = make_forced
        self._rng, boards_rng = rng.spawn(2)
        boards = synthetic_boards(boards_rng) if material.boards is None else material.boards
        self._streams = [
            ((ChessCheck.FORCED, ChessCheck.RECOMMENDED, ChessCheck.MIRROR), _as_they_come(material.positions)),
            ((ChessCheck.BOARDS,), _as_they_come(boards)),
        ]
        self.made_forced = 0

    async def take(self, size: int) -> list[ChessPositionJob]:
        """Jobs with about this many positions to evaluate; an empty list if no more are needed or available."""
        jobs: list[ChessPositionJob] = []
        bases: set[str] = set()
        for checks, stream in self._streams:
            while len(bases) < size and self._is_due(checks) and (placed := await anext(stream, None)):
                for job in self._fitting(placed, checks):
                    jobs.append(job)
                    bases.add(job.fen)
        return jobs

    def _is_due(self, checks: Sequence[ChessCheck]) -> bool:
        """Whether a check needs the next position now, and no check of this stream might still need it later."""
        return any(map(self._ledger.wants, checks)) and not any(map(self._ledger.waits, checks))

    def _fitting(self, placed: GamePosition, checks: Sequence[ChessCheck]) -> Iterator[ChessPositionJob]:
        board = chess.Board(placed.fen)
        for check in filter(self._ledger.wants, checks):
            here, reason = board, unfit(check, board)
            if self._make_forced and check is ChessCheck.FORCED and reason == "more than one legal move":
                made = forced_from(placed, self._rng)
                here, reason = (board, NO_SUCH_CHECK) if made is None else (chess.Board(made.fen), None)
                reason = reason or unfit(check, here)
                self.made_forced += reason is None
            if reason is None:
                self._ledger.promise(check)
                as_it_is = here is board and check is not ChessCheck.BOARDS  # its FEN is known then
                yield ChessPositionJob(check, placed.game, here, placed.fen if as_it_is else base(check, here))
            else:
                self._ledger.tallies[check].skip(reason)


async def _as_they_come(positions: Positions) -> AsyncIterator[GamePosition]:
    """Iterate asynchronously over plain or asynchronous positions."""
    if isinstance(positions, AsyncIterator):
        async for placed in positions:
            yield placed
    else:
        for placed in positions:
            yield placed


class _RowOrder:
    """The order of positions in the rows: by batch, and within a batch the base positions first."""

    def __init__(self) -> None:
        self._positions: dict[str, tuple[int, int, int]] = {}
        self._batches = 0

    def batch(self) -> Callable[[int, Sequence[str]], None]:
        """Start a batch, and return a function that records the positions of each of its two steps."""
        self._batches += 1
        return partial(self._note, self._batches)

    def _note(self, batch: int, step: int, fens: Sequence[str]) -> None:
        for number, fen in enumerate(fens):
            position = (batch, step, number)
            self._positions[fen] = min(position, self._positions.get(fen, position))

    def marks(self, heard: Sequence[AnswerEvent]) -> list[ResultMark]:
        """A row number from 1 for each answer, and the value that the engine gives the position."""
        fens = [outcome.asked.fen for outcome in heard if isinstance(outcome.asked, Position)]
        numbers = {fen: number for number, fen in enumerate(sorted(fens, key=self._positions.__getitem__), 1)}
        return [_mark(numbers[fen], outcome.settled.answer) for fen, outcome in zip(fens, heard, strict=True)]


def _mark(number: int, answer: Evaluation | NoAnswer) -> ResultMark:
    read_as = f"{answer.q:.12g}" if isinstance(answer, Evaluation) else ""
    return ResultMark(id=str(number), read_as=read_as, order=(number,))


async def _settle(
    interview: BatchInterview[Position, Evaluation],
    jobs: Sequence[ChessPositionJob],
    note: Callable[[int, Sequence[str]], None],
    *,
    half_turn_only: bool,
) -> list[tuple[ChessCheck, Result]]:
    """Evaluate the base positions, then their counterparts, and compare."""
    bases = [job.fen for job in jobs]
    note(0, bases)
    known = await _evaluations(interview, bases)
    due = [_due(job, known[job.fen], half_turn_only) for job in jobs]
    others_due = [other.fen for others in due if isinstance(others, list) for other in others]
    note(1, others_due)
    known |= await _evaluations(interview, others_due)
    return [(job.check, _compared(job, others, known)) for job, others in zip(jobs, due, strict=True)]


async def _evaluations(
    interview: BatchInterview[Position, Evaluation], fens: Sequence[str]
) -> dict[str, Evaluation | NoAnswer]:
    distinct = list(dict.fromkeys(fens))
    answers = await interview.ask_together([Position(fen) for fen in distinct], topic="chess")
    return dict(zip(distinct, answers, strict=True))


def _due(job: ChessPositionJob, evaluation: Evaluation | NoAnswer, half_turn_only: bool) -> list[Counterpart] | str | NoAnswer:
    if isinstance(evaluation, NoAnswer):
        return evaluation
    return counterparts(job.check, job.board, evaluation, only_rotate_180=half_turn_only, fen=job.fen)


def _compared(
    job: ChessPositionJob, others: list[Counterpart] | str | NoAnswer, known: dict[str, Evaluation | NoAnswer]
) -> Result:
    if not isinstance(others, list):
        return others
    first = known[job.fen]
    pairs = []
    for other in others:
        evaluation = known[other.fen]
        if isinstance(evaluation, NoAnswer):
            return evaluation
        pairs.append((other, evaluation))
    if isinstance(first, NoAnswer):
        return first
    return compare(job.check, job.game, EvaluatedChessPosition(job.fen, first), pairs)
