"""The page, the plot and the terminal of a search for contradictions."""

import asyncio
import io
import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest
from rich.console import Console

from tests.consistency.chess.search.engines import Formula, biased, interview, perfect
from vivavoce.consistency.chess.search.examine import search_boards
from vivavoce.consistency.chess.search.finding import ChessSearch, Method
from vivavoce.render.page import page
from vivavoce.render.pages.chess.search import rows
from vivavoce.render.plots.chess_search import convergence
from vivavoce.render.terminals.chess.search import print_chess_search

MADE = datetime(2025, 11, 20, 9, 30, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"


def searched(engine: Formula, evaluations: int) -> ChessSearch:
    return asyncio.run(search_boards(interview(engine), tuple(Method), evaluations=evaluations, seeds=(0, 1), threshold=0.1))


@pytest.fixture(scope="module")
def found() -> ChessSearch:
    return searched(Formula(biased), 300)


def test_the_page_says_first_what_was_found_and_last_how(found: ChessSearch) -> None:
    text = re.sub(r"<[^>]+>", " ", page([found], made=MADE, version="0.1.0"))
    order = [
        found.headline,
        "Boards as they were asked",
        "Families",
        "The largest differences",
        "What this does not show",
        "How this was found",
        "Random search draws every board afresh",
    ]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert all(example.first.fen in text for example in found.examples)
    assert all(caveat in text for caveat in found.caveats)


def test_cells_hold_mean_least_and_most(found: ChessSearch) -> None:
    for what in ("raw", "distinct", "families"):
        for (name, cells), method in zip(rows(found, what), Method, strict=True):
            assert name == method.value
            first, second = (getattr(run.counts[0], what) for run in found.of(method))
            mean, ends = cells[0]
            assert float(mean) == pytest.approx((first + second) / 2, abs=0.5)
            assert ends == ("" if first == second else f"{min(first, second)}–{max(first, second)}")


def test_two_pages_have_no_id_in_common(found: ChessSearch) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page([found, found], made=MADE, version="0.1.0"))
    assert ids
    assert len(ids) == len(set(ids))


def test_the_plot_names_every_method_and_tells_where_it_ended(found: ChessSearch) -> None:
    plot = convergence(found, "c")
    words = [element.text for element in ET.fromstring(plot.svg).iter(f"{SVG}text")]
    assert {"random", "genetic", "archive"} <= set(words)
    for method in Method:
        last = [run.course[-1] for run in found.of(method)]
        assert f"{method.value} search {round(sum(point.distinct for point in last) / 2)} and" in plot.alt


def test_a_perfect_engine_has_a_page_too() -> None:
    none = searched(Formula(perfect), 60)
    html = page([none], made=MADE, version="0.1.0")
    assert "No search found a board" in html
    assert "No difference was above 0.1" in html


def test_the_terminal_shows_the_same_numbers_and_the_sentence_last(found: ChessSearch) -> None:
    file = io.StringIO()
    print_chess_search(found, Console(file=file, width=200))
    text = file.getvalue()
    for what in ("raw", "distinct", "families"):
        for _, cells in rows(found, what):
            assert all(mean in text and ends in text for mean, ends in cells)
    assert text.rstrip().endswith(found.statement)
