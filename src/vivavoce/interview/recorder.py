"""The interview's hand on the transcript: one thread, many answers in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Final, Generic, TypeVar

from vivavoce.interview.record import Entry, Key, Record
from vivavoce.interview.transcript import Transcript

Item = TypeVar("Item")
Result = TypeVar("Result")

GATHERING: Final = 0.002
"""Seconds for which a first answer waits for others that may come: a commit a record would cost more than the request."""


class Recorder:
    """Reads and writes a transcript in a thread of its own, so that the event loop never waits for a disk or a server."""

    def __init__(self, transcript: Transcript, in_flight: Callable[[], int]) -> None:
        self._transcript = transcript
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="transcript")
        self._lookups: _Together[Key, Record | None] = _Together(transcript.find_all, self._thread)
        self._writes: _Together[Entry, Record] = _Together(transcript.append, self._thread, others=in_flight)

    async def find(self, key: Key) -> Record | None:
        """The record of this key, or None."""
        return await self._lookups.put(key)

    async def write(self, entry: Entry) -> Record:
        """Write durably, and return the record that stands. What was given is written even if the caller is cancelled."""
        return await self._writes.put(entry)

    async def answers(self, candidate: str) -> int:
        """How many answers of this candidate are on record."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transcript.answers, candidate)

    async def knows(self, candidate: str) -> bool:
        """Whether anything of this candidate is on record."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transcript.knows, candidate)

    async def settled(self) -> None:
        """Wait until nothing is left to read or write."""
        await self._lookups.settled()
        await self._writes.settled()


class _Together(Generic[Item, Result]):
    """Hands items to a thread; those that come while it is busy go together next time."""

    def __init__(
        self,
        work: Callable[[list[Item]], Sequence[Result]],
        thread: Executor,
        others: Callable[[], int] = lambda: 0,
    ) -> None:
        self._work = work
        self._thread = thread
        self._others = others
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._turns: asyncio.Task[None] | None = None

    async def put(self, item: Item) -> Result:
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._turns is None or self._turns.done():
            self._turns = asyncio.create_task(self._work_off())
        return await future

    async def settled(self) -> None:
        if self._turns is not None:
            await asyncio.wait([self._turns])

    async def _work_off(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            if len(self._waiting) < self._others():
                await asyncio.sleep(GATHERING)
            batch, self._waiting = self._waiting, []
            try:
                results = await loop.run_in_executor(self._thread, self._work, [item for item, _ in batch])
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                        future.exception()  # its caller may have been cancelled meanwhile; then nobody else looks at it
            else:
                for (_, future), result in zip(batch, results, strict=True):
                    if not future.done():
                        future.set_result(result)
