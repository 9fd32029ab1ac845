"""Many engines: the same answers from any number of processes, whatever is killed on the way, and nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.candidates.engines import (
    GOOD,
    OVER,
    command_line,
    descendants,
    fake,
    is_alive,
    needs_stockfish,
    parent_of,
    positions,
)
from tests.each_case import each_case
from tests.interview.candidates import until
from vivavoce.candidates.uci.engine import UciEngine
from vivavoce.candidates.uci.options import find_engine
from vivavoce.candidates.uci.pool import EnginePool, open_engine
from vivavoce.errors import BadInput, CandidateError, CandidateUnreachable
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.interview import Interview
from vivavoce.interview.vendor_batches import BatchInterview

FEN = "r3kb1r/pp1qpppp/2n2n2/3p4/3P1B2/2N1P3/PP3PPP/R2QKB1R w KQkq - 3 9"


@asynccontextmanager
async def pool_of(name: str, workers: int = 2, cluster: str | None = None) -> AsyncIterator[EnginePool]:
    pool = open_engine(name, workers=workers, cluster=cluster)
    try:
        yield pool
    finally:
        await pool.close()


def one_by_one(name: str, fens: list[str]) -> list[Evaluation]:
    """Without a pool."""
    with UciEngine(find_engine(name).settings) as engine:
        return [engine.evaluate(fen) for fen in fens]


def processes_with(word: str) -> list[int]:
    """Descendants of this process whose command line holds that word."""
    return [pid for pid in descendants(os.getpid()) if word in command_line(pid)]


@pytest.mark.long
@pytest.mark.engine
@needs_stockfish
async def test_two_workers_answer_as_one_engine_does() -> None:
    fens = positions(60, seed=6)
    async with pool_of("uci:stockfish?nodes=10000") as pool:
        assert pool.size < 40  # so that both workers have something to do
        answers = await pool.answer_all([Position(fen) for fen in [*fens, OVER]])
        assert len(processes_with("stockfish")) == 2
    assert answers[:-1] == one_by_one("uci:stockfish?nodes=10000", fens)
    assert isinstance(answers[-1], NoAnswer)
    assert "no move" in answers[-1].reason
    assert processes_with("stockfish") == []


@pytest.mark.long
@pytest.mark.engine
@needs_stockfish
@pytest.mark.parametrize("victim", ["engine", "worker"])
async def test_a_kill_in_the_middle_changes_nothing(victim: str) -> None:
    fens = positions(90, seed=7)
    expected = one_by_one("uci:stockfish?nodes=10000", fens)
    async with pool_of("uci:stockfish?nodes=10000") as pool:
        await pool.answer(Position(FEN))
        asking = asyncio.create_task(pool.answer_all([Position(fen) for fen in fens]))
        await asyncio.sleep(0.2)
        engine = processes_with("stockfish")[0]
        assert not asking.done()
        os.kill(engine if victim == "engine" else parent_of(engine), signal.SIGKILL)
        await until(lambda: not is_alive(engine))
        assert await asking == expected
    assert processes_with("stockfish") == []


@pytest.fixture
def cluster() -> Iterator[str]:
    """The address of two worker processes of one thread each, on the loopback."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'vivavoce[cluster]'")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
    ) as local:
        yield local.scheduler_address


@pytest.mark.slow
@pytest.mark.engine
@needs_stockfish
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kill", [False, True], ids=["in peace", "a worker is killed"])
async def test_a_cluster_answers_as_one_engine_does(cluster: str, kill: bool) -> None:
    fens = positions(150, seed=8)
    async with pool_of("uci:stockfish?nodes=10000", cluster=cluster) as pool:
        asking = asyncio.create_task(pool.answer_all([Position(fen) for fen in fens]))
        if kill:
            await until(lambda: processes_with("stockfish") != [])
            assert not asking.done()
            os.kill(parent_of(processes_with("stockfish")[0]), signal.SIGKILL)
        assert pool.concurrency == 4
        answers = await asking
    assert processes_with("stockfish") == []
    assert answers == one_by_one("uci:stockfish?nodes=10000", fens)


@pytest.mark.slow
@pytest.mark.engine
@needs_stockfish
@pytest.mark.filterwarnings("ignore")
def test_nobody_at_the_address_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'vivavoce[cluster]'")
    monkeypatch.setattr("vivavoce.candidates.cluster.scheduler.CONNECT_SECONDS", 1)
    with pytest.raises(CandidateUnreachable, match="no Dask scheduler answers"):
        open_engine("uci:stockfish", cluster="tcp://127.0.0.1:1")
    with pytest.raises(BadInput, match="not an address"):
        open_engine("uci:stockfish", cluster="nonsense://x")


@pytest.mark.engine
@needs_stockfish
async def test_both_kinds_of_interview_can_ask() -> None:
    async with pool_of("uci:stockfish?nodes=500", workers=1) as pool:
        single: Interview[Position, Evaluation] = Interview(pool, answers=Evaluation)
        batch: BatchInterview[Position, Evaluation] = BatchInterview(pool, answers=Evaluation)
        first = await single.ask(Position(FEN))
        over = await single.ask(Position(OVER))
        assert await batch.ask_together([Position(FEN)]) == [first]
    assert isinstance(first, Evaluation)
    assert isinstance(over, NoAnswer)
    assert (over.attempts, "no move" in over.reason) == (1, True)


async def test_an_engine_that_dies_now_and_then(tmp_path: Path) -> None:
    # a process answers three positions and dies at the fourth, which a new process answers as its first: nothing is missing
    mortal = GOOD.replace("def go():", "def go():\n    if asked == 4: os._exit(1)")
    async with pool_of(f"uci:{fake(tmp_path, mortal)}", workers=1) as pool:
        answers = await pool.answer_all([Position(FEN)] * 10)
    assert [isinstance(answer, Evaluation) for answer in answers] == [True] * 10


async def test_what_has_no_answer_stands_in_its_place(tmp_path: Path) -> None:
    # move number 50 kills the engine every time, 51 makes it hang
    bad = "import signal\n" + GOOD.replace(
        "def go():", "def go():\n    if ' 50' in fen: os.kill(os.getpid(), signal.SIGSEGV)\n    if ' 51' in fen: time.sleep(60)"
    )
    fens = [FEN, FEN.replace(" 9", " 50"), FEN, FEN.replace(" 9", " 51"), FEN]
    async with pool_of(f"uci:{fake(tmp_path, bad)}?time_out=2", workers=1) as pool:
        answers = await pool.answer_all([Position(fen) for fen in fens])
    assert answers[1] == NoAnswer("the engine died", 2)
    assert answers[3] == NoAnswer("time-out after 2 s", 1)
    assert answers[0] == answers[2] == answers[4]
    assert isinstance(answers[0], Evaluation)


async def test_a_chunk_that_kills_its_worker_every_time_is_given_up(tmp_path: Path) -> None:
    # the engine is the worker's child, and as hostile as can be: it kills its parent
    killer = "import signal\ndef go():\n    os.kill(os.getppid(), signal.SIGKILL)\n    time.sleep(5)\n"
    async with pool_of(f"uci:{fake(tmp_path, killer)}", workers=1) as pool:
        with pytest.raises(CandidateUnreachable, match="keep dying"):
            await pool.answer(Position(FEN))


async def test_closing_waits_for_nobody(tmp_path: Path) -> None:
    pool = open_engine(f"uci:{fake(tmp_path, 'def go(): time.sleep(60)', name='sleeper')}", workers=2)
    asking = asyncio.create_task(pool.answer_all([Position(FEN)]))
    await until(lambda: processes_with("sleeper") != [])
    began = time.monotonic()
    await pool.close()
    await pool.close()
    assert time.monotonic() - began < 30  # the engine would think for 60
    with pytest.raises(CandidateError):
        await asking
    await until(lambda: processes_with("sleeper") == [])
    with pytest.raises(CandidateUnreachable, match="closed"):
        await pool.answer(Position(FEN))


@pytest.mark.parametrize("fen", ["quit", FEN + "\nquit"])
async def test_what_is_no_position_is_the_askers_mistake(tmp_path: Path, fen: str) -> None:
    async with pool_of(f"uci:{fake(tmp_path, GOOD)}", workers=1) as pool:
        with pytest.raises(BadInput, match="not a valid position"):
            await pool.answer(Position(fen))
        assert isinstance(await pool.answer(Position(FEN)), Evaluation)


def test_no_worker_is_no_pool(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="at least 1"):
        open_engine(f"uci:{fake(tmp_path, GOOD)}", workers=0)


@each_case(("nodes", "size"), [(1, 250), (1_000, 119), (10_000, 21), (81_000, 3), (10**9, 1)])
def test_a_chunk_takes_about_a_quarter_of_a_second(tmp_path: Path, nodes: int, size: int) -> None:
    # 0.25 s / (1 ms + 1.1 us a node): 250, 119.05, 20.8, 2.8, 0.0002
    pool = open_engine(f"uci:{fake(tmp_path, GOOD)}?nodes={nodes}", workers=3)
    assert (pool.size, pool.concurrency) == (size, 6)


OWNER = """
import asyncio, sys
from vivavoce.candidates.uci.pool import open_engine
from vivavoce.interview.candidate_kinds import Position

async def main():
    pool = open_engine(sys.argv[1], workers=2)
    try:
        await pool.answer_all([Position(sys.argv[2])])
        print("asking", flush=True)
        await pool.answer_all([Position(sys.argv[2])] * 10_000)
    finally:
        await pool.close()

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.long
@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_nothing_outlives_the_main_process(tmp_path: Path, name: str) -> None:
    slow = GOOD.replace("def go():", "def go():\n    if asked > 1: time.sleep(60)")
    (tmp_path / "owner.py").write_text(OWNER)
    command = [sys.executable, "owner.py", f"uci:{fake(tmp_path, slow)}", FEN]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "asking\n"
        time.sleep(0.3)
        left = descendants(owner.pid)
        assert sum("fake" in command_line(pid) for pid in left) >= 1
        owner.send_signal(getattr(signal, name))
        owner.wait(60)
    deadline = time.monotonic() + 30
    while any(map(is_alive, left)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [command_line(pid) for pid in left if is_alive(pid)] == []
