"""New boards from old ones by mutation and crossover, and how often that took a second try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import chess
import numpy as np

from vivavoce.consistency.chess.search.material import pieces, searchable
from vivavoce.consistency.chess.search.mutation import MUTATIONS, one_of

Pair = tuple[chess.PieceType, chess.Square, chess.Square]
"""A type of piece, and where the white and the black one stand."""


def exchange(first: chess.Board, second: chess.Board, rng: np.random.Generator) -> tuple[chess.Board, chess.Board] | None:
    """Exchange a pair of one type and opposite colours for such a pair of the other board, both drawn at random.

    The two knights of the first board and the two bishops of the second, say. The paper does not tell where the newcomers
    stand: here they keep the squares they had, as the rest of the inheritance does. None where one of these squares is taken;
    the results may be illegal.
    """
    given, taken = _pair(first, rng), _pair(second, rng)
    one, other = _replaced(first, given, taken), _replaced(second, taken, given)
    return None if one is None or other is None else (one, other)


def _pair(board: chess.Board, rng: np.random.Generator) -> Pair:
    kind = one_of(pieces(board, chess.WHITE), rng)
    white, black = (one_of(list(board.pieces(kind, colour)), rng) for colour in chess.COLORS)
    return kind, white, black


def _replaced(board: chess.Board, old: Pair, new: Pair) -> chess.Board | None:
    result = board.copy(stack=False)
    for square in old[1:]:
        result.remove_piece_at(square)
    kind, *squares = new
    for square, colour in zip(squares, chess.COLORS, strict=True):
        if result.piece_at(square) is not None:
            return None
        result.set_piece_at(square, chess.Piece(kind, colour))
    return result


TRIES = 50
"""Draws of one mutation or crossover before it is given up."""


class Variation:
    """Makes searchable boards: fresh ones, mutated ones, crossed ones.

    What comes out illegal, with the game over, or in want of something is drawn again, kind of mutation included, and counted
    in `redrawn`. What fails `TRIES` times is given up and counted as well: a fresh board takes the place of a mutant, parents
    that cannot be crossed stay as they are.

    Parameters
    ----------
    fresh: an endless stream of boards drawn at random.
    rng: draws the mutations and the crossovers.
    """

    def __init__(self, fresh: Iterator[chess.Board], rng: np.random.Generator) -> None:
        self._fresh = filter(searchable, fresh)
        self._rng = rng
        self.made: Counter[str] = Counter()
        """Boards by how they came about: "fresh", "crossover", and the names of the mutations."""
        self.redrawn = 0
        self.given_up = 0

    def fresh(self, number: int) -> list[chess.Board]:
        """This many boards drawn at random."""
        self.made["fresh"] += number
        return list(islice(self._fresh, number))

    def mutated(self, board: chess.Board, *, wanted: Callable[[chess.Board], bool] = searchable) -> chess.Board:
        """The board after one mutation of a kind drawn at random; a mutant that is not `wanted` is drawn again."""
        for _ in range(TRIES):
            name = one_of(list(MUTATIONS), self._rng)
            mutant = MUTATIONS[name](board, self._rng)
            if mutant is not None and searchable(mutant) and wanted(mutant):
                self.made[name] += 1
                return mutant
            self.redrawn += 1
        self.given_up += 1
        return self.fresh(1)[0]

    def crossed(self, first: chess.Board, second: chess.Board) -> tuple[chess.Board, chess.Board]:
        """Two boards after they have exchanged a pair of pieces."""
        for _ in range(TRIES):
            children = exchange(first, second, self._rng)
            if children is not None and searchable(children[0]) and searchable(children[1]):
                self.made["crossover"] += 2
                return children
            self.redrawn += 1
        self.given_up += 1
        return first, second

    def offspring(self, parents: Sequence[chess.Board]) -> list[chess.Board]:
        """Random pairs are crossed, then every board is mutated; without a partner the last one is mutated alone."""
        order = [parents[index] for index in self._rng.permutation(len(parents))]
        pairs = zip(order[::2], order[1::2], strict=False)
        crossed = [child for pair in pairs for child in self.crossed(*pair)]
        return [self.mutated(board) for board in (*crossed, *order[len(crossed) :])]
