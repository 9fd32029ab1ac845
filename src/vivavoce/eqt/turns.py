"""Who may ask next: what belongs to an earlier concept goes before what belongs to a later one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import heappop, heappush

from vivavoce.errors import BadInput


class Turns:
    """Lets this many ask at once; of those who wait, the earliest concept goes first, and within it the first to come.

    All concepts are under way side by side, so nobody waits while there is room. But when a budget runs out, the first
    concepts are complete and only a few have been begun in vain: first come, first served would have all of them explained
    before the first question is answered. Raises `BadInput` for none at once.

    >>> async def order() -> list[int]:
    ...     turns, done = Turns(1), []
    ...     async def one(concept: int) -> None:
    ...         async with turns.taken(concept):
    ...             await asyncio.sleep(0)
    ...             done.append(concept)
    ...     await asyncio.gather(*(one(concept) for concept in (3, 2, 1)))
    ...     return done
    >>> asyncio.run(order())
    [3, 1, 2]
    """

    def __init__(self, concurrency: int) -> None:
        if concurrency < 1:
            raise BadInput(f"concurrency is {concurrency}, it must be at least 1")
        self._free = concurrency
        self._came = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def taken(self, concept: int) -> AsyncIterator[None]:
        """A turn for as long as the block runs."""
        await self._wait(concept)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, concept: int) -> None:
        if self._free:
            self._free -= 1
            return
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._came += 1
        heappush(self._waiting, (concept, self._came, called))
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():
                self._pass_on()  # called and cancelled at once: the turn is another's
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            *_, called = heappop(self._waiting)
            if not called.done():
                called.set_result(None)
                return
        self._free += 1
