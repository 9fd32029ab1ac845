"""Comparisons and searches of chess: pages, boards, plots and the terminal."""

from __future__ import annotations

import asyncio
import math
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache

import pytest

from tests.consistency.chess.comparisons import judged, mirror, recommended
from tests.consistency.chess.search.engines import Formula, biased, interview, perfect
from tests.render.html_pages import assert_in_order, html_of, outline, plain, printed
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, arrow_of, board_pair, in_words
from vivavoce.consistency.chess.counting import CheckedPositions, CheckSummary, CheckTally
from vivavoce.consistency.chess.search.search_boards import search_boards
from vivavoce.consistency.chess.search.search_finding import ChessSearch, Counted, courses
from vivavoce.consistency.config import SEARCH_METHODS, SearchConfig
from vivavoce.errors import BadInput
from vivavoce.render.boards import svg as board_svg
from vivavoce.render.canvas import Drawing, Picture, drawing_of, plot, svg
from vivavoce.report.blocks import FigureData, ReportTable
from vivavoce.report.figures import Boards, Histogram, Lines
from vivavoce.studies.chess import CHESS, scaling
from vivavoce.studies.engine_checks import CONTRADICTED, TREATMENTS, EngineFinding, finding_of, histograms

SVG = "{http://www.w3.org/2000/svg}"


@cache
def checked(
    *checks: ChessCheck, positions: int = 60, spread: float = 0.3, nodes: int = 1000, game: str = ""
) -> CheckedPositions:
    """Differences drawn at random, seven positions of each game; hostile names of games if wanted."""
    rng, rows = random.Random(1), []
    for check in checks:
        tally: CheckTally = CheckTally(check, seed=0)
        for i in range(positions):
            gap = max(-1.0, min(1.0, round(rng.gauss(0, spread), 3)))
            pair = recommended(0.0, gap) if check in (ChessCheck.FORCED, ChessCheck.RECOMMENDED) else mirror(i, 0.0, gap)
            tally.add(replace(pair, check=check, game=f"{game}game {i // 7}"))
        tally.skip("mate in one")
        rows.append(tally.summary())
    candidate = f"uci:stockfish?nodes={nodes}&hash=1"
    return CheckedPositions(candidate, "games.pgn", "", 7, {"limit": positions}, tuple(rows))


def of(checked: CheckedPositions) -> EngineFinding:
    return finding_of(CHESS, checked, [TREATMENTS[summary.check] for summary in checked.summaries])


@cache
def finding(*checks: ChessCheck, game: str = "", positions: int = 60, spread: float = 0.3) -> EngineFinding:
    return of(checked(*checks, game=game, positions=positions, spread=spread))


def with_only(summary: CheckSummary) -> EngineFinding:
    return of(replace(checked(ChessCheck.MIRROR), summaries=(summary,)))


@cache
def study() -> EngineFinding:
    spreads = {1: 0.4, 100: 0.3, 10_000: 0.15}
    return scaling("uci:stockfish?hash=1", {n: checked(ChessCheck.MIRROR, spread=s, nodes=n) for n, s in spreads.items()})


def test_the_sentence_first_then_numbers_boards_caveats_and_the_method_last() -> None:
    result = finding(*ChessCheck)
    text = outline(result).text
    order = [result.headline, "Limits", "Over 0.05", "Left out, forced moves: mate in one (1).", "Largest differences"]
    order += ["How this was found", "seed 7"]
    assert_in_order(text, order)


def test_the_table_has_the_shares_with_their_intervals() -> None:
    result = finding(ChessCheck.MIRROR)
    rate = result.effects[0].rates[CONTRADICTED]
    assert rate.least is not None
    assert re.search(rf"{rate.least * 100:.2g}%\s*\[", outline(result).text)


def test_boards_are_drawn_for_each_check() -> None:
    shown = outline(finding(*ChessCheck), finding(ChessCheck.MIRROR), study())
    # three pairs for each of four checks and of three numbers of nodes, six for one check alone, and the largest difference
    # of each study; a histogram for each check, the rates of either study, and one plot over nodes
    assert shown.tags["svg"] == 4 * 3 + 3 * 3 + 6 + 3 + 4 + 1 + 2 + 1


def test_of_each_game_only_the_worst_board_is_shown() -> None:
    shown = outline(finding(ChessCheck.MIRROR)).text.partition("Largest differences")[2]
    games = re.findall(r"game \d+(?=\w*[rnbqkp1-8]+/)", shown)
    assert games
    assert len(games) == len(set(games))


def test_a_check_that_found_nothing_has_no_boards() -> None:
    tally: CheckTally = CheckTally(ChessCheck.MIRROR, seed=0)
    for i in range(20):
        tally.add(mirror(i, 0.5, 0.5))
    perfect = with_only(tally.summary())
    assert "No difference was found." in outline(perfect).text
    assert "shows no difference above 0.25 on 20 positions" in perfect.headline


def test_a_check_on_no_position_can_be_shown() -> None:
    nothing = with_only(CheckTally(ChessCheck.FORCED, seed=0).summary())
    assert "unknown" in outline(nothing).text
    assert not histograms(nothing.details.checks, {ChessCheck.FORCED: "Forced moves"}).figures
    assert "Nothing was compared" in printed(nothing)


def test_each_histogram_marks_its_largest_difference() -> None:
    result = finding(ChessCheck.MIRROR, ChessCheck.FORCED)
    figures = [figure for figure in result.report().figures if isinstance(figure.data, Histogram)]
    assert [figure.title for figure in figures] == ["Position mirroring", "Forced moves"]
    for figure, effect in zip(figures, result.effects, strict=True):
        assert f"largest {effect.numbers['largest']:.2f}" in words_of(figure.data)
        assert isinstance(figure.data, Histogram)
        assert sum(figure.data.counts) == effect.n == 60


def test_the_plot_over_nodes_names_its_lines() -> None:
    figure = next(figure for figure in study().report().figures if isinstance(figure.data, Lines))
    assert {"more than 0.05", "more than 0.25", "Nodes searched"} <= words_of(figure.data)
    assert isinstance(figure.data, Lines)
    assert figure.data.alt.split("Slopes of the fitted lines: ")[1].startswith("−0.")


def test_a_fitted_line_goes_through_its_ends() -> None:
    data = next(figure.data for figure in study().report().figures if isinstance(figure.data, Lines))
    fitted = [line for line in data.lines if line.is_reference]
    assert len(fitted) == len(study().details.fits) > 0
    for line, fit in zip(fitted, study().details.fits, strict=True):
        first, last = line.points
        assert math.log(last.y / first.y) / math.log(last.x / first.x) == pytest.approx(fit.slope.value)


@pytest.mark.parametrize("move", ["", "(none)", "0000", "e2e2", "P@e4", "<script>", "a1z9"])
def test_a_move_that_is_none_has_no_arrow(move: str) -> None:
    assert arrow_of(move) is None
    assert arrow_of("a7a8q") == ((0, 1), (0, 0))


def words_of(data: FigureData) -> set[str]:
    drawing = drawing_of(data)
    assert isinstance(drawing, Drawing)
    return {"".join(text.itertext()) for text in ET.fromstring(svg(drawing, "h")).iter(f"{SVG}text")}


def test_the_rows_for_programs_are_numbers_with_their_intervals() -> None:
    result = finding(ChessCheck.MIRROR, ChessCheck.BOARDS)
    row, rate = result.rows()[0], result.effects[0].rates[CONTRADICTED]
    assert (row["Check"], row["Positions"], row["Over 0.25"]) == ("Position mirroring", 60, rate.least)
    assert (row["Over 0.25, lower"], row["Over 0.25, upper"]) == (rate.interval.lower, rate.interval.upper)
    assert study().rows()[2]["Nodes"] == "10 000 nodes"


def test_within_eighty_columns_tables_keep_their_intervals() -> None:
    text = printed(finding(*ChessCheck))
    for effect in finding(*ChessCheck).effects:
        assert effect.rates[CONTRADICTED].with_interval in text


COUNTED: tuple[Counted, ...] = ("raw", "distinct", "families")


def searched(engine: Formula, evaluations: int) -> ChessSearch:
    return asyncio.run(search_boards(interview(engine), SearchConfig(evaluations=evaluations, seeds=2, threshold=0.1)))


@cache
def boards_searched() -> ChessSearch:
    return searched(Formula(biased), 300)


@pytest.fixture(scope="module")
def search() -> ChessSearch:
    return boards_searched()


def tables(search: ChessSearch) -> tuple[ReportTable, ...]:
    return search.report().tables


@pytest.mark.long
def test_the_page_says_first_what_was_found_and_last_how(search: ChessSearch) -> None:
    text = plain(html_of(search))
    order = [
        search.headline,
        "Limits",
        "Boards as they were asked",
        "Families",
        "The largest differences",
        "How this was found",
        "Random search draws every board independently",
    ]
    assert_in_order(text, order)
    assert all(example.first.fen in text for example in search.examples)


def test_cells_hold_mean_least_and_most(search: ChessSearch) -> None:
    for what, table in zip(COUNTED, tables(search), strict=True):
        for row, method in zip(table.rows, SEARCH_METHODS, strict=True):
            assert row.head.text == method
            first, second = (getattr(run.counts[0], what) for run in search.of(method))
            cell = row.cells[0]
            assert cell.value == (first + second) / 2
            assert float(cell.text) == pytest.approx((first + second) / 2, abs=0.5)
            assert cell.below == (() if first == second else (f"{min(first, second)}–{max(first, second)}",))


def test_the_plots_name_every_method_and_tell_where_it_ended(search: ChessSearch) -> None:
    distinct, largest = (figure.data for figure in courses(search.runs, search.config))
    for data in (distinct, largest):
        drawing = drawing_of(data)
        assert isinstance(drawing, Drawing)
        words = {element.text for element in ET.fromstring(svg(drawing, "c")).iter(f"{SVG}text")}
        assert {f"{method} search" for method in SEARCH_METHODS} <= words
    assert isinstance(distinct, Lines)
    assert isinstance(largest, Lines)
    for method in SEARCH_METHODS:
        last = [run.course[-1] for run in search.of(method)]
        assert f"{method} search {round(sum(point.distinct for point in last) / 2)}" in distinct.alt
        assert f"{method} search {sum(point.largest for point in last) / 2:.2f}" in largest.alt


def test_a_perfect_engine_has_a_page_too() -> None:
    html = html_of(searched(Formula(perfect), 60))
    assert "No search found a board" in html
    assert "No difference was above 0.1" in html


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
    return ET.fromstring(board_svg(boards(comparison), "b", set()))


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
    first, second = (board_svg(boards(TURNED), "b", known) for _ in range(2))
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
from tests.consistency.chess.comparisons import mirror
from vivavoce.consistency.chess.comparison import board_pair
from vivavoce.errors import MissingExtra
from vivavoce.render.canvas import drawing_of
try:
    drawing_of(board_pair(mirror(1, 0.5, 0.1)).data).svg("b", set())
except MissingExtra as missing:
    print(missing)
"""


@pytest.mark.long
def test_plots_are_known_where_chess_is_not_installed() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_CHESS], capture_output=True, text=True, check=True)
    assert done.stdout == "'chess' is not installed: pip install 'vivavoce[chess]'\n"


def test_the_histogram_marks_the_largest_difference() -> None:
    tally = CheckTally(ChessCheck.MIRROR, seed=0)
    for number in range(4):
        tally.add(mirror(number, 0.1 * number, 0.0))
    (figure,) = [figure for figure in with_only(tally.summary()).report().figures if isinstance(figure.data, Histogram)]
    assert isinstance(figure.data, Histogram)
    assert figure.data.mark is not None
    assert figure.data.mark[0] == pytest.approx(0.3)
    assert figure.data.mark[1] == "largest 0.30"
    # differences 0, 0.1, 0.2 and 0.3, in bins of 0.01 up to 1.08 * 0.3 + 0.04 = 0.364
    assert [index for index, number in enumerate(figure.data.counts) if number] == [0, 10, 20, 30]
    assert len(figure.data.counts) == 37
