"""A small search with a real engine."""

import shutil

import pytest

from vivavoce.candidates.uci.pool import open_engine
from vivavoce.consistency.chess.search.search_boards import search_boards
from vivavoce.consistency.config import SearchConfig
from vivavoce.interview.batch import BatchInterview
from vivavoce.interview.engine import Evaluation, Position

STOCKFISH = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")


@pytest.mark.engine
@pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
@pytest.mark.long
async def test_stockfish_contradicts_itself_the_same_way_with_one_worker_and_two() -> None:
    found = []
    for workers in (1, 2):
        engine = open_engine(f"uci:{STOCKFISH}?nodes=200&hash=1", workers=workers)
        try:
            interview: BatchInterview[Position, Evaluation] = BatchInterview(engine, answers=Evaluation)
            found.append(await search_boards(interview, SearchConfig(evaluations=160, seeds=1)))
        finally:
            await engine.close()
    assert found[0] == found[1]
    # At 1,000 nodes about one random board in eight differs by more than .25 under a half turn, at 200 nodes more.
    assert all(run.counts[2].raw > 5 for run in found[0].runs)
    assert [run.no_answers for run in found[0].runs] == [0, 0, 0]
