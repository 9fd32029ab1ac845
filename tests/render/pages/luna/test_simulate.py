"""The page of simulated games: both readings and why, each figure as a plot, and the table of attacks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.render.html_pages import html_of
from vivavoce.luna.settings import SimulationConfig
from vivavoce.luna.simulation_finding import SLIPS, LunaSimulation, examine_simulation


@pytest.fixture(scope="module")
def simulation() -> LunaSimulation:
    return examine_simulation(["3.1", "3.3", "3.7"], SimulationConfig(players=12, trials=2), attacks=True)


def test_a_page_shows_both_readings_and_says_why(simulation: LunaSimulation) -> None:
    html = html_of(simulation)
    assert html.count("<svg") == 3
    assert "As published" in html
    assert "Ratings under attack" in html
    assert all(slip.partition(",")[0].replace("'", "&#39;") in html for slip in SLIPS)


def test_without_figures_or_attacks_there_is_no_such_part(simulation: LunaSimulation) -> None:
    alone = html_of(replace(simulation, charts=()))
    assert "Two readings" not in alone
    assert "Ratings under attack" not in html_of(replace(simulation, attacks=()))


def test_tables_say_where_figures_end(simulation: LunaSimulation) -> None:
    ends, attacks = simulation.report().tables
    ways = [(row.head.text, "a tenth" in row.cells[0].text) for row in ends.rows]
    assert ways == [("3.1", False), ("3.3", True), ("3.7", False)]
    assert sum(bool(row.head.below) for row in attacks.rows) == 2
