"""Searches boards for contradictions by several methods with the same budget, and counts the finds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate

import chess
import numpy as np

from vivavoce.consistency.chess.comparison import Comparison
from vivavoce.consistency.chess.positions import FULL_MOVES, PIECES, PIECES_A_SIDE, synthetic_boards
from vivavoce.consistency.chess.search.boards import Family, Variation, canonical, family
from vivavoce.consistency.chess.search.methods import (
    AssessedBoard,
    Assessor,
    Elites,
    archive_search,
    evolution_of,
    genetic_search,
    open_archive,
)
from vivavoce.consistency.chess.search.search_finding import ChessSearch, Count, Point, Run
from vivavoce.consistency.config import THRESHOLDS, SearchConfig, SearchMethod
from vivavoce.interview.batch import BatchInterview
from vivavoce.interview.engine import Evaluation, Position
from vivavoce.interview.finding import Signature
from vivavoce.interview.record import digest_of
from vivavoce.version import __version__

EXAMPLES = 6
"""Boards that are shown: enough to see what kind they are."""


@dataclass(frozen=True, slots=True)
class Find:
    """A board above the least threshold."""

    evaluations: int
    """Spent by the search when it was found."""
    difference: float
    form: str
    """Equal for boards that are the same up to symmetry and the swap of colours."""
    family: Family


def exceeds(difference: float, threshold: float) -> bool:
    """Whether a difference of evaluations in thousandths is above a threshold.

    >>> 0.65 - 0.6 > 0.05, exceeds(0.65 - 0.6, 0.05)
    (True, False)
    """
    return round(difference - threshold, 9) > 0


def finds(assessed: Iterable[AssessedBoard]) -> list[Find]:
    """All boards above the least of `THRESHOLDS`, in the order of asking."""
    boards = []
    for step in assessed:
        if exceeds(step.comparison.difference, THRESHOLDS[0]):
            board = chess.Board(step.comparison.first.fen)
            boards.append(Find(step.evaluations, step.comparison.difference, canonical(board), family(board)))
    return boards


def counts(boards: Sequence[Find]) -> tuple[Count, ...]:
    """The counts for each of `THRESHOLDS`."""
    return tuple(_count([find for find in boards if exceeds(find.difference, threshold)]) for threshold in THRESHOLDS)


def _count(boards: Sequence[Find]) -> Count:
    return Count(len(boards), len({find.form for find in boards}), len({find.family for find in boards}))


def course(assessed: Sequence[AssessedBoard], boards: Sequence[Find], threshold: float, at: Sequence[int]) -> tuple[Point, ...]:
    """How far the search had come after this many evaluations, for each of `at`."""
    spent = [step.evaluations for step in assessed]
    largest = list(accumulate((step.comparison.difference for step in assessed), max, initial=0.0))
    firsts: dict[str, int] = {}
    for find in boards:
        if exceeds(find.difference, threshold):
            firsts.setdefault(find.form, find.evaluations)
    new = list(firsts.values())
    return tuple(Point(e, largest[bisect_right(spent, e)], bisect_right(new, e)) for e in at)


def examples(comparisons: Iterable[Comparison], threshold: float) -> tuple[Comparison, ...]:
    """The largest differences above the threshold, each of another family."""
    best: dict[object, Comparison] = {}
    for comparison in sorted(comparisons, key=lambda comparison: (-comparison.difference, comparison.first.fen)):
        if not exceeds(comparison.difference, threshold) or len(best) == EXAMPLES:
            break
        best.setdefault(family(chess.Board(comparison.first.fen)), comparison)
    return tuple(best.values())


BATCH = 256
"""Boards that are assessed together; it has no influence on the result."""


async def random_search(assessor: Assessor, variation: Variation) -> None:
    """Assess boards drawn at random until the budget is used up."""
    while not assessor.exhausted:
        await assessor.differences(variation.fresh(BATCH))


POINTS = 100
"""Of the course of a search, evenly spaced."""
SCOPE = "boards of eight men"


async def search_boards(interview: BatchInterview[Position, Evaluation], config: SearchConfig) -> ChessSearch:
    """On which boards does an engine contradict itself most, and which way of searching finds more of them?

    Boards have no pawns, and each side has its king and the same three pieces, so turning the board changes nothing.

    Raises `MissingExtra` for an archive without pyribs.
    """
    if "archive" in config.methods:
        open_archive(seed=0)  # refuse now what would otherwise fail after the other searches have been paid for
    runs: list[Run] = []
    best: list[Comparison] = []
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


async def _search(method: SearchMethod, assessor: Assessor, seed: int, config: SearchConfig) -> Variation:
    boards, variations, choices = np.random.default_rng(seed).spawn(3)
    variation = Variation(_fresh(boards), variations)
    match method:
        case "random":
            await random_search(assessor, variation)
        case "genetic":
            await genetic_search(assessor, variation, choices, evolution_of(config))
        case "archive":
            await archive_search(assessor, variation, choices, Elites())
    return variation


def _fresh(rng: np.random.Generator) -> Iterator[chess.Board]:
    return (chess.Board(placed.fen) for placed in synthetic_boards(rng))


def _run(method: SearchMethod, seed: int, assessor: Assessor, variation: Variation, config: SearchConfig) -> Run:
    assessed = assessor.assessed
    boards = finds(assessed)
    at = [int(evaluations) for evaluations in np.linspace(0, config.evaluations, POINTS + 1)]
    return Run(
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
            "numpy": np.__version__,  # its random streams may change from release to release
        },
    )
