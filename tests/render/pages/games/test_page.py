"""The page of other games: pictures, escaped text, and what stands where there is nothing to draw."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest

from vivavoce.consistency.games.comparison import Comparison, Judged
from vivavoce.consistency.games.config import GameName
from vivavoce.consistency.games.finding import GamesConsistency
from vivavoce.consistency.games.report import histograms
from vivavoce.consistency.games.score import Tally
from vivavoce.interview.finding import Signature
from vivavoce.render.drawing import Picture, drawing_of
from vivavoce.render.page import page
from vivavoce.report.figures import Boards, Histogram

POSITIONS: dict[GameName, str] = {
    "xiangqi": "1n2k4/9/9/9/9/9/9/9/9/R3K4 w - - 3 20",
    "shogi": "4k4/9/9/9/9/9/9/+P8/4K4[GPr] b - - 3 20",
}


def finding(game: GameName, *, label: str = "the colours were exchanged") -> GamesConsistency:
    tally = Tally("colours", seed=0)
    for number in range(4):
        first, second = (Judged(POSITIONS[game], 0.1 * value, "Black", "") for value in (number, 0))
        tally.add(Comparison("colours", f"self-play game {number}", label, first, second))
    signature = Signature("0", "consistency/games", "uci:x?engine=<b>X</b>", game, "", 0, {})
    return GamesConsistency(game, "uci:x?engine=<b>X</b>", "four games", (tally.summary(),), signature)


@pytest.mark.parametrize("game", POSITIONS)
def test_a_page_shows_the_largest_contradictions_and_lets_nothing_through(game: GameName) -> None:
    text = page([finding(game, label="<script>alert(1)</script>")], made=datetime(2025, 11, 20, tzinfo=UTC), version="0")
    assert "<script>alert" not in text
    assert "<b>X</b>" not in text
    assert "The largest contradictions" in text
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


def test_the_plot_says_the_largest_and_is_left_out_where_nothing_differs() -> None:
    (figure,) = histograms(finding("shogi").summaries).figures
    assert isinstance(figure.data, Histogram)
    assert figure.title == "Colours exchanged"
    assert figure.data.mark is not None
    assert figure.data.mark[0] == pytest.approx(0.3)
    assert figure.data.mark[1] == "largest 0.30"
    # differences 0, 0.1, 0.2 and 0.3 in 60 bins up to 1.08 * 0.3 = 0.324: the bins are 0.0054 wide
    assert [place for place, number in enumerate(figure.data.counts) if number] == [0, 18, 37, 55]
    same = Tally("colours", seed=0)
    same.add(Comparison("colours", "a", "b", Judged("c", 0.0, "Black", ""), Judged("d", 0.0, "White", "")))
    assert not histograms((same.summary(),)).figures


def test_a_sentence_says_how_often_values_differ_by_more_than_a_quarter() -> None:
    assert "contradicts itself in shogi by more than 0.25 on 25% [" in finding("shogi").headline
