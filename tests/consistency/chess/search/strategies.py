"""Random boards for hypothesis, by the seed of the stream that they are drawn from, and all that is the same by symmetry."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import numpy as np
from hypothesis import strategies as st

from vivavoce.consistency.chess.positions import SYMMETRIES, mirrored, synthetic_boards

SEEDS = st.integers(0, 2**32 - 1)


def board_of(seed: int) -> chess.Board:
    return chess.Board(next(synthetic_boards(np.random.default_rng(seed))).fen)


def images(board: chess.Board) -> Iterator[chess.Board]:
    """The sixteen boards that are this one up to symmetry: eight orientations, and the same with colours swapped."""
    for start in (board, mirrored(board)):
        for turned in SYMMETRIES.values():
            yield turned(start)


BOARDS = SEEDS.map(board_of)
