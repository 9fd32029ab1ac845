"""Endings by name, and positions of them drawn at random."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import chess
import numpy as np

from vivavoce.consistency.chess.truth.oracle import Oracle, Truth
from vivavoce.errors import BadInput

MOST_MEN: Final = 7
"""Of Syzygy tables."""
FULL_MOVE: Final = 60
"""Counter of made positions: an engine's expected outcome depends on it."""
DRAWS_A_POSITION: Final = 1_000
_NAME = re.compile(r"K([QRBNP]*)v?K([QRBNP]*)")
_PIECES: Final = {piece: chess.PIECE_SYMBOLS.index(piece.lower()) for piece in "QRBNP"}


def men(ending: str) -> tuple[list[chess.PieceType], list[chess.PieceType]]:
    """The pieces of both sides besides the kings. Raises `BadInput` for what is no ending.

    >>> men("KRPKR")
    ([4, 1], [4])
    """
    found = _NAME.fullmatch(ending.strip())
    if found is None or not 1 <= len(found[1]) + len(found[2]) <= MOST_MEN - 2:
        raise BadInput(f"'{ending[:40]}' is no ending of three to {MOST_MEN} men: write it as KQK or KRPKR")
    return [_PIECES[piece] for piece in found[1]], [_PIECES[piece] for piece in found[2]]


def drawn(ending: str, oracle: Oracle, *, seed: int) -> Iterator[tuple[chess.Board, Truth]]:
    """Different positions of an ending with the truth about them, each legal one as likely as any other.

    Either side may be the stronger one, and either to move. Positions without a legal move are left out, and so are castling
    and en passant. Raises `BadInput` where the truth is not known, or no further position is found.
    """
    first, second = men(ending)
    rng = np.random.default_rng([seed, *ending.encode()])
    seen: set[str] = set()
    vain = 0
    while vain < DRAWS_A_POSITION:
        vain += 1
        board = _placed(first, second, rng)
        if not board.is_valid() or not any(board.generate_legal_moves()) or board.fen() in seen:
            continue
        truth = oracle.truth(board)
        if truth is None:
            raise BadInput(
                f"the truth about {ending} is not known: give --syzygy FOLDER with its table and those of what captures and "
                "promotions lead to"
            )
        vain = 0
        seen.add(board.fen())
        yield board, truth
    raise BadInput(f"no more positions of {ending} are found than {len(seen)}: give a lower --limit")


def _placed(first: list[chess.PieceType], second: list[chess.PieceType], rng: np.random.Generator) -> chess.Board:
    """All men on squares drawn at random, legal or not."""
    board = chess.Board(None)
    sides = [(chess.WHITE, [chess.KING, *first]), (chess.BLACK, [chess.KING, *second])]
    if rng.integers(2):
        sides = [(chess.BLACK, sides[0][1]), (chess.WHITE, sides[1][1])]
    pieces = [chess.Piece(piece, colour) for colour, of_side in sides for piece in of_side]
    for piece, square in zip(pieces, rng.choice(64, len(pieces), replace=False), strict=True):
        board.set_piece_at(int(square), piece)
    board.turn = bool(rng.integers(2))
    board.fullmove_number = FULL_MOVE
    return board
