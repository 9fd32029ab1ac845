"""Legal positions, drawn."""

from __future__ import annotations

import chess
import numpy as np
from hypothesis import strategies as st

from vivavoce.consistency.chess.positions import synthetic_boards


@st.composite
def played(draw: st.DrawFn, *, plies: int = 80) -> chess.Board:
    """Random play from the start position, by drawn moves; may be over."""
    board = chess.Board()
    for choice in draw(st.lists(st.integers(0, 1 << 16), max_size=plies)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[choice % len(moves)])
    return board


@st.composite
def pawnless(draw: st.DrawFn) -> chess.Board:
    """A synthetic board."""
    return chess.Board(next(synthetic_boards(np.random.default_rng(draw(st.integers(0, 1 << 32))))).fen)


def perft(board: chess.Board, depth: int) -> int:
    """How many lines of so many half-moves there are."""
    if depth == 0:
        return 1
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += perft(board, depth - 1)
        board.pop()
    return count
