"""A Dask scheduler, its workers and the process that counts, each a process of its own that can be killed at any moment."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [
        "tests.candidates.cluster.daskers",
        "distributed",
        "vivavoce.cli.certify",
        "vivavoce.certificate.certify",
        "vivavoce.scopes",
        "vivavoce.candidates.cluster.dealer",
        "vivavoce.candidates.cluster.dealer",
        "vivavoce.candidates.bots",
    ]
)
FUNCTION = """
import os, re, time

def answer(text):
    first, operator, second = re.search(r"([0-9]+) ([-+*]) ([0-9]+)", text).groups()
    log = os.open(os.environ["ASKED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, f"{time.time():.3f} {first}{operator}{second}\\n".encode())
    os.close(log)
    hangs = int(first) * int(second) % 31 == 7
    time.sleep(60 if hangs else float(os.environ["DELAY"]))
    one, other = int(first), int(second)
    wrong = one % 9 == 4
    results = {"+": one + other, "-": one - other, "*": one * other}
    return f"Answer: {results[operator] + wrong}"
"""
"""Right but for a ninth of the questions, always the same; some hang. It notes each question before it answers."""


class Daskers:
    """Processes of a cluster in a folder, in which functions are found."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        here, there = PROCESSES.Pipe(duplex=False)
        self._scheduler = PROCESSES.Process(target=_schedule, args=(there, folder), daemon=True)
        self._scheduler.start()
        if not here.poll(60):
            raise TimeoutError("no scheduler within 60 s")
        self.address: str = here.recv()
        self.workers: list[BaseProcess] = []

    def add(self, number: int) -> None:
        """So many workers more."""
        for _ in range(number):
            worker = PROCESSES.Process(target=_work, args=(self.address, self.folder, self.environment), daemon=True)
            worker.start()
            self.workers.append(worker)

    def kill(self, index: int) -> None:
        """Kill one, and start another in its place."""
        victim = self.workers.pop(index)
        victim.kill()
        victim.join()
        self.add(1)

    def count(self, arguments: Sequence[str], out: Path) -> BaseProcess:
        """A `viva` that has begun, with its output in that file."""
        process = PROCESSES.Process(target=_count, args=(tuple(arguments), out, self.folder, self.environment))
        process.start()
        return process

    def end(self) -> None:
        """Kill all."""
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.join()


@contextmanager
def daskers(folder: Path, workers: int, **environment: str) -> Iterator[Daskers]:
    """A cluster of so many workers with a thread each, in a folder with the function above, `sums:answer`."""
    (folder / "sums.py").write_text(FUNCTION)
    cluster = Daskers(folder, {"ASKED": str(folder / "asked"), **environment})
    try:
        cluster.add(workers)
        yield cluster
    finally:
        cluster.end()


def asked(folder: Path) -> dict[str, list[float]]:
    """When each question was asked."""
    result: dict[str, list[float]] = {}
    for line in (folder / "asked").read_text().splitlines():
        moment, question = line.split()
        result.setdefault(question, []).append(float(moment))
    return result


def _schedule(connection: Connection, folder: Path) -> None:
    from distributed import Scheduler

    async def serve() -> None:
        new: Any = Scheduler
        async with new(host="127.0.0.1", port=0, dashboard_address=":0") as scheduler:
            connection.send(scheduler.address)
            await scheduler.finished()

    _alone(folder, {})
    asyncio.run(serve())


def _work(address: str, folder: Path, environment: dict[str, str]) -> None:
    from distributed import Worker

    async def work() -> None:
        new: Any = Worker
        async with new(address, nthreads=1, host="127.0.0.1", local_directory=str(folder), dashboard=False) as worker:
            await worker.finished()

    _alone(folder, environment)
    asyncio.run(work())


def _count(arguments: tuple[str, ...], out: Path, folder: Path, environment: dict[str, str]) -> None:
    from vivavoce.cli import main

    _alone(folder, environment)
    with out.open("w") as sys.stdout, out.with_suffix(".err").open("w") as sys.stderr:
        code = main(arguments)
        sys.stdout.flush()
    os._exit(code)


def _alone(folder: Path, environment: dict[str, str]) -> None:
    """In a process of its own: in that folder, and quietly."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    os.chdir(folder)
    os.environ.update(environment)


def wait_until_asked(folder: Path, number: int) -> None:
    """Until so many questions have been noted."""
    deadline = time.monotonic() + 60
    while not (folder / "asked").exists() or len((folder / "asked").read_text().splitlines()) < number:
        if time.monotonic() > deadline:
            raise TimeoutError(f"no {number} questions within 60 s")
        time.sleep(0.02)
