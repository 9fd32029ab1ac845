"""The page of simulated games: both readings and why, each figure as a plot, and the table of attacks."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from vivavoce.luna.settings import SimulationConfig
from vivavoce.luna.simulation_finding import SLIPS, LunaSimulation, examine_simulation
from vivavoce.render.console import print_report
from vivavoce.render.page import page

MADE = datetime(2026, 6, 14, tzinfo=UTC)


@pytest.fixture(scope="module")
def found() -> LunaSimulation:
    return examine_simulation(["3.1", "3.3", "3.7"], SimulationConfig(players=12, trials=2), attacks=True)


def test_a_page_shows_both_readings_and_says_why(found: LunaSimulation) -> None:
    html = page([found], made=MADE, version="1")
    assert html.count("<svg") == 3
    assert "As published" in html
    assert "Ratings under attack" in html
    assert all(slip.partition(",")[0].replace("'", "&#39;") in html for slip in SLIPS)
    assert html == page([found], made=MADE, version="1")


def test_without_figures_or_attacks_there_is_no_such_part(found: LunaSimulation) -> None:
    alone = page([replace(found, charts=())], made=MADE, version="1")
    assert "Two readings" not in alone
    assert "Ratings under attack" not in page([replace(found, attacks=())], made=MADE, version="1")


def test_tables_say_where_figures_end(found: LunaSimulation) -> None:
    ends, attacks = found.report().tables
    ways = [(row.head.text, "a tenth" in row.cells[0].text) for row in ends.rows]
    assert ways == [("3.1", False), ("3.3", True), ("3.7", False)]
    assert sum(bool(row.head.below) for row in attacks.rows) == 2


def test_the_terminal_ends_with_the_sentence(found: LunaSimulation) -> None:
    out = io.StringIO()
    print_report(found.report(), Console(file=out, width=250))
    assert out.getvalue().rstrip().endswith(found.statement)
