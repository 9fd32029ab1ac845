"""The site as several server processes over one database, behind one address at which requests take turns.

Each process is `python -m tests.web.processes FILE`: the site as its environment describes it, as `viva luna serve` runs it,
with two things that a test can do to all processes at once by writing into FILE, which they hold as memory: put the clock
forward, and have them forget who did what how often.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import cycle
from mmap import mmap
from pathlib import Path
from socket import socket
from struct import Struct
from threading import Thread
from typing import IO

import httpx
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from tests.web.site import AHEAD, PATIENT, PLAIN, SECRET, TICK, LiveSite, SharedClock, forget_counts, loopback, server_of
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


PIECE = 65_536


class Turns:
    """Passes connections on, byte by byte as they come; knows nothing of what is said."""

    def __init__(self, listening: socket, ports: Sequence[int]) -> None:
        self._listening = listening
        self._ports = cycle(ports)
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()

    def run(self) -> None:
        """Until it is stopped."""
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    def stop(self) -> None:
        """From another thread; connections break."""
        self._loop.call_soon_threadsafe(self._stop.set)

    async def _serve(self) -> None:
        async with await asyncio.start_server(self._accept, sock=self._listening):
            await self._stop.wait()
            for task in self._open:
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._pass(reader, writer, next(self._ports)))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:  # this server is gone: the browser is told by a connection that breaks
            await _close(writer)
            return
        await asyncio.gather(_pump(reader, there_writer), _pump(there_reader, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        with suppress(OSError):  # one of the two hung up
            while piece := await reader.read(PIECE):
                writer.write(piece)
                await writer.drain()
    finally:
        await _close(writer)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


@contextmanager
def in_turns(listening: socket, ports: Sequence[int]) -> Iterator[None]:
    """Pass connections on until the block ends."""
    turns = Turns(listening, ports)
    thread = Thread(target=turns.run, name="turns")
    thread.start()
    try:
        yield
    finally:
        turns.stop()
        thread.join(10)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
