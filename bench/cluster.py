"""A cluster against one worker of it, and what the process that counts spends on an answer.

    python bench/cluster.py

First 4 Dask workers against 1, on a scheduler of their own: a candidate that takes half a second an answer, asked as a command
asks it, with every answer on disk. The ratio of answers a second says what is lost on the way. Then the counter alone: 1,000
workers are simulated by the moments at which their answers would come, exponential pauses of half a second on a clock that
jumps; all that an interview does for an answer is done, on disk as well, and its processor time is measured. Then the share of
Dask's client, with questions that take no time.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.interview.candidates import JumpingLoop
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.cluster.dealer import CandidateCluster
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.transcript import Transcript

SECONDS = 0.5
"""An answer."""
QUESTIONS = 120
WORKERS = 4
SIMULATED = 1_000
ANSWERS = 20_000
IN_FLIGHT = 64
QUICK = 4_000


@contextmanager
def cluster(workers: int, threads: int) -> Iterator[str]:
    """The address of a scheduler with so many workers, each a process."""
    with tempfile.TemporaryDirectory() as folder:
        words = Path(folder) / "scheduler.json"
        quiet: dict[str, Any] = {"stdout": DEVNULL, "stderr": DEVNULL, "cwd": folder}
        dask = [str(Path(sys.executable).with_name("dask"))]
        position = ["--scheduler-file", str(words)]
        processes = [Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *position], **quiet)]
        try:
            entry = [
                *dask,
                "worker",
                "--no-nanny",
                "--nthreads",
                str(threads),
                "--no-dashboard",
                "--host",
                "127.0.0.1",
                *position,
            ]
            processes += [Popen(entry, **quiet) for _ in range(workers)]
            yield _address(words, workers)
        finally:
            for process in reversed(processes):
                process.kill()
                process.wait()


def _address(words: Path, workers: int) -> str:
    from distributed import Client

    while not words.exists():
        time.sleep(0.05)
    new: Any = Client
    with new(scheduler_file=str(words), set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=60)
        return str(client.scheduler.address)


async def asked(name: str, questions: int, *, concurrency: int | None = None) -> tuple[float, float]:
    """Seconds, and seconds of the processor, that so many questions take."""
    candidate = open_candidate(name)
    with tempfile.TemporaryDirectory() as folder, Transcript.open(Path(folder) / "t.sqlite") as transcript:
        interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=concurrency)
        prompts = [Prompt(f"What is {number} + 1?", id=str(number)) for number in range(questions)]
        try:
            [_ async for _ in interview.ask_in_order(prompts[:2])]  # connected, and the candidate loaded
            began, used = time.perf_counter(), time.process_time()
            [_ async for _ in interview.ask_in_order(prompts[2:])]
            return time.perf_counter() - began, time.process_time() - used
        finally:
            await close_candidate(candidate)


def throughput(workers: int) -> float:
    """Answers a second."""
    with cluster(workers, threads=1) as address, CandidateCluster(address):
        seconds, _ = asyncio.run(asked(f"bot:calculator?delay={SECONDS}", QUESTIONS))
    return (QUESTIONS - 2) / seconds


@dataclass
class ArrivalClock:
    """As many workers as there are questions in flight, whose answers arrive at moments that are drawn."""

    rng: random.Random
    name: str = "bot:arriving"
    asked_again: RepeatReason = "same"

    async def answer(self, question: Prompt, /) -> Reply:
        """The answer, once it has arrived."""
        return await asyncio.sleep(self.rng.expovariate(1 / SECONDS), Reply(f"Answer: {question.id}"))


async def counted() -> None:
    """All answers of simulated workers, taken in drawn order and on disk."""
    with tempfile.TemporaryDirectory() as folder, Transcript.open(Path(folder) / "t.sqlite") as transcript:
        candidate = ArrivalClock(random.Random(0))
        interview: Interview[Prompt, Reply] = Interview(
            candidate, answers=Reply, transcript=transcript, concurrency=SIMULATED, settings=AskSettings(time_out=None)
        )
        prompts = (Prompt(f"What is {number} + 1?", id=str(number)) for number in range(ANSWERS))
        handed_out = [question.id async for question, _ in interview.ask_in_order(prompts)]
        assert handed_out == [str(number) for number in range(ANSWERS)]


def main() -> None:
    entry, four = throughput(1), throughput(WORKERS)
    print(f"{SECONDS:g} s an answer: 1 worker {entry:.2f}/s, {WORKERS} workers {four:.2f}/s, {four / entry:.2f} times")
    used = time.process_time()
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(counted())
    each = (time.process_time() - used) / ANSWERS
    print(f"the counter, {SIMULATED} simulated workers: {1000 * each:.3f} ms of its processor an answer")
    with cluster(2, threads=IN_FLIGHT // 2) as address, CandidateCluster(address):
        seconds, dealt = asyncio.run(asked("bot:calculator", QUICK, concurrency=IN_FLIGHT))
    print(
        f"the counter with Dask, {IN_FLIGHT} in flight: {1000 * dealt / QUICK:.3f} ms of its processor an answer, "
        f"{QUICK / seconds:.0f} answers/s"
    )


if __name__ == "__main__":
    main()
