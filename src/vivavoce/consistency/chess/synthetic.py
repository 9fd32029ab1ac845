"""Positions that are made: boards without pawns, and forced moves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice

import chess
import numpy as np

from vivavoce.consistency.chess.checks import ended
from vivavoce.consistency.chess.placed import Placed

PIECES = (chess.ROOK, chess.KNIGHT, chess.BISHOP, chess.QUEEN, chess.BISHOP, chess.KNIGHT, chess.ROOK)
"""What a side starts with beside its king; both sides get the same three of them."""
PIECES_A_SIDE = 3
FULL_MOVES = (30, 70)
_BATCH = 256


def synthetic_boards(rng: np.random.Generator) -> Iterator[Placed]:
    """Endless random boards without pawns and castling, each a game of its own (section 5.2 and appendix B.2 of `fluri2024`).

    Each side has its king and the same three pieces, drawn without replacement from R N B Q B N R. White is to move; the
    full-move number lies between 30 and 70, the half-move clock between 0 and a third of it. Every board is legal and the
    game not over. The paper does not say whether boards with hanging men were
    rejected; here they were not.

    >>> board = chess.Board(next(synthetic_boards(np.random.default_rng(0))).fen)
    >>> board.occupied.bit_count(), board.turn == chess.WHITE, board.is_valid()
    (8, True, True)
    """
    numbers = count(1)
    while True:
        for board in _drawn(rng):
            if board.is_valid() and ended(board) is None:
                yield Placed(board.fen(), f"synthetic board {next(numbers)}")


def forced_from(placed: Placed, rng: np.random.Generator) -> Placed | None:
    """The position after a legal check that leaves exactly one reply; None if the position has no such check.

    Only one master position in 200 has a single legal move, so they are also made. Which check is played, where there are
    several, is drawn.

    >>> forced_from(Placed("6k1/5ppp/8/8/8/8/6PP/3RR1K1 w - - 0 30", "hand"), np.random.default_rng(0)) is None
    True
    >>> forced_from(Placed("6k1/4rppp/8/8/8/8/6PP/3R2K1 w - - 0 30", "hand"), np.random.default_rng(0))
    Placed(fen='3R2k1/4rppp/8/8/8/8/6PP/6K1 b - - 1 30', game='hand')
    """
    board = chess.Board(placed.fen)
    found = []
    for move in [move for move in board.legal_moves if board.gives_check(move)]:
        board.push(move)
        if len(list(islice(board.generate_legal_moves(), 2))) == 1:
            found.append(board.fen())
        board.pop()
    return Placed(found[rng.integers(len(found))], placed.game) if found else None


def _drawn(rng: np.random.Generator) -> Iterator[chess.Board]:
    """A batch of random boards, legal or not."""
    men = 1 + PIECES_A_SIDE
    squares = rng.permuted(np.tile(np.arange(64), (_BATCH, 1)), axis=1)[:, : 2 * men]
    pieces = rng.permuted(np.tile(PIECES, (_BATCH, 1)), axis=1)[:, :PIECES_A_SIDE]
    full_moves = rng.integers(*FULL_MOVES, size=_BATCH, endpoint=True)
    clocks = rng.integers(0, full_moves // 3, endpoint=True)
    for where, what, full_move, clock in zip(
        squares.tolist(), pieces.tolist(), full_moves.tolist(), clocks.tolist(), strict=True
    ):
        board = chess.Board(None)
        for i, kind in enumerate([chess.KING, *what]):
            board.set_piece_at(where[i], chess.Piece(kind, chess.WHITE))
            board.set_piece_at(where[men + i], chess.Piece(kind, chess.BLACK))
        board.fullmove_number, board.halfmove_clock = full_move, clock
        yield board
