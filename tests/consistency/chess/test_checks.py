"""Symmetric boards and the four checks, against legal moves and solved endings."""

from __future__ import annotations

from collections.abc import Callable

import chess
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.consistency.chess.engines import pawnless, perft, played
from tests.consistency.chess.tablebase import perfect, solved, value
from tests.each_case import each_case
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, EvaluatedChessPosition
from vivavoce.consistency.chess.positions import (
    SYMMETRIES,
    Counterpart,
    base,
    compare,
    counterparts,
    mirrored,
    mirrored_fen,
    unfit,
    without_castling,
)
from vivavoce.interview.candidate_kinds import Evaluation

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


@each_case(
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


VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
Evaluator = Callable[[str], Evaluation]


def said(q: float, best_move: str = "", mate: int | None = None) -> Evaluation:
    return Evaluation(q=q, best_move=best_move, nodes=1, mate=mate)


def material(fen: str) -> Evaluation:
    board = chess.Board(fen)
    men = board.piece_map().values()
    return said(sum(VALUES[man.piece_type] * (1 if man.color == board.turn else -1) for man in men) / 100)


def fond_of_white(fen: str) -> Evaluation:
    return said(material(fen).q + (0.3 if chess.Board(fen).turn else -0.3))


def fond_of_the_corner(fen: str) -> Evaluation:
    """Wants a white king on a1, and is right by chance in all other corners."""
    return said(0.5 if chess.Board(fen).king(chess.WHITE) == chess.A1 else -0.25)


def examined(check: ChessCheck, board: chess.Board, evaluate: Evaluator) -> ChessComparison | str:
    if reason := unfit(check, board):
        return reason
    fen = base(check, board)
    evaluation = evaluate(fen)
    others = counterparts(check, board, evaluation)
    if isinstance(others, str):
        return others
    return compare(check, "a game", EvaluatedChessPosition(fen, evaluation), [(other, evaluate(other.fen)) for other in others])


@each_case(
    ("check", "fen", "reason"),
    [
        (ChessCheck.MIRROR, "7k/6K1/8/8/8/8/8/R7 w - - 0 60", "illegal position"),
        (ChessCheck.MIRROR, "8/8/8/8/8/8/8/8 w - - 0 60", "illegal position"),
        (ChessCheck.MIRROR, "R5k1/5ppp/8/8/8/8/8/7K b - - 0 60", "game over"),  # checkmate
        (ChessCheck.RECOMMENDED, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 60", "game over"),  # stalemate
        (ChessCheck.MIRROR, "7k/8/6K1/8/8/8/8/8 b - - 0 60", "insufficient material"),
        (ChessCheck.FORCED, "7k/8/6K1/8/8/8/8/R7 b - - 100 90", "fifty-move rule"),
        (ChessCheck.FORCED, "7k/8/5K2/8/8/8/8/R7 b - - 0 60", "more than one legal move"),  # Kg8 and Kh7
        (ChessCheck.BOARDS, "7k/8/5K2/8/8/8/P7/R7 b - - 0 60", "has pawns"),
        (ChessCheck.FORCED, "7k/8/6K1/8/8/8/8/R7 b - - 99 90", None),
        (ChessCheck.BOARDS, "4k3/8/8/8/8/8/8/R3K3 w Q - 0 40", None),
        (ChessCheck.MIRROR, chess.STARTING_FEN, None),
        (ChessCheck.RECOMMENDED, chess.STARTING_FEN, None),
    ],
)
def test_when_a_check_applies(check: ChessCheck, fen: str, reason: str | None) -> None:
    assert unfit(check, chess.Board(fen)) == reason


def test_the_forced_reply_is_played_by_the_rules() -> None:
    # Kg8 is the only move: the clock goes from 3 to 4, and after Black's move the full-move number from 60 to 61
    others = counterparts(ChessCheck.FORCED, chess.Board("7k/8/6K1/8/8/8/8/R7 b - - 3 60"), None)
    assert others == [Counterpart("6k1/8/6K1/8/8/8/8/R7 w - - 4 61", "h8g8", opposite=True)]


@pytest.mark.parametrize("fen", ["k7/1Q6/8/8/8/8/8/7K b - - 0 50", "7k/8/6K1/8/8/8/8/R7 b - - 99 90"])
def test_a_reply_that_ends_the_game_is_left_out(fen: str) -> None:
    """Kxb7 leaves two kings; Kg8 is the hundredth half-move without capture."""
    assert unfit(ChessCheck.FORCED, chess.Board(fen)) is None
    assert counterparts(ChessCheck.FORCED, chess.Board(fen), None) == "reply ends the game"


@pytest.mark.parametrize(
    ("fen", "move", "child"),
    [
        ("4k3/8/8/8/8/8/8/4K2R w K - 3 40", "e1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 4 40"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 30", "e5d6", "4k3/8/3P4/8/8/8/8/4K3 b - - 0 30"),
        ("8/P3k3/8/8/8/8/8/4K3 w - - 9 50", "a7a8r", "R7/4k3/8/8/8/8/8/4K3 b - - 0 50"),
    ],
)
def test_the_recommended_move_is_played_by_the_rules(fen: str, move: str, child: str) -> None:
    assert counterparts(ChessCheck.RECOMMENDED, chess.Board(fen), said(0.2, move)) == [Counterpart(child, move, opposite=True)]


@each_case(
    ("evaluation", "reason"),
    [
        (said(1.0, "a1a8", mate=1), "mate in one"),
        (said(1.0, "a1a8"), "move ends the game"),
        *[(said(0.0, text), "illegal best move") for text in ("(none)", "", "0000", "a1b2", "h1h9", "\x1b[31m", "a1a2" * 9999)],
    ],
)
def test_recommended_moves_that_cannot_be_compared(evaluation: Evaluation, reason: str) -> None:
    assert counterparts(ChessCheck.RECOMMENDED, chess.Board("6k1/5ppp/8/8/8/8/8/R6K w - - 0 40"), evaluation) == reason


def test_a_recommended_move_needs_an_evaluation() -> None:
    with pytest.raises(ValueError, match="evaluation"):
        counterparts(ChessCheck.RECOMMENDED, chess.Board(), None)


def test_boards_are_compared_without_castling_in_seven_orientations_or_a_half_turn() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/R3K3 w Q - 2 40")
    assert base(ChessCheck.BOARDS, board) == "4k3/8/8/8/8/8/8/R3K3 w - - 2 40"
    others = counterparts(ChessCheck.BOARDS, board, None)
    assert isinstance(others, list)
    assert [other.label for other in others] == [name for name in SYMMETRIES if name != "identity"]
    half = counterparts(ChessCheck.BOARDS, board, None, only_rotate_180=True)
    # e1, a1 and e8 go to d8, h8 and d1
    assert half == [Counterpart("3K3R/8/8/8/8/8/8/3k4 w - - 2 40", "rotate 180", opposite=False)]


def test_a_board_that_is_illegal_after_a_turn_is_left_out() -> None:
    """A pawn on a2 goes to b8 in a quarter turn."""
    assert counterparts(ChessCheck.BOARDS, chess.Board("7k/8/5K2/8/8/8/P7/R7 b - - 0 60"), None) == "illegal after a turn"


def test_signs() -> None:
    child, image = Counterpart("child", "e2e4", opposite=True), Counterpart("image", "mirror", opposite=False)
    forced = compare(ChessCheck.FORCED, "g", EvaluatedChessPosition("base", said(0.5)), [(child, said(-0.25))])
    # q - (-q of the child) = 0.5 - 0.25
    assert (forced.signed, forced.label, forced.first.fen, forced.second.fen) == (0.25, "e2e4", "base", "child")
    mirror = compare(ChessCheck.MIRROR, "g", EvaluatedChessPosition("base", said(-0.5)), [(image, said(0.25))])
    assert (mirror.signed, mirror.difference, mirror.second.evaluation.q) == (-0.75, 0.75, 0.25)


@each_case(
    ("values", "pair", "label", "signed"),
    [
        # values of base, a, b, c; the two furthest apart, the earlier one first
        ((0.0, 0.25, -0.5, 0.0), ("a", "b"), "a against b", 0.75),
        ((0.0, -0.5, 0.0, 0.25), ("a", "c"), "a against c", -0.75),
        ((1.0, 0.5, 0.0, 0.5), ("base", "b"), "b", 1.0),
        ((0.5, 0.5, 0.5, 0.5), ("base", "a"), "a", 0.0),
    ],
)
def test_boards_compare_the_two_orientations_that_differ_most(
    values: tuple[float, ...], pair: tuple[str, str], label: str, signed: float
) -> None:
    others = [(Counterpart(name, name, opposite=False), said(q)) for name, q in zip("abc", values[1:], strict=True)]
    comparison = compare(ChessCheck.BOARDS, "g", EvaluatedChessPosition("base", said(values[0])), others)
    assert (comparison.first.fen, comparison.second.fen) == pair
    assert (comparison.label, comparison.signed) == (label, signed)


@given(played())
def test_a_count_of_material_is_the_same_in_the_mirror(board: chess.Board) -> None:
    comparison = examined(ChessCheck.MIRROR, board, material)
    assert isinstance(comparison, str) or comparison.signed == 0


@settings(max_examples=30)
@given(pawnless())
def test_a_count_of_material_is_the_same_in_every_orientation(board: chess.Board) -> None:
    comparison = examined(ChessCheck.BOARDS, board, material)
    assert isinstance(comparison, ChessComparison)
    assert comparison.signed == 0


@settings(max_examples=30)
@given(played())
def test_a_bias_for_white_is_found_in_the_mirror(board: chess.Board) -> None:
    comparison = examined(ChessCheck.MIRROR, board, fond_of_white)
    if isinstance(comparison, ChessComparison):
        # +0.3 with White to move, -0.3 in the image, where Black is
        assert comparison.signed == pytest.approx(0.6 if board.turn else -0.6)


def test_a_bias_for_a_corner_is_found_in_the_turned_board() -> None:
    # four of eight orientations have the king on another corner: 0.5 - (-0.25)
    comparison = examined(ChessCheck.BOARDS, chess.Board("8/8/8/3k4/8/8/8/KQ6 w - - 7 60"), fond_of_the_corner)
    assert isinstance(comparison, ChessComparison)
    assert (comparison.signed, comparison.label) == (0.75, "rotate 90")


# Longest wins of the two endgames, known since Ken Thompson's and earlier tables: queen 10 moves, rook 16
@pytest.mark.long
@pytest.mark.parametrize(("piece", "moves"), [(chess.QUEEN, 10), (chess.ROOK, 16)])
def test_the_tablebase_is_right(piece: chess.PieceType, moves: int) -> None:
    assert solved(piece).moves_to_mate == moves


@st.composite
def endgames(draw: st.DrawFn) -> chess.Board:
    """King and a queen or rook against king, either colour, either side to move."""
    squares = draw(st.lists(st.integers(0, 63), min_size=3, max_size=3, unique=True))
    colour = draw(st.booleans())
    board = chess.Board(None)
    board.set_piece_at(squares[0], chess.Piece(chess.KING, colour))
    board.set_piece_at(squares[1], chess.Piece(draw(st.sampled_from([chess.QUEEN, chess.ROOK])), colour))
    board.set_piece_at(squares[2], chess.Piece(chess.KING, not colour))
    board.turn = draw(st.booleans())
    board.fullmove_number = 60
    assume(board.is_valid())
    return board


@pytest.mark.long
@pytest.mark.parametrize("check", [ChessCheck.RECOMMENDED, ChessCheck.MIRROR, ChessCheck.BOARDS])
def test_a_perfect_player_never_contradicts_itself(check: ChessCheck) -> None:
    compared = []

    @settings(max_examples=200)
    @given(endgames())
    def holds(board: chess.Board) -> None:
        comparison = examined(check, board, perfect)
        if isinstance(comparison, ChessComparison):
            assert comparison.signed == 0, comparison
            compared.append(comparison.first.evaluation.q)

    holds()
    assert len(compared) > 100
    assert set(compared) >= {-1, 1}


@pytest.mark.long
def test_a_perfect_player_never_contradicts_itself_on_forced_moves() -> None:
    """All positions with the strong king on c2 where the bare king has one move; who likes to be on the move is found."""
    compared = 0
    for piece, square, bare in ((p, s, b) for p in "QR" for s in range(64) for b in range(64)):
        board = chess.Board(None)
        board.set_piece_at(chess.C2, chess.Piece.from_symbol("K"))
        board.set_piece_at(square, chess.Piece.from_symbol(piece))
        board.set_piece_at(bare, chess.Piece.from_symbol("k"))
        board.turn, board.fullmove_number = chess.BLACK, 60
        comparison = examined(ChessCheck.FORCED, board, perfect)
        if isinstance(comparison, ChessComparison):
            assert comparison.signed == 0
            eager = examined(ChessCheck.FORCED, board, lambda fen: said(value(chess.Board(fen)) + 0.125))
            assert isinstance(eager, ChessComparison)
            assert eager.signed == 0.25
            compared += 1
    assert compared > 50
