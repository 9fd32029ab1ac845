"""Where engines of board games work: in threads of this process that wait for them, or on the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from queue import SimpleQueue
from typing import Any, Final, Literal, Protocol, TypeVar

from vivavoce.candidates.uci.idle import Made, end_engines, engine_of
from vivavoce.candidates.uci.workers import Cluster, submitted
from vivavoce.candidates.variants.engine import VariantEngine
from vivavoce.errors import CandidateUnreachable, TransportFault
from vivavoce.interview.candidate import NoAnswer

CHUNK: Final = 16
"""Questions that are sent together at most: most take milliseconds."""

Ask = Literal["assess", "play"]
"""What an engine is asked to do."""
A = TypeVar("A")


class Places(Protocol):
    """Engines that are asked many questions at once."""

    @property
    def count(self) -> int:
        """How many work at the same time."""
        ...

    async def all_of(self, ask: Ask, questions: Sequence[Any], /) -> list[Any]:
        """What is said to all questions, in their order; a `NoAnswer` where nothing is."""
        ...

    async def close(self) -> None:
        """End all engines; what is under way is given up."""
        ...


class Here:
    """So many engines, each in a thread."""

    def __init__(self, made: Made[VariantEngine], count: int) -> None:
        self.count = count
        self._engines = [made() for _ in range(count)]
        self._idle: SimpleQueue[VariantEngine] = SimpleQueue()
        for engine in self._engines:
            self._idle.put(engine)
        # An engine dies with the thread that has started it, so its threads last as long as the pool.
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="board-engine")
        self._closed = False

    async def all_of(self, ask: Ask, questions: Sequence[Any], /) -> list[Any]:
        """What they say, each by the first that is idle."""
        if self._closed:
            raise CandidateUnreachable("the engines have been closed")
        loop = asyncio.get_running_loop()
        futures = [loop.run_in_executor(self._threads, self._one, ask, question) for question in questions]
        try:
            return list(await asyncio.gather(*futures))
        finally:
            for future in futures:
                future.cancel()

    async def close(self) -> None:
        """End them and their threads."""
        self._closed = True
        for engine in self._engines:
            engine.interrupt()
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        for engine in self._engines:
            engine.close()

    def _one(self, ask: Ask, question: Any) -> Any:
        engine = self._idle.get()
        try:
            return _said(getattr(engine, ask), question, has_ended=lambda: self._closed)
        finally:
            self._idle.put(engine)


class There:
    """An engine for each thread of a cluster's workers.

    name: of the candidate.
    """

    def __init__(self, name: str, made: Made[VariantEngine], address: str) -> None:
        self._name = name
        self._made = made
        self._workers = Cluster(address)

    @property
    def count(self) -> int:
        """Threads of the workers."""
        return self._workers.count

    async def all_of(self, ask: Ask, questions: Sequence[Any], /) -> list[Any]:
        """What they say. Raises `CandidateMisconfigured`, with its worker's address, for an engine that is another there."""
        size = 1 if ask == "play" else max(1, min(CHUNK, ceil(len(questions) / self.count)))
        chunks = [questions[start : start + size] for start in range(0, len(questions), size)]
        tasks = [submitted(self._workers, self._name, said_to_all, self._made, ask, chunk) for chunk in chunks]
        return [answer for chunk in await asyncio.gather(*tasks) for answer in chunk]

    async def close(self) -> None:
        """Let workers end their engines, and part from the cluster."""
        await asyncio.to_thread(self._workers.close, end_engines, self._made)


def said_to_all(made: Made[VariantEngine], ask: Ask, questions: Sequence[Any]) -> list[Any]:
    """In a worker process: what an engine says to one chunk."""
    with engine_of(made) as engine:
        return [_said(getattr(engine, ask), question) for question in questions]


def _said(ask: Callable[[Any], A], question: Any, *, has_ended: Callable[[], bool] = lambda: False) -> A | NoAnswer:
    """What an engine says; one that dies is started again and asked once more."""
    for attempt in (1, 2):
        try:
            return ask(question)
        except TransportFault as fault:
            if attempt == 2 or not fault.worth_retrying or has_ended():
                return NoAnswer(fault.reason, attempt)
    raise AssertionError
