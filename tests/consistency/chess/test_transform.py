"""Mirror and symmetries: hand examples, the laws of a group, and the same game in every image."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings

from tests.consistency.chess.legal import pawnless, perft, played
from vivavoce.consistency.chess.checks import SYMMETRIES, mirrored, mirrored_fen, without_castling

LOPSIDED = "8/8/8/3k4/8/8/8/KQ6 w - - 7 60"


@pytest.mark.parametrize(
    ("fen", "image"),
    [
        # White's king side and Black's queen side change hands
        ("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 5 40", "r3k2r/8/8/8/8/8/8/R3K2R b Qk - 5 40"),
        # d7-d5 was just played: White's e5 takes on d6, so the image's Black e4 takes on d3
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 30", "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 30"),
        (
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
            "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 1 2",
        ),
    ],
)
def test_mirrored_by_hand(fen: str, image: str) -> None:
    assert mirrored(chess.Board(fen)).fen() == mirrored_fen(fen) == image


@pytest.mark.parametrize(
    ("name", "queen"),
    # the queen stands on b1, beside the king in the corner a1
    [
        ("identity", "b1"),
        ("rotate 90", "a7"),
        ("rotate 180", "g8"),
        ("rotate 270", "h2"),
        ("flip vertical", "b8"),
        ("flip horizontal", "g1"),
        ("flip diagonal", "a2"),
        ("flip anti-diagonal", "h7"),
    ],
)
def test_symmetries_by_hand(name: str, queen: str) -> None:
    image = SYMMETRIES[name](chess.Board(LOPSIDED))
    assert image.pieces(chess.QUEEN, chess.WHITE) == chess.SquareSet([chess.parse_square(queen)])
    assert image.fen().split()[1:] == ["w", "-", "-", "7", "60"]


def test_symmetries_clear_castling_and_en_passant_and_leave_the_board_as_it_is() -> None:
    board = chess.Board("r3k3/8/8/8/3pP3/8/8/4K2R b Kq e3 0 40")
    before = board.fen()
    for turn in SYMMETRIES.values():
        assert turn(board).fen().split()[2:4] == ["-", "-"]
    assert without_castling(board).castling_rights == 0
    mirrored(board)
    assert board.fen() == before


@given(played())
def test_mirror_twice_is_the_identity(board: chess.Board) -> None:
    assert mirrored(mirrored(board)).fen() == board.fen()
    assert mirrored_fen(board.fen()) == mirrored(board).fen()
    assert mirrored(board).turn != board.turn


@settings(max_examples=30)
@given(played(plies=60))
def test_the_mirror_image_is_the_same_game(board: chess.Board) -> None:
    image = mirrored(board)
    assert image.is_valid()
    assert image.legal_moves.count() == board.legal_moves.count()
    assert perft(image, 2) == perft(board, 2)
    flipped = {
        chess.Move(chess.square_mirror(m.from_square), chess.square_mirror(m.to_square), m.promotion) for m in board.legal_moves
    }
    assert set(image.legal_moves) == flipped


@settings(max_examples=8)
@given(pawnless())
def test_every_orientation_is_the_same_game(board: chess.Board) -> None:
    for turn in SYMMETRIES.values():
        image = turn(board)
        assert image.is_valid()
        assert image.legal_moves.count() == board.legal_moves.count()
        assert perft(image, 2) == perft(board, 2)


def composed() -> dict[tuple[str, str], str]:
    """Which symmetry it is to apply one after the other, seen on a board without any symmetry of its own."""
    start = chess.Board(LOPSIDED)
    names = {turn(start).fen(): name for name, turn in SYMMETRIES.items()}
    assert len(names) == 8
    return {(a, b): names[SYMMETRIES[b](SYMMETRIES[a](start)).fen()] for a in SYMMETRIES for b in SYMMETRIES}


def test_symmetries_form_the_group_of_the_square() -> None:
    table = composed()
    for name in SYMMETRIES:
        assert table[name, "identity"] == table["identity", name] == name
        assert sorted(table[name, other] for other in SYMMETRIES) == sorted(SYMMETRIES)  # so each has an inverse
    # orders of the elements of D4: one of order 1, five of order 2, two of order 4
    assert sorted(name for name in SYMMETRIES if table[name, name] != "identity") == ["rotate 270", "rotate 90"]
    assert table["rotate 90", "rotate 90"] == "rotate 180"
    assert table["rotate 90", "rotate 180"] == "rotate 270"
    assert table["rotate 90", "flip vertical"] != table["flip vertical", "rotate 90"]


@settings(max_examples=20)
@given(pawnless())
def test_the_table_of_the_group_holds_on_any_board(board: chess.Board) -> None:
    for (a, b), c in composed().items():
        assert SYMMETRIES[b](SYMMETRIES[a](board)).fen() == SYMMETRIES[c](board).fen()
