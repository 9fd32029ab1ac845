"""Random boards for hypothesis, by the seed of the stream that they are drawn from."""

from __future__ import annotations

import chess
import numpy as np
from hypothesis import strategies as st

from vivavoce.consistency.chess.synthetic import synthetic_boards

SEEDS = st.integers(0, 2**32 - 1)


def board_of(seed: int) -> chess.Board:
    return chess.Board(next(synthetic_boards(np.random.default_rng(seed))).fen)


BOARDS = SEEDS.map(board_of)
