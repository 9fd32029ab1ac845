"""The seven mutations of appendix B.2 of `fluri2024`.

A mutation returns a new board, or None where it has nothing to work on; the result may be illegal, which `Variation` looks
after. The counters stay as they were: an engine's expected outcome depends on the full-move number, and a search that could
move it would find the number, not the board.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import chess
import numpy as np

from vivavoce.consistency.chess.search.material import SUPPLY, drawable, pieces
from vivavoce.consistency.chess.transform import SYMMETRIES

T = TypeVar("T")
Mutation = Callable[[chess.Board, np.random.Generator], chess.Board | None]


def flip(board: chess.Board, rng: np.random.Generator) -> chess.Board:
    """Flip the board along an axis or a diagonal."""
    return SYMMETRIES[one_of([name for name in SYMMETRIES if name.startswith("flip")], rng)](board)


def rotate(board: chess.Board, rng: np.random.Generator) -> chess.Board:
    """Rotate the board by 90, 180 or 270 degrees."""
    return SYMMETRIES[one_of([name for name in SYMMETRIES if name.startswith("rotate")], rng)](board)


def relocate(board: chess.Board, rng: np.random.Generator) -> chess.Board:
    """Move one man, kings included, to a random empty square."""
    return _moved(board, one_of(list(chess.SquareSet(board.occupied)), rng), _empty(board), rng)


def step(board: chess.Board, rng: np.random.Generator) -> chess.Board | None:
    """Move one man to a random empty square beside it."""
    square = one_of(list(chess.SquareSet(board.occupied)), rng)
    beside = [target for target in _empty(board) if chess.square_distance(square, target) == 1]
    return _moved(board, square, beside, rng) if beside else None


def legal_move(board: chess.Board, rng: np.random.Generator) -> chess.Board | None:
    """Play one legal move that does not capture."""
    quiet = [move for move in board.legal_moves if not board.is_capture(move)]
    if not quiet:
        return None
    played = board.copy(stack=False)
    played.push(one_of(quiet, rng))
    played.clear_stack()
    played.halfmove_clock, played.fullmove_number = board.halfmove_clock, board.fullmove_number
    return played


def other_side(board: chess.Board, rng: np.random.Generator) -> chess.Board:
    """Change the player to move."""
    changed = board.copy(stack=False)
    changed.turn = not board.turn
    return changed


def substitute(board: chess.Board, rng: np.random.Generator) -> chess.Board | None:
    """Replace one piece by another kind for both players, as far as one set of chessmen has it."""
    present = pieces(board, chess.WHITE)
    old = one_of(present, rng)
    rest = list(present)
    rest.remove(old)
    others = [new for new in sorted(set(SUPPLY)) if new != old and drawable(tuple(sorted((*rest, new))))]
    if not others:
        return None
    new, changed = one_of(others, rng), board.copy(stack=False)
    for colour in chess.COLORS:
        changed.set_piece_at(one_of(list(board.pieces(old, colour)), rng), chess.Piece(new, colour))
    return changed


MUTATIONS: Mapping[str, Mutation] = {
    "flip": flip,
    "rotate": rotate,
    "relocate": relocate,
    "step": step,
    "legal move": legal_move,
    "other side": other_side,
    "substitute": substitute,
}
"""All seven, drawn with equal chances."""


def one_of(choices: Sequence[T], rng: np.random.Generator) -> T:
    """One of them, with equal chances."""
    return choices[int(rng.integers(len(choices)))]


def _empty(board: chess.Board) -> list[chess.Square]:
    return list(chess.SquareSet(~board.occupied & chess.BB_ALL))


def _moved(board: chess.Board, square: chess.Square, targets: Sequence[chess.Square], rng: np.random.Generator) -> chess.Board:
    moved = board.copy(stack=False)
    moved.set_piece_at(one_of(targets, rng), moved.remove_piece_at(square))
    return moved
