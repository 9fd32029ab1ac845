from collections import Counter
from itertools import count

import chess
import numpy as np
import pytest
from hypothesis import given, settings

from tests.consistency.chess.search.strategies import BOARDS, SEEDS, board_of
from vivavoce.consistency.chess.search.boards import MUTATIONS, TRIES, Variation, exchange

SET_OF_CHESSMEN = Counter("RNBQBNR")


def variation(seed: int) -> Variation:
    return Variation((board_of(number) for number in count(seed)), np.random.default_rng(seed))


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


@pytest.mark.parametrize(
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
