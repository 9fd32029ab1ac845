"""Questions to a candidate that has its answers at hand: settled many at once, without a task and a transaction for each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from vivavoce.interview.requests import Put, Request

Q = TypeVar("Q")
A = TypeVar("A")
Block = Sequence[tuple[Request[A], Put[Q]]]


class Blocks(Generic[Q, A]):
    """Gathers requests until somebody needs the outcome of one of them; then all that were gathered are settled together.

    settle: sets the outcomes of requests, in their order; what it raises is the outcome of all that have none by then.
    """

    def __init__(self, settle: Callable[[Block[A, Q]], Awaitable[None]]) -> None:
        self._settle = settle
        self._gathered: list[tuple[Request[A], Put[Q]]] = []
        self._under_way: set[asyncio.Task[None]] = set()

    def put(self, request: Request[A], put: Put[Q]) -> None:
        """One more, which is not settled yet."""
        self._gathered.append((request, put))

    def begin(self) -> None:
        """Settle what was gathered."""
        block, self._gathered = [one for one in self._gathered if not one[0].task.cancelled()], []
        if block:
            task = asyncio.create_task(self._settled(block))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def ended(self) -> None:
        """Wait for what is being settled; what was given up before that is not."""
        self._gathered = [one for one in self._gathered if not one[0].task.cancelled()]
        if self._under_way:
            await asyncio.wait(self._under_way)

    async def _settled(self, block: Block[A, Q]) -> None:
        try:
            await self._settle(block)
        except asyncio.CancelledError:
            for request, _ in block:
                request.task.cancel()
            raise
        except Exception as error:
            for request, _ in block:
                if not request.task.done():
                    request.task.set_exception(error)
                    request.task.exception()  # who gave it up meanwhile does not look at it
