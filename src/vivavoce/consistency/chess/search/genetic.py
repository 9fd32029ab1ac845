"""The genetic algorithm of appendix B.2 of `fluri2024`, as described there.

The program that was released with the paper departs from the description: its random state stands still between draws, so that
a population of 1,000 has nine distinct parents, and its tournament favours the positions in a list, not the fittest. Here
every draw is a new one, and a tournament is a uniform sample without replacement whose fittest member wins. What the paper
leaves open is chosen as follows: generations replace each other whole, and a population is left early when its fittest board
has not been surpassed for `patience` generations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess
import numpy as np

from vivavoce.consistency.chess.config import SearchConfig
from vivavoce.consistency.chess.search.assessor import Assessor
from vivavoce.consistency.chess.search.variation import Variation

PAPER_SHARE = 1_000 / 50_000
"""The paper's population as a share of all boards that it assesses."""
LEAST = 20
"""A smaller population has nothing to select from."""


@dataclass(frozen=True, slots=True)
class Evolution:
    """The settings of the genetic algorithm."""

    population: int
    generations: int = 20
    """Before the next population is drawn at random."""
    tournament: float = 0.1
    """Share of the population among which a parent is the fittest."""
    patience: int = 5
    """Generations without a fitter board before a population is left."""


def evolution_of(config: SearchConfig) -> Evolution:
    """The paper's settings, its population in proportion to the boards that can be assessed.

    >>> [evolution_of(SearchConfig(evaluations=2 * boards)).population for boards in (50_000, 3_000, 100)]
    [1000, 60, 20]
    """
    return Evolution(max(LEAST, round(config.boards * PAPER_SHARE)))


async def genetic_search(assessor: Assessor, variation: Variation, rng: np.random.Generator, settings: Evolution) -> None:
    """Breed one population after the other until the budget is used up; `rng` draws the tournaments."""
    while not assessor.exhausted:
        await _one_population(assessor, variation, rng, settings)


async def _one_population(assessor: Assessor, variation: Variation, rng: np.random.Generator, settings: Evolution) -> None:
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
    """This many parents: each the fittest of that share of the boards (at least two), sampled without replacement."""
    size = min(len(boards), max(2, round(share * len(boards))))
    contests = (rng.choice(len(boards), size=size, replace=False) for _ in range(number))
    return [boards[max(contest, key=lambda index: fitness[index])] for contest in contests]
