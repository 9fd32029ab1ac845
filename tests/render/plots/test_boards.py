"""Boards as pictures of pages."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from tests.consistency.chess.engines import judged, recommended
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, board_pair, in_words
from vivavoce.errors import BadInput
from vivavoce.render.boards import svg
from vivavoce.render.drawing import Picture, drawing_of, plot
from vivavoce.report.figures import Boards

SVG = "{http://www.w3.org/2000/svg}"
TURNED = ChessComparison(
    ChessCheck.BOARDS,
    "board 1",
    "rotate 90 against flip vertical",
    judged("8/8/8/3k4/8/3K1Q2/8/8 w - - 0 40", 0.9, "f3f5"),
    judged("8/8/3k4/8/3K1Q2/8/8/8 w - - 0 40", 0.1, "f4f6"),
    signed=0.8,
)


def boards(comparison: ChessComparison) -> Boards:
    data = board_pair(comparison).data
    assert isinstance(data, Boards)
    return data


def drawn(comparison: ChessComparison) -> ET.Element:
    return ET.fromstring(svg(boards(comparison), "b", set()))


def test_two_boards_their_pieces_their_bars_and_their_arrows() -> None:
    tree = drawn(TURNED)
    pieces = [use.attrib["href"] for use in tree.iter(f"{SVG}use")]
    assert sorted(pieces) == sorted(["#b-K", "#b-Q", "#b-board", "#b-k"] * 2)
    assert {group.attrib["id"] for group in tree.iter(f"{SVG}g") if "id" in group.attrib} == {"b-K", "b-Q", "b-board", "b-k"}
    words = {"".join(text.itertext()) for text in tree.iter(f"{SVG}text")}
    assert {"After rotate 90", "After flip vertical", "+0.90 for White", "+0.10 for White"} <= words
    bars = [rect for rect in tree.iter(f"{SVG}rect") if rect.attrib.get("height") == "9" and "--blue" in rect.attrib["fill"]]
    # a board is 160 wide: 0 is at 80, and .9 and .1 to the right of it are 72 and 8 long
    assert [(float(bar.attrib["x"]), float(bar.attrib["width"])) for bar in bars] == [(80.0, 72.0), (80.0, 8.0)]
    assert len(list(tree.iter(f"{SVG}polygon"))) == 2
    assert tree.attrib["aria-label"] == in_words(TURNED)


def test_pieces_stand_where_the_fen_says() -> None:
    queen = next(use for use in drawn(TURNED).iter(f"{SVG}use") if use.attrib["href"] == "#b-Q")
    # f3: the sixth file, and the third rank from below: (5 * 20, 5 * 20)
    assert (queen.attrib["x"], queen.attrib["y"]) == ("100", "100")


def test_pieces_that_the_page_has_are_not_drawn_again() -> None:
    known: set[str] = set()
    first, second = (svg(boards(TURNED), "b", known) for _ in range(2))
    assert known == {"b-K", "b-Q", "b-board", "b-k"}
    assert "<defs>" in first
    assert "<defs>" not in second
    assert second.count("<use") == first.count("<use") == 8


def test_a_move_that_is_none_is_not_drawn() -> None:
    strange = replace(TURNED, first=judged(TURNED.first.fen, 0.9, "<script>"), second=judged(TURNED.second.fen, 0.1, ""))
    assert not list(drawn(strange).iter(f"{SVG}polygon"))


def test_a_hostile_label_stays_text() -> None:
    assert not list(drawn(replace(recommended(0.5, 0.5), label='"><script>alert(1)</script>')).iter(f"{SVG}script"))


def test_boards_are_a_picture_for_pages_and_no_plot() -> None:
    picture = drawing_of(boards(TURNED))
    assert isinstance(picture, Picture)
    assert picture.alt == in_words(TURNED)
    with pytest.raises(BadInput, match="a picture for pages only"):
        plot(picture)


WITHOUT_CHESS = """
import sys
sys.modules["chess"] = None
from tests.consistency.chess.engines import mirror
from vivavoce.consistency.chess.comparison import board_pair
from vivavoce.errors import MissingExtra
from vivavoce.render.drawing import drawing_of
try:
    drawing_of(board_pair(mirror(1, 0.5, 0.1)).data).svg("b", set())
except MissingExtra as missing:
    print(missing)
"""


@pytest.mark.long
def test_plots_are_known_where_chess_is_not_installed() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_CHESS], capture_output=True, text=True, check=True)
    assert done.stdout == "'chess' is not installed: pip install 'vivavoce[chess]'\n"
