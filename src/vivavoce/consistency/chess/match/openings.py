"""Where the games of a match begin."""

from __future__ import annotations

from itertools import groupby, islice
from pathlib import Path

import chess
import numpy as np

from vivavoce.consistency.chess.checks import ended
from vivavoce.consistency.chess.sources import from_file
from vivavoce.errors import BadInput

BOOK_PLIES = 16
"""Of a game in a book: the eight moves that opening books in PGN commonly have."""
BOOK_GAMES = 2_000
"""Of a book: large ones take minutes to read."""
DRAWS_AN_OPENING = 100
"""Before it is clear that there are no more."""
DRAWS_IN_VAIN = 1_000
"""One after another, and besides `DRAWS_AN_OPENING` for each that was found: likewise."""


def random_openings(number: int, plies: int, *, seed: int) -> list[str]:
    """FENs after random half-moves from the start position, no two alike; the first ones are the same whatever the number.

    Raises `BadInput` where so few half-moves lead to fewer positions.

    >>> random_openings(1, 0, seed=0)
    ['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1']
    >>> random_openings(9, 4, seed=0)[:5] == random_openings(5, 4, seed=0)
    True
    """
    found: dict[str, None] = {}
    vain = 0
    for draw in range(number * DRAWS_AN_OPENING):
        rng, board = np.random.default_rng([seed, draw]), chess.Board()
        for _ in range(plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[rng.integers(len(moves))])
        before = len(found)
        if ended(board) is None:
            found.setdefault(board.fen(), None)
        if len(found) == number:
            return list(found)
        vain = vain + 1 if len(found) == before else 0
        if vain > DRAWS_IN_VAIN + DRAWS_AN_OPENING * len(found):
            break
    openings = f"{len(found)} opening{'' if len(found) == 1 else 's'}"
    raise BadInput(f"{plies} random half-moves lead to {openings} only, not {number}: give more half-moves, or --book")


def book_openings(file: Path, number: int, *, seed: int) -> list[str]:
    """FENs of a file, drawn without replacement; of a game the position after `BOOK_PLIES` half-moves, or its last.

    A book is read up to its `BOOK_GAMES`th game or position, or as far as is needed for that many openings.

    Raises `BadFile`, and `BadInput` where there are fewer in it.
    """
    kept: dict[str, None] = {}
    games = groupby(from_file(file, middle_game=False), key=lambda placed: placed.game)
    for _, placed in islice(games, max(BOOK_GAMES, number)):
        fen = list(islice(placed, BOOK_PLIES + 1))[-1].fen
        if ended(chess.Board(fen)) is None:
            kept.setdefault(fen, None)
    fens = list(kept)
    if len(fens) < number:
        raise BadInput(f"{file} has {len(fens)} different openings, {number} are wanted: give --openings {len(fens)} or fewer")
    return [fens[i] for i in np.random.default_rng(seed).permutation(len(fens))[:number]]
