"""A position with the game it comes from, and what counts as a middle game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import chess
import numpy as np

AFTER_MOVE = 15
LEAST_MEN = 10
MORE_PIECES_THAN = 5
MORE_PIECES_THAN_WITHOUT_QUEEN = 6
"""A middle game, by appendix B.2 of `fluri2024`."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A position and the game it comes from; positions of one game are not independent."""

    fen: str
    game: str


class Skipped(Counter[str]):
    """How many games or positions of a source were left out, by reason."""


def in_middle_game(board: chess.Board) -> bool:
    """After move 15, at least ten men, more than five pieces, and a queen or more than six pieces (appendix B.2).

    The paper says "pieces" throughout. Where it excludes pawns and kings it says so; elsewhere all men are counted, pawns and
    kings too, for otherwise its second condition would make the others void.

    >>> in_middle_game(chess.Board("r2q1rk1/1b2bppp/8/8/8/8/1B2BPPP/R2Q1RK1 w - - 0 16"))
    True
    >>> in_middle_game(chess.Board("r2q1rk1/1b2bppp/8/8/8/8/1B2BPPP/R2Q1RK1 b - - 0 15"))
    False
    """
    pieces = (board.occupied & ~board.pawns & ~board.kings).bit_count()
    return (
        board.fullmove_number > AFTER_MOVE
        and board.occupied.bit_count() >= LEAST_MEN
        and pieces > MORE_PIECES_THAN
        and (bool(board.queens) or pieces > MORE_PIECES_THAN_WITHOUT_QUEEN)
    )


def sampled(fens: Sequence[str], per_game: int | None, rng: np.random.Generator) -> list[str]:
    """This many positions of a game, drawn without replacement and in the order of the game; None: all.

    >>> sampled(["a", "b", "c"], 2, np.random.default_rng(0))
    ['b', 'c']
    """
    if per_game is None or per_game >= len(fens):
        return list(fens)
    return [fens[i] for i in sorted(rng.choice(len(fens), per_game, replace=False))]
