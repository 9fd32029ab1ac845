"""The page, the plot and the terminal of a search for contradictions."""

import asyncio
import xml.etree.ElementTree as ET
from functools import cache

import pytest

from tests.consistency.chess.search.engines import Formula, biased, interview, perfect
from tests.render.html_pages import assert_in_order, html_of, plain
from vivavoce.consistency.chess.search.search_boards import search_boards
from vivavoce.consistency.chess.search.search_finding import ChessSearch, Counted, courses
from vivavoce.consistency.config import SEARCH_METHODS, SearchConfig
from vivavoce.render.drawing import Drawing, drawing_of, svg
from vivavoce.report.blocks import ReportTable
from vivavoce.report.figures import Lines

COUNTED: tuple[Counted, ...] = ("raw", "distinct", "families")
SVG = "{http://www.w3.org/2000/svg}"


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
