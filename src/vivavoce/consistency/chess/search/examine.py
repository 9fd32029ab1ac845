"""The examination: search for contradictions by several methods, each with the same budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import chess
import numpy as np

from vivavoce.consistency.chess.comparison import Comparison
from vivavoce.consistency.chess.config import Method, SearchConfig
from vivavoce.consistency.chess.search.archive import Elites, archive_search, open_archive
from vivavoce.consistency.chess.search.assessor import Assessor
from vivavoce.consistency.chess.search.finding import ChessSearch
from vivavoce.consistency.chess.search.genetic import evolution_of, genetic_search
from vivavoce.consistency.chess.search.runs import Run
from vivavoce.consistency.chess.search.score import counts, course, examples, finds
from vivavoce.consistency.chess.search.variation import Variation
from vivavoce.consistency.chess.synthetic import FULL_MOVES, PIECES, PIECES_A_SIDE, synthetic_boards
from vivavoce.interview.batch import BatchInterview
from vivavoce.interview.engine import Evaluation, Position
from vivavoce.interview.finding import Signature
from vivavoce.interview.record import digest_of
from vivavoce.version import __version__

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

    Boards have no pawns, and each side has its king and the same three pieces, so that turning the board changes nothing.

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


async def _search(method: Method, assessor: Assessor, seed: int, config: SearchConfig) -> Variation:
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


def _run(method: Method, seed: int, assessor: Assessor, variation: Variation, config: SearchConfig) -> Run:
    assessed = assessor.assessed
    found = finds(assessed)
    at = [int(evaluations) for evaluations in np.linspace(0, config.evaluations, POINTS + 1)]
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
        course=course(assessed, found, config.threshold, at),
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
