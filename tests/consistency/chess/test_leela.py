"""The checks on an engine that speaks as lc0 does: every difference is the one that its known function gives."""

from __future__ import annotations

import asyncio
from pathlib import Path

import chess
import pytest

from tests.candidates.engines import positions
from tests.candidates.leela import lc0, searched, statistics, value
from vivavoce.candidates.uci.pool import open_engine
from vivavoce.consistency.chess.compare_positions import Material, compare_positions
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison
from vivavoce.consistency.chess.positions import GamePosition
from vivavoce.consistency.config import CheckName, ChessConfig
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.vendor_batches import BatchInterview

LIMIT = 8


def comparisons(folder: Path, nodes: int, check: CheckName) -> tuple[ChessComparison, ...]:
    async def examined() -> tuple[ChessComparison, ...]:
        engine = open_engine(f"uci:{lc0(folder)}?nodes={nodes}")
        try:
            placed = [GamePosition(fen, f"game {i}") for i, fen in enumerate(positions(LIMIT + 4, seed=9))]
            interview: BatchInterview[Position, Evaluation] = BatchInterview(engine, answers=Evaluation)
            config = ChessConfig((check,), make_forced=False, limit=LIMIT)
            checked_positions = await compare_positions(interview, Material(placed), config, each=True)
            return checked_positions.each
        finally:
            await engine.close()

    return asyncio.run(examined())


def told(fen: str, nodes: int) -> float:
    return value(fen) if nodes == 1 else searched(fen, statistics(fen, nodes)[2])


@pytest.mark.parametrize("nodes", [1, 60])
@pytest.mark.parametrize("check", ["mirror", "recommended"])
def test_differences_are_those_of_the_known_function(tmp_path: Path, nodes: int, check: CheckName) -> None:
    compared = comparisons(tmp_path, nodes, check)
    assert len(compared) == LIMIT
    for comparison in compared:
        sign = -1 if check == "recommended" else 1
        expected = told(comparison.first.fen, nodes) - sign * told(comparison.second.fen, nodes)
        assert comparison.signed == pytest.approx(expected, abs=1.3e-5)  # two numbers of five digits
        if comparison.check is ChessCheck.RECOMMENDED:
            board = chess.Board(comparison.first.fen)
            board.push_uci(
                statistics(comparison.first.fen, nodes)[2]
            )  # with one node the policy head's move, else the search's
            assert board.fen() == comparison.second.fen
