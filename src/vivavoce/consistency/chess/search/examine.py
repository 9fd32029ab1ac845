"""The examination: search for contradictions by several methods, each with the same budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import chess
import numpy as np

from vivavoce.consistency.chess.comparison import THRESHOLDS, Comparison
from vivavoce.consistency.chess.search.archive import Elites, archive_search, open_archive
from vivavoce.consistency.chess.search.assessor import Assessor
from vivavoce.consistency.chess.search.finding import ChessSearch
from vivavoce.consistency.chess.search.genetic import Evolution, genetic_search, scaled_to
from vivavoce.consistency.chess.search.runs import Method, Run
from vivavoce.consistency.chess.search.sampling import random_search
from vivavoce.consistency.chess.search.score import counts, course, examples, finds
from vivavoce.consistency.chess.search.variation import Variation
from vivavoce.consistency.chess.synthetic import FULL_MOVES, PIECES, PIECES_A_SIDE, synthetic_boards
from vivavoce.errors import BadInput
from vivavoce.interview.batch import BatchInterview
from vivavoce.interview.engine import Evaluation, Position
from vivavoce.interview.finding import Signature
from vivavoce.interview.record import digest_of
from vivavoce.version import __version__

POINTS = 100
"""Of the course of a search, evenly spaced."""
SCOPE = "boards of eight men"


async def search_boards(
    interview: BatchInterview[Position, Evaluation],
    methods: Sequence[Method],
    *,
    evaluations: int = 6_000,
    seeds: Sequence[int] = (0, 1, 2),
    threshold: float = 0.25,
    half_turn_only: bool = True,
    evolution: Evolution | None = None,
) -> ChessSearch:
    """On which boards does an engine contradict itself most, and which way of searching finds more of them?

    Boards have no pawns, and each side has its king and the same three pieces, so that turning the board changes nothing.

    Parameters
    ----------
    evaluations: the budget of every run; a board costs 2, or 8 with all orientations, and what a run asks again costs nothing.
    seeds: one run of each method for each. All methods draw the same random boards for a seed.
    threshold: one of `THRESHOLDS`; differences above it are called violations in the statement and the plot.
    half_turn_only: compare with the rotation by 180 degrees alone, as Table 2 of `fluri2024`.
    evolution: settings of the genetic search; None: the paper's, its population scaled to the budget.

    Raises `BadInput` for a budget without room for a single board, and `MissingExtra` for an archive without pyribs.
    """
    if not methods or not seeds:
        raise BadInput("at least one method and one seed are needed")
    if evaluations < (2 if half_turn_only else 8):
        raise BadInput(f"a budget of {evaluations} evaluations has no room for a board and its images")
    if threshold not in THRESHOLDS:
        raise BadInput(f"the threshold is {threshold:g}, it must be one of {', '.join(map(str, THRESHOLDS))}")
    if Method.ARCHIVE in methods:
        open_archive(seed=0)  # refuse now what would otherwise fail after the other searches have been paid for
    settings = evolution or scaled_to(evaluations // (2 if half_turn_only else 8))
    runs: list[Run] = []
    best: list[Comparison] = []
    for method in dict.fromkeys(methods):
        for seed in seeds:
            assessor = Assessor(
                interview, evaluations, half_turn_only=half_turn_only, origin=f"chess search/{method.value}/seed {seed}"
            )
            variation = await _search(method, assessor, seed, settings)
            runs.append(_run(method, seed, assessor, variation, threshold))
            best = [*examples((*best, *(step.comparison for step in assessor.assessed)), threshold)]
    return ChessSearch(
        candidate=interview.candidate.name,
        half_turn_only=half_turn_only,
        evaluations=evaluations,
        threshold=threshold,
        runs=tuple(runs),
        examples=tuple(best),
        signature=_signature(interview.candidate.name, evaluations, seeds, threshold, half_turn_only, settings),
    )


async def _search(method: Method, assessor: Assessor, seed: int, evolution: Evolution) -> Variation:
    boards, variations, choices = np.random.default_rng(seed).spawn(3)
    variation = Variation(_fresh(boards), variations)
    match method:
        case Method.RANDOM:
            await random_search(assessor, variation)
        case Method.GENETIC:
            await genetic_search(assessor, variation, choices, evolution)
        case Method.ARCHIVE:
            await archive_search(assessor, variation, choices, Elites())
    return variation


def _fresh(rng: np.random.Generator) -> Iterator[chess.Board]:
    return (chess.Board(placed.fen) for placed in synthetic_boards(rng))


def _run(method: Method, seed: int, assessor: Assessor, variation: Variation, threshold: float) -> Run:
    assessed = assessor.assessed
    found = finds(assessed)
    at = [int(evaluations) for evaluations in np.linspace(0, assessor.budget, POINTS + 1)]
    return Run(
        method=method,
        seed=seed,
        evaluations=assessor.spent,
        boards=len(assessed),
        no_answers=assessor.no_answers,
        redrawn=variation.redrawn,
        given_up=variation.given_up,
        counts=counts(found),
        largest=max((step.comparison.difference for step in assessed), default=None),
        course=course(assessed, found, threshold, at),
    )


def _signature(
    candidate: str, evaluations: int, seeds: Sequence[int], threshold: float, half_turn_only: bool, evolution: Evolution
) -> Signature:
    return Signature(
        version=__version__,
        examination="consistency/chess-search",
        candidate=candidate,
        scope=SCOPE,
        scope_digest=digest_of(f"{PIECES} {PIECES_A_SIDE} {FULL_MOVES} {half_turn_only}"),
        seed=seeds[0],
        settings={
            "evaluations": evaluations,
            "seeds": list(seeds),
            "threshold": threshold,
            "half_turn_only": half_turn_only,
            "genetic": asdict(evolution),
            "archive": asdict(Elites()),
            "numpy": np.__version__,  # its random streams may change from release to release
        },
    )
