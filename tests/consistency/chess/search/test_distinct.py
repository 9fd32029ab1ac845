from collections.abc import Callable
from itertools import pairwise

import chess
import numpy as np
from hypothesis import assume, given, settings

from tests.consistency.chess.search.strategies import BOARDS, SEEDS, board_of, images
from vivavoce.consistency.chess.search.boards import MUTATIONS, canonical, family


@settings(max_examples=40, deadline=None)
@given(BOARDS)
def test_one_form_for_all_sixteen_images(board: chess.Board) -> None:
    assert len({canonical(image) for image in images(board)}) == 1
    assert len({family(image) for image in images(board)}) == 1
    # by setting up every image
    assert canonical(board) == min(f"{image.board_fen()} {'w' if image.turn else 'b'}" for image in images(board))
    assert family(board).kings == min((image.king(chess.WHITE), image.king(chess.BLACK)) for image in images(board))


@settings(max_examples=40, deadline=None)
@given(BOARDS, SEEDS)
def test_boards_have_one_form_exactly_if_one_is_an_image_of_the_other(board: chess.Board, seed: int) -> None:
    other = board_of(seed)
    related = other.board_fen() in {image.board_fen() for image in images(board) if image.turn == other.turn}
    assert (canonical(board) == canonical(other)) == related


@settings(max_examples=40, deadline=None)
@given(BOARDS)
def test_the_player_to_move_matters_to_the_form_and_not_to_the_family(board: chess.Board) -> None:
    other = board.copy()
    other.turn = not board.turn
    # The position is its own image with the other side to move only if swapping colours is a symmetry of it.
    assume(other.board_fen() not in {image.board_fen() for image in images(board) if image.turn == other.turn})
    assert canonical(board) != canonical(other)
    assert family(board) == family(other)


def test_counters_do_not_matter() -> None:
    board = chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40")
    later = chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 9 60")
    assert canonical(board) == canonical(later)


def test_families_are_told_apart_by_pieces_and_kings() -> None:
    board = chess.Board("k7/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40")
    elsewhere = chess.Board("k7/2q5/2r5/8/2n5/5N2/5R2/5Q1K w - - 0 40")  # a knight moved
    king_moved = chess.Board("1k6/2q5/2r5/2n5/8/5N2/5R2/5Q1K w - - 0 40")
    bishops = chess.Board("k7/2q5/2r5/2b5/8/5B2/5R2/5Q1K w - - 0 40")
    assert family(board) == family(elsewhere)
    assert len({family(board), family(king_moved), family(bishops)}) == 3


def test_kings_have_as_many_places_as_endgame_tables_say() -> None:
    # Endgame tables without pawns place two kings in 462 ways up to the eight symmetries (Heinz, "Endgame databases and
    # efficient index schemes for chess", 1999). With colours swapped some of these are one: counted here by Burnside's lemma
    # over the 16 symmetries, with the ordered pairs of squares that are not adjacent.
    places = [(white, black) for white in chess.SQUARES for black in chess.SQUARES if chess.square_distance(white, black) > 1]
    seen = {family(kings(white, black)).kings for white, black in places}
    turns: list[Callable[[int, int], tuple[int, int]]]
    turns = [lambda f, r: (f, r), lambda f, r: (7 - f, r), lambda f, r: (f, 7 - r), lambda f, r: (7 - f, 7 - r)]
    turns += [lambda f, r: (r, f), lambda f, r: (7 - r, f), lambda f, r: (r, 7 - f), lambda f, r: (7 - r, 7 - f)]
    fixed = 0
    for turn in turns:
        image = [chess.square(*turn(chess.square_file(square), chess.square_rank(square))) for square in chess.SQUARES]
        fixed += sum((image[white], image[black]) == (white, black) for white, black in places)
        fixed += sum((image[white], image[black]) == (black, white) for white, black in places)
    assert len(places) == 3612
    assert len(seen) == fixed / 16


def kings(white: chess.Square, black: chess.Square) -> chess.Board:
    board = chess.Board(None)
    board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
    return board


@settings(max_examples=20, deadline=None)
@given(BOARDS, SEEDS)
def test_flipping_never_makes_a_new_find(board: chess.Board, seed: int) -> None:
    rng, chain = np.random.default_rng(seed), [board]
    for name in ("flip", "rotate", "flip"):
        turned = MUTATIONS[name](chain[-1], rng)
        assert turned is not None
        chain.append(turned)
    assert all(canonical(one) == canonical(other) for one, other in pairwise(chain))
