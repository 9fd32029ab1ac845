"""Matches at several numbers of nodes as one finding: it tells of the games of all of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.consistency.chess.match.test_play import CONFIG, Playing
from vivavoce.consistency.chess.match.examine import play_match
from vivavoce.consistency.chess.match.finding import ChessMatch
from vivavoce.consistency.chess.match.strength import strength
from vivavoce.errors import BadInput
from vivavoce.interview.batch import BatchInterview
from vivavoce.interview.engine import Evaluation


def match(second: Playing) -> ChessMatch:
    engines = (BatchInterview(Playing(), answers=Evaluation), BatchInterview(second, answers=Evaluation))
    return asyncio.run(play_match(engines, replace(CONFIG, openings=3, longest=10)))


def test_games_lost_by_a_fault_are_told_of_all_matches() -> None:
    well, broken = match(Playing(seed=1)), match(Playing(seed=2, dead_on=lambda fen: True))
    sound = strength("uci:other", {100: well, 10: well})
    assert "no legal move" not in sound.statement
    found = strength("uci:other", {100: broken, 10: well})
    assert "6 of 12 games were lost because no legal move came" in found.statement
    assert any("6 of 12 games were not played to an end" in one for one in found.caveats)  # the others are too long
    [_, table] = found.report().tables
    assert {row.head.text: row.cells[0].text for row in table.rows} == {"no legal move came": "6", "too long": "6"}


def test_one_number_of_nodes_is_no_study() -> None:
    with pytest.raises(BadInput, match="two or more"):
        strength("uci:other", {10: match(Playing())})
