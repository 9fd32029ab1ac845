"""Boards of eight men: which are the same, and how they are mutated and crossed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count, pairwise

import chess
import numpy as np
from hypothesis import assume, given, settings

from tests.consistency.chess.search.strategies import BOARDS, SEEDS, board_of, images
from tests.each_case import each_case
from vivavoce.consistency.chess.search.boards import MUTATIONS, TRIES, BoardGenerator, canonical, exchange, family


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
    assert all(canonical(entry) == canonical(other) for entry, other in pairwise(chain))


SET_OF_CHESSMEN = Counter("RNBQBNR")


def variation(seed: int) -> BoardGenerator:
    return BoardGenerator((board_of(number) for number in count(seed)), np.random.default_rng(seed))


def assert_searchable(board: chess.Board) -> None:
    white, black = (
        Counter(man.symbol().upper() for man in board.piece_map(mask=board.occupied_co[colour]).values())
        for colour in chess.COLORS
    )
    assert white == black
    assert white.pop("K") == 1
    assert white.total() == 3
    assert white <= SET_OF_CHESSMEN
    assert board.is_valid()
    assert not board.is_game_over(claim_draw=False)
    assert not board.castling_rights
    assert board.ep_square is None


def men(board: chess.Board) -> dict[chess.Square, str]:
    return {square: man.symbol() for square, man in board.piece_map().items()}


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_what_is_bred_can_be_searched(seed: int) -> None:
    maker = variation(seed)
    boards = maker.fresh(5)
    for _ in range(4):
        boards = maker.offspring(boards)
        assert len(boards) == 5
        for board in boards:
            assert_searchable(board)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_counters_are_handed_down(seed: int) -> None:
    board = board_of(seed)
    mutant = variation(seed).mutated(board)
    assert (mutant.fullmove_number, mutant.halfmove_clock) == (board.fullmove_number, board.halfmove_clock)


@settings(max_examples=60, deadline=None)
@given(BOARDS, SEEDS)
def test_nothing_alters_its_parents(board: chess.Board, seed: int) -> None:
    partner, rng = board_of(seed), np.random.default_rng(seed)
    before = board.fen(), partner.fen()
    for mutate in MUTATIONS.values():
        mutate(board, rng)
    exchange(board, partner, rng)
    assert (board.fen(), partner.fen()) == before


def test_every_mutation_happens_about_equally_often() -> None:
    # Kinds are drawn with equal chances, and a kind is drawn again where it gives an illegal board: 2,000 / 7 = 286 each if
    # none were; half and twice that leave room for the kinds that fail more often.
    maker, board = variation(0), board_of(4)
    for _ in range(2_000):
        maker.mutated(board)
    made = Counter({name: maker.made[name] for name in MUTATIONS})
    assert set(made) == {"flip", "rotate", "relocate", "step", "legal move", "other side", "substitute"}
    assert all(143 < number < 572 for number in made.values()), made
    assert maker.redrawn > 0


@each_case(
    ("name", "moved", "changed"),
    [("relocate", 1, 0), ("step", 1, 0), ("legal move", 1, 0), ("other side", 0, 0), ("substitute", 0, 2)],
)
def test_a_mutation_is_as_small_as_it_says(name: str, moved: int, changed: int) -> None:
    seen = 0
    for seed in range(40):
        board = board_of(seed)
        mutant = MUTATIONS[name](board, np.random.default_rng(seed))
        if mutant is None:
            continue
        seen += 1
        before, after = men(board), men(mutant)
        assert len(before.keys() - after.keys()) == len(after.keys() - before.keys()) == moved
        assert sum(before[square] != after[square] for square in before.keys() & after.keys()) == changed
        assert (mutant.turn != board.turn) == (name in ("legal move", "other side"))
        if name == "step":
            assert chess.square_distance(*(before.keys() ^ after.keys())) == 1
        if name == "substitute":
            assert Counter(after.values()) != Counter(before.values())
    assert seen > 30


def test_flips_and_rotations_are_the_seven_symmetries() -> None:
    board, rng = chess.Board("k7/8/8/8/2q5/8/8/R6K w - - 0 40"), np.random.default_rng(0)
    seen = {name: {men_as_text(MUTATIONS[name](board, rng)) for _ in range(100)} for name in ("flip", "rotate")}
    assert {name: len(boards) for name, boards in seen.items()} == {"flip": 4, "rotate": 3}
    assert len(seen["flip"] | seen["rotate"] | {men_as_text(board)}) == 8


def men_as_text(board: chess.Board | None) -> str:
    assert board is not None
    return board.board_fen()


def test_crossover_exchanges_one_pair_with_its_squares() -> None:
    # White N b1, Black n b8 against White B c3, Black b f6; the other pieces are queens, which the boards share.
    first = chess.Board("kn5q/8/8/8/8/8/8/KN5Q w - - 0 40")
    second = chess.Board("k6q/8/5b2/8/8/2B5/8/K6Q w - - 0 50")
    children = {
        tuple(child.board_fen() for child in pair)
        for seed in range(50)
        if (pair := exchange(first, second, np.random.default_rng(seed))) is not None
    }
    assert ("k6q/8/5b2/8/8/2B5/8/K6Q", "kn5q/8/8/8/8/8/8/KN5Q") in children
    # A knight cannot come for the queen and stay on an empty square twice: queens go to the squares of queens only.
    assert all({len(chess.Board(f"{fen} w - - 0 1").piece_map()) for fen in pair} == {6} for pair in children)


def test_a_board_that_cannot_be_mutated_gives_way_to_a_fresh_one() -> None:
    # With two pieces a side a board is not among those that are searched, and no mutation adds a third.
    maker = variation(3)
    child = maker.mutated(chess.Board("k2qr3/8/8/8/8/8/8/K2QR3 w - - 0 40"))
    assert_searchable(child)
    assert (maker.given_up, maker.redrawn, maker.made["fresh"]) == (1, TRIES, 1)
