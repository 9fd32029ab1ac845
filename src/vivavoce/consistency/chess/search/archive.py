"""An archive of diverse elites: the fittest board of each kind, and mutants of these (MAP-Elites, `mouret2015`).

A genetic algorithm runs towards one board and its near-copies. An archive keeps a place for every kind of board and breeds
from all of them alike, so it looks for many different contradictions at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import chess
import numpy as np

from vivavoce.consistency.chess.search.assessor import Assessor
from vivavoce.consistency.chess.search.distinct import canonical
from vivavoce.consistency.chess.search.material import CLASSES, pieces
from vivavoce.consistency.chess.search.variation import Variation
from vivavoce.errors import MissingExtra

if TYPE_CHECKING:
    from ribs.archives import GridArchive

KINDS = (len(CLASSES), 6, 4)
"""Of pieces; of distances between the kings, 2 to 7; of distances from the edge, 0 to 3, of the king that is to move."""


@dataclass(frozen=True, slots=True)
class Elites:
    """The settings of the archive."""

    initial: float = 0.2
    """Share of the budget for boards drawn at random, before any is mutated."""
    batch: int = 64
    """Mutants that are assessed together."""


async def archive_search(assessor: Assessor, variation: Variation, rng: np.random.Generator, settings: Elites) -> None:
    """Fill the archive at random, then mutate elites drawn at random, until the budget is used up.

    A mutant that is an image of a board seen before is drawn again: it would be no new find. So flips and rotations, which
    the genetic search has, do not occur.

    Raises `MissingExtra` where pyribs is not installed.
    """
    elites = open_archive(seed=int(rng.integers(2**31)))
    boards = variation.fresh(max(settings.batch, round(settings.initial * assessor.affordable)))
    seen = {canonical(board) for board in boards}
    while True:
        _place(elites, boards, await assessor.differences(boards))
        if assessor.exhausted:
            return
        boards = _mutants(elites, variation, seen, settings.batch)


def _mutants(elites: GridArchive, variation: Variation, seen: set[str], number: int) -> list[chess.Board]:
    """New boards from elites; fresh ones as long as there are none."""
    if elites.empty:
        return variation.fresh(number)
    parents = map(chess.Board, elites.sample_elites(number)["solution"])
    return [variation.mutated(board, wanted=partial(_enter, seen=seen)) for board in parents]


def _enter(board: chess.Board, *, seen: set[str]) -> bool:
    """Whether the board is new up to symmetry; it is not from now on."""
    form = canonical(board)
    new = form not in seen
    seen.add(form)
    return new


def open_archive(*, seed: int) -> GridArchive:
    """An empty archive with one place for each kind of board; it holds FENs."""
    try:
        from ribs.archives import GridArchive
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "ribs").partition(".")[0], extra="chess") from None
    ranges = [(-0.5, KINDS[0] - 0.5), (1.5, 7.5), (-0.5, 3.5)]
    return GridArchive(solution_dim=(), solution_dtype=np.object_, dims=KINDS, ranges=ranges, seed=seed)


def kind(board: chess.Board) -> tuple[int, int, int]:
    """What sort of board it is: number of its set of pieces in `CLASSES`, distance of the kings, distance from the edge.

    >>> kind(chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40"))
    (7, 7, 0)
    """
    white, black = (chess.lsb(board.kings & board.occupied_co[colour]) for colour in (chess.WHITE, chess.BLACK))
    mover = white if board.turn else black
    file, rank = chess.square_file(mover), chess.square_rank(mover)
    return (
        CLASSES.index(pieces(board, chess.WHITE)),
        chess.square_distance(white, black),
        min(file, 7 - file, rank, 7 - rank),
    )


def _place(elites: GridArchive, boards: list[chess.Board], differences: list[float | None]) -> None:
    """Each board that is fitter than the one in its place takes that place."""
    fit = [(board, value) for board, value in zip(boards, differences, strict=True) if value is not None]
    if fit:
        fens = np.array([board.fen() for board, _ in fit], dtype=np.object_)
        elites.add(fens, np.array([value for _, value in fit]), np.array([kind(board) for board, _ in fit], dtype=float))
