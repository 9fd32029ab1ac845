"""Several engines of one kind that share the work, each in a thread that waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

from vivavoce.candidates.boards.engine import BoardEngine
from vivavoce.errors import CandidateUnreachable, TransportFault
from vivavoce.interview.boards import Assessment, BoardPosition, GameToPlay, Measure, PlayedGame
from vivavoce.interview.candidate import NoAnswer

BATCH = 16
"""Positions that are worth sending together, for each engine: they take milliseconds."""

Q = TypeVar("Q", BoardPosition, GameToPlay)
A = TypeVar("A")


class BoardPool:
    """Engines that share the work. Each question is answered by itself, so it does not matter by which.

    An engine that dies is started again and asked once more; then there is no answer, as after a time-out.
    """

    def __init__(self, name: str, make: Callable[[], BoardEngine], *, measure: Measure, workers: int = 1) -> None:
        self.name = name
        self.measure: Measure = measure
        self.size = BATCH * workers
        self.concurrency = 1
        self._engines = [make() for _ in range(workers)]
        self._idle: SimpleQueue[BoardEngine] = SimpleQueue()
        for engine in self._engines:
            self._idle.put(engine)
        # An engine dies with the thread that has started it, so its threads last as long as the pool.
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="board-engine")
        self._closed = False

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer_all(self, questions: Sequence[BoardPosition], /) -> list[Assessment | NoAnswer]:
        """What the engines think of all positions, in their order.

        Raises `BadInput` for what is no position, and `CandidateMisconfigured` for an engine that is not what it should be.
        """
        return await self._all(questions, lambda engine, question: engine.assess(question))

    async def play_all(self, questions: Sequence[GameToPlay], /) -> list[PlayedGame | NoAnswer]:
        """Play all games; they come in the order of the questions."""
        return await self._all(questions, lambda engine, question: engine.play(question))

    async def close(self) -> None:
        """End all engines; what is under way is given up."""
        self._closed = True
        for engine in self._engines:
            engine.interrupt()
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        for engine in self._engines:
            engine.close()

    async def _all(self, questions: Sequence[Q], ask: Callable[[BoardEngine, Q], A]) -> list[A | NoAnswer]:
        if self._closed:
            raise CandidateUnreachable("the engines have been closed")
        loop = asyncio.get_running_loop()
        futures = [loop.run_in_executor(self._threads, self._one, ask, question) for question in questions]
        try:
            return list(await asyncio.gather(*futures))
        finally:
            for future in futures:
                future.cancel()

    def _one(self, ask: Callable[[BoardEngine, Q], A], question: Q) -> A | NoAnswer:
        engine = self._idle.get()
        try:
            for attempt in (1, 2):
                try:
                    return ask(engine, question)
                except TransportFault as fault:
                    if attempt == 2 or not fault.worth_retrying or self._closed:
                        return NoAnswer(fault.reason, attempt)
            raise AssertionError
        finally:
            self._idle.put(engine)


class PlayingPool:
    """The same engines, as a candidate that plays games."""

    def __init__(self, pool: BoardPool) -> None:
        self.name = pool.name
        self.size, self.concurrency = pool.size, pool.concurrency
        self._pool = pool

    async def answer_all(self, questions: Sequence[GameToPlay], /) -> list[PlayedGame | NoAnswer]:
        """Play all games."""
        return await self._pool.play_all(questions)
