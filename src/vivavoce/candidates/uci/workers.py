"""Workers: processes on this machine that cannot outlive their owner, or the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final, Protocol, TypeVar

from vivavoce.candidates.cluster.scheduler import with_workers
from vivavoce.errors import BadInput, CandidateUnreachable, VivavoceError

T = TypeVar("T")

ATTEMPTS: Final = 3
"""The most times that a call is sent, if its worker dies."""


class Workers(Protocol):
    """Workers behind an executor."""

    @property
    def count(self) -> int:
        """The number of calls that run at the same time."""
        ...

    def executor(self) -> Executor:
        """The executor; raises `CandidateUnreachable` after `close`."""
        ...

    def died(self, error: Exception, /) -> bool:
        """Whether a call failed because a worker that had it died, so that it may be sent again."""
        ...

    def replace(self, broken: Executor, /) -> None:
        """Replace a broken executor, unless that has been done."""
        ...

    def close(self, farewell: Callable[[Any], None], argument: Any, /) -> None:
        """End the workers, or, if we may not end them, let them drop (by that call) what they keep for us."""
        ...


class Processes:
    """Worker processes on this machine, started with the first call.

    Each holds the far end of a pipe, the lifeline, whose near end this process alone has: when it is closed, or this process
    dies in any way, the workers exit at once. (An executor alone would leave them waiting forever, and `shutdown` would wait
    for a call that hangs.)
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise BadInput(f"{count} workers are too few: give at least 1")
        self.count = count
        self._executor: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None
        self._closed = False

    def executor(self) -> Executor:
        """The executor, made with the first call."""
        if self._closed:
            raise CandidateUnreachable("the engines have been closed")
        if self._executor is None:
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload(["vivavoce.candidates.uci.pool"])
            far_end, self._lifeline = context.Pipe(duplex=False)
            self._executor = ProcessPoolExecutor(
                self.count, mp_context=context, initializer=_hold_lifeline, initargs=(far_end,)
            )
        return self._executor

    def died(self, error: Exception, /) -> bool:
        """Whether the executor broke."""
        return isinstance(error, BrokenExecutor)

    def replace(self, broken: Executor, /) -> None:
        """Drop the broken executor with its workers."""
        if self._executor is broken:
            self._end()

    def close(self, farewell: Callable[[Any], None], argument: Any, /) -> None:
        """End the worker processes, with everything that they hold."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        lifeline, executor = self._lifeline, self._executor
        self._lifeline = self._executor = None
        if lifeline is not None:
            lifeline.close()
        if executor is not None:
            executor.shutdown(cancel_futures=True)


class EngineCluster:
    """The workers of a Dask cluster, which outlive this process and serve others as well.

    Dask itself gives the work of a dead worker to another one.
    """

    def __init__(self, address: str) -> None:
        self._client = with_workers(address)
        self.count: int = sum(self._client.nthreads().values())
        self._executor: Executor | None = self._client.get_executor(pure=False)

    def executor(self) -> Executor:
        """Dask's own."""
        if self._executor is None:
            raise CandidateUnreachable("the engines have been closed")
        return self._executor

    def died(self, error: Exception, /) -> bool:
        """Whether Dask has given it to worker after worker, and all of them died."""
        from distributed import KilledWorker

        return isinstance(error, KilledWorker)

    def replace(self, broken: Executor, /) -> None:
        """Nothing to do: Dask looks after its workers."""

    def close(self, farewell: Callable[[Any], None], argument: Any, /) -> None:
        """Let the workers drop what they keep for us, and disconnect from the cluster."""
        if self._executor is not None:
            self._executor.shutdown(wait=False)
            self._executor = None
            with suppress(OSError):  # the cluster may have gone
                self._client.run(farewell, argument)
            self._client.close()


async def submitted(workers: Workers, name: str, call: Callable[..., T], *arguments: Any) -> T:
    """The result of a call on a worker; it is sent again if the worker dies.

    name: of the candidate, for errors.

    Raises our own errors as the call raised them, and `CandidateUnreachable` if workers die again and again, or cannot work at
    all.
    """
    for _ in range(ATTEMPTS):
        try:
            executor = workers.executor()
            return await asyncio.wrap_future(executor.submit(call, *arguments))
        except VivavoceError:
            raise
        except Exception as error:
            if not workers.died(error):
                raise CandidateUnreachable(f"{name}: a worker failed ({type(error).__name__}: {error})") from error
            workers.replace(executor)
    raise CandidateUnreachable(f"{name}: its worker processes keep dying")


def _hold_lifeline(far_end: Connection) -> None:
    """In a worker process: exit when the owner closes the pipe. Only the owner handles keyboard interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        far_end.poll(None)
        os._exit(0)

    threading.Thread(target=watch, daemon=True, name="lifeline").start()
