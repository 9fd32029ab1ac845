"""One address for several servers: each new connection goes to the next of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from socket import socket
from threading import Thread

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
