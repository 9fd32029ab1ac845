"""Transformations of positions: they are symmetries of their notations, and refuse other texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.consistency.config import GameCheckName, GamesConfig
from vivavoce.consistency.games.boards import SHOGI, XIANGQI, ChessLike
from vivavoce.errors import BadInput

BEGIN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
KATA_BEGIN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[] w - - 0 1"


@st.composite
def fens(draw: st.DrawFn, board: ChessLike) -> str:
    """Kings and other pieces anywhere, hands and counters."""
    letters = "PLNSGBR+P+L+N+S+B+R" if board.hands else "RNBACP"
    kinds = re.findall(r"\+?[A-Z]", letters)
    pieces = st.sampled_from([*map(str.upper, kinds), *map(str.lower, kinds), "", "", "", ""])
    squares = draw(st.lists(pieces, min_size=9 * board.ranks - 2, max_size=9 * board.ranks - 2))
    for king in "Kk":
        squares.insert(draw(st.integers(0, len(squares))), king)
    rows = [squares[9 * rank : 9 * rank + 9] for rank in range(board.ranks)]
    hand = "".join(sorted(draw(st.lists(st.sampled_from("PLNSGBRplnsgbr"), max_size=8)), key=str.islower))
    text = "/".join(_row(row) for row in rows)
    tail = f"{draw(st.sampled_from('wb'))} - - {draw(st.integers(0, 120))} {draw(st.integers(1, 300))}"
    return f"{text}[{hand}] {tail}" if board.hands else f"{text} {tail}"


def _row(squares: list[str]) -> str:
    written, empty = "", 0
    for square in [*squares, None]:
        if square == "":
            empty += 1
            continue
        written, empty = written + (str(empty) if empty else "") + (square or ""), 0
    return written


def apply(board: ChessLike, check: GameCheckName, position: str) -> str:
    return board.symmetries[check].position(position)


@pytest.mark.parametrize("board", [XIANGQI, SHOGI], ids=lambda board: board.title)
class TestOnNineFiles:
    @settings(max_examples=40)
    @given(data=st.data())
    def test_twice_is_once_for_each_symmetry_and_they_commute(self, board: ChessLike, data: st.DataObject) -> None:
        fen = data.draw(fens(board))
        assert board.read(fen).written == fen
        for check in ("mirror", "colours"):
            assert apply(board, check, apply(board, check, fen)) == fen
        both = apply(board, "mirror", apply(board, "colours", fen))
        assert both == apply(board, "colours", apply(board, "mirror", fen))
        assert board.to_move(apply(board, "mirror", fen)) == board.to_move(fen) != board.to_move(apply(board, "colours", fen))

    @settings(max_examples=40)
    @given(data=st.data())
    def test_a_move_is_itself_again_after_two(self, board: ChessLike, data: st.DataObject) -> None:
        squares = st.builds("{}{}".format, st.sampled_from("abcdefghi"), st.integers(1, board.ranks))
        move = data.draw(
            st.builds("{}{}{}".format, squares, squares, st.sampled_from(["", "+"])) | st.builds("P@{}".format, squares)
        )
        for check in ("mirror", "colours"):
            there = board.symmetries[check].move
            assert there(there(move)) == move

    def test_what_is_no_position_is_refused(self, board: ChessLike) -> None:
        begin = KATA_BEGIN if board.hands else BEGIN
        for wrong in (
            "", begin.replace("K", "k"), begin.replace(" w ", " x "), begin.replace("/9/", "/8/", 1), begin + "\nquit",
            begin.replace("0 1", "0 1 "), BEGIN if board.hands else KATA_BEGIN,
        ):  # fmt: skip
            with pytest.raises(BadInput):
                board.to_move(wrong)


def test_by_hand() -> None:
    """A red chariot at a1 and a black horse at b10: mirrored at i1 and h10; swapped a black one at a10, a red horse at b1."""
    fen = "1n2k4/9/9/9/9/9/9/9/9/R3K4 w - - 3 20"
    assert apply(XIANGQI, "mirror", fen) == "4k2n1/9/9/9/9/9/9/9/9/4K3R w - - 3 20"
    assert apply(XIANGQI, "colours", fen) == "r3k4/9/9/9/9/9/9/9/9/1N2K4 b - - 3 20"
    assert XIANGQI.symmetries["mirror"].move("a1a10") == "i1i10"
    assert XIANGQI.symmetries["colours"].move("a1a10") == "a10a1"
    assert XIANGQI.to_move(fen) == "Red"
    shogi = "4k4/9/9/9/9/9/9/+P8/4K4[GPr] b - - 3 20"
    assert apply(SHOGI, "colours", shogi) == "4k4/8+p/9/9/9/9/9/9/4K4[Rgp] w - - 3 20"
    assert SHOGI.symmetries["colours"].move("a2a3+") == "i8i7+"
    assert SHOGI.symmetries["colours"].move("G@e5") == "G@e5"
    assert SHOGI.to_move(shogi) == "White"


def test_the_opening_position_is_its_own_image_but_for_who_moves() -> None:
    assert apply(XIANGQI, "mirror", BEGIN) == BEGIN
    assert apply(XIANGQI, "colours", BEGIN) == BEGIN.replace(" w ", " b ")
    assert apply(SHOGI, "colours", KATA_BEGIN) == KATA_BEGIN.replace(" w ", " b ")


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadInput, match="opening"):
        GamesConfig(opening=10, length=10)
