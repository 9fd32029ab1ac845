"""Boards of eight men: their sets of pieces, when two are the same, and how they are mutated and crossed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TypeVar

import chess
import numpy as np

from vivavoce.consistency.chess.checks import SYMMETRIES, TURNS, unfit
from vivavoce.consistency.chess.comparison import Check
from vivavoce.consistency.chess.positions import PIECES, PIECES_A_SIDE

Pieces = tuple[chess.PieceType, ...]
"""The pieces of one side without its king, in ascending order of their types."""

SUPPLY: Pieces = tuple(sorted(PIECES))
"""What the three pieces are drawn from: one set of chessmen, in ascending order."""

CLASSES: tuple[Pieces, ...] = tuple(sorted(set(combinations(SUPPLY, PIECES_A_SIDE))))
"""All thirteen sets of three pieces that a side can have."""


def pieces(board: chess.Board, colour: chess.Color) -> Pieces:
    """The pieces of one side, without its king.

    >>> [chess.piece_name(piece) for piece in pieces(chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40"), chess.WHITE)]
    ['knight', 'rook', 'queen']
    """
    men = board.piece_map(mask=board.occupied_co[colour] & ~board.kings).values()
    return tuple(sorted(man.piece_type for man in men))


def drawable(chosen: Pieces) -> bool:
    """Whether one set of chessmen has these pieces.

    >>> drawable((chess.BISHOP, chess.BISHOP, chess.QUEEN)), drawable((chess.KNIGHT, chess.QUEEN, chess.QUEEN))
    (True, False)
    """
    return Counter(chosen) <= Counter(SUPPLY)


def searchable(board: chess.Board) -> bool:
    """Whether the board is one of those that are searched: both sides alike, legal, the game not over.

    >>> searchable(chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40")), searchable(chess.Board())
    (True, False)
    """
    white = pieces(board, chess.WHITE)
    alike = white == pieces(board, chess.BLACK) and white in CLASSES
    return alike and not board.clean_castling_rights() and unfit(Check.BOARDS, board) is None


_DIGIT, _BLANKS = re.compile(r"\d"), re.compile(" +")


@dataclass(frozen=True, slots=True)
class Family:
    """Boards with the same pieces and kings on the same squares, up to symmetry and the swap of colours."""

    pieces: Pieces
    """Of either side."""
    kings: tuple[chess.Square, chess.Square]
    """The least pair of squares that the kings can be brought to."""


def canonical(board: chess.Board) -> str:
    """The least FEN, without counters, of the sixteen boards that are this one up to symmetry.

    These are the eight orientations, and the same with colours swapped. It is equal for two boards exactly if each is one of
    the other's sixteen.

    >>> from vivavoce.consistency.chess.checks import SYMMETRIES, mirrored
    >>> board = chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40")
    >>> canonical(board) == canonical(mirrored(board)) == canonical(SYMMETRIES["rotate 90"](board))
    True
    """
    mine, theirs = "wb" if board.turn else "bw"
    rows = _DIGIT.sub(lambda digit: " " * int(digit[0]), board.board_fen()).split("/")
    return min(
        f"{_BLANKS.sub(lambda run: str(len(run[0])), image)} {turn}"
        for written in _orientations(rows)
        for image, turn in ((written, mine), (written.swapcase(), theirs))
    )


def _orientations(rows: Sequence[str]) -> Iterator[str]:
    """A board's eight rows of men and blanks, and the same turned and flipped in each of the eight ways."""
    for grid in (list(rows), ["".join(column) for column in zip(*rows, strict=True)]):
        for upright in (grid, grid[::-1]):
            yield "/".join(upright)
            yield "/".join(row[::-1] for row in upright)


def family(board: chess.Board) -> Family:
    """The family of a board with two kings and equal sides."""
    white, black = (board.kings & board.occupied_co[colour] for colour in (chess.WHITE, chess.BLACK))
    both = ((white, black), (black, white))
    kings = min((chess.lsb(turn(first)), chess.lsb(turn(second))) for turn in TURNS.values() for first, second in both)
    return Family(pieces(board, chess.WHITE), kings)


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
    """Move one man to a random empty neighbouring square."""
    square = one_of(list(chess.SquareSet(board.occupied)), rng)
    neighbours = [target for target in _empty(board) if chess.square_distance(square, target) == 1]
    return _moved(board, square, neighbours, rng) if neighbours else None


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


Pair = tuple[chess.PieceType, chess.Square, chess.Square]
"""A type of piece, and where the white and the black one stand."""


def exchange(first: chess.Board, second: chess.Board, rng: np.random.Generator) -> tuple[chess.Board, chess.Board] | None:
    """Exchange a pair of one type and opposite colours for such a pair of the other board, both drawn at random.

    For example, the two knights of the first board for the two bishops of the second. The paper does not say where they are
    put: here they keep their squares. None if one of these squares is taken; the results may be illegal.
    """
    given, taken = _pair(first, rng), _pair(second, rng)
    child, other_child = _replaced(first, given, taken), _replaced(second, taken, given)
    return None if child is None or other_child is None else (child, other_child)


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

    A result that is illegal, ends the game or is not wanted is drawn again, kind of mutation included, and counted in
    `redrawn`. After `TRIES` failures it is counted in `given_up`: a fresh board replaces the mutant, and parents that cannot be
    crossed stay as they are.

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
