"""Searches boards for contradictions within a budget, by three methods, and counts the finds."""

from __future__ import annotations

import asyncio
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

import chess
import numpy as np

from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, EvaluatedChessPosition
from vivavoce.consistency.chess.positions import (
    FULL_MOVES,
    PIECES,
    PIECES_A_SIDE,
    Counterpart,
    base,
    compare,
    counterparts,
    synthetic_boards,
)
from vivavoce.consistency.chess.search.boards import CLASSES, BoardFamily, BoardGenerator, canonical, family, pieces
from vivavoce.consistency.chess.search.search_finding import ChessSearch, Count, SearchPoint, SearchRun
from vivavoce.consistency.config import THRESHOLDS, SearchConfig, SearchMethod
from vivavoce.errors import MissingExtra
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.record import digest_of
from vivavoce.interview.scope import Signature
from vivavoce.interview.vendor_batches import BatchInterview
from vivavoce.version import __version__

if TYPE_CHECKING:
    from ribs.archives import GridArchive


@dataclass(frozen=True, slots=True)
class AssessedBoard:
    """A board with the evaluations of itself and its images."""

    evaluations: int
    """Evaluations spent by the search up to and including this board."""
    comparison: ChessComparison


@dataclass(frozen=True, slots=True)
class _Orbit:
    """A board and its images, which must have the same value."""

    fens: tuple[str, ...]
    """The FENs of the board and its images; the board comes first."""
    others: tuple[Counterpart, ...]
    evaluations: int
    """Evaluations spent by the search, including these."""


class Assessor:
    """Evaluates boards and their images within a budget of evaluations.

    Every board costs one evaluation for itself and one for each image. A board or image that returns costs nothing. Answers
    from the transcript take no time but count against the budget, so they do not change the course of a search.

    config: the budget, and the orientations of a board to compare.
    origin: name of the search in the comparisons and in the topics of questions.
    """

    def __init__(self, interview: BatchInterview[Position, Evaluation], config: SearchConfig, *, origin: str) -> None:
        self._interview = interview
        self._config = config
        self._origin = origin
        self._differences: dict[str, float | None] = {}
        self.spent = 0
        self.no_answers = 0
        """Boards that could not be compared because an evaluation is missing."""
        self.assessed: list[AssessedBoard] = []
        """All compared boards in the order of the questions, without images of earlier ones."""

    @property
    def exhausted(self) -> bool:
        """Whether the budget does not cover another board."""
        return not self.affordable

    @property
    def affordable(self) -> int:
        """The number of further boards that the budget covers."""
        return (self._config.evaluations - self.spent) // self._config.cost

    async def differences(self, boards: Sequence[chess.Board]) -> list[float | None]:
        """The fitness of each board: the largest difference between evaluations of it and its images, in [0, 2].

        None if an evaluation is missing, or the budget is spent.
        """
        orbits = [orbit for board in boards if (orbit := self._enter(board)) is not None]
        positions = [Position(fen) for orbit in orbits for fen in orbit.fens]
        answers = iter(await self._ask(positions))
        for orbit in orbits:
            self._settle(orbit, [next(answers) for _ in orbit.fens])
        return [self._differences.get(base(ChessCheck.BOARDS, board)) for board in boards]

    async def _ask(self, positions: Sequence[Position]) -> list[Evaluation | NoAnswer]:
        """All answers; questions are sent in parts small enough to keep every worker busy."""
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
        """The board and its images, if it is new and the budget covers it."""
        fen = base(ChessCheck.BOARDS, board)
        if fen in self._differences or self.exhausted:
            return None
        others = counterparts(ChessCheck.BOARDS, board, None, only_rotate_180=self._config.half_turn_only)
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
        judged = EvaluatedChessPosition(orbit.fens[0], evaluations[0])
        others = list(zip(orbit.others, evaluations[1:], strict=True))
        comparison = compare(ChessCheck.BOARDS, self._origin, judged, others)
        self.assessed.append(AssessedBoard(orbit.evaluations, comparison))
        self._differences |= dict.fromkeys(orbit.fens, comparison.difference)


PAPER_SHARE = 1_000 / 50_000
"""The paper's population as a share of all boards that it assesses."""
LEAST = 20
"""A smaller population leaves nothing to select from."""


@dataclass(frozen=True, slots=True)
class Evolution:
    """The settings of the genetic algorithm."""

    population: int
    generations: int = 20
    """Maximum number before the next random population."""
    tournament: float = 0.1
    """Share of the population in a tournament; its fittest board becomes a parent."""
    patience: int = 5
    """Generations without an improvement before a population is abandoned."""


def evolution_of(config: SearchConfig) -> Evolution:
    """The paper's settings, with the population in proportion to the budget.

    >>> [evolution_of(SearchConfig(evaluations=2 * boards)).population for boards in (50_000, 3_000, 100)]
    [1000, 60, 20]
    """
    return Evolution(max(LEAST, round(config.boards * PAPER_SHARE)))


async def genetic_search(assessor: Assessor, variation: BoardGenerator, rng: np.random.Generator, settings: Evolution) -> None:
    """Breed populations one after the other until the budget is spent; `rng` draws the tournaments."""
    while not assessor.exhausted:
        await _one_population(assessor, variation, rng, settings)


async def _one_population(assessor: Assessor, variation: BoardGenerator, rng: np.random.Generator, settings: Evolution) -> None:
    boards, best, stale = variation.fresh(settings.population), -1.0, 0
    for _ in range(settings.generations):
        differences = await assessor.differences(boards)
        fit = [(value, board) for value, board in zip(differences, boards, strict=True) if value is not None]
        if assessor.exhausted or not fit:
            return
        fittest = max(value for value, _ in fit)
        best, stale = (fittest, 0) if fittest > best else (best, stale + 1)
        if stale == settings.patience:
            return
        parents = tournament_winners(
            [board for _, board in fit], [value for value, _ in fit], settings.population, rng, share=settings.tournament
        )
        boards = variation.offspring(parents)


def tournament_winners(
    boards: Sequence[chess.Board], fitness: Sequence[float], number: int, rng: np.random.Generator, *, share: float
) -> list[chess.Board]:
    """This many parents, each the fittest of a sample of that share of the boards (at least two), without replacement."""
    size = min(len(boards), max(2, round(share * len(boards))))
    contests = (rng.choice(len(boards), size=size, replace=False) for _ in range(number))
    return [boards[max(contest, key=lambda index: fitness[index])] for contest in contests]


KINDS = (len(CLASSES), 6, 4)
"""Numbers of kinds: sets of pieces, distances between the kings (2 to 7), and the moving king's distances from the edge (0
to 3)."""


@dataclass(frozen=True, slots=True)
class Elites:
    """The settings of the archive."""

    initial: float = 0.2
    """Share of the budget for random boards before mutation begins."""
    batch: int = 64
    """Mutants assessed together."""


async def archive_search(assessor: Assessor, variation: BoardGenerator, rng: np.random.Generator, settings: Elites) -> None:
    """Fill the archive with random boards, then mutate random elites until the budget is spent (MAP-Elites).

    A mutant that is an image of an earlier board is redrawn, since it would not be a new find. So flips and rotations, which
    the genetic search uses, do not occur.

    Raises `MissingExtra` if pyribs is not installed.
    """
    elites = open_archive(seed=int(rng.integers(2**31)))
    boards = variation.fresh(max(settings.batch, round(settings.initial * assessor.affordable)))
    seen = {canonical(board) for board in boards}
    while True:
        _place(elites, boards, await assessor.differences(boards))
        if assessor.exhausted:
            return
        boards = _mutants(elites, variation, seen, settings.batch)


def _mutants(elites: GridArchive, variation: BoardGenerator, seen: set[str], number: int) -> list[chess.Board]:
    """New boards from elites, or random ones while the archive is empty."""
    if elites.empty:
        return variation.fresh(number)
    parents = map(chess.Board, elites.sample_elites(number)["solution"])
    return [variation.mutated(board, wanted=partial(_enter, seen=seen)) for board in parents]


def _enter(board: chess.Board, *, seen: set[str]) -> bool:
    """Add the board; return whether it is new up to symmetry."""
    form = canonical(board)
    new = form not in seen
    seen.add(form)
    return new


def open_archive(*, seed: int) -> GridArchive:
    """An empty archive with one cell for each kind of board; the cells contain FENs."""
    try:
        from ribs.archives import GridArchive
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "ribs").partition(".")[0], extra="chess") from None
    ranges = [(-0.5, KINDS[0] - 0.5), (1.5, 7.5), (-0.5, 3.5)]
    return GridArchive(solution_dim=(), solution_dtype=np.object_, dims=KINDS, ranges=ranges, seed=seed)


def kind(board: chess.Board) -> tuple[int, int, int]:
    """The kind of a board: the index of its pieces in `CLASSES`, the distance of the kings, and the distance from the edge.

    >>> kind(chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40"))
    (7, 7, 0)
    """
    white, black = (chess.lsb(board.kings & board.occupied_co[colour]) for colour in (chess.WHITE, chess.BLACK))
    mover = white if board.turn else black
    file, rank = chess.square_file(mover), chess.square_rank(mover)
    return (CLASSES.index(pieces(board, chess.WHITE)), chess.square_distance(white, black), min(file, 7 - file, rank, 7 - rank))


def _place(elites: GridArchive, boards: list[chess.Board], differences: list[float | None]) -> None:
    """Add each board to the archive if it is fitter than the present one of its kind."""
    fit = [(board, value) for board, value in zip(boards, differences, strict=True) if value is not None]
    if fit:
        fens = np.array([board.fen() for board, _ in fit], dtype=np.object_)
        elites.add(fens, np.array([value for _, value in fit]), np.array([kind(board) for board, _ in fit], dtype=float))


EXAMPLES = 6
"""Number of example boards shown: enough to recognise their kind."""


@dataclass(frozen=True, slots=True)
class Find:
    """A board with a difference above the smallest threshold."""

    evaluations: int
    """Evaluations spent by the search up to this find."""
    difference: float
    form: str
    """Equal for boards that are the same up to symmetry and a swap of colours."""
    family: BoardFamily


def exceeds(difference: float, threshold: float) -> bool:
    """Whether the difference of two evaluations, given in thousandths, exceeds a threshold.

    >>> 0.65 - 0.6 > 0.05, exceeds(0.65 - 0.6, 0.05)
    (True, False)
    """
    return round(difference - threshold, 9) > 0


def finds(assessed: Iterable[AssessedBoard]) -> list[Find]:
    """All boards above the smallest of `THRESHOLDS`, in the order of the questions."""
    boards = []
    for step in assessed:
        if exceeds(step.comparison.difference, THRESHOLDS[0]):
            board = chess.Board(step.comparison.first.fen)
            boards.append(Find(step.evaluations, step.comparison.difference, canonical(board), family(board)))
    return boards


def counts(boards: Sequence[Find]) -> tuple[Count, ...]:
    """The counts for each of `THRESHOLDS`."""
    return tuple(_count(boards, threshold) for threshold in THRESHOLDS)


def _count(finds: Sequence[Find], threshold: float) -> Count:
    boards = [find for find in finds if exceeds(find.difference, threshold)]
    return Count(threshold, len(boards), len({find.form for find in boards}), len({find.family for find in boards}))


def course(
    assessed: Sequence[AssessedBoard], boards: Sequence[Find], threshold: float, at: Sequence[int]
) -> tuple[SearchPoint, ...]:
    """The progress of the search after each number of evaluations in `at`."""
    spent = [step.evaluations for step in assessed]
    largest = list(accumulate((step.comparison.difference for step in assessed), max, initial=0.0))
    firsts: dict[str, int] = {}
    for find in boards:
        if exceeds(find.difference, threshold):
            firsts.setdefault(find.form, find.evaluations)
    new = list(firsts.values())
    return tuple(SearchPoint(e, largest[bisect_right(spent, e)], bisect_right(new, e)) for e in at)


def examples(comparisons: Iterable[ChessComparison], threshold: float) -> tuple[ChessComparison, ...]:
    """The largest differences above the threshold, one per family."""
    best: dict[object, ChessComparison] = {}
    for comparison in sorted(comparisons, key=lambda comparison: (-comparison.difference, comparison.first.fen)):
        if not exceeds(comparison.difference, threshold) or len(best) == EXAMPLES:
            break
        best.setdefault(family(chess.Board(comparison.first.fen)), comparison)
    return tuple(best.values())


BATCH = 256
"""Boards assessed together; this does not influence the result."""


POINTS = 100
"""Points on the progress curve of a search, evenly spaced."""
SCOPE = "boards of eight men"


async def search_boards(interview: BatchInterview[Position, Evaluation], config: SearchConfig) -> ChessSearch:
    """Find the boards with the largest contradictions of an engine, and compare search methods.

    Boards have no pawns, and each side has its king and the same three pieces, so rotating the board must not change its value.

    Raises `MissingExtra` for an archive without pyribs.
    """
    if "archive" in config.methods:
        open_archive(seed=0)  # fail before the other searches cost anything
    runs: list[SearchRun] = []
    best: list[ChessComparison] = []
    for method in config.methods:
        for seed in config.run_seeds:
            assessor = Assessor(interview, config, origin=f"chess search/{method}/seed {seed}")
            variation = await _search(method, assessor, seed, config)
            runs.append(_run(method, seed, assessor, variation, config))
            best = [*examples((*best, *(step.comparison for step in assessor.assessed)), config.threshold)]
    return ChessSearch(
        candidate=interview.candidate.name,
        config=config,
        runs=tuple(runs),
        examples=tuple(best),
        signature=_signature(interview.candidate.name, config),
    )


async def _search(method: SearchMethod, assessor: Assessor, seed: int, config: SearchConfig) -> BoardGenerator:
    boards, variations, choices = np.random.default_rng(seed).spawn(3)
    variation = BoardGenerator((chess.Board(placed.fen) for placed in synthetic_boards(boards)), variations)
    match method:
        case "random":
            while not assessor.exhausted:
                await assessor.differences(variation.fresh(BATCH))
        case "genetic":
            await genetic_search(assessor, variation, choices, evolution_of(config))
        case "archive":
            await archive_search(assessor, variation, choices, Elites())
    return variation


def _run(method: SearchMethod, seed: int, assessor: Assessor, variation: BoardGenerator, config: SearchConfig) -> SearchRun:
    assessed = assessor.assessed
    boards = finds(assessed)
    at = [int(evaluations) for evaluations in np.linspace(0, config.evaluations, POINTS + 1)]
    return SearchRun(
        method=method,
        seed=seed,
        evaluations=assessor.spent,
        boards=len(assessed),
        no_answers=assessor.no_answers,
        redrawn=variation.redrawn,
        given_up=variation.given_up,
        counts=counts(boards),
        largest=max((step.comparison.difference for step in assessed), default=None),
        course=course(assessed, boards, config.threshold, at),
    )


def _signature(candidate: str, config: SearchConfig) -> Signature:
    return Signature(
        version=__version__,
        examination="consistency/chess-search",
        candidate=candidate,
        scope=SCOPE,
        scope_digest=digest_of(f"{PIECES} {PIECES_A_SIDE} {FULL_MOVES} {config.half_turn_only}"),
        seed=config.seed,
        settings={
            "evaluations": config.evaluations,
            "seeds": list(config.run_seeds),
            "threshold": config.threshold,
            "half_turn_only": config.half_turn_only,
            "genetic": asdict(evolution_of(config)),
            "archive": asdict(Elites()),
            "numpy": np.__version__,  # its random streams may change between releases
        },
    )
