"""The page of other games: pictures, escaped text, and what stands where there is nothing to draw."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tests.render.html_pages import outline
from vivavoce.consistency.chess.counting import CheckedPositions, CheckTally
from vivavoce.consistency.config import GameName
from vivavoce.consistency.games.compare_positions import EvaluatedGamePosition, GameComparison
from vivavoce.render.drawing import Picture, drawing_of
from vivavoce.report.figures import Boards, Histogram
from vivavoce.studies.engine_checks import EngineFinding, finding_of
from vivavoce.studies.games import STUDIES, TREATMENTS

POSITIONS: dict[GameName, str] = {
    "xiangqi": "1n2k4/9/9/9/9/9/9/9/9/R3K4 w - - 3 20",
    "shogi": "4k4/9/9/9/9/9/9/+P8/4K4[GPr] b - - 3 20",
}


def finding(game: GameName, *, label: str = "the colours were exchanged") -> EngineFinding:
    tally: CheckTally[GameComparison] = CheckTally("colours", seed=0)
    for number in range(4):
        first, second = (EvaluatedGamePosition(POSITIONS[game], 0.1 * value, "Black", "") for value in (number, 0))
        tally.add(GameComparison("colours", f"self-play game {number}", label, first, second))
    return of(game, tally)


def of(game: GameName, tally: CheckTally[GameComparison]) -> EngineFinding:
    checked = CheckedPositions("uci:x?engine=<b>X</b>", "four games", "", 0, {}, (tally.summary(),))
    return finding_of(STUDIES[game], checked, [TREATMENTS[tally.check]])


@pytest.mark.parametrize("game", POSITIONS)
def test_a_page_shows_the_largest_contradictions(game: GameName) -> None:
    text = outline(finding(game)).text
    assert "Largest differences" in text
    assert POSITIONS[game] in text


@pytest.mark.parametrize(("game", "pieces"), [("xiangqi", 4), ("shogi", 3)])
def test_a_picture_has_every_piece_on_both_boards(game: GameName, pieces: int) -> None:
    figures = [block for block in finding(game).report().figures if isinstance(block.data, Boards)]
    drawn = drawing_of(figures[0].data)
    assert isinstance(drawn, Picture)
    svg = drawn.svg("a", set())
    root = ET.fromstring(svg)  # ours, and well-formed
    shape = "polygon" if game == "shogi" else "circle"
    assert len(root.findall(f".//{{*}}{shape}")) == 2 * pieces
    assert drawn.alt in svg.replace("&#x27;", "'")


def test_the_histogram_marks_the_largest_difference() -> None:
    (figure,) = [figure for figure in finding("shogi").report().figures if isinstance(figure.data, Histogram)]
    assert isinstance(figure.data, Histogram)
    assert figure.title == "Colours exchanged"
    assert figure.data.mark is not None
    assert figure.data.mark[0] == pytest.approx(0.3)
    assert figure.data.mark[1] == "largest 0.30"
    # differences 0, 0.1, 0.2 and 0.3, in bins of 0.01 up to 1.08 * 0.3 + 0.04 = 0.364
    assert [index for index, number in enumerate(figure.data.counts) if number] == [0, 10, 20, 30]
    assert len(figure.data.counts) == 37


def test_a_sentence_says_how_often_values_differ_by_more_than_a_quarter() -> None:
    assert "contradicts itself by more than 0.25 in shogi on 25% [" in finding("shogi").headline
