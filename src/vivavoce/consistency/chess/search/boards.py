"""Boards with eight men: their sets of pieces, equality up to symmetry, mutations and crossover."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TypeVar

import chess
import numpy as np

from vivavoce.consistency.chess.comparison import ChessCheck
from vivavoce.consistency.chess.positions import PIECES, PIECES_A_SIDE, SYMMETRIES, TURNS, unfit

Pieces = tuple[chess.PieceType, ...]
"""The pieces of one side without its king, in ascending order of piece type."""

SUPPLY: Pieces = tuple(sorted(PIECES))
"""The pieces of one chess set, from which a side's three are drawn, in ascending order."""

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
    """Whether these pieces occur in one chess set.

    >>> drawable((chess.BISHOP, chess.BISHOP, chess.QUEEN)), drawable((chess.KNIGHT, chess.QUEEN, chess.QUEEN))
    (True, False)
    """
    return Counter(chosen) <= Counter(SUPPLY)


def searchable(board: chess.Board) -> bool:
    """Whether the search can use the board: both sides have the same pieces, it is legal, and the game is not over.

    >>> searchable(chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40")), searchable(chess.Board())
    (True, False)
    """
    white = pieces(board, chess.WHITE)
    alike = white == pieces(board, chess.BLACK) and white in CLASSES
    return alike and not board.clean_castling_rights() and unfit(ChessCheck.BOARDS, board) is None


_DIGIT, _BLANKS = re.compile(r"\d"), re.compile(" +")


@dataclass(frozen=True, slots=True)
class BoardFamily:
    """Boards with the same pieces and kings on the same squares, up to symmetry and a swap of colours."""

    pieces: Pieces
    """The pieces of either side."""
    kings: tuple[chess.Square, chess.Square]
    """The smallest pair of king squares among the symmetric images."""


def canonical(board: chess.Board) -> str:
    """The smallest FEN, without counters, of the board's sixteen symmetric images.

    The images are the eight orientations, with and without swapped colours. Two boards have the same canonical FEN exactly if
    each is an image of the other.

    >>> from vivavoce.consistency.chess.positions import SYMMETRIES, mirrored
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
    """A board as eight rows of men and blanks, in each of its eight orientations."""
    for grid in (list(rows), ["".join(column) for column in zip(*rows, strict=True)]):
        for upright in (grid, grid[::-1]):
            yield "/".join(upright)
            yield "/".join(row[::-1] for row in upright)


def family(board: chess.Board) -> BoardFamily:
    """The family of a board with two kings and equal sides."""
    white, black = (board.kings & board.occupied_co[colour] for colour in (chess.WHITE, chess.BLACK))
    both = ((white, black), (black, white))
    kings = min((chess.lsb(turn(first)), chess.lsb(turn(second))) for turn in TURNS.values() for first, second in both)
    return BoardFamily(pieces(board, chess.WHITE), kings)


T = TypeVar("T")
Mutation = Callable[[chess.Board, np.random.Generator], chess.Board | None]


def flip(board: chess.Board, rng: np.random.Generator) -> chess.Board:
    """Flip the board along an axis or a diagonal."""
    return SYMMETRIES[one_of([name for name in SYMMETRIES if name.startswith("flip")], rng)](board)


def rotate(board: chess.Board, rng: np.random.Generator) -> chess.Board:
    """Rotate the board by 90, 180 or 270 degrees."""
    return SYMMETRIES[one_of([name for name in SYMMETRIES if name.startswith("rotate")], rng)](board)


def relocate(board: chess.Board, rng: np.random.Generator) -> chess.Board:
    """Move one man, or a king, to a random empty square."""
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
    """Give the move to the other player."""
    changed = board.copy(stack=False)
    changed.turn = not board.turn
    return changed


def substitute(board: chess.Board, rng: np.random.Generator) -> chess.Board | None:
    """Replace one piece of both players by another type, as far as the chess set has it."""
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
"""The seven mutations; each is drawn with equal probability."""


def one_of(choices: Sequence[T], rng: np.random.Generator) -> T:
    """Draw an element with equal probabilities."""
    return choices[int(rng.integers(len(choices)))]


def _empty(board: chess.Board) -> list[chess.Square]:
    return list(chess.SquareSet(~board.occupied & chess.BB_ALL))


def _moved(board: chess.Board, square: chess.Square, targets: Sequence[chess.Square], rng: np.random.Generator) -> chess.Board:
    moved = board.copy(stack=False)
    moved.set_piece_at(one_of(targets, rng), moved.remove_piece_at(square))
    return moved


Pair = tuple[chess.PieceType, chess.Square, chess.Square]
"""A piece type, and the squares of the white and the black piece."""


def exchange(first: chess.Board, second: chess.Board, rng: np.random.Generator) -> tuple[chess.Board, chess.Board] | None:
    """Exchange a pair of pieces, of one type and opposite colours, for such a pair of the other board; both are drawn at
    random.

    For example, the knights of the first board are exchanged for the bishops of the second. The paper does not say where they
    are placed; here they keep their squares. Returns None if one of these squares is occupied. The new boards may be illegal.
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
"""Attempts at one mutation or crossover before it is abandoned."""


class BoardGenerator:
    """Makes boards for the search: random boards, mutants and crossovers.

    A board is rejected and counted in `redrawn` if it is illegal, its game is over, or it is not wanted; another is drawn, for
    mutants including the kind of mutation. After `TRIES` rejections the attempt counts in `given_up`. A fresh board then
    replaces the mutant, and parents that can't be crossed stay unchanged.

    fresh: an infinite stream of random boards.
    rng: draws the mutations and the crossovers.
    """

    def __init__(self, fresh: Iterator[chess.Board], rng: np.random.Generator) -> None:
        self._fresh = filter(searchable, fresh)
        self._rng = rng
        self.made: Counter[str] = Counter()
        """Number of boards by origin: "fresh", "crossover", or the name of the mutation."""
        self.redrawn = 0
        self.given_up = 0

    def fresh(self, number: int) -> list[chess.Board]:
        """This many random boards."""
        self.made["fresh"] += number
        return list(islice(self._fresh, number))

    def mutated(self, board: chess.Board, *, wanted: Callable[[chess.Board], bool] = searchable) -> chess.Board:
        """The board after one mutation of a random kind; a mutant that is not `wanted` is redrawn."""
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
        """Two boards after the exchange of a pair of pieces."""
        for _ in range(TRIES):
            children = exchange(first, second, self._rng)
            if children is not None and searchable(children[0]) and searchable(children[1]):
                self.made["crossover"] += 2
                return children
            self.redrawn += 1
        self.given_up += 1
        return first, second

    def offspring(self, parents: Sequence[chess.Board]) -> list[chess.Board]:
        """Cross random pairs, then mutate every board; a board without a partner is only mutated."""
        order = [parents[index] for index in self._rng.permutation(len(parents))]
        pairs = zip(order[::2], order[1::2], strict=False)
        crossed = [child for pair in pairs for child in self.crossed(*pair)]
        return [self.mutated(board) for board in (*crossed, *order[len(crossed) :])]
