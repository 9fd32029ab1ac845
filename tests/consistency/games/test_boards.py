"""Adapters of games: transformations are symmetries of their notations, and refuse what is no position."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.consistency.games.backgammon import START, Backgammon
from vivavoce.consistency.games.boards import board_of
from vivavoce.consistency.games.chesslike import SHOGI, XIANGQI, ChessLike
from vivavoce.consistency.games.config import GAMES, CheckName, GamesConfig
from vivavoce.consistency.games.go import Go
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


def apply(board: ChessLike | Go | Backgammon, check: CheckName, position: str, which: int = 0) -> str:
    return board.symmetries[check][which].position(position)


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
            there = board.symmetries[check][0].move
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
    assert XIANGQI.symmetries["mirror"][0].move("a1a10") == "i1i10"
    assert XIANGQI.symmetries["colours"][0].move("a1a10") == "a10a1"
    assert XIANGQI.to_move(fen) == "Red"
    shogi = "4k4/9/9/9/9/9/9/+P8/4K4[GPr] b - - 3 20"
    assert apply(SHOGI, "colours", shogi) == "4k4/8+p/9/9/9/9/9/9/4K4[Rgp] w - - 3 20"
    assert SHOGI.symmetries["colours"][0].move("a2a3+") == "i8i7+"
    assert SHOGI.symmetries["colours"][0].move("G@e5") == "G@e5"
    assert SHOGI.to_move(shogi) == "White"


def test_the_opening_position_is_its_own_image_but_for_who_moves() -> None:
    assert apply(XIANGQI, "mirror", BEGIN) == BEGIN
    assert apply(XIANGQI, "colours", BEGIN) == BEGIN.replace(" w ", " b ")
    assert apply(SHOGI, "colours", KATA_BEGIN) == KATA_BEGIN.replace(" w ", " b ")


@st.composite
def go_positions(draw: st.DrawFn) -> str:
    size = draw(st.integers(5, 9))
    rows = draw(st.lists(st.text(".XO", min_size=size, max_size=size), min_size=size, max_size=size))
    komi = draw(st.integers(-20, 20)) / 2
    return f"{'/'.join(rows)} {draw(st.sampled_from('bw'))} {komi:g}"


@given(position=go_positions())
def test_the_orientations_of_go_are_the_eight_of_a_square(position: str) -> None:
    size = len(position.split("/")[0])
    board = Go(size)
    quarter = board.symmetries["orientations"][0].position
    images = [position, *(one.position(position) for one in board.symmetries["orientations"])]
    assert quarter(quarter(quarter(quarter(position)))) == position
    assert quarter(images[1]) == images[2]
    for image in images:  # closed: turning an image gives an image
        assert quarter(image) in images
        assert sorted(image) == sorted(position)
    for flip in images[4:]:
        which = images.index(flip)
        assert board.symmetries["orientations"][which - 1].position(flip) == position


@given(position=go_positions())
def test_colours_of_go_twice_are_as_they_were(position: str) -> None:
    swapped = apply(Go(), "colours", position)
    assert apply(Go(), "colours", swapped) == position
    assert float(swapped.rpartition(" ")[2]) == -float(position.rpartition(" ")[2])
    assert swapped.count("X") == position.count("O")


@given(size=st.integers(5, 19), column=st.integers(0, 4), row=st.integers(0, 4))
def test_a_point_is_called_as_its_stone_lies_afterwards(size: int, column: int, row: int) -> None:
    letters = "ABCDEFGHJKLMNOPQRST"
    rows = ["." * size for _ in range(size)]
    rows[size - 1 - row] = "." * column + "X" + "." * (size - 1 - column)
    for symmetry in Go(size).symmetries["orientations"]:
        image = symmetry.position(f"{'/'.join(rows)} b 0").split(" ")[0].split("/")
        [(there, line)] = [(i, line) for i, line in enumerate(image) if "X" in line]
        assert symmetry.move(f"{letters[column]}{row + 1}") == f"{letters[line.index('X')]}{size - there}"
        assert symmetry.move("PASS") == "PASS"


def test_what_is_no_position_of_go_or_backgammon_is_refused() -> None:
    for wrong in ("", "../... b 0", "../.x b 0", "../.. b", "../.. b 1e9", "../.. b 0.5\nquit"):
        with pytest.raises(BadInput):
            Go().to_move(wrong)
    nobody = ",".join(["0"] * 25)
    both = "5," + nobody[2:]
    for wrong in ("", f"X={nobody} O={START} X", f"X={START} O={START} Z", f"X={both} O={nobody[:46]},5,0 X"):
        with pytest.raises(BadInput):
            Backgammon().to_move(wrong)


@given(st.lists(st.integers(0, 24), min_size=1, max_size=15), st.lists(st.integers(0, 24), min_size=1, max_size=15))
def test_sides_of_backgammon_twice_are_as_they_were(own: list[int], other: list[int]) -> None:
    x = [own.count(i) for i in range(25)]
    o = [other.count(i) if i == 24 or not x[23 - i] else 0 for i in range(25)]
    if not sum(o):
        return
    position = f"X={','.join(map(str, x))} O={','.join(map(str, o))} X"
    swapped = apply(Backgammon(), "colours", position)
    assert swapped == f"X={','.join(map(str, o))} O={','.join(map(str, x))} O"
    assert apply(Backgammon(), "colours", swapped) == position


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_drawn_or_written(game: str) -> None:
    config = GamesConfig(size=7)
    board = board_of(game, config)  # type: ignore[arg-type]  # of the literal list
    position = board.start(config) or (KATA_BEGIN if game == "shogi" else BEGIN)
    assert board.in_letters(position)
    diagram = board.diagram(position)
    assert (diagram is None) == (game == "backgammon")
    assert set(board.symmetries) <= set(board.checks)
    assert board.to_move(position) in {"Red", "Black", "White", "X", "O"}


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadInput, match="opening"):
        GamesConfig(opening=10, length=10)
    with pytest.raises(BadInput, match="half"):
        GamesConfig(komi=0.3)
