"""Room for questions in flight, of which there may be more or less by and by, as where workers come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Slots:
    """An asynchronous context manager, within which a question is in flight. Who came first is let in first.

    wished: how many there should be, at least 1; asked whenever somebody comes or goes.
    """

    def __init__(self, wished: Callable[[], int]) -> None:
        self._wished = wished
        self.count = wished()
        """How many can be in flight now: none of them is taken away from who has it."""
        self._free = asyncio.Semaphore(self.count)
        self._surplus = 0
        """Of these, how many are not given to anybody else once they are free."""

    async def __aenter__(self) -> None:
        self._fit()
        await self._free.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._fit()
        if self._surplus:
            self._surplus -= 1
            self.count -= 1
        else:
            self._free.release()

    def _fit(self) -> None:
        more = max(1, self._wished()) - (self.count - self._surplus)
        kept = min(self._surplus, max(0, more))
        self._surplus += max(0, -more) - kept
        for _ in range(more - kept):
            self.count += 1
            self._free.release()
