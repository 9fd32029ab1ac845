"""Engines in a Dask cluster on this machine."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.candidates.engines import command_line, descendants, needs_stockfish, parent_of, positions
from tests.interview.candidates import until
from vivavoce.candidates.uci.pool import open_engine
from vivavoce.errors import BadInput, CandidateUnreachable
from vivavoce.interview.candidate_kinds import Evaluation, Position

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'vivavoce[cluster]'")

pytestmark = [pytest.mark.slow, pytest.mark.engine, needs_stockfish, pytest.mark.filterwarnings("ignore")]
NAME = "uci:stockfish?nodes=10000"


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Two worker processes of one thread each, on the loopback."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
    ) as local:
        yield local


def engines() -> list[int]:
    return [pid for pid in descendants(os.getpid()) if "stockfish" in command_line(pid)]


async def answers(questions: list[Position], *, cluster: str | None, kill: bool = False) -> list[Any]:
    """All answers; with `kill`, a worker dies on the way."""
    pool = open_engine(NAME, workers=2, cluster=cluster)
    try:
        asking = asyncio.create_task(pool.answer_all(questions))
        if kill:
            await until(lambda: engines() != [])
            assert not asking.done()
            os.kill(parent_of(engines()[0]), signal.SIGKILL)
        assert pool.concurrency == 4
        return await asking
    finally:
        await pool.close()


@pytest.mark.parametrize("kill", [False, True], ids=["in peace", "a worker is killed"])
async def test_a_cluster_answers_as_processes_do(cluster: Any, kill: bool) -> None:
    questions = [Position(fen) for fen in positions(150, seed=8)]
    there = await answers(questions, cluster=cluster.scheduler_address, kill=kill)
    assert engines() == []
    assert all(isinstance(answer, Evaluation) for answer in there)
    assert there == await answers(questions, cluster=None)


async def test_nobody_at_that_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.candidates.cluster.scheduler.CONNECT_SECONDS", 1)
    with pytest.raises(CandidateUnreachable, match="no Dask scheduler answers"):
        open_engine(NAME, cluster="tcp://127.0.0.1:1")
    with pytest.raises(BadInput, match="no address"):
        open_engine(NAME, cluster="nonsense://x")
