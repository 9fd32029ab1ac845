"""The site as several server processes over one database, behind one address at which requests take turns.

Each process is `python -m tests.web.processes FILE`: the site as its environment describes it, as `viva luna serve` runs it,
with two things that a test can do to all processes at once by writing into FILE, which they hold as memory: put the clock
forward, and have them forget who did what how often.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from mmap import mmap
from pathlib import Path
from struct import Struct
from typing import IO

import httpx
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from tests.web.site import AHEAD, PATIENT, PLAIN, SECRET, TICK, LiveSite, SharedClock, forget_counts, loopback, server_of
from tests.web.turns import in_turns
from vivavoce.web.app import create_app
from vivavoce.web.database import open_database
from vivavoce.web.settings import PREFIX, SiteSettings

ROOT = Path(__file__).parents[2]
FORGOTTEN = Struct("q")
"""How often the servers were told to forget; behind the clock's `AHEAD`."""


class Forgetful:
    """The site, which begins to count again when it is told to, before it answers the next request."""

    def __init__(self, app: FastAPI, memory: mmap) -> None:
        self._app = app
        self._memory = memory
        self._forgotten = self._told()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._forgotten != (number := self._told()):
            self._forgotten = number
            forget_counts(self._app)
        await self._app(scope, receive, send)

    def _told(self) -> int:
        number: int = FORGOTTEN.unpack_from(self._memory, AHEAD.size)[0]
        return number


def serve(file: Path) -> None:
    """One server process, until it is told to end; its port is the one line that it says."""
    memory = shared(file)
    app = create_app(SiteSettings.from_environment(os.environ), clock=SharedClock(memory))
    listening = loopback()
    sys.stdout.write(f"{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    server_of(Forgetful(app, memory)).run(sockets=[listening])


def shared(file: Path) -> mmap:
    """The file as memory, the same for all who call this."""
    with file.open("r+b") as opened:
        return mmap(opened.fileno(), AHEAD.size + FORGOTTEN.size)


@contextmanager
def running_processes(folder: Path, database: str, count: int = 2, /, **settings: str) -> Iterator[LiveSite]:
    """The site on this database in so many processes, at one address.

    Parameters
    ----------
    settings: as environment variables have them.
    """
    file = folder / "shared"
    file.write_bytes(bytes(AHEAD.size + FORGOTTEN.size))
    memory = shared(file)
    numbers = iter(range(1, sys.maxsize))

    def tell_to_forget() -> None:
        FORGOTTEN.pack_into(memory, AHEAD.size, next(numbers))

    with ExitStack() as stack:
        listening = stack.enter_context(loopback())
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        given = {"database": database, "secret": SECRET, "base_url": url, "tick": str(TICK), "hold_back": "no"} | settings
        environment = os.environ | {PREFIX + name.upper(): value for name, value in given.items()}
        started = [stack.enter_context(_process(file, folder / f"log{n}", environment)) for n in range(count)]
        ports = [_port(process, log) for process, log in started]
        assert all(map(_answers, ports))
        stack.enter_context(in_turns(listening, ports))
        engine = open_database(database)
        stack.callback(memory.close)
        stack.callback(engine.dispose)
        yield LiveSite(url, engine, SharedClock(memory), tell_to_forget, count)


@contextmanager
def _process(file: Path, log: Path, environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    command = (sys.executable, "-W", "error", "-m", "tests.web.processes", str(file))
    with log.open("w") as wrapper, _started(command, wrapper, environment) as process:
        try:
            yield process, log
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _started(command: tuple[str, ...], io: IO[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=io, text=True, cwd=ROOT, env=environment)


def _port(process: subprocess.Popen[str], log: Path) -> int:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert re.fullmatch(r"\d+\n", line), log.read_text()
    return int(line)


def _answers(port: int) -> bool:
    """Whether the tables are made, and pages are served."""
    return httpx.get(f"http://127.0.0.1:{port}/", timeout=PATIENT, verify=PLAIN).status_code == 200


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
