"""Differences by another road: the same engine as raw text over pipes, and transformations of the test's own."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import chess
import numpy as np
import pytest

from tests.consistency.chess.engines import random_positions
from vivavoce.candidates.uci.pool import open_engine
from vivavoce.consistency.chess.compare_positions import Material, compare_positions
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison
from vivavoce.consistency.chess.positions import GamePosition, forced_from, synthetic_boards
from vivavoce.consistency.config import ChessConfig
from vivavoce.interview.batch_interview import BatchInterview
from vivavoce.interview.candidate_kinds import Evaluation, Position

NUMBER = 200
NODES = 1_000
STOCKFISH = shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin")


class Raw:
    """Stockfish, spoken to as a person would type."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._known: dict[str, float] = {}

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        print(line, file=self._process.stdin, flush=True)

    def hear_until(self, end: str) -> list[str]:
        assert self._process.stdout is not None
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            if line.startswith(end):
                return lines
        raise AssertionError("the engine is gone")

    def q(self, fen: str) -> float:
        """(W - L)/1000 of the last line with a win-draw-loss triple that is no bound."""
        if fen not in self._known:
            self.say(f"ucinewgame\nposition fen {fen}\ngo nodes {NODES}")
            exact = [line for line in self.hear_until("bestmove") if "bound" not in line]
            wins, _, losses = map(int, re.findall(r" wdl (\d+) (\d+) (\d+) ", "".join(exact))[-1])
            self._known[fen] = (wins - losses) / 1000
        return self._known[fen]


@contextmanager
def raw_engine() -> Iterator[Raw]:
    assert STOCKFISH is not None
    with subprocess.Popen([STOCKFISH], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        raw = Raw(process)
        raw.say("uci")
        raw.hear_until("uciok")
        raw.say("setoption name Threads value 1\nsetoption name Hash value 1\nsetoption name UCI_ShowWDL value true\nisready")
        raw.hear_until("readyok")
        yield raw
        raw.say("quit")


def orientations(fen: str) -> list[str]:
    """All eight, by rewriting the board's field as text."""
    ranks, *rest = fen.split(" ")
    rows = [re.sub(r"\d", lambda digit: "." * int(digit[0]), row) for row in ranks.split("/")]
    images = []
    for turned in (rows, ["".join(column) for column in zip(*rows, strict=True)]):
        for upside in (turned, turned[::-1]):
            for image in (upside, [row[::-1] for row in upside]):
                packed = "/".join(re.sub(r"\.+", lambda dots: str(len(dots[0])), row) for row in image)
                images.append(" ".join([packed, *rest]))
    return images


def expected(comparison: ChessComparison, raw: Raw) -> float:
    """The signed difference, from the base position alone."""
    if comparison.check is ChessCheck.BOARDS:
        values = [raw.q(fen) for fen in orientations(comparison.first.fen)]
        return max(values) - min(values)
    board = chess.Board(comparison.first.fen)
    if comparison.check is ChessCheck.MIRROR:
        return raw.q(board.fen()) - raw.q(board.mirror().fen())
    child = board.copy()
    child.push_uci(comparison.label)
    return raw.q(board.fen()) + raw.q(child.fen())


@pytest.fixture(scope="module")
def forced() -> list[GamePosition]:
    rng = np.random.default_rng(1)
    made = (forced_from(placed, rng) for placed in synthetic_boards(rng))
    return [placed for placed, _ in zip((placed for placed in made if placed), range(NUMBER), strict=False)]


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
@pytest.mark.parametrize("check", list(ChessCheck))
async def test_differences_by_another_road(check: ChessCheck, forced: list[GamePosition]) -> None:
    positions = forced if check is ChessCheck.FORCED else random_positions(NUMBER + 60)
    name: Any = check.value
    config = ChessConfig((name,), limit=NUMBER)
    pool = open_engine(f"uci:stockfish?nodes={NODES}&hash=1", workers=2)
    try:
        interview: BatchInterview[Position, Evaluation] = BatchInterview(pool, answers=Evaluation)
        checked_positions = await compare_positions(interview, Material(positions), config, each=True)
    finally:
        await pool.close()
    assert len(checked_positions.each) >= NUMBER * 0.9
    with raw_engine() as raw:
        for comparison in checked_positions.each:
            other = expected(comparison, raw)
            assert (comparison.difference if check is ChessCheck.BOARDS else comparison.signed) == pytest.approx(
                other, abs=1e-9
            )
    assert max(comparison.difference for comparison in checked_positions.each) > 0  # there was something to get wrong
